"""Templates written in the window."""

from __future__ import annotations

from parapluie_gui.feature import Feature

FEATURE = Feature(
    name="template_editor",
    package=__package__,
    about="templates written in the window",
)
