"""Infinite, NaN and very large scores and thresholds give readable errors or null, and no NumPy warnings."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import parapluie_gui as pp
from parapluie_gui.commands.main import main
from parapluie_gui.errors import ParapluieError

COLUMNS = {
    "infinite": ["inf", "-inf"],
    "negative": ["-inf"],
    "mixed": ["inf", "-inf", "0.5", "0.2", "nan", "1"],
    "large": ["1e300", "1e39", "-1e300", "0.5"],
    "largest": ["1.7e308", "-1.7e308"],
    "smallest": ["1e-300", "-5e-324", "0"],
}


@pytest.fixture(autouse=True)
def strict() -> Iterator[None]:
    """Turn numeric warnings into errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


@pytest.fixture
def corpus(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a table of 40 labelled pairs and a score that repeats the given values."""
    values, draw = COLUMNS[getattr(request, "param", "mixed")], np.random.default_rng(3)
    rows = [f"{n},a b {n},c d {n},{n % 2},{draw.choice(values)},{draw.random():.3f}" for n in range(40)]
    path = tmp_path / "scored.csv"
    path.write_text("\n".join(["id,source,hypothesis,label,mine,bleu", *rows]), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return path


@pytest.mark.parametrize("corpus", COLUMNS, indirect=True)
def test_analyses_write_valid_files(corpus, capsys):
    scores = ("--score", "mine", "--score", "bleu")
    assert main(["analyse", "scored.csv", *scores, "--draws", "20", "--out", "an"]) == 0
    assert "Warning" not in capsys.readouterr().err
    for path in Path("an").glob("*.json"):
        json.loads(path.read_text("utf-8"), parse_constant=pytest.fail)
    assert main(["analyse", "scored.csv", *scores, "--draws", "20", "--json"]) == 0
    json.loads(capsys.readouterr().out, parse_constant=pytest.fail)


@pytest.mark.needs("share")
@pytest.mark.parametrize("corpus", COLUMNS, indirect=True)
def test_shared_pages_are_valid(corpus, capsys):
    assert main(["share", "scored.csv", "-o", "p.html", "--report", "r.html", "--score", "mine", "--licence", "x"]) == 0
    assert "Warning" not in capsys.readouterr().err


@pytest.mark.parametrize("value", ["inf", "-inf", "nan", "1e400"])
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(
            ["share", "scored.csv", "-o", "p.html", "--licence", "x", "--score", "bleu", "--threshold", "bleu={}"],
            marks=pytest.mark.needs("share"),
        ),
        ["analyse", "scored.csv", "--score", "bleu", "--threshold", "bleu={}"],
        ["analyse", "scored.csv", "--score", "bleu={}"],
        pytest.param(
            ["certify", "edit_distance", "--pairs", "100", "--threshold", "edit_distance={}"],
            marks=pytest.mark.needs("certificate"),
        ),
    ],
)
def test_thresholds_on_the_command_line_are_finite(arguments, value, corpus, capsys):
    assert main([argument.format(value) for argument in arguments]) == 2
    error = capsys.readouterr().err
    assert f"={value}" in error and "threshold" in error and "Traceback" not in error


def test_thresholds_in_python_are_finite(corpus):
    scores = pp.read(corpus)
    with pytest.raises(ParapluieError, match="The threshold of bleu is inf, which is not a finite number"):
        pp.analyse(scores, "thresholds", thresholds={"bleu": float("inf")})
