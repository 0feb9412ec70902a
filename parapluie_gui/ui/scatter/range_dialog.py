"""The dialog *Select a range*: the lasso for the keyboard."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QPushButton, QWidget

from parapluie_gui.arrays import Mask
from parapluie_gui.ui.scatter.axes import format_count
from parapluie_gui.ui.scatter.cloud import PointCloud, Range
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, vbox, widget_of
from parapluie_gui.ui.widgets.controls import dialog_buttons, form, number, plain
from parapluie_gui.ui.widgets.decimal_box import DecimalBox

_WIDEST = 1e9


class RangeDialog(QDialog):
    """A range of each axis; the points inside both are to be selected.

    Attributes:
        across, up: The fields of the lower and the upper end of the range on the x and the y axis.
        count: Says how many pairs are inside.
        button: Selects them.

    Signals:
        chosen: (bool array (k,)) Which points are inside; the user accepted the dialog.
    """

    chosen = Signal(object)

    def __init__(
        self, cloud: PointCloud, titles: tuple[str, str], view: tuple[Range, Range], parent: QWidget | None = None
    ) -> None:
        """Create the dialog.

        Args:
            cloud: The points.
            titles: The titles of the x and the y axis.
            view: The visible ranges of both axes, offered at first.
            parent: The window.
        """
        super().__init__(parent)
        self.setProperty("manual_page", "scatter")
        self.setWindowTitle(self.tr("Select a range"))
        self._cloud = cloud
        self.across, self.up = (self._ends(title, ends) for title, ends in zip(titles, view, strict=True))
        self.count = plain()
        self.button = QPushButton(self.tr("Select"))
        rows = []
        for title, (low, high) in ((titles[1], self.up), (titles[0], self.across)):
            line = widget_of(hbox((low, 1), plain(self.tr("to")), (high, 1), margins=NO_MARGINS))
            rows.append((title, line))
        vbox(form(rows), self.count, dialog_buttons(self, ok=self.button), within=self)
        for box in (*self.across, *self.up):
            box.valueChanged.connect(self._show_count)
        self.accepted.connect(lambda: self.chosen.emit(self.inside()))
        self.finished.connect(self.deleteLater)
        self._show_count()
        self.up[0].setFocus()

    def inside(self) -> Mask:
        """Return which points are inside both ranges, bool (k,)."""
        x, y = (sorted(box.value() for box in ends) for ends in (self.across, self.up))
        return self._cloud.mask_inside((x[0], x[1]), (y[0], y[1]))

    def _ends(self, title: str, ends: Range) -> tuple[DecimalBox, DecimalBox]:
        step = max((ends[1] - ends[0]) / 20, 0.001)
        names = self.tr("{0}, from").format(title), self.tr("{0}, to").format(title)
        low, high = (
            number(name, (-_WIDEST, _WIDEST), value, decimals=3, step=step)
            for name, value in zip(names, ends, strict=True)
        )
        return low, high

    def _show_count(self) -> None:
        inside = int(self.inside().sum())
        self.count.setText(self.tr("Pairs in this range: {0}").format(format_count(inside)))
        self.button.setEnabled(inside > 0)
