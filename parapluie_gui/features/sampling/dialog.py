"""The dialog *Select at random*."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QDialog, QPushButton, QWidget

from parapluie_gui.features.sampling.draw import half_width, pairs_for
from parapluie_gui.ui.widgets.arrange import name_control, vbox
from parapluie_gui.ui.widgets.controls import dialog_buttons, form, make_spin_box, number, plain

_MOST_SEEDS = 2**31 - 1


class SamplingDialog(QDialog):
    """The settings of a draw: number of pairs, strata, and seed.

    Attributes:
        count, width_box, by, seed: The fields: number of pairs, half-width in points, strata, seed.
        button: Selects the pairs.

    Signals:
        chosen: (int, str, int) Number of pairs, key of the strata, seed; the user accepted the dialog.
    """

    chosen = Signal(int, str, int)

    def __init__(self, pairs: int, strata: Mapping[str, str], parent: QWidget | None = None) -> None:
        """Create the dialog.

        Args:
            pairs: Number of pairs to draw from.
            strata: The titles of the possible strata, by key.
            parent: The window.
        """
        super().__init__(parent)
        self.setProperty("manual_page", "table")
        self.setWindowTitle(self.tr("Select at random"))
        self._pairs = pairs
        start = min(100, pairs)
        self.count = make_spin_box(self.tr("Pairs to draw"), (1, max(pairs, 1)), start)
        self.width_box = number(
            self.tr("Precision in percentage points"), (0.1, 50.0), 100 * half_width(start, pairs), decimals=1
        )
        self.width_box.setPrefix("±")
        self.width_box.setSuffix(self.tr(" points"))
        self.by = name_control(QComboBox(), self.tr("Same number of each"), "")
        for key, title in strata.items():
            self.by.addItem(title, key)
        self.seed = make_spin_box(self.tr("Seed"), (0, _MOST_SEEDS), 0)
        note = self.tr("Precision: half the width of the 95 % interval for a share near one half, such as an accuracy.")
        self.button = QPushButton(self.tr("Select"))
        rows = (
            (self.tr("&Pairs"), self.count),
            (self.tr("Pre&cision"), self.width_box),
            (self.tr("Same number of &each"), self.by),
            (self.tr("See&d"), self.seed),
        )
        vbox(
            plain(self.tr("From {0} selected pairs").format(f"{pairs:,}")),
            form(rows),
            plain(note, muted=True, wraps=True),
            dialog_buttons(self, ok=self.button),
            within=self,
        )
        self.count.valueChanged.connect(self._show_width)
        self.width_box.editingFinished.connect(self._show_count)
        self.by.currentIndexChanged.connect(self._show_width)
        self.accepted.connect(
            lambda: self.chosen.emit(self.count.value(), str(self.by.currentData()), self.seed.value())
        )
        self.finished.connect(self.deleteLater)
        self._show_width()

    def _show_width(self) -> None:
        self.width_box.setEnabled(not self.by.currentData())  # with strata, shares of all pairs are not estimated
        self.width_box.setValue(100 * half_width(self.count.value(), self._pairs))

    def _show_count(self) -> None:
        wanted = pairs_for(self.width_box.value() / 100, self._pairs)
        if round(100 * half_width(self.count.value(), self._pairs), 1) != self.width_box.value():
            self.count.setValue(wanted)
