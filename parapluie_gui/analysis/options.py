"""Options common to several analyses: a choice of one of the pooled corpora, or of one of the scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parapluie_gui.options import choice


def part(label: str = "o&n", *, only_shown: bool = False) -> Any:
    """Return a field for choosing one of the pooled corpora, by default all together."""
    return choice(
        label,
        lambda material: {name: name for name in material.parts},
        "the corpus, if there are several (default: all together)",
        usual=lambda material: list(material.parts)[-1],
        only_shown=only_shown,
        flag="--part",
        metavar="CORPUS",
    )


def score(
    label: str,
    help: str,
    *,
    usual: Callable[[Any], str] | None = None,
    only_shown: bool = False,
    flag: str | None = None,
) -> Any:
    """Return a field for choosing one of the scores, by default the one on the scatter plot's y axis."""
    return choice(
        label,
        lambda material: {column.name: column.title for column in material.score_columns},
        help,
        usual=usual or (lambda material: material.y),
        only_shown=only_shown,
        flag=flag,
        metavar="COL",
    )
