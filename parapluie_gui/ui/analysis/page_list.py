"""The list of the pages of the Analysis tab: as tall as all of them, in any size of type."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

#: Between two lines, and around all, in pixels.
_GAP = 7


class PageList(QListWidget):
    """Titles of pages, one of them chosen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Analyses"))
        self.setProperty("flat", True)
        # A screen reader chooses without the keyboard.
        self.itemSelectionChanged.connect(self._follow)

    def set_titles(self, titles: Iterable[str]) -> None:
        for title in titles:
            QListWidgetItem(title, self)
        self.fit()
        self.setCurrentRow(0)

    def _follow(self) -> None:
        if chosen := self.selectedItems():
            self.setCurrentItem(chosen[0])

    def fit(self) -> None:
        """Follow the size of the type."""
        height = self.fontMetrics().height() + _GAP
        for place in range(self.count()):
            self.item(place).setSizeHint(QSize(10, height))
        self.setFixedHeight(height * max(self.count(), 1) + _GAP)
