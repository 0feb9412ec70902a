"""A stage for the back of a room, and talks."""

from __future__ import annotations

from parapluie_gui.feature import Feature

FEATURE = Feature(
    name="talks",
    package=__package__,
    about="a stage for the back of a room, and talks",
    manual=("presentation",),
    content=("talk",),
)
