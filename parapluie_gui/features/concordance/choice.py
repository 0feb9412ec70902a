"""What is searched for: the box for words, which side they have to stand on, and how the lines are sorted."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from parapluie_gui.analysis.pattern import Pattern, compile_pattern
from parapluie_gui.features.concordance.search import ORDERS, SIDES, Order, Side
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, FlowLayout, named, vbox
from parapluie_gui.ui.widgets.controls import caption, line, tick

#: How long after the last key a search begins.
_TYPING_MS = 400


class SearchChoice(QWidget):
    """The controls over the lines.

    Attributes:
        edit: Words, or an expression as /…/.
        only_set: Search the selected pairs only.

    Signals:
        changed: Something else is to be found.
        sorted: The lines are wanted in another order.
    """

    changed = Signal()
    sorted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.edit = line(
            self.tr("Words to find"),
            self.tr("Find a word, or /expression/"),
            self.tr("Upper and lower case count as one. Put a regular expression between slashes: /\\bnot?\\b/i"),
            clears=True,
        )
        self.edit.setMinimumWidth(36 * self.edit.fontMetrics().averageCharWidth())
        tip = self.tr("Not as a part of longer words. Expressions say so by \\b")
        self.whole = tick(self.tr("Whole words"), tip)
        tip = self.tr("Search the pairs of the filter or lasso only")
        self.only_set = tick(self.tr("Only the selected pairs"), tip)
        sides = {
            "either": self.tr("either side"),
            "source": self.tr("source"),
            "hypothesis": self.tr("hypothesis"),
            "both": self.tr("both sides"),
            "one": self.tr("one side only"),
        }
        orders = {
            "corpus": self.tr("corpus"),
            "left": self.tr("words to the left"),
            "right": self.tr("words to the right"),
            "hit": self.tr("the hit"),
        }
        self._side = self._combo([(each, sides[each]) for each in SIDES], self.tr("Where the hits have to be"))
        self._order = self._combo([(each, orders[each]) for each in ORDERS], self.tr("Lines sorted by"))
        fields = FlowLayout(gap=8)
        for part in (self.whole, caption(self.tr("&In"), self._side), self._side):
            fields.addWidget(part)
        for part in (caption(self.tr("Sor&ted by"), self._order), self._order, self.only_set):
            fields.addWidget(part)
        vbox(self.edit, fields, within=self, margins=NO_MARGINS, spacing=6)
        typing = Throttle(self.changed, _TYPING_MS, self, rest=True)
        self.edit.textChanged.connect(typing.ask)
        self.edit.returnPressed.connect(typing.now)
        self.whole.toggled.connect(self.changed)
        self.only_set.toggled.connect(self.changed)
        self._side.currentIndexChanged.connect(self.changed)
        self._order.currentIndexChanged.connect(self.sorted)

    @property
    def side(self) -> Side:
        return SIDES[self._side.currentIndex()]

    @property
    def order(self) -> Order:
        return ORDERS[self._order.currentIndex()]

    def choose(self, side: Side | None = None, order: Order | None = None) -> None:
        """Choose a side or an order, with the signal of a user's choice."""
        if side is not None:
            self._side.setCurrentIndex(SIDES.index(side))
        if order is not None:
            self._order.setCurrentIndex(ORDERS.index(order))

    def pattern(self) -> Pattern | None:
        """Return the search, or None where nothing was typed.

        Raises:
            FilterError: The expression is faulty.
        """
        text = self.edit.text()
        return compile_pattern(text, self.whole.isChecked()) if text.strip() else None

    def _combo(self, entries: list[tuple[str, str]], name: str) -> QComboBox:
        combo = named(QComboBox(self), name)
        combo.addItems([text for _, text in entries])
        return combo
