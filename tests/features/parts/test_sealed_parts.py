"""A merge verifies that its parts are intact: a changed, moved, damaged or foreign part gives an error."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

import pandas
import pyarrow
import pyarrow.parquet
import pytest

from parapluie_gui.commands.main import main
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.parts.folder import MANIFEST
from parapluie_gui.features.parts.listing import list_parts, read_parts


@pytest.fixture
def parts(work_folder: Path, capsys: pytest.CaptureFixture[str]) -> list[Path]:
    """Six parts, the second of which has no pair."""
    assert shard() == 0
    capsys.readouterr()
    return sorted(Path("parts").glob("part-*"))


def shard(corpus: str = "pairs.parquet", folder: str = "parts") -> int:
    return main(["score", corpus, "--shard", "1/1", "-o", folder, "--part", "10", "--metric", "edit_distance"])


def merged() -> str:
    """Merge the parts and return the error message; a failed merge leaves no file."""
    Path("out.parquet").unlink(missing_ok=True)
    status = main(["merge", "parts", "-o", "out.parquet"])
    assert Path("out.parquet").exists() == (status == 0)
    return "" if status == 0 else "refused"


def refused(capsys: pytest.CaptureFixture[str]) -> str:
    assert merged() == "refused"
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("parapluie: ") and err.count("\n") == 1, err
    return err


def rewritten(path: Path, table: pyarrow.Table, **more: str) -> None:
    """Rewrite a part with its old metadata, as a program unaware of seals would."""
    metadata = dict(pyarrow.parquet.read_schema(path).metadata)
    pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), path)


def column(table: pyarrow.Table, name: str, values: object) -> pyarrow.Table:
    return table.set_column(table.column_names.index(name), name, pyarrow.array(values))


def test_changed_missing_or_textual_scores_are_refused(parts, capsys):
    path, table = parts[2], pyarrow.parquet.read_table(parts[2])
    scores = table.column("edit_distance").to_pylist()
    rewritten(path, column(table, "edit_distance", [score + 0.5 for score in scores]))
    assert "was changed after it was written" in refused(capsys)
    rewritten(path, column(table, "edit_distance", [str(score) for score in scores]))
    assert "the scores edit_distance are of type string, not numbers" in refused(capsys)
    rewritten(path, table.drop_columns(["edit_distance"]))
    assert "the scores edit_distance are missing" in refused(capsys)
    rewritten(path, column(table, "id", [f"{number}x" for number in table.column("id").to_pylist()]))
    assert "was changed after it was written" in refused(capsys)
    rewritten(path, table.drop_columns(["hypothesis"]))
    assert "no text column called hypothesis" in refused(capsys)
    rewritten(path, table)
    assert merged() == ""


def test_exchanged_parts_and_parts_of_a_different_corpus_are_refused(parts, capsys, work_folder):
    one, two = parts[2], parts[3]
    exchanged = [one.with_name(one.name.replace("00002", "00003")), two.with_name(two.name.replace("00003", "00002"))]
    one.rename(exchanged[0])
    two.rename(exchanged[1])
    assert "it is part 3 under another name" in refused(capsys)
    for new, old in zip(exchanged, (one, two), strict=True):
        new.rename(old)
    frame = pandas.read_parquet("pairs.parquet")
    frame["source"] = frame["source"].str.upper()
    frame.to_parquet("loud.parquet", row_group_size=25)
    assert shard("loud.parquet", "loud") == 0
    capsys.readouterr()
    foreign = next(Path("loud").glob("part-00002-*"))
    one.unlink()
    shutil.copy(foreign, Path("parts") / foreign.name)
    assert "it is a part of a different corpus" in refused(capsys)


def test_a_flipped_bit_is_never_ignored(parts, capsys):
    """A merge either has the same table or says which part is damaged."""
    content = parts[4].read_bytes()
    folder, rows = Path("parts"), pyarrow.parquet.read_table(parts[4])
    chance, refusals = random.Random(7), 0
    for _ in range(150):
        data = bytearray(content)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        parts[4].write_bytes(bytes(data))
        result = read_parts(folder, [parts[4]])
        if result.corpus is None:
            assert parts[4].name in result.problems
            refusals += 1
        else:
            again = pyarrow.parquet.read_table(parts[4])
            assert again.equals(rows) and again.schema.names == rows.schema.names
    assert refusals > 50


def test_parts_without_a_seal_are_refused(parts, capsys):
    table = pyarrow.parquet.read_table(parts[2])
    metadata = {b"parapluie.signatures": table.schema.metadata[b"parapluie.signatures"]}
    pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), parts[2])
    assert "it has no seal" in (sentence := refused(capsys)) and "Delete it and run its shard again" in sentence
    # Other differences are reported first.
    twice = pyarrow.concat_tables([table, table])
    pyarrow.parquet.write_table(twice, parts[2])
    assert "its pairs do not match its name" in refused(capsys)
    pyarrow.parquet.write_table(column(table, "edit_distance", ["a"] * 10), parts[2])
    assert "not numbers" in refused(capsys)


def test_pipes_in_place_of_files_are_refused(parts, capsys):
    parts[2].unlink()
    os.mkfifo(parts[2])
    assert "a pipe, not a file" in refused(capsys)
    assert "a pipe, not a file" in read_parts(Path("parts"), [parts[2]]).problems[parts[2].name]
    manifest = Path("parts") / MANIFEST
    manifest.unlink()
    os.mkfifo(manifest)
    assert "parts.json" in refused(capsys)


@pytest.mark.parametrize(
    "change",
    [
        {"parts": 10**18},
        {"parts": -1},
        {"parts": 5},
        {"pairs": 0},
        {"pairs": -10},
        {"pairs": 1e999},
        {"files": {"pairs.parquet": 60}},
        {"files": {"pairs.parquet": [60]}},
        {"files": {"pairs.parquet": [-60, 1]}},
        {"files": {"pairs.parquet": [10**18, 1]}},
        {"files": []},
        {"columns": {"source": 1}},
        {"signatures": {"edit_distance": 1}},
        {"signatures": {"edit_distance": {"name": [1]}}},
        {"format": "1e999"},
        {"format": None},
    ],
)
def test_impossible_lists_of_parts_are_refused(parts, capsys, change):
    path = Path("parts") / MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **change}), "utf-8")
    assert f"{path} is damaged" in refused(capsys)
    with pytest.raises(ParapluieError, match="is damaged"):
        list_parts(Path("parts"))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "null", "[1]", "\x00", '"x"'])
def test_malformed_lists_of_parts_are_refused(parts, capsys, text):
    path = Path("parts") / MANIFEST
    path.write_text(text, "utf-8")
    assert f"{path} is damaged" in refused(capsys)
