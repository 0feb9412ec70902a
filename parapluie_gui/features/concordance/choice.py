"""The controls of a search: words, side, order and scope."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from parapluie_gui.analysis.pattern import SearchPattern, compile_pattern
from parapluie_gui.features.concordance.search import ORDERS, PLACES, SIDES, Side
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, FlowLayout, name_control, vbox
from parapluie_gui.ui.widgets.controls import caption, line, tick
from parapluie_gui.ui.widgets.text import tab_through

#: Delay between the last key and the search.
_TYPING_MS = 400

#: The positions of the words that lines are sorted by, in turn, with the default of each.
_SHOWN_PLACES = PLACES[2:-2]
_FIRST_PLACES = ("1L", "2L", "1R")


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
        named = [(order, orders[order]) for order in ORDERS]
        self._order = self._combo([*named, ("", self.tr("three words"))], self.tr("Lines sorted by"))
        names = self.tr("Word to sort by first"), self.tr("Word to sort by next"), self.tr("Word to sort by last")
        self._places = [self._place_combo(*place) for place in zip(names, _FIRST_PLACES, strict=True)]
        fields = FlowLayout(gap=8)
        parts: tuple[QWidget, ...] = self.whole, caption(self.tr("&In"), self._side), self._side
        for part in (*parts, caption(self.tr("Sor&ted by"), self._order), self._order, *self._places, self.only_set):
            fields.addWidget(part)
        vbox(self.edit, fields, within=self, margins=NO_MARGINS, spacing=6)
        tab_through(self.edit, self.whole, self._side, self._order, *self._places, self.only_set)
        self._typing = CallThrottle(self.changed, _TYPING_MS, self, rest=True)
        self.edit.textChanged.connect(self._typing.ask)
        self.edit.returnPressed.connect(self._typing.now)
        self.whole.toggled.connect(self.changed)
        self.only_set.toggled.connect(self.changed)
        self._side.currentIndexChanged.connect(self.changed)
        self._order.currentIndexChanged.connect(self._on_order)
        for place in self._places:
            place.currentIndexChanged.connect(self.sorted)

    @property
    def side(self) -> Side:
        return SIDES[self._side.currentIndex()]

    @property
    def order(self) -> str:
        """The order of the lines, as in `sort_lines`."""
        if (index := self._order.currentIndex()) < len(ORDERS):
            return list(ORDERS)[index]
        return " ".join(_SHOWN_PLACES[place.currentIndex()] for place in self._places)

    def choose(self, side: Side | None = None, order: str | None = None, text: str | None = None) -> None:
        """Choose a side, an order ("hit", or three places as in "1L 2L 1R") or words as a user would, with signals."""
        if side is not None:
            self._side.setCurrentIndex(SIDES.index(side))
        if order is not None:
            named = order in ORDERS
            self._order.setCurrentIndex(list(ORDERS).index(order) if named else len(ORDERS))
            for combo, place in zip(self._places, () if named else order.split(), strict=False):
                combo.setCurrentIndex(_SHOWN_PLACES.index(place))
        if text is not None:
            self.edit.setText(text)
            self._typing.now()

    def pattern(self) -> SearchPattern | None:
        """Return the pattern of the search, or None if the box is empty.

        Raises:
            FilterError: The expression is invalid.
        """
        text = self.edit.text()
        return compile_pattern(text, self.whole.isChecked()) if text.strip() else None

    def _on_order(self) -> None:
        for place in self._places:
            place.setVisible(self._order.currentIndex() == len(ORDERS))
        self.sorted.emit()

    def _place_combo(self, name: str, first: str) -> QComboBox:
        """Return the choice of a place around the hit: 1L is the word left of it, 2R the second word right of it."""
        titles = [(place, self.tr("hit") if place == "hit" else place) for place in _SHOWN_PLACES]
        combo = self._combo(titles, name)
        combo.setToolTip(self.tr("1L is the first word left of the hit, 2R the second word right of it"))
        combo.setCurrentIndex(_SHOWN_PLACES.index(first))
        combo.hide()
        return combo

    def _combo(self, entries: list[tuple[str, str]], name: str) -> QComboBox:
        combo = name_control(QComboBox(self), name)
        combo.addItems([text for _, text in entries])
        return combo
