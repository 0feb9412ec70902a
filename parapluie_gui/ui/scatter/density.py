"""Fast counting of points by cell of the density raster and by bar of a histogram.

Both process the points in pieces that stay in the CPU's cache: arrays of a million would be allocated and fetched from
memory several times.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from parapluie_gui.arrays import Floats, Labels, Rows
from parapluie_gui.ui.scatter.cloud import Range

#: Number of points counted at a time.
_PIECE = 1 << 15


def count_cells(
    x: Floats, y: Floats, group: Labels, groups: int, ranges: tuple[Range, Range], grid: tuple[int, int]
) -> Rows:
    """Count points by group and cell of a raster that covers a view.

    Args:
        x: float64 (n,), finite.
        y: float64 (n,), finite.
        group: Small integers (n,), in [0, groups).
        groups: Number of groups.
        ranges: The view across and up, as closed ranges; points outside are not counted.
        grid: Number of cells across and up.

    Returns:
        int64 (groups, cells up, cells across); the first row is the lowest.
    """
    (x0, x1), (y0, y1) = ranges
    wide, high = grid
    # Points outside are counted in a margin of one cell, which is faster than leaving them out.
    cells = np.empty(len(x), dtype=np.int32)
    for piece in _pieces(len(x)):
        place = _places(y[piece], y0, y1, high)
        place *= wide + 2
        place += _places(x[piece], x0, x1, wide)
        place += np.multiply(group[piece], (wide + 2) * (high + 2), dtype=np.int32)
        cells[piece] = place
    counts = np.bincount(cells, minlength=groups * (wide + 2) * (high + 2))
    return counts.reshape(groups, high + 2, wide + 2)[:, 1:-1, 1:-1]


def count_bars(values: Floats, group: Labels, groups: int, edges: Floats) -> Rows:
    """Count points by group and bar of a histogram.

    Args:
        values: float64 (n,), finite; those beyond the edges are not counted.
        group: Small integers (n,), in [0, groups).
        groups: Number of groups.
        edges: Ascending edges of equal bars, (bars + 1,).

    Returns:
        int64 (groups, bars).
    """
    bars = len(edges) - 1
    total = np.zeros(groups * (bars + 2), dtype=np.int64)
    for piece in _pieces(len(values)):
        place = _places(values[piece], edges[0], edges[-1], bars)
        place += np.multiply(group[piece], bars + 2, dtype=np.int32)
        total += np.bincount(place, minlength=len(total))
    return total.reshape(groups, bars + 2)[:, 1:-1]


def _places(values: Floats, low: float, high: float, cells: int) -> NDArray[np.int32]:
    """Return the cell of each value, int32: 1 to `cells` within the closed range, 0 and `cells` + 1 outside."""
    place = values - low
    # Scaled down slightly, so that the upper end of the range belongs to the last cell.
    place *= (1 - 1e-12) * cells / (high - low)
    place += 1
    np.clip(place, 0, cells + 1, out=place)
    return place.astype(np.int32)


def _pieces(count: int) -> Iterator[slice]:
    return (slice(start, start + _PIECE) for start in range(0, count, _PIECE))
