"""Command-line arguments become the options of the feature's commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from typed import options_of

from parapluie_gui.commands.main import main
from parapluie_gui.features.training.options import TrainJudge


def test_options_reach_the_command(monkeypatch):
    line = "train-judge base a.csv@0.5 -o out --graded 2 4 --held-out h.csv"
    assert options_of(monkeypatch, line, "parapluie_gui.features.training.command.run") == TrainJudge(
        base="base", corpus=("a.csv@0.5",), output=Path("out"), graded=(2.0, 4.0), held_out=(Path("h.csv"),)
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("train-judge base a.csv -o out --rate 1", "1 is not a number above 0 and below 1"),
        ("train-judge base a.csv -o out --easy -0.1", "-0.1 is not a number of at least 0"),
    ],
)
def test_invalid_numbers_are_refused_before_anything_is_loaded(capsys, line, words):
    with pytest.raises(SystemExit) as end:
        main(line.split())
    assert end.value.code == 2 and words in capsys.readouterr().err
