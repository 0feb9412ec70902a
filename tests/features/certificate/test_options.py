"""Options of `parapluie certify`, from the command line to the analysis."""

from __future__ import annotations

import inspect

import pytest
from typed import options_of

from parapluie_gui.commands.main import main
from parapluie_gui.features.certificate import analysis as certificate
from parapluie_gui.features.certificate.api import certify


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("certify bleu", certificate.CertificateOptions()),
        ("certify bleu --pairs 200 --measure failed", certificate.CertificateOptions(pairs=200, measure="failed")),
    ],
)
def test_the_command_takes_the_options_of_the_analysis(monkeypatch, line, wanted):
    assert options_of(monkeypatch, line, "parapluie_gui.features.certificate.command.run").certificate == wanted


def test_the_default_number_of_pairs_is_the_same_everywhere():
    assert inspect.signature(certify).parameters["pairs"].default == certificate.CertificateOptions().pairs


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("certify bleu --pairs 99", "99 is not a whole number from 100 to 100,000"),
    ],
)
def test_invalid_numbers_are_refused_before_anything_is_loaded(capsys, line, words):
    with pytest.raises(SystemExit) as end:
        main(line.split())
    assert end.value.code == 2 and words in capsys.readouterr().err
