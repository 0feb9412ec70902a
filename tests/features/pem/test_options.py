"""Command-line arguments become the options of the feature's commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from typed import options_of

from parapluie_gui.commands.main import main
from parapluie_gui.features.pem.options import TrainPem


def test_options_reach_the_command(monkeypatch):
    line = "pem train p.tsv --human a.csv --human b.csv -o m.npz --scale 1 5 --pivot-stemmer french"
    assert options_of(monkeypatch, line, "parapluie_gui.features.pem.command.run") == TrainPem(
        parallel=Path("p.tsv"),
        human=(Path("a.csv"), Path("b.csv")),
        output=Path("m.npz"),
        scale=(1.0, 5.0),
        pivot_stemmer="french",
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("pem train p.tsv --human a.csv -o m.npz --scale 1 high", "high is not a number"),
    ],
)
def test_invalid_numbers_are_refused_before_anything_is_loaded(capsys, line, words):
    with pytest.raises(SystemExit) as end:
        main(line.split())
    assert end.value.code == 2 and words in capsys.readouterr().err
