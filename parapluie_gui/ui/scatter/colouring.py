"""The colouring of the points by label or main kind of change, and the legend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QGraphicsSceneResizeEvent, QGraphicsTextItem, QStyleOptionGraphicsItem, QWidget

from parapluie_gui.arrays import Floats, Labels
from parapluie_gui.metrics.changes.kinds import main_kinds
from parapluie_gui.metrics.changes.types import change_types
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.text import rich_text
from parapluie_gui.ui.widgets.theme import Theme, current_theme

translate = QCoreApplication.translate
_CONTEXT = "Scatter"

#: Opacity of the background of a legend inside the plot, up to 255.
_VEIL = 217

#: Symbols of the kinds, for the legend and for pyqtgraph.
MARKS = ("●", "■", "◆", "▲", "▼", "⬢", "★")
SYMBOLS = ("o", "s", "d", "t1", "t", "h", "star")

#: Names of the label states.
PARAPHRASE, OTHER, UNLABELLED = range(3)

#: The kind of a label: at index 0, at index 1, and the last for -1.
KIND_OF_LABEL = np.array([OTHER, PARAPHRASE, UNLABELLED], dtype=np.int8)

#: Number of the most frequent kinds of change that have their own colour; the rest share one, as do pairs not examined
#: yet.
_OWN = len(MARKS) - 2


def label_colours(theme: Theme) -> tuple[str, ...]:
    """Return the colours of the label states."""
    return theme.paraphrase, theme.other, theme.unlabelled


def change_colours(theme: Theme) -> tuple[str, ...]:
    """Return the colours of kinds of change, which the colour-blind can tell apart too; the last two are grey."""
    more = ("#cc79a7", "#5fd19b", "#d9d06a") if theme.name == "dark" else ("#a21caf", "#18794e", "#84721a")
    return theme.paraphrase, theme.other, *more, theme.unlabelled, theme.border


@dataclass(frozen=True, eq=False)
class PairColouring:
    """A colouring of the pairs of a corpus.

    Attributes:
        kind: The index into `names` of each pair, int8 (n,).
        names: The name of each kind, with {count} for its number of pairs.
        colours: The function that returns the colours of the kinds.
    """

    kind: Labels
    names: tuple[str, ...]
    colours: Callable[[Theme], tuple[str, ...]] = label_colours

    def entries(self, counted: Callable[[int], str]) -> list[tuple[int, str]]:
        """Return the kinds present, each with its label and its number of pairs."""
        totals = np.bincount(self.kind, minlength=len(self.names)).tolist()
        return [
            (kind, name.format(count=counted(total)).strip())
            for kind, (name, total) in enumerate(zip(self.names, totals, strict=True))
            if total
        ]


def colour_by_label(workspace: CorpusWorkspace) -> PairColouring:
    """Return the colouring by label."""
    names = (
        translate(_CONTEXT, "paraphrase {count}"),
        translate(_CONTEXT, "not a paraphrase {count}"),
        translate(_CONTEXT, "unlabelled {count}"),
    )
    return PairColouring(KIND_OF_LABEL[workspace.labels()], names)


def colour_by_change(workspace: CorpusWorkspace) -> PairColouring:
    """Return the colouring by main kind of change; starts finding the kinds."""
    workspace.kinds.texts()
    titles = [translate("ChangeTypes", change_type.name) for change_type in change_types().values()]
    numbers = main_kinds(workspace.kinds.numbers)
    counts = np.bincount(numbers[numbers >= 0], minlength=len(titles))
    own = [place for place in np.argsort(-counts, kind="stable")[:_OWN].tolist() if counts[place]]
    kinds = np.full(len(titles) + 1, _OWN, dtype=np.int8)
    kinds[own] = range(len(own))
    kinds[-1] = _OWN + 1  # the kind for -1
    names = [titles[place] + " {count}" for place in own] + [""] * (_OWN - len(own))
    rest = translate(_CONTEXT, "other kinds {count}"), translate(_CONTEXT, "no change found {count}")
    return PairColouring(kinds[numbers], (*names, *rest), change_colours)


class InsetLegend(QGraphicsTextItem):
    """A legend inside a plot for small figures, with a line for each kind on a nearly opaque background."""

    def write(self, entries: list[str], font: QFont) -> None:
        """Write the entries, in HTML."""
        self.setFont(font)
        self.setDefaultTextColor(current_theme().text)
        self.document().setDocumentMargin(3)
        self.setHtml("<br>".join(entries))

    def place(self, plot: QRectF, x: Floats, y: Floats) -> None:
        """Move into the corner that covers the fewest points; `x` and `y` are their positions as shares of the plot."""
        own = self.boundingRect()
        wide, high = own.width() / max(plot.width(), 1), own.height() / max(plot.height(), 1)
        left = {True: x < wide, False: x > 1 - wide}
        low = {True: y < high, False: y > 1 - high}
        corners = [(at_left, at_bottom) for at_bottom in (False, True) for at_left in (False, True)]
        at_left, at_bottom = min(corners, key=lambda corner: np.count_nonzero(left[corner[0]] & low[corner[1]]))
        self.setPos(
            plot.left() + 2 if at_left else plot.right() - own.width() - 2,
            plot.bottom() - own.height() - 2 if at_bottom else plot.top() + 2,
        )

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        ground = QColor(current_theme().plot)
        ground.setAlpha(_VEIL)
        painter.fillRect(self.boundingRect(), ground)
        super().paint(painter, option, widget)  # type: ignore[arg-type]  # PySide6 6.11 types it without None


class ColourLegend(pg.GraphicsWidget):
    """The legend as text in the plot's scene, so that exported figures contain it; it wraps if the plot is narrow.

    Attributes:
        text: The text, without colours.
        entries: The kinds in HTML.
    """

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.entries: list[str] = []
        self._item = QGraphicsTextItem(self)
        self._item.document().setDocumentMargin(2)
        self._fit()

    def write(
        self,
        kinds: list[tuple[int, str]],
        notes: list[str],
        colours: Callable[[Theme], tuple[str, ...]] = label_colours,
    ) -> None:
        """Write the legend.

        Args:
            kinds: Kind of point (index into MARKS) and its words, such as "paraphrase 1,147".
            notes: Sentences after the kinds.
            colours: The function that returns the colours of the marks.
        """
        theme = current_theme()
        shades = colours(theme)
        marked = [
            f'<span style="color:{shades[kind]}">{MARKS[kind]}</span>&nbsp;{rich_text(words, unbroken=True)}'
            for kind, words in kinds
        ]
        self.entries = marked
        muted = [f'<span style="color:{theme.muted}">{rich_text(note)}</span>' for note in notes if note]
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
        """Return any width and the height of the wrapped text."""
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
