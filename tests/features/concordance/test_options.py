"""Command-line arguments become the options of the feature's commands."""

from __future__ import annotations

from typed import options_of

from parapluie_gui.features.concordance import analysis as concordance


def test_the_command_takes_the_options_of_the_analysis(monkeypatch):
    options = options_of(monkeypatch, "concordance a.csv not", "parapluie_gui.features.concordance.command.run")
    assert options.search == concordance.ConcordanceOptions(pattern="not")
