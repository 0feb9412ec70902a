"""The fast point layer of a plot: points of a few kinds, or a raster of their density when there are too many."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor

from parapluie_gui.arrays import Rows
from parapluie_gui.ui.scatter.arrows import EXACT, BoundArrows
from parapluie_gui.ui.scatter.cloud import PointCloud, Range
from parapluie_gui.ui.scatter.colouring import SYMBOLS
from parapluie_gui.ui.scatter.density import count_cells
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.theme import current_theme

#: Maximum number of points in view that are drawn; more are drawn as their density.
POINT_LIMIT = 10_000
#: Cells of the density raster, across and down.
GRID = (500, 350)
#: Sizes of the symbols in pixels, chosen to look equally large.
SIZES = (8.0, 7.0, 9.5, 8.5, 8.5, 8.5, 10.0)

_REFILL_MS = 30
_POINT_ALPHA, _FADED_ALPHA = 200, 38


class _AlikePoints(pg.ScatterPlotItem):
    """Points with one style.

    ScatterPlotItem.updateSpots of pyqtgraph 0.14 asks each point for its symbol, size, pen and brush (1.5 microseconds
    per point, several times); here the atlas is asked once for all points.
    """

    def updateSpots(self, dataSet: np.ndarray | None = None) -> None:
        data = self.data if dataSet is None else dataSet
        missing = data["sourceRect"]["w"] == 0
        if missing.any():
            look = tuple(self.opts[name] for name in ("symbol", "size", "pen", "brush"))
            data["sourceRect"][missing] = self.fragmentAtlas[[look]][0]
            self.invalidate()
        self._updateMaxSpotSizes(data=data)

    def mouseClickEvent(self, ev: pg.GraphicsScene.mouseEvents.MouseClickEvent) -> None:
        """Pass the click on: pyqtgraph 0.14 (pointsAt) makes an object of each point near; the canvas uses numpy."""
        ev.ignore()


class PointLayer(QObject):
    """Draws a cloud into a plot: one item per kind and brush, a ring for the primary pair, a raster beyond the limit.

    `cross` asks for lines through the primary pair that lead to the axes.

    Signals:
        mode_changed: The layer switched between points and raster, or the raster's largest cell changed.

    Attributes:
        dense: Whether the raster is shown.
        largest: Pairs in the raster's fullest cell (0 when points are shown).
        visible: Number of the cloud's pairs inside the view.
    """

    mode_changed = Signal()

    def __init__(
        self,
        plot: pg.PlotItem,
        limit: int = POINT_LIMIT,
        parent: QObject | None = None,
        cross: bool = True,
    ) -> None:
        super().__init__(parent)
        self.dense = False
        self.largest = 0
        self.visible = 0
        self._box: pg.ViewBox = plot.getViewBox()
        self._limit = limit
        self._factor = 1.0
        self._cloud = self._shown = PointCloud.empty()
        self._primary = NO_PAIR
        self._secret = False
        self._loaded: tuple[Range, Range] | None = None
        self._painted: tuple[int, str] | None = None

        self._raster = pg.ImageItem(axisOrder="row-major")
        self._raster.setZValue(-10)
        self._faded = [_AlikePoints(symbol=symbol, pxMode=True) for symbol in SYMBOLS]
        self._full = [_AlikePoints(symbol=symbol, pxMode=True) for symbol in SYMBOLS]
        self._arrows = BoundArrows()
        self._ring = _AlikePoints(symbol="o", pxMode=True)
        self._ring.setObjectName("ring")
        self._cross = [pg.InfiniteLine(angle=angle, movable=False) for angle in (0, 90)] if cross else []
        for items, height in (
            (self._faded, 1),
            (self._full, 2),
            (self._cross, 3),
            ([self._arrows], 4),
            ([self._ring], 30),
        ):
            for item in items:
                item.setZValue(height)
        for item in (self._raster, *self._faded, *self._full, *self._cross, self._arrows, self._ring):
            # ignoreBounds: pyqtgraph 0.14 (ViewBox.addItem) must not search the data for a range that nobody needs.
            self._box.addItem(item, ignoreBounds=True)
        self._raster.hide()
        self._refilling = CallThrottle(self._refill, _REFILL_MS, self)
        self._box.sigRangeChanged.connect(self._refill_later)
        self._box.sigResized.connect(self._refill_later)
        self.apply_theme()

    @property
    def cloud(self) -> PointCloud:
        return self._cloud

    @property
    def primary(self) -> int:
        """The pair with the ring, or NO_PAIR; NO_PAIR too while the ring is hidden."""
        return NO_PAIR if self._secret else self._primary

    def place_of(self, row: int) -> QPointF | None:
        """Return the position of a pair in the scene, None if it has none."""
        place = self._cloud.index_of_row(row) if row != NO_PAIR else -1
        if place < 0:
            return None
        position: QPointF = self._box.mapViewToScene(QPointF(self._cloud.x[place], self._cloud.y[place]))
        return position

    def show(self, cloud: PointCloud) -> None:
        """Draw a cloud."""
        redressed = cloud.colours is not self._cloud.colours
        self._cloud = cloud
        self._loaded = None
        if redressed:
            self.apply_theme()
        self._refill()
        self.mark(self._primary)

    def mark(self, row: int) -> None:
        """Draw the ring around a pair; around none for NO_PAIR or a pair that is not in the cloud."""
        self._primary = row
        place = self._cloud.index_of_row(row) if row != NO_PAIR and not self._secret else -1
        for line in self._cross:
            line.setVisible(place >= 0)
        if place < 0:
            self._ring.setData(x=[], y=[])
            return
        x, y = float(self._cloud.x[place]), float(self._cloud.y[place])
        self._ring.setData(x=[x], y=[y])
        for line, value in zip(self._cross, (y, x), strict=False):
            line.setValue(value)

    def keep_secret(self, secret: bool) -> None:
        """Hide the ring while an audience guesses, because its height is the score."""
        self._secret = secret
        self.mark(self._primary)

    def count_drawn(self, kind: int, faded: bool = False) -> int:
        """Return the number of points of a kind that Qt draws, in full colour or faded."""
        x, _ = (self._faded if faded else self._full)[kind].getData()
        return 0 if x is None else len(x)

    def apply_theme(self) -> None:
        theme = current_theme()
        outline = QColor(theme.plot)
        outline.setAlpha(230)
        for kind, colour in enumerate(self._cloud.colours(theme)):
            full, faded = QColor(colour), QColor(colour)
            full.setAlpha(_POINT_ALPHA)
            faded.setAlpha(_FADED_ALPHA)
            self._full[kind].setBrush(full)
            self._full[kind].setPen(pg.mkPen(outline, width=0.8))
            self._faded[kind].setBrush(faded)
            self._faded[kind].setPen(pg.mkPen(None))
        self._ring.setBrush(pg.mkBrush(None))
        for line in self._cross:
            line.setPen(pg.mkPen(theme.muted, width=1, style=Qt.PenStyle.DotLine))
        self._draw_arrows()
        self.set_scale(self._factor)
        if self.dense:
            self._paint_density()

    def set_scale(self, factor: float) -> None:
        """Enlarge the points; 1.0 is normal."""
        self._factor = factor
        for kind, size in enumerate(SIZES):
            self._full[kind].setSize(size * factor)
            self._faded[kind].setSize(size * factor)
        self._arrows.set_scale(factor)
        self._ring.setSize(19 * factor)
        self._ring.setPen(pg.mkPen(current_theme().text, width=2.4 * factor))

    def _refill_later(self) -> None:
        if len(self._cloud) > self._limit:
            self._refilling.ask()

    def _refill(self) -> None:
        """Choose between points and raster for the view, and draw it."""
        x, y = (tuple(side) for side in self._box.viewRange())
        inside = self._cloud.mask_inside(x, y) if len(self._cloud) > self._limit else None
        self.visible = len(self._cloud) if inside is None else int(np.count_nonzero(inside))
        before = (self.dense, self.largest)
        if inside is not None and self.visible > self._limit:
            self.dense = True
            self._loaded = None
            self._paint_density()
        else:
            self.dense, self.largest, self._painted = False, 0, None
            self._fill_points(x, y, everything=inside is None)
        self._raster.setVisible(self.dense)
        self._arrows.setVisible(not self.dense)
        for item in (*self._full, *self._faded):
            item.setVisible(not self.dense)
        if before != (self.dense, self.largest):
            self.mode_changed.emit()

    def _fill_points(self, x: Range, y: Range, everything: bool) -> None:
        if self._loaded is not None and _covers(self._loaded, x, y):
            return
        part = self._cloud
        if not everything:
            # With a margin around the view, so that a small pan needs no new points.
            x, y = _widen(x), _widen(y)
            part = part.take(np.flatnonzero(part.mask_inside(x, y)))
        self._loaded = None if everything else (x, y)
        self._shown = part
        self._draw_arrows()
        exact = part.arrows == EXACT if len(part.arrows) else np.True_
        for kind in range(len(SYMBOLS)):
            of_kind = (part.kind == kind) & exact
            for item, chosen in (
                (self._full[kind], of_kind & part.member),
                (self._faded[kind], of_kind & ~part.member),
            ):
                if chosen.any() or len(item.data):
                    item.setData(x=part.x[chosen], y=part.y[chosen], skipFiniteCheck=True)

    def _draw_arrows(self) -> None:
        """Draw the bounds among the points in view, in the colours of their kinds."""
        part = self._shown
        places = np.flatnonzero(part.arrows != EXACT)
        looks = [(self._full if part.member[place] else self._faded)[part.kind[place]] for place in places.tolist()]
        brushes = [look.opts["brush"] for look in looks]
        self._arrows.draw(part.x[places], part.y[places], part.arrows[places], brushes)

    def _paint_density(self) -> None:
        (x0, x1), (y0, y1) = self._box.viewRange()
        if x1 <= x0 or y1 <= y0:
            return
        cloud, density = self._cloud, None if self._cloud.ruled else self._cloud.density
        if density is not None:
            if self._painted == (id(density), current_theme().name):
                return  # the raster covers every view
            counts = np.concatenate([density.counts, np.zeros_like(density.counts[:1])])
            (x0, x1), (y0, y1) = density.x, density.y
        else:
            counts = count_cells(cloud.x, cloud.y, cloud.group, cloud.kinds + 1, ((x0, x1), (y0, y1)), GRID)
        self._painted = (id(density), current_theme().name)
        self._raster.setImage(self._blend(counts), autoLevels=False, levels=None)
        self._raster.setRect(QRectF(x0, y0, x1 - x0, y1 - y0))
        self.largest = int(counts[:-1].sum(axis=0).max())

    def _blend(self, counts: Rows) -> NDArray[np.uint8]:
        """Return the raster, uint8 (high, wide, 4): hue by the mix of kinds, strength by the logarithm of the count."""
        flat, colours = counts.reshape(len(counts), -1), self._cloud.colours(current_theme())
        total = flat[:-1].sum(axis=0)
        largest = int(total.max(initial=1))
        alike = (1 / np.maximum(total, 1)).astype(np.float32)
        image = np.zeros((len(total), 4), dtype=np.uint8)
        kinds = [(of_kind * alike, _rgb(colours[kind])) for kind, of_kind in enumerate(flat[:-1]) if of_kind.any()]
        for channel in range(3):
            image[:, channel] = sum(share * np.float32(colour[channel]) for share, colour in kinds)
        # Use a table of logarithms, because they are slow and a million counts have few different values.
        strengths = 70 + 185 * np.log1p(np.arange(largest + 1)) / np.log1p(largest)
        strengths[0] = 0
        image[:, 3] = strengths.astype(np.uint8)[total]
        behind = np.flatnonzero((total == 0) & (flat[-1] > 0))
        image[behind] = (*_rgb(current_theme().unlabelled), _FADED_ALPHA)
        return image.reshape(*counts.shape[1:], 4)


def _rgb(colour: str) -> tuple[int, int, int]:
    parts = QColor(colour)
    return parts.red(), parts.green(), parts.blue()


def _widen(side: Range) -> Range:
    margin = (side[1] - side[0]) / 4
    return side[0] - margin, side[1] + margin


def _covers(loaded: tuple[Range, Range], x: Range, y: Range) -> bool:
    return all(big[0] <= small[0] and small[1] <= big[1] for big, small in zip(loaded, (x, y), strict=True))
