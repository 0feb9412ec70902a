"""Whether two sentences are one text, or one but for letter case, spacing, encoding or what is not seen."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable

from parapluie_gui.pairs.difference.unseen import without_unseen

CASE, SPACING, FORM, UNSEEN = "case", "spacing", "form", "unseen"

#: What makes two texts that differ in one way alone the same.
_LEVELLERS: dict[str, Callable[[str], str]] = {
    FORM: lambda text: unicodedata.normalize("NFKC", text),
    UNSEEN: without_unseen,
    CASE: str.casefold,
    SPACING: lambda text: " ".join(text.split()),
}


def differ_only_in(source: str, hypothesis: str) -> tuple[str, ...] | None:
    """Return the fewest ways in which two sentences differ, () for the same text; None if they differ otherwise too."""
    subsets = (ways for count in range(len(_LEVELLERS) + 1) for ways in itertools.combinations(_LEVELLERS, count))
    return next((ways for ways in subsets if _levelled(source, ways) == _levelled(hypothesis, ways)), None)


def _levelled(text: str, ways: tuple[str, ...]) -> str:
    for way in ways:
        text = _LEVELLERS[way](text)
    return text
