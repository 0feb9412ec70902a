"""The shown page of the manual, styled and with working links; the passages that a search can find in it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QTextBlock, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QTextEdit, QWidget

from parapluie_gui import manual
from parapluie_gui.ui.widgets.markdown_style import dress


@dataclass(frozen=True)
class Passage:
    """A paragraph, heading, line of code or row of a table.

    Attributes:
        path: The page.
        block: The number of its first text block in the shown document.
        text: Plain text, without Markdown's marks.
    """

    path: str
    block: int
    text: str


class ManualBrowser(QTextBrowser):
    """Shows pages by their path; fetches nothing but pages of the manual, and leaves the web to the web browser."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pages = {page.path: page for page in manual.pages()}
        self.setOpenLinks(False)
        # Always there: a page is laid out once, for the width that it has with it.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setAccessibleName(self.tr("Page of the manual"))
        self.anchorClicked.connect(self._follow)
        self.sourceChanged.connect(self._take_page)

    @property
    def path(self) -> str:
        """The path of the shown page, "" before the first."""
        return self.source().path()

    def show_page(self, path: str, fragment: str = "") -> None:
        """Show a page from its beginning, or from the heading of that anchor."""
        url = QUrl(path)
        url.setFragment(fragment)
        self.setSource(url, QTextDocument.ResourceType.MarkdownResource)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Return a page's Markdown; nothing else is ever read."""
        page = self._pages.get(QUrl(name).path())
        return page.text if page else None

    def go_to(self, block: int) -> None:
        """Bring a text block to the upper part of the view."""
        cursor = QTextCursor(self.document().findBlockByNumber(block))
        self.setTextCursor(cursor)
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect(cursor).top() - self.fontMetrics().height())

    def mark(self, words: list[str]) -> None:
        """Highlight words wherever they are on the page."""
        marks = []
        for word in words:
            cursor = self.document().find(word)
            while not cursor.isNull():
                mark = QTextEdit.ExtraSelection()
                mark.cursor = cursor
                mark.format.setBackground(self.palette().highlight())
                mark.format.setForeground(self.palette().highlightedText())
                marks.append(mark)
                cursor = self.document().find(word, cursor)
        self.setExtraSelections(marks)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette and the type size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            dress(self.document(), self.palette())

    def _take_page(self, url: QUrl) -> None:
        self.setExtraSelections([])
        dress(self.document(), self.palette())
        if url.hasFragment():
            block = self.document().begin()
            while block.isValid():
                if block.blockFormat().headingLevel() and manual.anchor(block.text()) == url.fragment():
                    self.go_to(block.blockNumber())
                    return
                block = block.next()

    def _follow(self, url: QUrl) -> None:
        if url.scheme():
            QDesktopServices.openUrl(url)
        elif page := self._pages.get(self.path):
            self.show_page(*manual.target(page, url.toString()))


def passages(path: str, document: QTextDocument) -> list[Passage]:
    """Return the passages of a document; the cells of a table's row are one passage."""
    found: list[Passage] = []
    row: tuple[int, int] | None = None
    block: QTextBlock = document.begin()
    while block.isValid():
        table = QTextCursor(block).currentTable()
        place = None if table is None else (id(table), table.cellAt(block.position()).row())
        if text := block.text().strip():
            if place is not None and place == row:
                found[-1] = Passage(path, found[-1].block, f"{found[-1].text} · {text}")
            else:
                found.append(Passage(path, block.blockNumber(), text))
                row = place
        block = block.next()
    return found
