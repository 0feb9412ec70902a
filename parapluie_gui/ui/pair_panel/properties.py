"""The data of a pair in the corpus: label, human score, group and other columns."""

from __future__ import annotations

from collections.abc import Container

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from parapluie_gui.pairs.corpus import Pair
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, name_control, vbox
from parapluie_gui.ui.widgets.controls import plain
from parapluie_gui.ui.widgets.growing_text import GrowingText, displayable
from parapluie_gui.ui.widgets.theme import current_theme, follow_theme

#: Number of other columns up to which the list is not folded.
FOLD = 6
#: Maximum number of characters of a value in the list of other columns; the table shows it in full.
LONGEST_VALUE = 300


class LabelDot(QWidget):
    """The symbol of a label, as in the scatter: blue circle = paraphrase, orange square = not, grey ring = none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def show_label(self, label: int | None) -> None:
        self._label = label
        self.update()

    def sizeHint(self) -> QSize:
        side = self.fontMetrics().height()
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side = self.fontMetrics().height() * 0.62
        area = QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)
        colour = {1: current_theme().paraphrase, 0: current_theme().other}.get(self._label, current_theme().unlabelled)  # type: ignore[arg-type]
        painter.setPen(QPen(QColor(colour), 2))
        painter.setBrush(QColor(colour) if self._label is not None else Qt.BrushStyle.NoBrush)
        if self._label == 0:
            painter.drawRect(area)
        else:
            painter.drawEllipse(area)
        painter.end()


class PairProperties(QWidget):
    """The label in words and as a symbol, human score, group, and the other columns as a folded list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pair: Pair | None = None
        self._scores: Container[str] = ()
        self._dot = LabelDot()
        self._label = plain(wraps=True, selectable=True)
        self._label.setObjectName("label and human score")
        self._others = name_control(GrowingText(most_lines=30, boxed=False), self.tr("Other columns of the corpus"), "")
        self._fold = QPushButton()
        self._fold.setFlat(True)
        self._fold.setCheckable(True)
        self._fold.toggled.connect(self._list)
        line, fold = hbox(self._dot, (self._label, 1), spacing=6), (self._fold, 0, Qt.AlignmentFlag.AlignLeft)
        vbox(line, self._others, fold, within=self, margins=NO_MARGINS, spacing=2)
        follow_theme(self._list_again)

    def show_pair(self, pair: Pair, scores: Container[str] = ()) -> None:
        """Show a pair, without the corpus columns in `scores`, which are shown elsewhere."""
        self._pair, self._scores = pair, scores
        words = {1: self.tr("Paraphrase"), 0: self.tr("Not a paraphrase"), None: self.tr("Unlabelled")}[pair.label]
        if pair.human is not None:
            words = self.tr("{0}  ·  human score {1}").format(words, f"{pair.human:.4g}")
        self._label.setText(words)
        self._dot.show_label(pair.label)
        self._list(self._fold.isChecked())

    def _list_again(self) -> None:
        self._list(self._fold.isChecked())

    def _list(self, unfolded: bool) -> None:
        lines = [] if self._pair is None else self._lines(self._pair)
        self._fold.setVisible(len(lines) > FOLD)
        self._fold.setText(self.tr("Fewer columns") if unfolded else self.tr("All {0} columns").format(len(lines)))
        self._others.setVisible(bool(lines))
        self._others.clear()
        cursor = self._others.textCursor()
        name, value = cursor.charFormat(), cursor.charFormat()
        name.setForeground(QColor(current_theme().muted))
        value.setForeground(QColor(current_theme().text))
        for at, (key, text) in enumerate(lines if unfolded else lines[:FOLD]):
            cursor.insertText("  ·  " * bool(at) + self.tr("{0}:").format(displayable(key)) + " ", name)
            cursor.insertText(displayable(text), value)

    def _lines(self, pair: Pair) -> list[tuple[str, str]]:
        lines = [] if pair.group is None else [(self.tr("group"), pair.group)]
        others = ((key, value) for key, value in pair.extra.items() if key not in self._scores)
        return lines + [(key, _text(value)) for key, value in others if value is not None and value != ""]


def _text(value: object) -> str:
    text = f"{value:.12g}" if isinstance(value, float) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "…"
