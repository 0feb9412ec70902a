"""What is known of a score whose answers a server has not told, or not both."""

from __future__ import annotations

import math

from parapluie_gui.pluie.templates import Template

#: How far apart two bounds may be and still be one number: rounding of what servers tell.
_NEAR = 0.01

#: The least and the greatest logarithm that a probability can have.
Range = tuple[float, float]


def bounded(yes: Range, no: Range) -> tuple[float, float, float]:
    """Return a score, p(yes) and p(no) from the ranges of both logarithms.

    One of the probabilities is NaN where the score is a bound: p(no) where it is at least that, p(yes) where it is at
    most that. The score is NaN where nothing is known.
    """
    nothing = float("nan")
    lower, upper = yes[0] - no[1], yes[1] - no[0]
    if upper - lower <= _NEAR:
        return lower, math.exp(yes[0]), math.exp(no[0])
    if math.isfinite(lower):
        return lower, math.exp(yes[0]), nothing
    if math.isfinite(upper):
        return upper, nothing, math.exp(no[0])
    return nothing, nothing, nothing


def log(share: float) -> float:
    """Return the logarithm of a probability, -∞ for 0."""
    return math.log(share) if share > 0 else -math.inf


def nothing_told(template: Template, told: int) -> str:
    """Say that pairs get no score because a server tells neither answer."""
    return (
        f"{template.name}: neither “{template.yes}” nor “{template.no}” is among the {told} likeliest answers to some "
        "pairs, and those get no score."
    )
