"""The line over the scatter: what the symbols mean, how many pairs each has, and what is not shown."""

from __future__ import annotations

import html
from collections.abc import Callable

import pyqtgraph as pg
from PySide6.QtCore import QSizeF, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGraphicsSceneResizeEvent, QGraphicsTextItem

from parapluie_gui.ui.scatter.colouring import MARKS, label_colours
from parapluie_gui.ui.widgets.theme import Theme


class Legend(pg.GraphicsWidget):
    """A text in the plot's own scene, so that exported figures carry it; it wraps where the plot is narrow.

    Attributes:
        text: What is written, without colours.
    """

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self._item = QGraphicsTextItem(self)
        self._item.document().setDocumentMargin(2)
        self._fit()

    def write(
        self,
        kinds: list[tuple[int, str]],
        notes: list[str],
        theme: Theme,
        colours: Callable[[Theme], tuple[str, ...]] = label_colours,
    ) -> None:
        """Write the legend.

        Args:
            kinds: Kind of point (index into MARKS) and its words, such as "paraphrase 1,147".
            notes: Sentences that follow.
            theme: Whose colours the words have.
            colours: Gives the colours of the marks.
        """
        shades = colours(theme)
        marked = [
            f'<span style="color:{shades[kind]}">{MARKS[kind]}</span>&nbsp;{html.escape(words).replace(" ", "&nbsp;")}'
            for kind, words in kinds
        ]
        muted = [f'<span style="color:{theme.muted}">{html.escape(note)}</span>' for note in notes if note]
        self.text = "   ".join([*(f"{MARKS[kind]} {words}" for kind, words in kinds), *notes])
        self._item.setDefaultTextColor(theme.text)
        self._item.setHtml(" &nbsp; ".join([*marked, *muted]))
        self._fit()

    def set_font(self, font: QFont) -> None:
        self._item.setFont(font)
        self._fit()

    def resizeEvent(self, ev: QGraphicsSceneResizeEvent) -> None:
        super().resizeEvent(ev)
        self._fit()

    def sizeHint(self, which: Qt.SizeHint, constraint: QSizeF | None = None) -> QSizeF:
        """Ask for any width and for the height of the wrapped text."""
        wide = 16777215.0 if which == Qt.SizeHint.MaximumSize else 50.0
        return QSizeF(wide, self._item.boundingRect().height())

    def _fit(self) -> None:
        before = self._item.boundingRect().height()
        self._item.setTextWidth(max(self.width(), 50))
        high = self._item.boundingRect().height()
        if high != before or high != self.minimumHeight():
            self.setMinimumHeight(high)
            self.setMaximumHeight(high)
            self.updateGeometry()
