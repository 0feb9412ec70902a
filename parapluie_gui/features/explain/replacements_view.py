"""The effect of replacing one word on a score: replacements by rule, scored as they are chosen, strongest first."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QScrollArea, QWidget

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.features.explain.effects import EffectScale, kind_name
from parapluie_gui.features.explain.explanation import pairs_to_score
from parapluie_gui.features.explain.replacements import WordReplacement, replaceable, replacements
from parapluie_gui.features.explain.signed_bars import SignedBars
from parapluie_gui.features.explain.variant_view import VariantView
from parapluie_gui.metrics.changes.types import change_types
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, name_control, vbox
from parapluie_gui.ui.widgets.controls import caption
from parapluie_gui.ui.widgets.text import isolate
from parapluie_gui.ui.widgets.wrapped import NarrowBox

SOURCE, HYPOTHESIS = 0, 1

#: Margin in pixels around a widget scrolled into view, and delay in milliseconds until the layout is done.
_SCROLL_MARGIN, _LAYOUT_MS = 8, 50


@dataclass(frozen=True)
class ReplacementEffect:
    """A replacement with its effect on the score, as a row of `ReplacementBars`.

    Attributes:
        title: "fell → rose".
        value: The change of the score; None while unknown.
        score: The new score with its verdict, as text.
        towards_yes: Whether the change points to a paraphrase.
        kind: The translated name of the kind of change.
        pair: Source and hypothesis with the replacement.
    """

    title: str
    value: float | None
    score: str
    towards_yes: bool
    kind: str
    pair: tuple[str, str]


class ReplacementBars(SignedBars[ReplacementEffect]):
    """One bar for each replacement. Choosing a row opens its pair in the Bench."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Effect of each replacement on the score"))

    def extra(self, row: int) -> str:
        return ", ".join(filter(None, (self.rows[row].kind, self.rows[row].score)))

    def tip(self, row: int) -> str:
        return self.tr("{0} Click to open it in the Bench.").format(self.rows[row].pair[HYPOTHESIS])


class ReplacementsView(VariantView):
    """A choice of a word, and the effects of its replacements. Requests the scores of a corpus.

    Signals:
        chosen: (source, hypothesis, source, hypothesis) The user wants to open a replacement in the Bench: the pair
            before and after it.
    """

    chosen = Signal(str, str, str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pair, self._column = ("", ""), ""
        self._replacements: tuple[WordReplacement, ...] = ()
        self._pairs: list[tuple[str, str]] = []
        self._box = name_control(NarrowBox(6), self.tr("Word to replace"), self.tr("Or click a word of the sentences"))
        self._box.activated.connect(self._pick)
        self._scrolling = CallThrottle(self._scroll_into_view, _LAYOUT_MS, self)
        label = caption(self.tr("&Replace"), self._box)
        self.rows = ReplacementBars()
        self.rows.row_chosen.connect(self._choose)
        self.rows.hide()
        vbox(hbox(label, (self._box, 1)), self._hint, self.rows, within=self, margins=NO_MARGINS, spacing=4)

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """The widgets that take the focus, in tab order."""
        return self._box, self.rows

    def set_pair(self, source: str, hypothesis: str, column: str) -> None:
        """Offer the words of a pair that have replacements, to be scored in a column."""
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
        """Clear the replacements and cancel the request."""
        self.cancel()
        self._replacements = ()
        self.rows.set_rows(())
        self._box.setCurrentIndex(0)

    def replace(self, side: int, at: int) -> None:
        """Request the scores of the replacements of the word at a character offset in a sentence (0: source)."""
        self.forget()
        options = replacements(self._pair[side], at)
        places = [self._box.itemData(place) for place in range(self._box.count())]
        items = [place for place, data in enumerate(places) if data is not None and data[0] == side and data[1] <= at]
        if not options or not self._column:
            self._hint.say(self.tr("No rule has a replacement for this word."))
            return
        self._box.setCurrentIndex(items[-1])
        self._replacements = options
        source, hypothesis = self._pair
        variants = (
            (replacement.text, hypothesis) if side == SOURCE else (source, replacement.text) for replacement in options
        )
        self._pairs = [self._pair, *variants]
        self.expect(len(self._pairs))
        self._hint.say(self.tr("Scoring {0} replacements …").format(len(options)))
        self.show_known()
        self._scrolling.ask()
        self.requested.emit(pairs_to_score(self._pairs), self._column)

    def undefined_message(self) -> str:
        return self.tr("This score is not defined for every replacement.")

    # Showing

    def _scroll_into_view(self) -> None:
        """Scroll the surrounding area to the replacements; if not all fit, to the choice and the first replacements."""
        area = self.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is not None and self.rows.isVisible():
            area.ensureWidgetVisible(self.rows, 0, _SCROLL_MARGIN)
            area.ensureWidgetVisible(self._box, 0, _SCROLL_MARGIN)

    def _pick(self, place: int) -> None:
        data = self._box.itemData(place)
        if data is None:
            self.forget()
        else:
            self.replace(*data)

    def _choose(self, row: int) -> None:
        self.chosen.emit(*self._pair, *self.rows.rows[row].pair)

    def show_known(self) -> None:
        scores = self.score_column(self._column)
        self.rows.decimals = 2 if scores.is_from_judge else 3
        rows = [
            self._row(replacement, pair, value, scores)
            for replacement, pair, value in zip(
                self._replacements, self._pairs[1:], self._scores[1:].tolist(), strict=True
            )
        ]
        self.rows.set_limit(EffectScale.of(scores, [row.value for row in rows]).limit)
        self.rows.set_rows(sorted(rows, key=lambda row: -abs(row.value or 0.0)))

    def _row(
        self, replacement: WordReplacement, pair: tuple[str, str], value: float, scores: ScoreColumn
    ) -> ReplacementEffect:
        before = isolate(replacement.before)
        title = f"{before} → {isolate(replacement.after)}" if replacement.after else f"− {before}"
        change = value - float(self._scores[0])
        known = None if isnan(change) else change
        words = "" if isnan(value) else score_names.format_with_verdict(value, scores)
        kind = kind_name(change_types()[replacement.type])
        return ReplacementEffect(title, known, words, (change > 0) == scores.higher_is_closer, kind, pair)
