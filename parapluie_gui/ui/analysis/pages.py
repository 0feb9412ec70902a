"""The pages of the Analysis tab, one for each analysis in its group, and the list of their titles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from parapluie_gui.analysis.base import GROUPS, Analysis
from parapluie_gui.analysis.catalogue import analysis, parts
from parapluie_gui.feature import AnalysisPart
from parapluie_gui.ui.analysis.form import translate_text
from parapluie_gui.ui.analysis.links import AnalysisLinks
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.widgets.text import tooltip

#: Gaps between two lines and around the list, in pixels.
_GAP = 7

#: Data role of an item's page number; headings have none.
_PAGE = Qt.ItemDataRole.UserRole


class PageList(QListWidget):
    """List of page titles in groups; pages without results come last, with the reason.

    Signals:
        turned: (page) A page was chosen.
    """

    turned = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Analyses"))
        self.setProperty("flat", True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._titles: Sequence[tuple[str, str]] = ()
        self._missing: Mapping[int, str] = {}
        # A screen reader chooses without the keyboard.
        self.itemSelectionChanged.connect(self._follow)
        self.currentItemChanged.connect(self._tell)

    def set_titles(self, titles: Sequence[tuple[str, str]]) -> None:
        """List pages by title and group."""
        self._titles = tuple(titles)
        self._list(0)

    def set_missing(self, reasons: Mapping[int, str]) -> None:
        """Move the pages with these numbers to the end, each with the reason why it is empty."""
        if reasons != self._missing:
            self._missing = dict(reasons)
            self._list(self.page())

    def page(self) -> int:
        """Return the number of the chosen page."""
        item = self.currentItem()
        return 0 if item is None else int(item.data(_PAGE))

    def show_page(self, page: int) -> None:
        """Choose a page."""
        self.setCurrentItem(next(item for item in self._items() if item.data(_PAGE) == page))

    def _list(self, chosen: int) -> None:
        with QSignalBlocker(self):
            self.clear()
            for group in dict.fromkeys(group for _, group in self._titles):
                pages = [at for at, (_, own) in enumerate(self._titles) if own == group and at not in self._missing]
                if pages:
                    self._add_heading(group)
                for page in pages:
                    self._add_page(page)
            if self._missing:
                self._add_heading(self.tr("Nothing to show here"))
            for page, reason in self._missing.items():
                item = self._add_page(page)
                item.setForeground(QPalette().placeholderText())
                item.setToolTip(tooltip(reason))
                item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, reason)
        self.fit()
        self.show_page(chosen)

    def _add_heading(self, text: str) -> None:
        item = QListWidgetItem(text, self)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        font = self.font()
        font.setBold(True)
        item.setFont(font)

    def _add_page(self, page: int) -> QListWidgetItem:
        item = QListWidgetItem(self._titles[page][0], self)
        item.setData(_PAGE, page)
        return item

    def _items(self) -> list[QListWidgetItem]:
        return [self.item(row) for row in range(self.count())]

    def _follow(self) -> None:
        if chosen := self.selectedItems():
            self.setCurrentItem(chosen[0])

    def _tell(self, item: QListWidgetItem | None) -> None:
        if item is not None and item.data(_PAGE) is not None:
            self.turned.emit(int(item.data(_PAGE)))

    def fit(self) -> None:
        """Follow the size of the type."""
        height = self.fontMetrics().height() + _GAP
        for item in self._items():
            item.setSizeHint(QSize(10, height))
        titles = [self.fontMetrics().horizontalAdvance(title) for title, _ in self._titles]
        self.setMinimumWidth(max(titles, default=0) + 4 * _GAP)
        self.setFixedHeight(height * max(self.count(), 1) + _GAP)


@dataclass(frozen=True)
class PageEntry:
    """A page that may not exist yet: its analyses, title, group, search words and how to create it."""

    analyses: tuple[Analysis[Any, Any], ...]
    title: str
    group: str
    words: str
    make: Callable[[AnalysisLinks], AnalysisPage]


def _entry(first: AnalysisPart) -> PageEntry:
    shown = [first, *(part for part in parts().values() if part.page_of == first.name)]
    analyses = [analysis(part.name) for part in shown]
    title = first.page_title or analyses[0].title
    make = first.load_page() if first.page else (lambda links: AnalysisPage(links, *analyses, title=title))
    words = " ".join([*(part.name for part in shown), first.words])
    return PageEntry(tuple(analyses), translate_text(title), translate_text(analyses[0].group), words, make)


@cache
def pages() -> tuple[PageEntry, ...]:
    """Return the pages in the order of the list; imports all analyses."""
    shown = [part for part in parts().values() if analysis(part.name).in_window and not part.page_of]
    return tuple(map(_entry, sorted(shown, key=lambda part: GROUPS.index(analysis(part.name).group))))
