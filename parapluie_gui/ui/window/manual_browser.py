"""The browser for a page of the manual, styled by the theme, and the passages for the search."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import (
    QBrush,
    QDesktopServices,
    QFontDatabase,
    QFontInfo,
    QPalette,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFragment,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser, QTextEdit, QWidget

from parapluie_gui import manual

#: Type sizes of headings, levels 1 to 3, relative to the text.
_SIZES = (1.6, 1.25, 1.05)

#: Characters in the first of two columns above which its width is limited.
_WIDE = 36


def dress(document: QTextDocument, palette: QPalette) -> None:
    """Style a document created by setMarkdown; repeat this when the palette or the font changes."""
    # One edit block, so that the document is laid out once: a layout per change takes seconds on a long page.
    edit = QTextCursor(document)
    edit.beginEditBlock()
    document.setDocumentMargin(14)
    document.setIndentWidth(20)
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _dress_table(frame, palette)
    block = document.begin()
    while block.isValid():
        _dress_block(block, document, palette)
        block = block.next()
    edit.endEditBlock()


def _dress_block(block: QTextBlock, document: QTextDocument, palette: QPalette) -> None:
    cursor = QTextCursor(block)
    form = QTextBlockFormat(block.blockFormat())
    level = form.headingLevel()
    height = 100
    if _is_code(block):
        form.setBackground(palette.alternateBase())
        form.setLeftMargin(8)
        form.setNonBreakableLines(False)
        form.setBottomMargin(0 if _is_code(block.next()) else 10)
    elif level:
        form.setTopMargin(0 if level == 1 else 18)
        form.setBottomMargin(6)
    elif cursor.currentTable() is None:
        height = 115
        if block.textList() is None:
            form.setTopMargin(2)
            form.setBottomMargin(8)
    form.setLineHeight(height, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    cursor.setBlockFormat(form)
    for piece in _pieces(block):
        current = piece.charFormat()
        change = QTextCharFormat()
        if level:
            change.setFontPointSize(QFontInfo(document.defaultFont()).pointSizeF() * _SIZES[min(level, 3) - 1])
            change.setFontWeight(600)
        if current.isAnchor():
            change.setForeground(palette.link())
        if current.fontFixedPitch():
            change.setFontFamilies([QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()])
            change.setBackground(palette.alternateBase())
        cursor.setPosition(piece.position())
        cursor.setPosition(piece.position() + piece.length(), QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(change)


def _is_code(block: QTextBlock) -> bool:
    form = block.blockFormat()
    properties = QTextFormat.Property.BlockCodeFence, QTextFormat.Property.BlockCodeLanguage
    return block.isValid() and any(form.hasProperty(name) for name in properties)


def _pieces(block: QTextBlock) -> list[QTextFragment]:
    """Return the text fragments of a block as a list, since changing formats invalidates the iterator."""
    pieces = []
    at = block.begin()
    while not at.atEnd():
        pieces.append(at.fragment())
        at += 1
    return pieces


def _dress_table(table: QTextTable, palette: QPalette) -> None:
    form = table.format()
    form.setBorder(1)
    form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    form.setBorderBrush(QBrush(palette.mid()))
    form.setBorderCollapse(True)
    form.setCellPadding(5)
    form.setCellSpacing(0)
    form.setTopMargin(4)
    form.setBottomMargin(10)
    percent = QTextLength.Type.PercentageLength
    # Less than 100 %, since Qt rounds columns up and the page would be a pixel too wide.
    form.setWidth(QTextLength(percent, 99.5))
    first = [table.cellAt(row, 0) for row in range(table.rows())]
    if table.columns() == 2 and any(cell.lastPosition() - cell.firstPosition() > _WIDE for cell in first):
        form.setColumnWidthConstraints([QTextLength(percent, 36), QTextLength(percent, 64)])
    table.setFormat(form)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        head = cell.format()
        head.setBackground(palette.alternateBase())
        cell.setFormat(head)


@dataclass(frozen=True)
class ManualPassage:
    """A passage of the manual: a paragraph, heading, line of code or table row.

    Attributes:
        path: The page.
        block: Number of its first text block in the document.
        text: Plain text, without Markdown.
    """

    path: str
    block: int
    text: str


class ManualBrowser(QTextBrowser):
    """Browser for pages of the manual; opens web links in the web browser."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pages = {page.path: page for page in manual.pages()}
        self.setOpenLinks(False)
        # Always shown, so that a page is laid out only once.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setAccessibleName(self.tr("Page of the manual"))
        self.anchorClicked.connect(self._follow)
        self.sourceChanged.connect(self._take_page)

    @property
    def path(self) -> str:
        """Path of the open page, "" before the first."""
        return self.source().path()

    def show_page(self, path: str, fragment: str = "") -> None:
        """Show a page from the top, or from the heading with an anchor."""
        url = QUrl(path)
        url.setFragment(fragment)
        self.setSource(url, QTextDocument.ResourceType.MarkdownResource)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Return a page's Markdown; no other file is read."""
        page = self._pages.get(QUrl(name).path())
        return page.text if page else None

    def go_to(self, block: int) -> None:
        """Scroll a text block to the top of the view."""
        cursor = QTextCursor(self.document().findBlockByNumber(block))
        self.setTextCursor(cursor)
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect(cursor).top() - self.fontMetrics().height())

    def mark(self, words: list[str]) -> None:
        """Highlight all occurrences of words on the page."""
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


def split_passages(path: str, document: QTextDocument) -> list[ManualPassage]:
    """Split a document into passages; the cells of a table row form one passage."""
    passages: list[ManualPassage] = []
    row: tuple[int, int] | None = None
    block: QTextBlock = document.begin()
    while block.isValid():
        table = QTextCursor(block).currentTable()
        place = None if table is None else (id(table), table.cellAt(block.position()).row())
        if text := block.text().strip():
            if place is not None and place == row:
                passages[-1] = ManualPassage(path, passages[-1].block, f"{passages[-1].text} · {text}")
            else:
                passages.append(ManualPassage(path, block.blockNumber(), text))
                row = place
        block = block.next()
    return passages
