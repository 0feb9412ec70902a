"""How a page of Markdown looks: headings, code, tables and links in the colours of the palette."""

from __future__ import annotations

from PySide6.QtGui import (
    QBrush,
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

#: Type of headings, levels 1 to 3, against the text.
_SIZES = (1.6, 1.25, 1.05)

#: Characters in a first column from which on it is kept from taking half of a table of two.
_WIDE = 36


def dress(document: QTextDocument, palette: QPalette) -> None:
    """Style a document that was made by setMarkdown; again after the palette or the font changed."""
    # One layout in the end: one for each change takes seconds on a long page.
    whole = QTextCursor(document)
    whole.beginEditBlock()
    document.setDocumentMargin(14)
    document.setIndentWidth(20)
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _dress_table(frame, palette)
    block = document.begin()
    while block.isValid():
        _dress_block(block, document, palette)
        block = block.next()
    whole.endEditBlock()


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
        found = piece.charFormat()
        change = QTextCharFormat()
        if level:
            change.setFontPointSize(QFontInfo(document.defaultFont()).pointSizeF() * _SIZES[min(level, 3) - 1])
            change.setFontWeight(600)
        if found.isAnchor():
            change.setForeground(palette.link())
        if found.fontFixedPitch():
            change.setFontFamilies([QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()])
            change.setBackground(palette.alternateBase())
        cursor.setPosition(piece.position())
        cursor.setPosition(piece.position() + piece.length(), QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(change)


def _is_code(block: QTextBlock) -> bool:
    form = block.blockFormat()
    properties = QTextFormat.Property.BlockCodeFence, QTextFormat.Property.BlockCodeLanguage
    return block.isValid() and any(form.hasProperty(each) for each in properties)


def _pieces(block: QTextBlock) -> list[QTextFragment]:
    """Return the parts of one format each, before any is changed."""
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
    # Not all of it: Qt rounds columns up, and a page would be a pixel wider than its window.
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
