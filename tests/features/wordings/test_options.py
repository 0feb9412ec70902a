"""Options of `parapluie sweep`, from the command line to the analysis."""

from __future__ import annotations

import pytest
from typed import options_of

from parapluie_gui.commands.main import main
from parapluie_gui.features.wordings import analysis as wordings


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("sweep a.csv", wordings.WordingTestOptions()),
        ("sweep a.csv --measure flips --seed 3", wordings.WordingTestOptions(measure="flips", seed=3)),
    ],
)
def test_the_command_takes_the_options_of_the_analysis(monkeypatch, line, wanted):
    assert options_of(monkeypatch, line, "parapluie_gui.features.wordings.command.run").wordings == wanted


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sweep a.csv --measure best", "invalid choice: 'best'"),
    ],
)
def test_invalid_numbers_are_refused_before_anything_is_loaded(capsys, line, words):
    with pytest.raises(SystemExit) as end:
        main(line.split())
    assert end.value.code == 2 and words in capsys.readouterr().err
