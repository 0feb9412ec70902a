"""Two judges one after the other, as the command line runs them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas
import pytest
from tiny import save_model

from parapluie_gui.commands.main import main
from parapluie_gui.report.signatures import read_signatures

FIRST, THEN = "pluie.cloze", "pluie.direct.then"


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return save_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = range(12)
    frame = pandas.DataFrame(
        {
            "source": [f"The cat number {row} sleeps on the mat." for row in rows],
            "hypothesis": [f"{'Dogs bark at' if row % 3 else 'On the mat sleeps'} cat number {row}." for row in rows],
            "label": [int(row % 3 == 0) for row in rows],
        }
    )
    frame.to_parquet(tmp_path / "pairs.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def score(model: Path, *more: str, output: str = "out.parquet") -> int:
    first = ("score", "pairs.parquet", "-o", output, "--metric", "edit_distance", "--judge", "pocket")
    return main([*first, "--device", "cpu", "--then", str(model), "--then-template", "direct", *more])


def test_only_the_band_goes_to_the_second_judge(there, model, capsys):
    assert main(["score", "pairs.parquet", "-o", "one.parquet", "--judge", "pocket", "--device", "cpu"]) == 0
    first = pandas.read_parquet("one.parquet")[FIRST]
    low, high = sorted(first)[3], sorted(first)[7]
    assert main(["score", "pairs.parquet", "-o", "two.parquet", "--judge", str(model), "--template", "direct"]) == 0
    second = pandas.read_parquet("two.parquet")["pluie.direct"]

    assert score(model, "--band", repr(low), repr(high)) == 0
    table = pandas.read_parquet("out.parquet")
    sent = (first >= low) & (first <= high)
    assert sent.sum() == 5
    np.testing.assert_array_equal(table[FIRST], first)
    np.testing.assert_allclose(table[THEN], second.where(sent), atol=1e-3)
    np.testing.assert_allclose(table["pluie.cascade"], second.where(sent, first), atol=1e-3)
    assert table["cascade.judge"].tolist() == ["tiny" if each else "pocket" for each in sent]
    assert table[f"{THEN}.p_yes"].notna().tolist() == sent.tolist()
    fields = dict(read_signatures(Path("out.parquet"))["pluie.cascade"].fields)
    assert (fields["first"], fields["then"]) == (FIRST, THEN)
    assert (float(fields["low"]), float(fields["high"])) == (low, high)
    assert "5 of 12 pairs (42 %) went on to tiny" in capsys.readouterr().out


def test_a_share_sends_those_nearest_to_the_threshold(there, model):
    assert score(model, "--send", "0.25") == 0
    table = pandas.read_parquet("out.parquet")
    nearest = np.argsort(np.abs(table[FIRST].to_numpy()))[:3]
    assert sorted(np.flatnonzero(table[THEN].notna())) == sorted(nearest)


def test_of_some_pairs_alone_a_share_is_sent_and_no_judge_decided_the_others(there, model, capsys):
    assert score(model, "--send", "0.5", "--filter", "label == 1") == 0
    table = pandas.read_parquet("out.parquet")
    asked = table["label"] == 1
    assert table[FIRST].notna().tolist() == table["pluie.cascade"].notna().tolist() == asked.tolist()
    assert table[THEN].notna().sum() == 2 and not table[THEN][~asked].notna().any()
    decided = table["cascade.judge"].fillna("")
    assert sorted(decided[asked]) == ["pocket", "pocket", "tiny", "tiny"] and set(decided[~asked]) == {""}
    assert "2 of 4 pairs (50 %) went on to tiny" in capsys.readouterr().out


def test_a_band_that_nothing_falls_into_asks_nobody(there, model):
    assert score(model, "--band", "900", "901") == 0
    table = pandas.read_parquet("out.parquet")
    assert table[THEN].isna().all()
    assert table["pluie.cascade"].equals(table[FIRST])


def test_parts_of_a_cascade_are_the_same_as_the_whole(there, model, capsys):
    band = ("--band", "-1", "1")
    assert score(model, *band) == 0
    assert score(model, *band, "--shard", "1/1", "--part", "5", output="parts") == 0
    assert main(["merge", "parts", "-o", "merged.parquet"]) == 0
    merged, whole = pandas.read_parquet("merged.parquet"), pandas.read_parquet("out.parquet")
    assert set(merged.columns) == set(whole.columns)
    assert merged["cascade.judge"].tolist() == whole["cascade.judge"].tolist()
    np.testing.assert_allclose(merged["pluie.cascade"], whole["pluie.cascade"], atol=1e-3)
    assert read_signatures(Path("merged.parquet")) == read_signatures(Path("out.parquet"))


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (["--band", "0", "1"], "--band is for a second judge"),
        (["--then", "pocket", "--band", "0", "1"], "there is no first judge"),
        (["--judge", "pocket", "--then", "pocket"], "Name either --band LOW HIGH or --send SHARE"),
        (["--judge", "pocket", "--then", "pocket", "--band", "1", "0"], "holds no score"),
        (["--judge", "pocket", "--then", "pocket", "--send", "1.5"], "1.5 is not a number above 0 and up to 1"),
        (["--judge", "pocket", "--then", "pocket", "--send", "0.5", "--shard", "1/2"], "--send does not go with it"),
    ],
)
def test_what_makes_no_cascade_is_said_in_a_sentence(there, capsys, arguments, wrong):
    try:
        status = main(["score", "pairs.parquet", "-o", "out.parquet", *arguments])
    except SystemExit as end:
        status = int(str(end.code))
    err = capsys.readouterr().err
    assert status == 2 and wrong in err and err.count("\n") == 1, err
    assert not Path("out.parquet").exists()


# What it gains


@pytest.fixture
def sample(there) -> pandas.DataFrame:
    """A labelled sample that two judges scored, the second of them better."""
    random = np.random.default_rng(3)
    labels = np.arange(200) % 2
    frame = pandas.DataFrame(
        {
            "source": [f"Sentence {row} says this." for row in range(200)],
            "hypothesis": [f"This is what sentence {row} says." for row in range(200)],
            "label": labels,
            "pluie.cloze": random.normal(np.where(labels, 0.5, -0.5), 1.5),
            "pluie.direct": random.normal(np.where(labels, 2.0, -2.0), 1.5),
        }
    )
    frame.to_csv("sample.csv", index=False)
    return frame


NAMED = ("--only", "cascade", "--first", "pluie.cloze", "--second", "pluie.direct")


def test_analyse_prints_accuracy_against_the_share_sent_on(sample, capsys):
    assert main(["analyse", "sample.csv", *NAMED]) == 0
    assert "ParaPLUIE CLOZE, then ParaPLUIE DIRECT: accuracy against the share sent on" in capsys.readouterr().out
    assert main(["analyse", "sample.csv", *NAMED, "--json", "--out", "out"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["analyses"]
    table = found["tables"]["cascade"]
    rows = [dict(zip(table["header"], row, strict=True)) for row in table["rows"]]
    truth = sample["label"] == 1
    assert "200 labelled pairs" in table["note"]
    assert rows[0]["accuracy"] == ((sample["pluie.cloze"] > 0) == truth).mean()
    assert rows[-1]["accuracy"] == ((sample["pluie.direct"] > 0) == truth).mean()
    assert "% sent to the second judge" in Path("out/cascade-curve.svg").read_text(encoding="utf-8")
    assert Path("out/cascade.csv").exists()


def test_a_curve_that_cannot_be_drawn_is_said_in_a_sentence(sample, capsys):
    assert main(["analyse", "sample.csv", *NAMED[:-1], "nothing"]) == 2
    assert 'There is no "nothing" for --second' in capsys.readouterr().err.splitlines()[-1]
    sample.drop(columns="label").to_csv("unlabelled.csv", index=False)
    assert main(["analyse", "unlabelled.csv", *NAMED]) == 2
    assert "no pair has a label. Name a column with --label" in capsys.readouterr().err.splitlines()[-1]
