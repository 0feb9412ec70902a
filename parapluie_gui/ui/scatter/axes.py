"""The axes of a plot: their titles, the box to choose a column, and the visible range."""

from __future__ import annotations

from math import isfinite

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QLocale, QObject, QSignalBlocker, QSize, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from parapluie_gui.analysis.score_column import meaning
from parapluie_gui.arrays import Floats
from parapluie_gui.scores.identity import ScoreKind, identify
from parapluie_gui.ui.scatter.cloud import PointCloud, Range
from parapluie_gui.ui.state.score_names import audience_name
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.wrapped import NarrowBox

_CONTEXT = "Columns"


def axis_title(workspace: CorpusWorkspace, column: str) -> str:
    """Return the title of an axis: the column's name and, if useful, its meaning."""
    translate, name = QCoreApplication.translate, workspace.title(column)
    if identify(column).is_from_judge:
        return translate(_CONTEXT, "{column}: log p(yes) − log p(no)").format(column=name)
    if identify(column).kind is ScoreKind.GAP:
        return translate(_CONTEXT, "{column}: source first − hypothesis first").format(column=name)
    own = {
        "length": translate(_CONTEXT, "Length (characters of the longer sentence)"),
        "label": translate(_CONTEXT, "Label (1 = paraphrase)"),
    }
    return own.get(column) or name


def plain_axis_title(workspace: CorpusWorkspace, column: str) -> str:
    """Return the title of an axis for an audience: the column's name and what its far end means."""
    identity, name = workspace.table.identity(column), workspace.title(column)
    if identity.judged:
        judge = audience_name(workspace.model_of(column)) or name
        return QCoreApplication.translate(_CONTEXT, "{judge}: no ← → yes").format(judge=judge)
    if not identity.is_score:
        return axis_title(workspace, column)
    closer = QCoreApplication.translate(_CONTEXT, "{column}: nearer in meaning →")
    further = QCoreApplication.translate(_CONTEXT, "{column}: ← nearer in meaning")
    return (closer if workspace.higher_is_closer(column) else further).format(column=name)


def natural_range(column: str) -> tuple[float, float] | None:
    """Return the natural range of a column ((0, 1) for edit distance), or None when it is unbounded or unknown."""
    if identify(column).kind is ScoreKind.EVIDENCE or column == "label":
        return 0.0, 1.0
    read = meaning(identify(column))
    return (read.low, read.high) if isfinite(read.low) and isfinite(read.high) else None


def format_count(number: int) -> str:
    """Return a whole number with the grouping of the user's language ("1,725")."""
    locale = QLocale()
    locale.setNumberOptions(QLocale.NumberOption.DefaultNumberOptions)
    return locale.toString(number)


#: Maximum width of an axis box in average characters, so that the tools fit on its line.
_WIDEST = 24
#: Maximum width of its list in pixels, since a file's header can be a sentence.
_LIST = 600


class ColumnPicker(NarrowBox):
    """A box that lists all numeric columns and keeps its choice when the columns change.

    Signals:
        picked: (column) The user chose a different column.
    """

    picked = Signal(str)

    def __init__(self, workspace: CorpusWorkspace, parent: QWidget | None = None) -> None:
        super().__init__(0, parent)
        self._workspace = workspace
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(self._emit)

    @property
    def column(self) -> str:
        """The chosen column, "" if the box is empty."""
        return self.currentData() or ""

    def sizeHint(self) -> QSize:
        """Return the size for the longest name, up to a limit, since a file's header can be a sentence."""
        letter = self.fontMetrics().averageCharWidth()
        longest = super().sizeHint()  # one pixel more, as a name of exactly this width would be elided
        return QSize(min(longest.width() + letter, letter * _WIDEST), longest.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def showPopup(self) -> None:
        """Show the list wide enough for complete names."""
        view = self.view()
        view.setMinimumWidth(min(view.sizeHintForColumn(0) + 2 * view.verticalScrollBar().sizeHint().width(), _LIST))
        super().showPopup()

    def offer(self, chosen: str) -> None:
        """List the columns and choose one, which may not exist yet."""
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


#: Margin around a column's natural range and beyond points outside it, wide so that the range rarely has to grow.
_EDGE, _GROWTH = 0.03, 0.15
#: Range of a ParaPLUIE axis before there are scores.
_PLUIE_START = (-10.0, 10.0)


class AxisFrame(QObject):
    """Chooses the visible range of a plot.

    Attributes:
        following: Whether the range grows with the data; False after the user panned or zoomed.
    """

    def __init__(self, box: pg.ViewBox, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.following = True
        self._empty = True
        self._box = box
        box.disableAutoRange()
        box.sigRangeChangedManually.connect(self._release)

    def fit(self, cloud: PointCloud, x: str, y: str, line: float | None = None) -> None:
        """Show everything: the columns' natural ranges, the points and the threshold line."""
        self.following = True
        self._empty = not len(cloud.x)
        self._set_ranges(_fit_range(x, cloud.x), _fit_range(y, cloud.y, line))

    def follow(self, cloud: PointCloud, x: str, y: str, line: float | None = None) -> None:
        """Extend the range for points outside it, unless the user zoomed."""
        if not self.following:
            return
        if self._empty and len(cloud.x):
            # The first points replace the guessed range.
            self.fit(cloud, x, y, line)
            return
        old_x, old_y = (tuple(side) for side in self._box.viewRange())
        new = _grown(x, old_x, cloud.x), _grown(y, old_y, cloud.y, line)
        if new != (old_x, old_y):
            self._set_ranges(*new)

    def _set_ranges(self, x: Range, y: Range) -> None:
        self._box.setRange(xRange=x, yRange=y, padding=0, disableAutoRange=True)

    def _release(self) -> None:
        self.following = False


def _bounds(values: Floats, line: float | None) -> Range | None:
    numbers = [float(values.min()), float(values.max())] if len(values) else []
    if line is not None:
        numbers.append(line)
    return (min(numbers), max(numbers)) if numbers else None


def _natural(column: str) -> Range | None:
    limits = natural_range(column)
    if limits is None:
        return _PLUIE_START if identify(column).is_from_judge else None
    edge = (limits[1] - limits[0]) * _EDGE
    return limits[0] - edge, limits[1] + edge


def _fit_range(column: str, values: Floats, line: float | None = None) -> Range:
    natural, bounds = _natural(column), _bounds(values, line)
    if bounds is None:
        return natural or (0.0, 1.0)
    # A range of 0 to 1 is always shown completely, so that the axis is the same for every corpus.
    is_shown_fully = natural_range(column) is not None or not len(values)
    if natural is not None and is_shown_fully and bounds[0] >= natural[0] and bounds[1] <= natural[1]:
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
