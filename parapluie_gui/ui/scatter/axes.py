"""The axes of a plot: the names of columns on them, the box to pick a column from, and the range that is shown."""

from __future__ import annotations

from math import isfinite

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QLocale, QObject, QSignalBlocker, QSize, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from parapluie_gui.analysis.score_column import meaning
from parapluie_gui.arrays import Floats
from parapluie_gui.scores.identity import ScoreKind, identify
from parapluie_gui.ui.scatter.cloud import Cloud, Range
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.widgets.wrapped import NarrowBox

_CONTEXT = "Columns"


def axis_title(workspace: Workspace, column: str) -> str:
    """Return the title of an axis: the column's name and, where it helps, what the number is."""
    translate, name = QCoreApplication.translate, workspace.title(column)
    if identify(column).judged:
        return translate(_CONTEXT, "{column}: log p(yes) − log p(no)").format(column=name)
    if identify(column).kind is ScoreKind.GAP:
        return translate(_CONTEXT, "{column}: source first − hypothesis first").format(column=name)
    own = {
        "length": translate(_CONTEXT, "Length (characters of the longer sentence)"),
        "label": translate(_CONTEXT, "Label (1 = paraphrase)"),
    }
    return own.get(column) or name


def natural_range(column: str) -> tuple[float, float] | None:
    """Return the range a column has by nature ((0, 1) for edit distance), or None when it is unbounded or unknown."""
    if identify(column).kind is ScoreKind.EVIDENCE or column == "label":
        return 0.0, 1.0
    read = meaning(identify(column))
    return (read.low, read.high) if isfinite(read.low) and isfinite(read.high) else None


def counted(number: int) -> str:
    """Return a whole number with the grouping of the user's language ("1,725")."""
    locale = QLocale()
    locale.setNumberOptions(QLocale.NumberOption.DefaultNumberOptions)
    return locale.toString(number)


#: Average letters that an axis' box is wide at most: with two judges' names the tools beside it keep their line.
_WIDEST = 27
#: Pixels that its list is wide at most: a file's header can be a sentence.
_LIST = 600


class ColumnPicker(NarrowBox):
    """A box that offers every column of numbers and keeps its choice when columns come and go.

    Signals:
        picked: (column) The user chose another column.
    """

    picked = Signal(str)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(0, parent)
        self._workspace = workspace
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(self._emit)

    @property
    def column(self) -> str:
        """The column chosen, "" when the box is empty."""
        return self.currentData() or ""

    def sizeHint(self) -> QSize:
        """Return room for the longest name, within reason: a file's header can be a sentence."""
        letter = self.fontMetrics().averageCharWidth()
        longest = super().sizeHint()  # to the pixel: a name of that width would end in …
        return QSize(min(longest.width() + letter, letter * _WIDEST), longest.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def showPopup(self) -> None:
        """Show the names in full, also those that are cut in the box."""
        view = self.view()
        view.setMinimumWidth(min(view.sizeHintForColumn(0) + 2 * view.verticalScrollBar().sizeHint().width(), _LIST))
        super().showPopup()

    def offer(self, chosen: str) -> None:
        """List the columns, with one chosen; it is listed even before it exists."""
        columns = self._workspace.numeric_columns()
        if chosen not in columns:
            columns.insert(0, chosen)
        with QSignalBlocker(self):
            offered = [(self._workspace.title(column), column) for column in columns]
            if [(self.itemText(i), self.itemData(i)) for i in range(self.count())] != offered:
                self.clear()
                for title, column in offered:
                    self.addItem(title, column)
            self.setCurrentIndex(columns.index(chosen))

    def _emit(self) -> None:
        self.picked.emit(self.column)


#: Room around a column's natural range, and beyond a point that fell outside: wide, so that growing is rare.
_EDGE, _GROWTH = 0.03, 0.15
#: Range of a ParaPLUIE axis before there are scores.
_PLUIE_START = (-10.0, 10.0)


class Frame(QObject):
    """Chooses the range of a plot.

    Attributes:
        following: True while the range grows with the data; False once the user panned or zoomed.
    """

    def __init__(self, box: pg.ViewBox, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.following = True
        self._empty = True
        self._box = box
        box.disableAutoRange()
        box.sigRangeChangedManually.connect(self._release)

    def fit(self, cloud: Cloud, x: str, y: str, line: float | None = None) -> None:
        """Show everything: the columns' natural ranges, the points and the threshold line."""
        self.following = True
        self._empty = not len(cloud.x)
        self._set(_fitted(x, cloud.x), _fitted(y, cloud.y, line))

    def follow(self, cloud: Cloud, x: str, y: str, line: float | None = None) -> None:
        """Grow where points fell outside; nothing happens while all are inside, or after the user zoomed."""
        if not self.following:
            return
        if self._empty and len(cloud.x):
            # The first points show how large the numbers are; before, the range was only a guess.
            self.fit(cloud, x, y, line)
            return
        old_x, old_y = (tuple(side) for side in self._box.viewRange())
        new = _grown(x, old_x, cloud.x), _grown(y, old_y, cloud.y, line)
        if new != (old_x, old_y):
            self._set(*new)

    def _set(self, x: Range, y: Range) -> None:
        self._box.setRange(xRange=x, yRange=y, padding=0, disableAutoRange=True)

    def _release(self) -> None:
        self.following = False


def _bounds(values: Floats, line: float | None) -> Range | None:
    found = [float(values.min()), float(values.max())] if len(values) else []
    if line is not None:
        found.append(line)
    return (min(found), max(found)) if found else None


def _natural(column: str) -> Range | None:
    limits = natural_range(column)
    if limits is None:
        return _PLUIE_START if identify(column).judged else None
    edge = (limits[1] - limits[0]) * _EDGE
    return limits[0] - edge, limits[1] + edge


def _fitted(column: str, values: Floats, line: float | None = None) -> Range:
    natural, bounds = _natural(column), _bounds(values, line)
    if bounds is None:
        return natural or (0.0, 1.0)
    # A range of 0..1 is kept whole, so that the axis looks the same for every corpus; ParaPLUIE's is only a start.
    whole = natural_range(column) is not None or not len(values)
    if natural is not None and whole and bounds[0] >= natural[0] and bounds[1] <= natural[1]:
        return natural
    margin = (bounds[1] - bounds[0]) * 0.06 or max(abs(bounds[0]) * 0.1, 0.5)
    return bounds[0] - margin, bounds[1] + margin


def _grown(column: str, now: Range, values: Floats, line: float | None = None) -> Range:
    bounds = _bounds(values, line)
    if bounds is None or (bounds[0] >= now[0] and bounds[1] <= now[1]):
        return now
    low, high = min(bounds[0], now[0]), max(bounds[1], now[1])
    margin = (high - low) * _GROWTH
    return (low - margin if bounds[0] < now[0] else now[0]), (high + margin if bounds[1] > now[1] else now[1])
