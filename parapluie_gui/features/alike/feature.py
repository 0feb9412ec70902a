"""Pairs like a pair."""

from __future__ import annotations

from parapluie_gui.feature import Feature

FEATURE = Feature(
    name="alike",
    package=__package__,
    about="pairs like a pair",
)
