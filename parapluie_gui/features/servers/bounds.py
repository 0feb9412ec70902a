"""Bounds of a score when a server does not return the probabilities of both answers."""

from __future__ import annotations

import math

from parapluie_gui.pluie.templates import Template

#: Bounds closer than this count as one number, because servers round.
_NEAR = 0.01

#: Lower and upper bound of the logarithm of a probability.
Range = tuple[float, float]


def score_from_ranges(yes: Range, no: Range) -> tuple[float, float, float]:
    """Return a score, p(yes) and p(no) from the ranges of both logarithms.

    If the score is a bound, one probability is NaN: p(no) for a lower bound, p(yes) for an upper bound. The score is
    NaN if it has no bound.
    """
    unknown = float("nan")
    lower, upper = yes[0] - no[1], yes[1] - no[0]
    if upper - lower <= _NEAR:
        return lower, math.exp(yes[0]), math.exp(no[0])
    if math.isfinite(lower):
        return lower, math.exp(yes[0]), unknown
    if math.isfinite(upper):
        return upper, unknown, math.exp(no[0])
    return unknown, unknown, unknown


def log(share: float) -> float:
    """Return the logarithm of a probability, -∞ for 0."""
    return math.log(share) if share > 0 else -math.inf


def missing_answers_notice(template: Template, count: int) -> str:
    """Return the message about pairs without a score because the server returned neither answer."""
    return (
        f"{template.name}: neither “{template.yes}” nor “{template.no}” is among the {count} likeliest answers for "
        "some pairs, which therefore get no score."
    )
