"""Shards and their merge on the command line: the same table as in one run, and nothing lost."""

from __future__ import annotations

from pathlib import Path

import pandas
import pytest

from parapluie_gui.commands.main import main
from parapluie_gui.features.parts.folder import MANIFEST
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.work.local import LocalScorer

METRICS = ("--metric", "edit_distance", "--metric", "bleu")


@pytest.fixture
def scored(monkeypatch) -> list[int]:
    """Record how many pairs every scored corpus has."""
    sizes: list[int] = []
    score = LocalScorer.score

    def spy(self, corpus, *rest):
        sizes.append(len(corpus))
        return score(self, corpus, *rest)

    monkeypatch.setattr(LocalScorer, "score", spy)
    return sizes


def shard(number: int, count: int, *more: str, corpus: str = "pairs.parquet", size: str = "10") -> int:
    return main(["score", corpus, "--shard", f"{number}/{count}", "-o", "parts", "--part", size, *METRICS, *more])


def merge(output: str = "out.parquet") -> int:
    return main(["merge", "parts", "-o", output])


def sentence(capsys, status: int) -> str:
    out, err = capsys.readouterr()
    assert status == 2 and out == ""
    assert err.startswith("parapluie: ") and err.count("\n") == 1, err
    return err


def test_merged_shards_equal_the_table_of_a_single_process(work_folder, capsys):
    for number in (3, 1, 2):
        assert shard(number, 3) == 0
    assert "10 rows have no pair" in capsys.readouterr().out
    assert merge() == 0
    assert capsys.readouterr().out == "6 parts, 50 pairs → out.parquet\n"
    assert main(["score", "pairs.parquet", "-o", "whole.parquet", *METRICS]) == 0
    merged, expected = pandas.read_parquet("out.parquet"), pandas.read_parquet("whole.parquet")
    assert list(merged.columns) == list(expected.columns)
    pandas.testing.assert_frame_equal(merged, expected, check_dtype=False)
    assert read_signatures(Path("out.parquet")) == read_signatures(Path("whole.parquet"))


def test_an_existing_part_is_not_scored_again(work_folder, capsys, scored):
    assert shard(1, 2) == 0
    assert scored == [10, 10]
    next(Path("parts").glob("part-00002-*")).unlink()
    capsys.readouterr()
    assert shard(1, 2) == 0
    assert scored == [10, 10, 10]
    assert "2 of the parts already existed" in capsys.readouterr().out
    # Further shards of the same corpus continue with the existing parts.
    assert shard(1, 1) == 0
    assert len(scored) == 3 + 3


def test_the_order_of_shards_changes_no_byte(work_folder, capsys):
    assert shard(1, 1) == 0 and merge("one.parquet") == 0
    for path in Path("parts").iterdir():
        path.unlink()
    for number in (4, 2, 3, 1):
        assert shard(number, 4) == 0
    assert merge("four.parquet") == 0
    assert Path("one.parquet").read_bytes() == Path("four.parquet").read_bytes()


def test_a_folder_of_files_is_one_corpus(work_folder, capsys):
    Path("corpus").mkdir()
    expected = pandas.read_parquet("pairs.parquet")
    expected[:33].to_parquet("corpus/a.parquet")
    expected[33:].to_parquet("corpus/b.parquet")
    assert shard(1, 1, corpus="corpus") == 0 and merge() == 0
    merged = pandas.read_parquet("out.parquet")
    assert merged["id"].tolist() == [str(row + 1) for row in range(60) if not 10 <= row < 20]
    assert merged["source"].tolist() == expected[expected.hypothesis != ""]["source"].tolist()


def test_a_merge_reports_missing_duplicate_and_foreign_parts(work_folder, capsys):
    assert shard(1, 1) == 0
    parts = sorted(Path("parts").glob("part-*"))
    before = {path: path.read_bytes() for path in parts}
    capsys.readouterr()

    parts[3].unlink()
    assert "1 of 6 parts is missing (part 3)" in sentence(capsys, merge())
    parts[3].write_bytes(before[parts[3]])

    twice = parts[3].with_name("part-00003-" + "0" * 32 + ".parquet")
    twice.write_bytes(before[parts[3]])
    assert "part 3 is present twice" in sentence(capsys, merge())
    twice.unlink()

    parts[4].write_bytes(before[parts[5]])
    assert "its pairs do not match its name" in sentence(capsys, merge())
    parts[4].write_bytes(before[parts[4]][:-100])
    assert "is damaged" in sentence(capsys, merge())
    parts[4].write_bytes(before[parts[4]])

    other = Path("parts") / ("part-00006-" + "0" * 32 + ".parquet")
    other.write_bytes(before[parts[0]])
    assert "an extra part" in sentence(capsys, merge())
    other.unlink()
    assert not Path("out.parquet").exists()

    # A shard that runs again repairs its damaged parts.
    twice.write_bytes(before[parts[3]])
    assert shard(1, 1) == 0 and merge() == 0
    assert {path: path.read_bytes() for path in Path("parts").glob("part-*")} == before


def test_parts_of_different_scores_are_refused(work_folder, capsys):
    assert shard(1, 2) == 0
    capsys.readouterr()
    assert "is for other scores or settings (chrf)" in sentence(capsys, shard(2, 2, "--metric", "chrf"))
    assert "is for parts of 10 pairs" in sentence(capsys, shard(2, 2, size="20"))
    pandas.read_parquet("pairs.parquet")[:50].to_parquet("fewer.parquet")
    assert "is for a different corpus" in sentence(capsys, shard(2, 2, corpus="fewer.parquet"))
    # A part scored with different options and copied in by hand.
    assert shard(2, 2) == 0
    capsys.readouterr()
    part = next(Path("parts").glob("part-00005-*"))
    arguments = ["score", "pairs.parquet", "--shard", "1/1", "--part", "10", "-o", "others", "--metric", "bleu"]
    assert main(arguments) == 0
    capsys.readouterr()
    part.write_bytes(next(Path("others").glob("part-00005-*")).read_bytes())
    assert "edit_distance was computed with settings that differ from those in parts.json" in sentence(capsys, merge())


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (["pairs.parquet", "--shard", "0/3"], "there is no shard 0 of 3"),
        (["pairs.parquet", "--shard", "4/3"], "there is no shard 4 of 3"),
        (["pairs.parquet", "--shard", "one"], "one does not have the form 3/16"),
        (["pairs.parquet", "--part", "7"], "--part is for a corpus in parts"),
        (["pairs.parquet", "--shard", "1/3", "--engine", "ray"], "Use one of them"),
        (["pairs.parquet", "--shard", "1/3", "--workers", "2"], "--workers is for the engine ray"),
        (["pairs.csv", "--shard", "1/3"], "only Parquet files can be split into parts"),
        (["gone.parquet", "--shard", "1/3"], "there is no such file"),
        (["empty", "--shard", "1/3"], "no Parquet file in this folder"),
        (["pairs.parquet", "--shard", "1/3", "--column", "x = bleu > 0"], "use it on the merged table"),
        (["pairs.parquet", "--shard", "1/3", "--controls"], "cannot be combined with --controls"),
        (["pairs.parquet", "--shard", "1/3", "--filter", "label == 1"], "cannot be combined with --filter"),
        (["pairs.parquet", "--shard", "1/3", "--source", "nothing"], 'there is no column "nothing"'),
        (["pairs.parquet", "--shard", "1/3", "--metric", "external:year"], "and the parts include it anyway"),
    ],
)
def test_corpora_that_cannot_be_split_are_refused_in_one_sentence(work_folder, capsys, arguments, wrong):
    Path("empty").mkdir()
    Path("pairs.csv").write_text("source,hypothesis\na,b\n", encoding="utf-8")
    try:
        status = main(["score", "-o", "parts", *arguments])
    except SystemExit as end:
        status = int(str(end.code))
    assert wrong in sentence(capsys, status)
    assert not Path("parts").exists()


def test_a_damaged_manifest_and_a_foreign_folder_are_refused(work_folder, capsys):
    Path("parts").mkdir()
    Path("parts/notes.txt").write_text("mine", encoding="utf-8")
    assert "contains other files (notes.txt)" in sentence(capsys, shard(1, 1))
    assert "is not a folder of parts" in sentence(capsys, merge())
    Path("parts/notes.txt").unlink()
    assert shard(1, 1) == 0
    capsys.readouterr()
    (Path("parts") / MANIFEST).write_text("{", encoding="utf-8")
    assert "is damaged" in sentence(capsys, merge())
    assert "End its name in .parquet" in sentence(capsys, merge("out.csv"))
    assert "among the parts" in sentence(capsys, merge("parts/out.parquet"))
