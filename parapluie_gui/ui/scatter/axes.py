"""The names of columns on an axis, and the box to pick a column from."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale, QSignalBlocker, QSize, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from parapluie_gui.metrics import catalogue
from parapluie_gui.scores.identity import Kind, identify
from parapluie_gui.ui.state.workspace import Workspace

_CONTEXT = "Columns"


def axis_title(workspace: Workspace, column: str) -> str:
    """Return the title of an axis: the column's name and, where it helps, what the number is."""
    translate, name = QCoreApplication.translate, workspace.title(column)
    if identify(column).judged:
        return translate(_CONTEXT, "{column}: log p(yes) − log p(no)").format(column=name)
    if identify(column).kind is Kind.GAP:
        return translate(_CONTEXT, "{column}: source first − hypothesis first").format(column=name)
    own = {
        "length": translate(_CONTEXT, "Length (characters of the longer sentence)"),
        "label": translate(_CONTEXT, "Label (1 = paraphrase)"),
    }
    return own.get(column) or name


def natural_range(column: str) -> tuple[float, float] | None:
    """Return the range a column has by nature ((0, 1) for edit distance), or None when it is unbounded or unknown."""
    if identify(column).kind is Kind.EVIDENCE or column == "label":
        return 0.0, 1.0
    info = catalogue.info(column)
    if info is None or not (abs(info.low) < float("inf") and abs(info.high) < float("inf")):
        return None
    return info.low, info.high


def counted(number: int) -> str:
    """Return a whole number with the grouping of the user's language ("1,725")."""
    locale = QLocale()
    locale.setNumberOptions(QLocale.NumberOption.DefaultNumberOptions)
    return locale.toString(number)


class ColumnPicker(QComboBox):
    """A box that offers every column of numbers and keeps its choice when columns come and go.

    Signals:
        picked: (column) The user chose another column.
    """

    picked = Signal(str)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(self._emit)

    @property
    def column(self) -> str:
        """The column chosen, "" when the box is empty."""
        return self.currentData() or ""

    def sizeHint(self) -> QSize:
        """Return room for the longest name, within reason: a file's header can be a sentence."""
        return super().sizeHint().boundedTo(QSize(self.fontMetrics().averageCharWidth() * 34, 16777215))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

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
