"""Columns computed from others."""

from __future__ import annotations

from parapluie_gui.feature import Feature

FEATURE = Feature(
    name="computed_columns",
    package=__package__,
    about="columns computed from others",
)
