"""A list of keys shown by their titles."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget


class Choice(QComboBox):
    """A list of keys shown by their titles; the chosen key stays chosen while it is offered.

    Signals:
        chosen: The user chose another one.
    """

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(lambda _: self.chosen.emit())

    def offer(self, keys: Sequence[str], titles: Sequence[str], usual: str = "") -> None:
        """Offer other keys; if the present one is not among them, choose the usual one, otherwise the first."""
        if [self.itemData(at) for at in range(self.count())] == list(keys):
            return
        kept = self.key() if self.count() else None  # "" may be a choice too
        self.clear()
        for key, title in zip(keys, titles, strict=True):
            self.addItem(title, key)
        wanted = next((key for key in (kept, usual) if key in keys), None)
        if wanted is not None:
            self.setCurrentIndex(list(keys).index(wanted))

    def key(self) -> str:
        """Return the chosen key, "" when there is none."""
        return self.currentData() or ""

    def choose(self, key: str) -> None:
        """Choose a key as the user would."""
        at = self.findData(key)
        if at >= 0 and at != self.currentIndex():
            self.setCurrentIndex(at)
            self.chosen.emit()
