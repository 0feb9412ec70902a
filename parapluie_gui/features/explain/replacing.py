"""What a score would be with another word in the place of one: replacements by rule, scored live, strongest first."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QScrollArea, QWidget

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.features.explain.asking import AskingView
from parapluie_gui.features.explain.effects import kind_name
from parapluie_gui.features.explain.explanation import pairs_to_score
from parapluie_gui.features.explain.replacements import Replacement, replaceable, replacements
from parapluie_gui.features.explain.signed_bars import SignedBars
from parapluie_gui.metrics.changes.types import change_types
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, named, vbox
from parapluie_gui.ui.widgets.controls import caption
from parapluie_gui.ui.widgets.text import isolated
from parapluie_gui.ui.widgets.wrapped import NarrowBox

SOURCE, HYPOTHESIS = 0, 1

#: Pixels that stay around what is brought into sight, and milliseconds in which it is given its room.
_AROUND, _LAYOUT_MS = 8, 50


@dataclass(frozen=True)
class Replaced:
    """A replacement and what it did.

    Attributes:
        title: "fell → rose".
        value: What the score changes, or None while it is not known.
        score: The new score in words, with its verdict.
        towards_yes: Whether such a change speaks for a paraphrase.
        kind: Its kind of change, as it is shown.
        pair: Source and hypothesis with it.
    """

    title: str
    value: float | None
    score: str
    towards_yes: bool
    kind: str
    pair: tuple[str, str]


class ReplacedRows(SignedBars[Replaced]):
    """One bar a replacement; the row that is chosen is opened in the Bench."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("What each replacement does to the score"))

    def extra(self, row: int) -> str:
        return ", ".join(filter(None, (self.rows[row].kind, self.rows[row].score)))

    def tip(self, row: int) -> str:
        return self.tr("{0} Click to open it in the Bench.").format(self.rows[row].pair[HYPOTHESIS])


class ReplacingView(AskingView):
    """A choice of a word, and what replacements of it do; asks for the scores of a corpus.

    Signals:
        chosen: (source, hypothesis, source, hypothesis) A replacement is to be opened in the Bench: the pair as it is,
            then with it.
    """

    chosen = Signal(str, str, str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pair, self._column = ("", ""), ""
        self._made: tuple[Replacement, ...] = ()
        self._pairs: list[tuple[str, str]] = []
        self._box = named(NarrowBox(6), self.tr("Word to replace"), self.tr("Or click a word of the sentences"))
        self._box.activated.connect(self._pick)
        self._arriving = Throttle(self._come_into_sight, _LAYOUT_MS, self)
        label = caption(self.tr("&Replace"), self._box)
        self.rows = ReplacedRows()
        self.rows.row_chosen.connect(self._choose)
        self.rows.hide()
        vbox(hbox(label, (self._box, 1)), self._hint, self.rows, within=self, margins=NO_MARGINS, spacing=4)

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab goes through, in its order."""
        return self._box, self.rows

    def set_pair(self, source: str, hypothesis: str, column: str) -> None:
        """Offer the words of a pair, whose replacements a score is to judge."""
        self.forget()
        self._pair, self._column = (source, hypothesis), column
        self._box.clear()
        self._box.addItem(self.tr("Choose a word"), None)
        for side, text in ((HYPOTHESIS, hypothesis), (SOURCE, source)):
            if side == SOURCE and self._box.count() > 1:
                self._box.insertSeparator(self._box.count())
            for start, end in replaceable(text):
                word = text[start:end]
                self._box.addItem(word if side == HYPOTHESIS else self.tr("{0} (source)").format(word), (side, start))
        self.setVisible(bool(column) and self._box.count() > 1)

    def forget(self) -> None:
        """Show no replacements."""
        self.give_up()
        self._made = ()
        self.rows.set_rows(())
        self._box.setCurrentIndex(0)

    def replace(self, side: int, at: int) -> None:
        """Ask for the scores of the replacements of a word, by a character offset in it."""
        self.forget()
        made = replacements(self._pair[side], at)
        places = [self._box.itemData(place) for place in range(self._box.count())]
        here = [place for place, data in enumerate(places) if data is not None and data[0] == side and data[1] <= at]
        if not made or not self._column:
            self._hint.say(self.tr("No rule knows a replacement of this word."))
            return
        self._box.setCurrentIndex(here[-1])
        self._made = made
        source, hypothesis = self._pair
        ours = ((each.text, hypothesis) if side == SOURCE else (source, each.text) for each in made)
        self._pairs = [self._pair, *ours]
        self.expect(len(self._pairs))
        self._hint.say(self.tr("Scoring {0} replacements …").format(len(made)))
        self.show_known()
        self._arriving.ask()
        self.asked.emit(pairs_to_score(self._pairs), self._column)

    def undefined(self) -> str:
        return self.tr("This score is not defined for every replacement.")

    # Showing

    def _come_into_sight(self) -> None:
        """Scroll what this stands in to the replacements; where not all have room, the choice and the first do."""
        area = self.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is not None and self.rows.isVisible():
            area.ensureWidgetVisible(self.rows, 0, _AROUND)
            area.ensureWidgetVisible(self._box, 0, _AROUND)

    def _pick(self, place: int) -> None:
        data = self._box.itemData(place)
        if data is None:
            self.forget()
        else:
            self.replace(*data)

    def _choose(self, row: int) -> None:
        self.chosen.emit(*self._pair, *self.rows.rows[row].pair)

    def show_known(self) -> None:
        scores = self.scored(self._column)
        self.rows.decimals = 2 if scores.judged else 3
        rows = [
            self._row(each, pair, value, scores)
            for each, pair, value in zip(self._made, self._pairs[1:], self._scores[1:].tolist(), strict=True)
        ]
        self.rows.set_rows(sorted(rows, key=lambda row: -abs(row.value or 0.0)))

    def _row(self, made: Replacement, pair: tuple[str, str], value: float, scores: ScoreColumn) -> Replaced:
        before = isolated(made.before)
        title = f"{before} → {isolated(made.after)}" if made.after else f"− {before}"
        change = value - float(self._scores[0])
        known = None if isnan(change) else change
        words = "" if isnan(value) else score_names.format_with_verdict(value, scores)
        kind = kind_name(change_types()[made.type])
        return Replaced(title, known, words, (change > 0) == scores.higher_is_closer, kind, pair)
