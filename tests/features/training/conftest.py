"""Training runs that take a second."""

from __future__ import annotations

import pytest

from parapluie_gui.features.training import command as train_judge


@pytest.fixture(autouse=True)
def few_pairs_are_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Certify with few pairs in model cards: certificates have their own tests."""
    monkeypatch.setattr(train_judge, "_CERTIFIED", 150)
