"""The explanation of a second score below the first, for comparison: its colours, and its bars for the same edits."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.features.explain.effects import (
    EditStates,
    EffectBars,
    EffectScale,
    arrange_effects,
    effects_of,
    tints_of,
)
from parapluie_gui.features.explain.explanation import ExplanationPlan
from parapluie_gui.features.explain.variant_view import VariantView
from parapluie_gui.ui.pair.sentences import SentencesView
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, name_control, vbox
from parapluie_gui.ui.widgets.controls import caption
from parapluie_gui.ui.widgets.wrapped import NarrowBox


class SecondScoreView(VariantView):
    """A choice of a second score and, once one is chosen, its explanation. Requests the scores of an `ExplanationPlan`.

    Signals:
        switched: (tuple of edits) The user wants edits undone, or done again.
        kind_requested: (edit, global position) The user wants to see or correct the kind of an edit.
    """

    switched = Signal(tuple)
    kind_requested = Signal(int, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pair = ("", "")
        self._plan: ExplanationPlan | None = None
        self._states = EditStates((), ())
        self._box = name_control(
            NarrowBox(6), self.tr("Second score"), self.tr("Explain a second score of the pair, too")
        )
        self._box.addItem(self.tr("No second score"), "")
        self._box.currentIndexChanged.connect(self._request)
        label = caption(self.tr("Secon&d score"), self._box)
        self.sentences = SentencesView()
        self.bars = EffectBars()
        self.bars.switched.connect(self.switched)
        self.bars.kind_requested.connect(self.kind_requested)
        parts = (self._hint, self.sentences, self.bars)
        vbox(hbox(label, (self._box, 1)), *parts, within=self, margins=NO_MARGINS, spacing=4)
        self.show_known()

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """The widgets that take the focus, in tab order."""
        return self._box, self.bars

    def column(self) -> str:
        """Return the second score, or ""."""
        return str(self._box.currentData() or "")

    def offer(self, columns: Sequence[tuple[str, str]]) -> None:
        """Offer scores as (title, column). The chosen score is kept if it is among them; otherwise none is chosen."""
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
        """Explain a pair; requests the scores of its variants if a second score is chosen."""
        self.forget()
        self._pair, self._plan, self._states = (source, hypothesis), plan, states
        self._request()

    def show_states(self, states: EditStates) -> None:
        """Show which edits are undone, and their kinds."""
        if states != self._states:
            self._states = states
            self.show_known()

    def forget(self) -> None:
        """Clear the view and cancel its request."""
        self.cancel()
        self._plan = None
        self.show_known()

    def undefined_message(self) -> str:
        return self.tr("This score is not defined for every variant of the pair.")

    def _request(self) -> None:
        self.cancel()
        plan, column = self._plan, self.column()
        if plan is not None and column:
            self.expect(len(plan.subsets))
            self.sentences.show_pair(*self._pair)
            self.requested.emit(plan, column)
        self.show_known()

    def show_known(self) -> None:
        plan, column = self._plan, self.column()
        self.sentences.setVisible(plan is not None and bool(column))
        if plan is None or not column:
            self.bars.set_effects((), 2)
            return
        scores = self.score_column(column)
        values = self._scores.tolist()
        explanation = None if self._waiting else plan.explain(values, scores.threshold, scores.higher_is_closer)
        effects = effects_of(plan, scores, explanation, self._states)
        decimals, scale = 2 if scores.is_from_judge else 3, EffectScale.of(scores, [effect.value for effect in effects])
        shown, folded = arrange_effects(effects, decimals)
        self.bars.set_effects([*shown, *folded], decimals, scale.limit)
        self.sentences.show_tints(*tints_of(plan, effects, scale.limit))
