"""The list of all analyses, in the order of their pages."""

from __future__ import annotations

from functools import cache
from pkgutil import resolve_name
from typing import Any

from parapluie_gui.analysis.base import Analysis
from parapluie_gui.errors import ParapluieError, with_advice

#: Where each is, by its name; loaded when it is asked for.
_PLACES = {
    "distributions": "distributions:Distributions",
    "thresholds": "thresholds:Thresholds",
    "curves": "curves:Curves",
    "transfer": "transfer:Transfer",
    "coverage": "coverage:Coverage",
    "independence": "independence:Independent",
    "compare": "compare:CompareTwo",
    "comparison": "comparisons:Comparisons",
    "buckets": "buckets:Buckets",
    "lengths": "lengths:Lengths",
    "families": "families:TwoMeanings",
    "errors": "errors:Errors",
    "balanced": "balanced:Balanced",
    "agreement": "raters:Raters",
    "human": "human:Human",
    "systems": "systems:Systems",
    "grades": "grades:Grades",
    "paraphrasus": "paraphrasus:Paraphrasus",
    "replicate": "replication:Replicated",
    "corpus": "corpus:CorpusItself",
    "certificate": "certificate:Certifying",
    "sweep": "wordings:WordingTest",
    "every-threshold": "listings:EveryThreshold",
    "pairs": "listings:PairList",
}

NAMES = tuple(_PLACES)


@cache
def analysis(name: str) -> Analysis[Any, Any]:
    """Return an analysis by its name.

    Raises:
        ParapluieError: There is none of that name.
    """
    if name not in _PLACES:
        raise ParapluieError(with_advice(f'There is no analysis "{name}"', f"choose among {', '.join(NAMES)}"))
    kind = resolve_name(f"parapluie_gui.analysis.evaluations.{_PLACES[name]}")
    found: Analysis[Any, Any] = kind()
    return found


def analyses() -> tuple[Analysis[Any, Any], ...]:
    """Return all analyses."""
    return tuple(map(analysis, NAMES))
