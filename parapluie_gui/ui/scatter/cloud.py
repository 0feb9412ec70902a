"""The pairs that have a number on both axes, as arrays that points, histograms and picking share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parapluie_gui.arrays import Floats, Labels, Mask, Rows
from parapluie_gui.ui.scatter.arrows import directions
from parapluie_gui.ui.scatter.colouring import PairColouring, label_colours
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.theme import Theme

Range = tuple[float, float]

#: Number of squares across and up in the index for finding the nearest point; it fits into 16 bits, which sort fastest.
_SQUARES = 256


@dataclass(frozen=True, eq=False)
class PairDensity:
    """Counts of all pairs by kind and cell, if the points are only a sample.

    Attributes:
        counts: The counts, int64 (kinds, cells up, cells across); the first row is the lowest.
        x, y: The closed ranges that the cells cover.
        pairs: Number of pairs counted.
    """

    counts: Rows
    x: Range
    y: Range
    pairs: int


@dataclass(frozen=True, eq=False)
class PointCloud:
    """The points of a scatter: the k pairs of the corpus whose two numbers are finite.

    Attributes:
        rows: The rows of the corpus, ascending, int64 (k,).
        x, y: The coordinates, float64 (k,).
        kind: The kinds in the colouring, int8 (k,).
        member: True for the pairs in the selection, bool (k,).
        ruled: Whether a rule defines the selection; otherwise all pairs are members.
        kinds: Number of kinds in the colouring.
        colours: The function that returns the colours of the kinds.
        arrows: The result of `arrows.directions`, int8 (k,); empty without bounds.
        density: The density of all pairs if the points are a sample; otherwise None.
    """

    rows: Rows
    x: Floats
    y: Floats
    kind: Labels
    member: Mask
    ruled: bool = False
    kinds: int = 3
    colours: Callable[[Theme], tuple[str, ...]] = label_colours
    arrows: Labels = field(default_factory=lambda: np.zeros(0, dtype=np.int8))
    density: PairDensity | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def empty(cls) -> PointCloud:
        none = np.zeros(0)
        return cls(none.astype(np.int64), none, none, none.astype(np.int8), none.astype(bool))

    @classmethod
    def from_columns(
        cls, workspace: CorpusWorkspace, x: Floats | None, y: Floats | None, colouring: PairColouring, score: str = ""
    ) -> PointCloud:
        """Return the cloud of two numeric columns, (n,) each; None for a column that does not exist.

        The columns are those on the axes, with `score` in place of y if it is given.
        """
        axes = workspace.x, score or workspace.y
        if x is None or y is None:
            return cls.empty()
        selection, kind, look = workspace.selection, colouring.kind, (len(colouring.names), colouring.colours)
        ruled = selection.rule is not None
        good = np.isfinite(x) & np.isfinite(y)
        if good.all():
            # Copied, because the columns are live and the cloud must not change.
            rows = np.arange(len(x))
            return cls(rows, x.copy(), y.copy(), kind, selection.mask, ruled, *look, directions(workspace, axes, rows))
        rows = np.flatnonzero(good)
        arrows = directions(workspace, axes, rows)
        return cls(rows, x[rows], y[rows], kind[rows], selection.mask[rows], ruled, *look, arrows)

    @cached_property
    def group(self) -> Labels:
        """The kind of each point in the selection, `kinds` for all other points, int8 (k,).

        The raster counts the kinds in the selection separately, and everything outside it as one group.
        """
        return np.where(self.member, self.kind, np.int8(self.kinds)) if self.ruled else self.kind

    def take(self, chosen: Rows) -> PointCloud:
        """Return the part of the cloud at some indices."""
        x, y, kind, member = self.x[chosen], self.y[chosen], self.kind[chosen], self.member[chosen]
        arrows = self.arrows[chosen] if len(self.arrows) else self.arrows
        return replace(self, rows=self.rows[chosen], x=x, y=y, kind=kind, member=member, arrows=arrows)

    def mask_inside(self, x: Range, y: Range) -> Mask:
        """Return which points are inside two closed ranges, bool (k,)."""
        return (self.x >= x[0]) & (self.x <= x[1]) & (self.y >= y[0]) & (self.y <= y[1])

    def index_of_row(self, row: int) -> int:
        """Return the index of a corpus row in the cloud, or -1."""
        place = int(np.searchsorted(self.rows, row))
        return place if place < len(self.rows) and self.rows[place] == row else -1

    def nearest(self, x: float, y: float, pixel: tuple[float, float], reach: float) -> int:
        """Return the row of the point nearest to a position on the screen.

        Args:
            x: Position across, in data units.
            y: Height, in data units.
            pixel: Width and height of one pixel in data units.
            reach: Maximum distance in pixels; if no point is that near, the result is NO_PAIR. At equal distances a
                selected pair is preferred.
        """
        wide, high = abs(pixel[0]), abs(pixel[1])
        if not len(self) or not wide or not high:
            return NO_PAIR
        near = self._around(x, y, reach * wide, reach * high)
        near = near[(np.abs(self.x[near] - x) <= reach * wide) & (np.abs(self.y[near] - y) <= reach * high)]
        if not len(near):
            return NO_PAIR
        distance = np.hypot((self.x[near] - x) / wide, (self.y[near] - y) / high)
        best = np.lexsort((near, ~self.member[near], distance))[0]
        return int(self.rows[near[best]]) if distance[best] <= reach else NO_PAIR

    def nearest_to(self, x: float, y: float, pixel: tuple[float, float]) -> int:
        """Return the row of the selected point nearest to a position on the screen, at any distance, or NO_PAIR."""
        distance = np.hypot((self.x - x) / abs(pixel[0]), (self.y - y) / abs(pixel[1]))
        distance[~self._visited_points] = np.inf
        return int(self.rows[np.argmin(distance)]) if np.isfinite(distance).any() else NO_PAIR

    def neighbour(self, place: int, way: tuple[int, int], pixel: tuple[float, float]) -> int:
        """Return the row of the selected point nearest to a point in one of four directions, or NO_PAIR.

        A point is in a direction if it is at least as far in it as aside, and half a pixel or more away.

        Args:
            place: Index of the point to start from.
            way: Direction on the screen: to the right and up, one of them 0, the other 1 or -1.
            pixel: Width and height of one pixel in data units.
        """
        right = (self.x - self.x[place]) / abs(pixel[0])
        up = (self.y - self.y[place]) / abs(pixel[1])
        ahead, aside = (right * way[0], up) if way[0] else (up * way[1], right)
        fits = self._visited_points & (ahead >= 0.5) & (np.abs(aside) <= ahead)
        if not fits.any():
            return NO_PAIR
        fitting = np.flatnonzero(fits)
        return int(self.rows[fitting[np.argmin(np.hypot(ahead[fitting], aside[fitting]))]])

    def at_same_place(self, row: int) -> Rows:
        """Return the rows of the selected points with the same coordinates as a row's, ascending, with it among them.

        The result is empty if the row is not in the cloud.
        """
        place = self.index_of_row(row)
        if place < 0:
            return np.zeros(0, dtype=np.int64)
        same = (self.x == self.x[place]) & (self.y == self.y[place]) & self._visited_points
        same[place] = True
        rows: Rows = self.rows[same]
        return rows

    @cached_property
    def correlation(self) -> float:
        """Pearson's correlation of the selected points; NaN for fewer than three points or a constant axis."""
        x, y = self.x[self._visited_points], self.y[self._visited_points]
        if len(x) < 3 or not np.ptp(x) or not np.ptp(y):
            return float("nan")
        return float(np.corrcoef(x, y)[0, 1])

    @cached_property
    def _visited_points(self) -> Mask:
        """The points that keys visit: those of the selection, or all if none of them is in it, bool (k,)."""
        return self.member if self.ruled and self.member.any() else np.ones(len(self), dtype=bool)

    def _around(self, x: float, y: float, wide: float, high: float) -> Rows:
        """Return the indices of all points within a distance across and up, and of some more nearby."""
        order, starts, (left, across), (low, up) = self._index
        first, last = _squares(np.array([x - wide, x + wide]), left, across)
        below, above = (int(square) for square in _squares(np.array([y - high, y + high]), low, up))
        columns = range(int(first) * _SQUARES, int(last) * _SQUARES + 1, _SQUARES)
        return np.concatenate([order[starts[column + below] : starts[column + above + 1]] for column in columns])

    @cached_property
    def _index(self) -> tuple[Rows, Rows, Range, Range]:
        """The index of points by squares of the plane: their order, the start of each square in it, and the grid.

        It is built at the first look-up under the mouse (8 ms for a million points); later look-ups take microseconds.
        """
        sides = []
        for values in (self.x, self.y):
            low, high = float(values.min()), float(values.max())
            sides.append((low, _SQUARES / (high - low) if high > low else 0.0))
        square = _squares(self.x, *sides[0]) * np.uint16(_SQUARES) + _squares(self.y, *sides[1])
        starts = np.zeros(_SQUARES**2 + 1, dtype=np.int64)
        np.cumsum(np.bincount(square, minlength=_SQUARES**2), out=starts[1:])
        return np.argsort(square, kind="stable"), starts, sides[0], sides[1]


def _squares(values: Floats, low: float, scale: float) -> NDArray[np.uint16]:
    """Return the square of each value along one side, uint16; values outside belong to the outermost ones."""
    return np.clip((values - low) * scale, 0, _SQUARES - 1).astype(np.uint16)
