"""The controls of a search: words, side, order and scope."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from parapluie_gui.analysis.pattern import Pattern, compile_pattern
from parapluie_gui.features.concordance.search import ORDERS, SIDES, Order, Side
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, FlowLayout, name_control, vbox
from parapluie_gui.ui.widgets.controls import caption, line, tick

#: Delay between the last key and the search.
_TYPING_MS = 400


class SearchChoice(QWidget):
    """The controls of a search.

    Attributes:
        edit: Words, or an expression as /…/.
        whole: Whether to match whole words only.
        only_set: Whether to search the selected pairs only.

    Signals:
        changed: The search changed.
        sorted: The order of the lines changed.
    """

    changed = Signal()
    sorted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.edit = line(
            self.tr("Words to find"),
            self.tr("Find a word, or /expression/"),
            self.tr("Ignores case. Write a regular expression between slashes: /\\bnot?\\b/i"),
            clears=True,
        )
        self.edit.setMinimumWidth(36 * self.edit.fontMetrics().averageCharWidth())
        tip = self.tr("Match whole words only; * stands for any letters: *not* finds “another”")
        self.whole = tick(self.tr("Whole words"), tip)
        self.whole.setChecked(True)
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
        self._side = self._combo([(side, sides[side]) for side in SIDES], self.tr("Which sentences must contain a hit"))
        self._order = self._combo([(order, orders[order]) for order in ORDERS], self.tr("Lines sorted by"))
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
        """Choose a side or an order as a user would, emitting the signals."""
        if side is not None:
            self._side.setCurrentIndex(SIDES.index(side))
        if order is not None:
            self._order.setCurrentIndex(ORDERS.index(order))

    def pattern(self) -> Pattern | None:
        """Return the pattern of the search, or None if the box is empty.

        Raises:
            FilterError: The expression is invalid.
        """
        text = self.edit.text()
        return compile_pattern(text, self.whole.isChecked()) if text.strip() else None

    def _combo(self, entries: list[tuple[str, str]], name: str) -> QComboBox:
        combo = name_control(QComboBox(self), name)
        combo.addItems([text for _, text in entries])
        return combo
