"""The pages of the Analysis tab, one for each analysis in the order of the catalogue, and the list of their titles."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from parapluie_gui.analysis.catalogue import analyses
from parapluie_gui.ui.analysis.certificate import CertificatePage
from parapluie_gui.ui.analysis.errors import ErrorsPage
from parapluie_gui.ui.analysis.form import translated
from parapluie_gui.ui.analysis.links import Links
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.analysis.sweep import SweepPage

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


#: The pages that have more than every page, by the name of their analysis.
_MORE: dict[str, Callable[[Links], AnalysisPage]] = {
    "errors": ErrorsPage,
    "certificate": CertificatePage,
    "sweep": SweepPage,
}


@dataclass(frozen=True)
class Entry:
    """A page before it is made: its title, and how it is made."""

    title: str
    make: Callable[[Links], AnalysisPage]


PAGES = tuple(
    Entry(translated(each.title), _MORE.get(each.name, partial(AnalysisPage, analysis=each)))
    for each in analyses()
    if each.in_window
)
