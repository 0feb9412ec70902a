"""The pairs that have a number on both axes, as arrays that points, histograms and picking share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parapluie_gui.ui.selection import NO_PAIR
from parapluie_gui.ui.workspace import Workspace

#: Label states as drawn: index into colours and symbols.
PARAPHRASE, OTHER, UNLABELLED = range(3)
KINDS = (PARAPHRASE, OTHER, UNLABELLED)


@dataclass(frozen=True, eq=False)
class Cloud:
    """What a scatter shows: k of the corpus's pairs, those whose two numbers are both finite.

    Attributes:
        rows: int64 (k,), ascending rows of the corpus.
        x, y: float64 (k,).
        kind: int8 (k,): PARAPHRASE, OTHER or UNLABELLED.
        member: bool (k,): whether the pair is in the current set.
        ruled: Whether a rule makes the current set (else everything is a member).
    """

    rows: np.ndarray
    x: np.ndarray
    y: np.ndarray
    kind: np.ndarray
    member: np.ndarray
    ruled: bool = False

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def empty(cls) -> Cloud:
        """Return the cloud of no pairs."""
        none = np.zeros(0)
        return cls(none.astype(np.int64), none, none, none.astype(np.int8), none.astype(bool))

    @classmethod
    def of(cls, workspace: Workspace, x: np.ndarray | None, y: np.ndarray | None) -> Cloud:
        """Return the cloud of two columns of numbers, (n,) each, None where there is no such column."""
        if x is None or y is None:
            return cls.empty()
        rows = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        labels = workspace.labels()[rows]
        kind = np.where(labels == 1, PARAPHRASE, np.where(labels == 0, OTHER, UNLABELLED)).astype(np.int8)
        selection = workspace.selection
        return cls(rows, x[rows], y[rows], kind, selection.mask[rows], selection.rule is not None)

    def take(self, chosen: np.ndarray) -> Cloud:
        """Return part of the cloud; `chosen` is a boolean array (k,) or indices."""
        return Cloud(
            self.rows[chosen], self.x[chosen], self.y[chosen], self.kind[chosen], self.member[chosen], self.ruled
        )

    def within(self, x: tuple[float, float], y: tuple[float, float]) -> np.ndarray:
        """Return the boolean array (k,) of the points inside two closed ranges."""
        return (self.x >= x[0]) & (self.x <= x[1]) & (self.y >= y[0]) & (self.y <= y[1])

    def at(self, row: int) -> int:
        """Return the index of a corpus row in the cloud, or -1."""
        place = int(np.searchsorted(self.rows, row))
        return place if place < len(self.rows) and self.rows[place] == row else -1

    def nearest(self, x: float, y: float, pixel: tuple[float, float], reach: float) -> int:
        """Return the row of the point nearest to a position on the screen.

        Args:
            x: Position across, in data units.
            y: Height, in data units.
            pixel: Width and height of one pixel in data units.
            reach: Farthest distance in pixels; NO_PAIR when no point is that near. At equal distance a pair of the
                current set goes before one outside it.
        """
        wide, high = abs(pixel[0]), abs(pixel[1])
        near = np.flatnonzero((np.abs(self.x - x) <= reach * wide) & (np.abs(self.y - y) <= reach * high))
        if not len(near) or not wide or not high:
            return NO_PAIR
        distance = np.hypot((self.x[near] - x) / wide, (self.y[near] - y) / high)
        best = np.lexsort((~self.member[near], distance))[0]
        return int(self.rows[near[best]]) if distance[best] <= reach else NO_PAIR
