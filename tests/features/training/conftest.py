"""Trainings that take a second."""

from __future__ import annotations

import pytest

from parapluie_gui.features.training import command as train_judge


@pytest.fixture(autouse=True)
def few_pairs_are_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the certificate in each card of as few pairs as show its rows: the certificate has tests of its own."""
    monkeypatch.setattr(train_judge, "_CERTIFIED", 150)
