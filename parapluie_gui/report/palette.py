"""The light and dark colours of the window, its plots and figures in files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from parapluie_gui import places
from parapluie_gui.analysis.figure import Colour
from parapluie_gui.own_files import read_toml


@dataclass(frozen=True)
class Theme:
    """Colours as "#rrggbb" text.

    Attributes:
        paraphrase, other, unlabelled: Points and words of the three label states (blue, orange, grey).
        threshold: The decision line.
        border, edge: Lines between parts, and the borders of controls, which contrast with their surroundings.
        mark, mark_text: Background and text of changed words.
        letter: Changed letters inside a changed word (underline and background).
        moved: Background of moved phrases.
        plot, axis, grid: Plot background, axis pen and text, grid lines.
        good, bad: Marks of success and error in text.
        scores: The colours of scores that are shown together, used in turn.
    """

    name: str
    window: str
    base: str
    raised: str
    text: str
    muted: str
    border: str
    edge: str
    accent: str
    accent_text: str
    paraphrase: str
    other: str
    unlabelled: str
    threshold: str
    mark: str
    mark_text: str
    letter: str
    moved: str
    plot: str
    axis: str
    grid: str
    good: str
    bad: str
    scores: tuple[str, ...]


@cache
def strengthen_contrast(theme: Theme) -> Theme:
    """Return a theme whose secondary text and lines are as strong as its text, for people who ask for high contrast."""
    return replace(theme, muted=theme.text, border=theme.text, edge=theme.text, axis=theme.text, grid=theme.edge)


def resolve_colour(colour: Colour, theme: Theme) -> str:
    """Return a colour as #rrggbb; a number is the index of a score among those shown together."""
    if isinstance(colour, int):
        return theme.scores[colour % len(theme.scores)]
    return colour if colour.startswith("#") else str(getattr(theme, colour))


_COLOURS: dict[str, dict[str, Any]] = read_toml(places.resources() / "themes.toml")
THEMES = {name: Theme(name, **{**colours, "scores": tuple(colours["scores"])}) for name, colours in _COLOURS.items()}
LIGHT, DARK = THEMES["light"], THEMES["dark"]
