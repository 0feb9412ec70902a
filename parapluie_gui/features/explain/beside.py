"""A second score beside the one that is explained: the same words in its colours, and the same edits as its bars."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.features.explain.asking import AskingView
from parapluie_gui.features.explain.effects import EditStates, EffectBars, effects_of, tints_of
from parapluie_gui.features.explain.explanation import ExplanationPlan
from parapluie_gui.ui.pair.sentences import SentencesView
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, named, vbox
from parapluie_gui.ui.widgets.controls import caption
from parapluie_gui.ui.widgets.wrapped import NarrowBox


class BesideView(AskingView):
    """Shows nothing but a choice until a second score is chosen; asks for the scores of a `ExplanationPlan`.

    Signals:
        switched: (edit) An edit is to be undone, or done again.
        kind_asked: (edit, place on the screen) The chip of its kind was clicked.
    """

    switched = Signal(int)
    kind_asked = Signal(int, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pair = ("", "")
        self._plan: ExplanationPlan | None = None
        self._states = EditStates((), ())
        self._box = named(NarrowBox(6), self.tr("Score beside"), self.tr("Explain the pair by a second score too"))
        self._box.addItem(self.tr("No other score"), "")
        self._box.currentIndexChanged.connect(self._ask)
        label = caption(self.tr("Besi&de"), self._box)
        self.sentences = SentencesView()
        self.bars = EffectBars()
        self.bars.switched.connect(self.switched)
        self.bars.kind_asked.connect(self.kind_asked)
        parts = (self._hint, self.sentences, self.bars)
        vbox(hbox(label, (self._box, 1)), *parts, within=self, margins=NO_MARGINS, spacing=4)
        self.show_known()

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab goes through, in its order."""
        return self._box, self.bars

    def column(self) -> str:
        """Return the second score, or ""."""
        return str(self._box.currentData() or "")

    def offer(self, columns: Sequence[tuple[str, str]]) -> None:
        """Offer these scores, by title and column; the one chosen stays if it is there, otherwise there is none."""
        before = self.column()
        self._box.blockSignals(True)
        while self._box.count() > 1:
            self._box.removeItem(1)
        for title, column in columns:
            self._box.addItem(title, column)
        self._box.setCurrentIndex(max(self._box.findData(before), 0))
        self._box.blockSignals(False)
        if self.column() != before:
            self.forget()

    def set_plan(self, source: str, hypothesis: str, plan: ExplanationPlan, states: EditStates) -> None:
        """Explain another pair, once its own score is asked for."""
        self.forget()
        self._pair, self._plan, self._states = (source, hypothesis), plan, states
        self._ask()

    def show_states(self, states: EditStates) -> None:
        """Show which edits are undone by now, and of which kinds they are."""
        if states != self._states:
            self._states = states
            self.show_known()

    def forget(self) -> None:
        """Show no pair."""
        self.give_up()
        self._plan = None
        self.show_known()

    def undefined(self) -> str:
        return self.tr("This score is not defined for every variant of the pair.")

    def _ask(self) -> None:
        self.give_up()
        plan, column = self._plan, self.column()
        if plan is not None and column:
            self.expect(len(plan.subsets))
            self.sentences.show_pair(*self._pair)
            self.asked.emit(plan, column)
        self.show_known()

    def show_known(self) -> None:
        plan, column = self._plan, self.column()
        self.sentences.setVisible(plan is not None and bool(column))
        if plan is None or not column:
            self.bars.set_effects((), 2)
            return
        scores = self.scored(column)
        values = self._scores.tolist()
        found = None if self._waiting else plan.explain(values, scores.threshold, scores.higher_is_closer)
        effects = effects_of(plan, scores, found, self._states)
        self.bars.set_effects(effects, 2 if scores.judged else 3)
        self.sentences.show_tints(*tints_of(plan, effects))
