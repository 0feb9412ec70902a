"""`parapluie score`, run in this process: tables out, sentences on stderr, nothing half-written."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pandas
import pytest
from tiny import save_model, spoil

from parapluie_gui import places
from parapluie_gui.commands import saying
from parapluie_gui.commands.main import main
from parapluie_gui.errors import ParapluieError
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import MetricReadiness
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.work.runner import JobRunner

SCORES = ["edit_distance", "bleu"]
DIRECT = ["pluie.direct", "pluie.direct.p_yes", "pluie.direct.p_no"]
CORPUS = """id,source,hypothesis,reference,label,human,year,bleu,corpus
a,The cat sleeps.,The cat is asleep.,A cat sleeps.,1,4.5,2020,x,web
b,The cat sleeps.,A dog barks.,,0,1.0,2021,y,news
c,"Hello, you","=1+1",,1,,2022,z,web
"""


@pytest.fixture
def work_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder with a corpus."""
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "pairs.csv").write_text(CORPUS, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return save_model(tmp_path_factory.mktemp("models") / "a tiny model")


@pytest.fixture
def scored(monkeypatch) -> list[int]:
    """Note each job that is run."""
    sizes: list[int] = []
    run = JobRunner.run

    def spy(self, job):
        sizes.append(len(job.request.pairs))
        run(self, job)

    monkeypatch.setattr(JobRunner, "run", spy)
    return sizes


def score(*arguments: str | Path) -> int:
    return main(["score", *map(str, arguments)])


def refused(capsys, *arguments: str | Path, folder: Path = Path()) -> str:
    """Run a command that must end with one sentence and leave no file; return the sentence."""
    before = sorted(folder.iterdir())
    try:
        status = score(*arguments)
    except SystemExit as end:
        status = end.code
    out, err = capsys.readouterr()
    assert status == 2
    assert out == ""
    assert err.startswith("parapluie: ") and err.endswith((".\n", "?\n")) and err.count("\n") == 1, err
    assert sorted(folder.iterdir()) == before, "something was written"
    return err.removeprefix("parapluie: ").strip()


def rows(path: Path) -> list[dict]:
    match path.suffix:
        case ".jsonl":
            return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        case ".parquet":
            return pandas.read_parquet(path).to_dict("records")
        case ".xlsx":
            return pandas.read_excel(path, engine="calamine").to_dict("records")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


# Output


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_each_format_has_the_same_columns(work_folder, capsys, model, ending):
    out = work_folder / f"out.{ending}"
    assert score("pairs.csv", "-o", out, "--judge", model, "--template", "direct", "--device", "cpu") == 0
    table = rows(out)
    first = ["id", "source", "hypothesis", "reference", "label", "human"]
    own = ["year", "bleu (corpus)", "corpus"]
    assert list(table[0]) == [*first, *own, *SCORES, *DIRECT]
    assert [row["id"] for row in table] == ["a", "b", "c"]
    assert [int(row["label"]) for row in table] == [1, 0, 1]
    assert [row["bleu (corpus)"] for row in table] == ["x", "y", "z"]
    assert [row["corpus"] for row in table] == ["web", "news", "web"]
    distances = catalogue.metric("edit_distance").score(
        [row["source"] for row in table], [row["hypothesis"] for row in table]
    )
    np.testing.assert_allclose([float(row["edit_distance"]) for row in table], distances)
    for row in table:
        yes, no = float(row["pluie.direct.p_yes"]), float(row["pluie.direct.p_no"])
        assert float(row["pluie.direct"]) == pytest.approx(np.log(yes / no), abs=1e-3)


def test_quiet_hides_no_error(work_folder, capsys, model, monkeypatch):
    broken = work_folder / "broken"
    shutil.copytree(model, broken)
    (broken / "config.json").write_text("[" * 100_000, encoding="utf-8")
    arguments = ("--metric", "bleu", "--judge", f"{broken}=DIRECT", "--device", "cpu", "--quiet")
    assert score("pairs.csv", "-o", "out.csv", *arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("parapluie: ") and error.count("\n") == 1
    monkeypatch.setattr(catalogue, "ready", lambda spec: MetricReadiness("no" if spec == "bleu" else ""))
    assert score("pairs.csv", "-o", "out.csv", *arguments[:2], "--metric", "edit_distance", "--quiet") == 2
    assert capsys.readouterr().err == "parapluie: no\n"


def test_quiet_hides_notices_but_not_errors_passed_as_notices(capsys, monkeypatch):
    monkeypatch.setattr(saying, "quiet", True)
    saying.say("a notice")
    saying.say(ParapluieError("an error"))
    assert capsys.readouterr().err == "parapluie: an error\n"


def test_both_directions_and_their_gap_are_written(work_folder, capsys, model):
    both = ["--template", "direct", "--template", "DIRECT,reverse", "--judge", model, "--device", "cpu"]
    assert score("pairs.csv", "-o", "out.csv", "--metric", "bleu", *both) == 0
    table = rows(work_folder / "out.csv")
    assert list(table[0])[-1] == "pluie.direct.gap"
    for row in table:
        gap = float(row["pluie.direct"]) - float(row["pluie.direct.reverse"])
        assert float(row["pluie.direct.gap"]) == pytest.approx(gap)
    assert "pluie.direct.gap" in capsys.readouterr().out
    assert main(["score", "out.csv", "-o", "again.csv", "--metric", "bleu"]) == 0
    assert list(rows(work_folder / "again.csv")[0]).count("pluie.direct.gap") == 1


def test_the_summary_is_on_stdout_and_messages_on_stderr(work_folder, capsys, model):
    assert score("pairs.csv", "-o", "out.csv", "--judge", model, "--template", "DIRECT", "--device", "cpu") == 0
    out, err = capsys.readouterr()
    *scores, last = out.splitlines()
    assert last == "3 pairs, 3 scores → out.csv"
    assert [line.split()[0] for line in scores] == ["edit_distance", "bleu", "pluie.direct"]
    assert all(
        re.search(r"paraphrases -?\d+\.\d{3}±\d+\.\d{3}  not paraphrases -?\d+\.\d{3}±0\.000$", line) for line in scores
    )
    # depending on the precision that is fast on this processor
    assert re.search("a tiny model: .* (float32|bfloat16) on cpu", err)
    assert "\r" not in err, "a progress bar is shown only in a terminal"
    assert "formulas" in err


def test_the_summary_works_without_labels(work_folder, capsys):
    (work_folder / "bare.tsv").write_text("source\thypothesis\na b\ta b\n", encoding="utf-8")
    assert score("bare.tsv", "-o", "out.csv", "--metric", "edit_distance") == 0
    assert capsys.readouterr().out == "edit_distance  0.000±0.000\n1 pair, 1 score → out.csv\n"


def test_each_requested_metric_is_computed_once(work_folder):
    assert score("pairs.csv", "-o", "out.csv", "--metric", "bleu", "--metric", "bleu") == 0
    assert list(rows(work_folder / "out.csv")[0])[-1:] == ["bleu"]
    assert "edit_distance" not in rows(work_folder / "out.csv")[0]


def test_the_limit_restricts_the_pairs_scored(work_folder, scored):
    assert score("pairs.csv", "-o", "out.csv", "--limit", "2") == 0
    assert [row["id"] for row in rows(work_folder / "out.csv")] == ["a", "b"]
    assert score("pairs.csv", "-o", "out.csv", "--limit", "99") == 0
    assert scored == [2, 3]


def test_only_the_pairs_of_a_filter_are_scored_and_all_are_written(work_folder, scored, capsys):
    assert score("pairs.csv", "-o", "out.csv", "--metric", "edit_distance", "--filter", "label == 1") == 0
    table = rows(work_folder / "out.csv")
    assert [row["id"] for row in table] == ["a", "b", "c"] and scored == [2]
    assert [bool(row["edit_distance"]) for row in table] == [True, False, True]
    out = capsys.readouterr().out
    assert "2 of 3 pairs, 1 score → out.csv" in out and "without a score" not in out
    # Filters can use the scores in the file.
    assert score("out.csv", "-o", "more.csv", "--metric", "rouge1", "--filter", "edit_distance >= 0") == 0
    assert [bool(row["rouge1"]) for row in rows(work_folder / "more.csv")] == [True, False, True]
    capsys.readouterr()
    assert "No pair matches year > 3000" in refused(capsys, "pairs.csv", "-o", "none.csv", "--filter", "year > 3000")


def test_columns_can_be_named(work_folder):
    (work_folder / "odd.csv").write_text("n;A;B;gold;year\n7;eins;zwei;1;2020\n", encoding="utf-8")
    options = ["--source", "A", "--hypothesis", "B", "--label", "gold", "--id", "n", "--delimiter", ";"]
    assert score("odd.csv", "-o", "out.csv", *options) == 0
    (row,) = rows(work_folder / "out.csv")
    assert list(row)[:4] == ["id", "source", "hypothesis", "label"]
    assert (row["id"], row["source"], row["hypothesis"], row["label"], row["year"]) == (
        "7",
        "eins",
        "zwei",
        "1",
        "2020",
    )


def test_naming_one_column_keeps_the_other_roles(work_folder):
    assert score("pairs.csv", "-o", "out.csv", "--human", "year") == 0
    assert rows(work_folder / "out.csv")[0]["human"] == "2020.0"
    assert rows(work_folder / "out.csv")[0]["label"] == "1"


def test_several_files_are_pooled(work_folder, capsys):
    (work_folder / "more.tsv").write_text("id\tsource\thypothesis\na\tone\ttwo\n", encoding="utf-8")
    assert score("pairs.csv", "more.tsv", "-o", "out.csv") == 0
    table = rows(work_folder / "out.csv")
    assert [row["id"] for row in table] == ["a", "b", "c", "a#2"]
    assert [row["corpus"] for row in table] == ["pairs", "pairs", "pairs", "more"]
    assert [row["corpus (corpus)"] for row in table] == ["web", "news", "web", ""]
    assert table[3]["label"] == ""


def test_parallel_files_are_read(work_folder):
    (work_folder / "a.txt").write_text("eins\nzwei\n", encoding="utf-8")
    (work_folder / "b.txt").write_text("one\ntwo\n", encoding="utf-8")
    assert score("--parallel", "a.txt", "b.txt", "-o", "out.csv") == 0
    assert [(row["source"], row["hypothesis"]) for row in rows(work_folder / "out.csv")] == [
        ("eins", "one"),
        ("zwei", "two"),
    ]


def test_a_named_encoding_is_used(work_folder):
    (work_folder / "latin.csv").write_bytes("source,hypothesis\nété,hiver\n".encode("latin-1"))
    assert score("latin.csv", "-o", "out.csv", "--encoding", "latin-1") == 0
    assert rows(work_folder / "out.csv")[0]["source"] == "été"


@pytest.mark.parametrize(("more", "rows"), [("", "1 row was"), (",d,\n", "2 rows were")])
def test_skipped_rows_are_counted(work_folder, capsys, more, rows):
    lines = f"source,hypothesis,human,bleu\na,b,1,0.5\nc,,2,0.5\nd,e,3,0.25\n{more}"
    (work_folder / "TRUE.csv").write_text(lines, encoding="utf-8")
    for command in (
        ["score", "TRUE.csv", "-o", "out.csv", "--metric", "edit_distance"],
        ["analyse", "TRUE.csv", "--draws", "0"],
    ):
        assert main(command) == 0
        assert capsys.readouterr().err == f"parapluie: TRUE: {rows} skipped (line 3: no hypothesis).\n", command


def test_tilde_is_expanded(work_folder, monkeypatch):
    monkeypatch.setenv("HOME", str(work_folder))
    monkeypatch.setenv("USERPROFILE", str(work_folder))
    assert score("~/pairs.csv", "--output=~/out.csv") == 0
    assert (work_folder / "out.csv").is_file()


def test_scoring_again_computes_nothing(work_folder, capsys, model, monkeypatch):
    judge = ["--judge", model, "--template", "DIRECT", "--template", "FS-DIRECT", "--device", "cpu"]
    assert score("pairs.csv", "-o", "one.parquet", *judge) == 0
    first = capsys.readouterr()
    monkeypatch.setattr(CausalJudge, "load", lambda *arguments: pytest.fail("the model is loaded"))
    assert score("pairs.csv", "-o", "two.parquet", *judge) == 0
    pandas.testing.assert_frame_equal(pandas.read_parquet("one.parquet"), pandas.read_parquet("two.parquet"))
    assert capsys.readouterr().out == first.out.replace("one.parquet", "two.parquet")


def test_a_judge_that_answers_nan_is_reported_and_the_table_is_complete(work_folder, capsys, tmp_path):
    broken = spoil(save_model(tmp_path / "broken"), "lm_head.weight", np.nan)
    judge = ["--judge", broken, "--template", "DIRECT", "--device", "cpu", "--precision", "float32"]
    for name in ("one.csv", "two.csv"):
        assert score("pairs.csv", "-o", name, *judge) == 2
        out, err = capsys.readouterr()
        assert "3 without a score" in out
        assert err.count("broken answers NaN for every pair. Its weights may be damaged.") == 1, (
            "scored again each time"
        )
        table = rows(work_folder / name)
        assert [row["id"] for row in table] == ["a", "b", "c"]
        assert all(row[column] == "" for row in table for column in DIRECT)
        assert all(row["edit_distance"] for row in table)


def test_an_older_table_is_replaced(work_folder):
    (work_folder / "out.csv").write_text("old")
    assert score("pairs.csv", "-o", "out.csv") == 0
    assert len(rows(work_folder / "out.csv")) == 3
    assert sorted(path.name for path in work_folder.iterdir()) == ["out.csv", "out.csv.signatures.json", "pairs.csv"]


def test_an_unusable_store_does_not_stop_scoring(work_folder, capsys):
    places.score_cache().write_bytes(b"no database" * 500)
    assert score("pairs.csv", "-o", "out.csv", "--metric", "edit_distance") == 0
    expected = "parapluie: The stored scores are damaged. They are now in scores.sqlite.damaged-1, and"
    assert capsys.readouterr().err.startswith(expected)
    assert score("pairs.csv", "-o", "out.csv", "--metric", "edit_distance") == 0
    assert "damaged" not in capsys.readouterr().err


# The published corpus


def test_mrpc_gives_the_published_numbers(shared_data, work_folder, capsys):
    parts = [shared_data / "mrpc" / f"msr_paraphrase_{part}.txt" for part in ("train", "test")]
    assert score(*parts, "-o", "out.parquet", "--metric", "edit_distance") == 0
    # Lemesle et al. (COLING 2025), table 1, on tokenised text: 0.38±0.16 and 0.51±0.13.
    assert capsys.readouterr().out.splitlines() == [
        "edit_distance  paraphrases 0.387±0.161  not paraphrases 0.512±0.136",
        "5,801 pairs, 1 score → out.parquet",
    ]
    assert score(parts[0], "-o", "out.parquet", "--metric", "edit_distance", "--layout", "mrpc") == 0
    assert len(pandas.read_parquet("out.parquet")) == 4076  # as counted by Dolan & Brockett (2005)


# Refused input


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pairs.csv", "-o", "out.docx"], "End the name in .csv"),
        (["pairs.csv", "-o", "out"], "End the name in .csv"),
        (["pairs.csv", "-o", "no/such/out.csv"], "no folder no/such"),
        (["missing.csv", "-o", "out.csv"], "missing.csv"),
        (["pairs.csv", "-o", "out.csv", "--metric", "bleuu"], 'no metric "bleuu"'),
        (["pairs.csv", "-o", "out.csv", "--template", "DIRCT"], "DIRCT"),
        (["pairs.csv", "-o", "out.csv", "--layout", "mprc"], "mprc"),
        (["pairs.csv", "-o", "out.csv", "--judge", "nowhere"], "nowhere is neither"),
        (["pairs.csv", "-o", "out.csv", "--judge", "MODEL", "--device", "abacus"], "abacus is not a device"),
        (["pairs.csv", "-o", "out.csv", "--judge", "MODEL", "--device", "cuda:99"], "cuda:99"),
        (["pairs.csv", "-o", "out.csv", "--judge", "MODEL", "--precision", "fp4"], "no precision called fp4"),
        (["pairs.csv", "-o", "out.csv", "--source", "nobody"], 'no column "nobody"'),
        (["pairs.csv", "-o", "out.csv", "--encoding", "utf-99"], "utf-99"),
        (["pairs.csv", "-o", "out.csv", "--limit", "0"], "0 is not a whole number"),
        (["pairs.csv", "-o", "out.csv", "--limit", "many"], "many is not a whole number"),
        (["pairs.csv", "-o", "out.csv", "--nonsense"], "--nonsense"),
        (["pairs.csv"], "-o/--output"),
        (["pairs.csv", "-o", "out.csv", "--parallel"], "consists of two files, but 1 was named"),
        (
            ["--parallel", "pairs.csv", "pairs.csv", "pairs.csv", "-o", "out.csv"],
            "consists of two files, but 3 were named",
        ),
        (["cyrillic.csv", "-o", "out.csv"], "UTF-8"),
        (["empty.csv", "-o", "out.csv"], "empty.csv"),
        ([".", "-o", "out.csv"], "folder"),
        (["pairs.csv", "-o", "pairs.csv"], "would be overwritten"),
        (["pairs.csv", "-o", "./link.csv"], "would be overwritten"),
        (["pairs.csv", "-o", "folder.csv"], "is a folder"),
    ],
)
def test_invalid_input_is_refused_in_one_sentence_before_scoring(work_folder, capsys, model, scored, arguments, words):
    (work_folder / "cyrillic.csv").write_bytes("source,hypothesis\nлето,зима\n".encode("koi8-r"))
    (work_folder / "empty.csv").write_bytes(b"")
    (work_folder / "link.csv").symlink_to("pairs.csv")
    (work_folder / "folder.csv").mkdir()
    text = (work_folder / "pairs.csv").read_text()
    sentence = refused(capsys, *(argument.replace("MODEL", str(model)) for argument in arguments))
    assert words in sentence
    assert scored == []
    assert (work_folder / "pairs.csv").read_text() == text


def test_an_unwritable_folder_is_refused(work_folder, capsys, scored):
    if os.name == "nt":
        pytest.skip("no /proc")
    sentence = refused(capsys, "pairs.csv", "-o", "/proc/out.csv")
    assert "folder /proc" in sentence
    assert scored == []


def test_a_data_folder_that_cannot_be_created_is_reported(work_folder, capsys, monkeypatch):
    (work_folder / "file").write_text("")
    monkeypatch.setenv("PARAPLUIE_HOME", str(work_folder / "file" / "home"))
    assert "file/home" in refused(capsys, "pairs.csv", "-o", "out.csv")


def test_too_many_pairs_for_excel_are_refused(work_folder, capsys, scored, monkeypatch):
    monkeypatch.setattr("parapluie_gui.commands.score.EXCEL_ROWS", 3)
    assert "An Excel sheet can hold 2 pairs, but there are 3" in refused(capsys, "pairs.csv", "-o", "out.xlsx")
    assert scored == []
    assert score("pairs.csv", "-o", "out.xlsx", "--limit", "2") == 0


def test_a_failure_while_scoring_writes_nothing(work_folder, capsys, monkeypatch):
    def fail(self, *arguments):
        raise ParapluieError("The metric met a comma; take it away.")

    monkeypatch.setattr("parapluie_gui.metrics.lexical.edit_distance.EditDistance.score", fail)
    asked = ("pairs.csv", "-o", "out.csv", "--metric", "edit_distance")
    assert refused(capsys, *asked) == "The metric met a comma; take it away."
    assert not (work_folder / "out.csv").exists()


def test_a_failing_metric_does_not_stop_the_others(work_folder, capsys, monkeypatch):
    def fail(self, *arguments):
        raise ParapluieError("The metric met a comma; take it away.")

    monkeypatch.setattr("parapluie_gui.metrics.lexical.edit_distance.EditDistance.score", fail)
    metrics = [part for name in ("edit_distance", "nli:nowhere", "bleu") for part in ("--metric", name)]
    assert score("pairs.csv", "-o", "out.jsonl", *metrics) == 2
    message = capsys.readouterr().err
    assert "The metric met a comma" in message and "nowhere is neither a model of the catalogue" in message
    assert all(row["bleu"] is not None for row in rows(work_folder / "out.jsonl"))
    assert "nli.nowhere" not in rows(work_folder / "out.jsonl")[0]


def test_a_column_of_the_corpus_can_be_a_metric(work_folder, capsys):
    (work_folder / "published.csv").write_text("source,hypothesis,gpt4\nsame,same,1\nsame,same,-100\nthis,that,0\n")
    assert score("published.csv", "-o", "out.jsonl", "--metric", "external:gpt4", "--metric", "bleu") == 0
    assert [row["external.gpt4"] for row in rows(work_folder / "out.jsonl")] == [1.0, None, 0.0]
    written = json.loads((work_folder / "out.jsonl.signatures.json").read_text(encoding="utf-8"))["signatures"]
    assert written["external.gpt4"]["column"] == "gpt4"
    capsys.readouterr()
    assert 'no column "gpt5"; did you mean "gpt4"?' in refused(
        capsys, "published.csv", "-o", "out.csv", "--metric", "external:gpt5"
    )


def test_only_cheap_metrics_are_computed_by_default(work_folder):
    assert score("pairs.csv", "-o", "out.jsonl") == 0
    known = {info.id for info in catalogue.metrics()}
    assert known & set(rows(work_folder / "out.jsonl")[0]) == set(catalogue.defaults())
    assert all(catalogue.info(name).cost == "instant" for name in catalogue.defaults())


def test_a_disk_that_fills_while_writing_leaves_no_file(work_folder, capsys, monkeypatch):
    def fail(path, *arguments):
        path.write_text("half a tab")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("parapluie_gui.report.table._WRITERS", {".csv": fail})
    assert "No space left" in refused(capsys, "pairs.csv", "-o", "out.csv")


def test_a_users_broken_template_is_reported_but_does_not_stop_scoring(work_folder, capsys, model):
    folder = places.user_templates()
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text("name = ")
    assert score("pairs.csv", "-o", "out.csv", "--judge", model, "--template", "DIRECT", "--device", "cpu") == 0
    assert "mine.toml" in capsys.readouterr().err


def test_a_judge_has_default_templates(work_folder, model):
    assert score("pairs.csv", "-o", "out.jsonl", "--judge", model, "--device", "cpu", "--exact") == 0
    assert {"pluie.direct", "pluie.fs-direct"} <= set(rows(work_folder / "out.jsonl")[0])
    signatures = json.loads((work_folder / "out.jsonl.signatures.json").read_text(encoding="utf-8"))["signatures"]
    assert signatures["pluie.direct"]["mode"] == "exact"
    assert signatures["pluie.direct"]["model"] == "a tiny model"


def test_an_almost_numeric_column_is_reported(work_folder, capsys):
    rows = "".join(f"S {row},H {row},{row if row != 9 else 'n.d.'}\n" for row in range(12))
    (work_folder / "a.csv").write_text("source,hypothesis,year\n" + rows, encoding="utf-8")
    assert main(["score", "a.csv", "-o", "o.csv", "--metric", "edit_distance"]) == 0
    sentence = 'a: Column "year" is read as text: 1 cell is not a number ("n.d." in line 11).'
    assert sentence in capsys.readouterr().err


def test_kinds_of_change_are_a_column_on_request(tmp_path):
    corpus, out = tmp_path / "pairs.csv", tmp_path / "out.csv"
    corpus.write_text("source,hypothesis\nHe paid 3 euros.,He paid 4 euros.\nNo change.,No change.\n", encoding="utf-8")
    assert main(["score", str(corpus), "--metric", "bleu", "--types", "-o", str(out)]) == 0
    assert [row["type"] for row in csv.DictReader(out.open(encoding="utf-8", newline=""))] == ["number", ""]


def test_existing_scores_in_a_table_keep_their_signatures(tmp_path, capsys):
    (tmp_path / "pairs.csv").write_text("source,hypothesis\na cat,a dog\na cat sat,a cat\n", encoding="utf-8")
    assert score(tmp_path / "pairs.csv", "-o", tmp_path / "one.csv", "--metric", "bleu") == 0
    assert score(tmp_path / "one.csv", "-o", tmp_path / "two.jsonl", "--metric", "edit_distance") == 0
    assert "1 score →" in capsys.readouterr().out.splitlines()[-1].replace("2 pairs, ", "")
    (one, two) = (
        json.loads((tmp_path / f"{name}.signatures.json").read_text("utf-8")) for name in ("one.csv", "two.jsonl")
    )
    assert two["signatures"]["bleu"] == one["signatures"]["bleu"] and "edit_distance" in two["signatures"]
    assert [set(row) for row in rows(tmp_path / "two.jsonl")] == [
        {"id", "source", "hypothesis", "bleu", "edit_distance"}
    ] * 2


def test_a_second_judge_does_not_rename_the_firsts_column(work_folder, capsys, model, tmp_path):
    """The file's own column used to lose its name and signature to the other judge's."""
    other = spoil(save_model(tmp_path / "other"), "model.norm.weight", 0.5)
    both = ("--device", "cpu", "--precision", "float32", "--template", "DIRECT")
    assert score("pairs.csv", "-o", "one.csv", "--judge", model, *both) == 0
    assert score("one.csv", "-o", "two.jsonl", "--judge", other, "--metric", "edit_distance", *both) == 0
    assert "pluie.direct in one.csv comes from a different judge and is kept" in capsys.readouterr().err
    one, two = (
        json.loads((work_folder / f"{name}.signatures.json").read_text("utf-8"))["signatures"]
        for name in ("one.csv", "two.jsonl")
    )
    first, second = sorted(name for name in two if name.startswith("pluie.direct"))
    assert first == "pluie.direct" and second == "pluie.direct@other" and two[first] == one["pluie.direct"]
    with (work_folder / "one.csv").open(encoding="utf-8", newline="") as file:
        before = [float(row["pluie.direct"]) for row in csv.DictReader(file)]
    written = rows(work_folder / "two.jsonl")
    assert [row[first] for row in written] == pytest.approx(before)
    assert [row[second] for row in written] == pytest.approx([each / 2 for each in before], rel=1e-3)
    assert score("two.jsonl", "-o", "three.jsonl", "--judge", other, "--metric", "edit_distance", *both) == 0
    assert set(rows(work_folder / "three.jsonl")[0]) == set(written[0]), "the same judge again is not a third judge"


def test_the_reason_of_a_missing_score_is_printed(work_folder, capsys):
    (work_folder / "ru.tsv").write_text(
        "source\thypothesis\nКошка спит.\tСпит кошка.\nA cat.\tA dog.\n", encoding="utf-8"
    )
    assert score("ru.tsv", "-o", "ru.csv", "--metric", "rougeL") == 0
    assert "1 without a score (the first: no ASCII letters to compare)" in capsys.readouterr().out
