"""What decided many pairs together: the edits' values by their kind of change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from parapluie_gui.analysis.explain.explanation import Explanation


@dataclass(frozen=True)
class Blame:
    """What the edits of one kind did.

    Attributes:
        kind: The id of the kind of change.
        edits: Their number.
        mean: The mean of their values.
        strongest: In how many pairs such an edit did most.
        flips: In how many pairs the verdict is another one without one such edit alone.
    """

    kind: str
    edits: int
    mean: float
    strongest: int
    flips: int


def blame(explained: Iterable[tuple[Explanation, Sequence[str]]]) -> tuple[Blame, ...]:
    """Return what each kind of change did over pairs, those that did most in most pairs first.

    Args:
        explained: What decided each pair, and the ids of its edits' kinds. Pairs with a value that is missing are
            left out.
    """
    values: dict[str, list[float]] = {}
    strongest: dict[str, int] = {}
    flips: dict[str, int] = {}
    for found, kinds in explained:
        if not kinds or any(value != value for value in found.values):
            continue
        for kind, value in zip(kinds, found.values, strict=True):
            values.setdefault(kind, []).append(value)
        first = kinds[max(range(len(kinds)), key=lambda edit: abs(found.values[edit]))]
        strongest[first] = strongest.get(first, 0) + 1
        if found.flip is not None and len(found.flip) == 1:
            flips[kinds[found.flip[0]]] = flips.get(kinds[found.flip[0]], 0) + 1
    rows = (
        Blame(kind, len(each), sum(each) / len(each), strongest.get(kind, 0), flips.get(kind, 0))
        for kind, each in values.items()
    )
    return tuple(sorted(rows, key=lambda row: (-row.strongest, -row.edits, row.kind)))
