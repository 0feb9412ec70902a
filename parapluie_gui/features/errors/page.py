"""The Errors page: groups of errors, the kinds of change that decided them, and the review of doubtful labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parapluie_gui.analysis.base import Analysis
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.arrays import Rows
from parapluie_gui.features.errors.analysis import SELECTED, PairSet
from parapluie_gui.features.explain.explanation import KindEffect
from parapluie_gui.features.explain.page import kind_effect_table
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.analysis.experiment import WorkedPage
from parapluie_gui.ui.analysis.links import AnalysisLinks
from parapluie_gui.ui.analysis.page import Runs
from parapluie_gui.ui.widgets.arrange import button, flow
from parapluie_gui.ui.widgets.controls import KeyChoice


@dataclass(frozen=True, eq=False)
class ErrorsRequest:
    """A request to explain a score of pairs.

    Attributes:
        corpus, rows: The pairs.
        column: The score.
        threshold: The threshold of its verdicts.
    """

    corpus: Corpus
    rows: Rows
    column: str
    threshold: float

    def has_same_corpus(self, other: ErrorsRequest) -> bool:
        # New judgements give a new corpus object with the same texts.
        return self.corpus.source is other.corpus.source and self.corpus.hypothesis is other.corpus.hypothesis

    def is_same(self, other: ErrorsRequest) -> bool:
        """Return whether both requests have the same pairs, score and threshold."""
        same_score = (self.column, self.threshold) == (other.column, other.threshold)
        return same_score and self.has_same_corpus(other) and np.array_equal(self.rows, other.rows)


@dataclass(frozen=True, eq=False)
class ErrorsExplanation:
    """The effects of kinds of change on the score of the requested pairs."""

    request: ErrorsRequest
    kind_effects: tuple[KindEffect, ...]


class ErrorsPage(WorkedPage):
    """The page of the errors of one score or of all scores, or of the selected pairs.

    The score on the y axis is judged at the decision line, every other score at its natural or best threshold.
    """

    def __init__(self, links: AnalysisLinks) -> None:
        super().__init__(links, analysis("errors"))
        tip = self.tr("Find the kinds of change that decided these pairs. Every variant of each pair is scored")
        self.explain_button = button(self.tr("Explain these pairs"), self._explain, tip)
        tip = self.tr("Review these labels with the keyboard, the most doubtful first: right, wrong or unsure")
        self.review = button(
            self.tr("Review labels…"), self._review, tip, name=self.tr("Review labels that may be wrong")
        )
        progress = self.offer_stop(self.tr("explaining"))
        self.flow.addLayout(flow(self.explain_button, self.review, progress))
        self.stage.say("")
        self.flow.addWidget(self.stage)
        self.kind_effects = self.table()
        self.flow.addWidget(self.kind_effects)
        for widget in (self.explain_button, self.review, self.kind_effects):
            widget.hide()  # hidden until there is a result
        self._explanations: list[ErrorsExplanation] = []
        links.workspace.selection.set_changed.connect(self._follow_selection)

    def why_empty(self, inputs: AnalysisMaterial) -> str:
        # Without labels too: an analysis of the selection needs none.
        return super().why_empty(self._with_selection(inputs) if inputs.score_columns else inputs)

    def remedy(self, inputs: AnalysisMaterial) -> str:
        return super().remedy(self._with_selection(inputs) if inputs.score_columns else inputs)

    def settle(self, inputs: AnalysisMaterial) -> None:
        # Start with the false positives of the score on the y axis, not with all errors of all scores.
        for name, usual in (("score", inputs.y), ("pairs", "fp")):
            control = self.form.controls[name]
            if isinstance(control, KeyChoice) and not control.count():
                control.offer([usual], [usual])
        super().settle(inputs)

    def work(self, inputs: AnalysisMaterial, only: Sequence[Analysis[Any, Any]] = ()) -> Callable[[Tick], Runs]:
        return super().work(self._with_selection(inputs), only)

    def draw(self) -> None:
        super().draw()
        pairs = self._pairs()
        self.explain_button.setVisible(pairs is not None and bool(pairs.chosen.any()))
        self.review.setVisible(bool(len(self.run.result.suspects.rows)))
        self._show_kind_effects()

    def _with_selection(self, inputs: AnalysisMaterial) -> AnalysisMaterial:
        return replace(inputs, selected=self.links.workspace.selection.mask.copy())

    def _pairs(self) -> PairSet | None:
        """Return the pairs of the result if they are errors of a single score."""
        sets: tuple[PairSet, ...] = self.run.result.sets if self._runs else ()
        return sets[0] if len(sets) == 1 else None

    # Explanations

    def show_chosen(self) -> None:
        """Enable the button if the pairs can be explained."""
        self.explain_button.setEnabled(self._request() is not None and self.running.isHidden())

    def show_outcome(self, outcome: ErrorsExplanation) -> None:
        """Show the kinds of change that decided the pairs."""
        earlier = (old for old in self._explanations if old.request.has_same_corpus(outcome.request))
        self._explanations = [outcome, *earlier]
        self._show_kind_effects()

    def _request(self) -> ErrorsRequest | None:
        pairs, corpus = self._pairs(), self.links.workspace.judged_corpus
        if pairs is None or corpus is None or not pairs.score or not pairs.chosen.any():
            return None
        return ErrorsRequest(corpus, np.flatnonzero(pairs.chosen), pairs.score, pairs.threshold)

    def _explain(self) -> None:
        request = self._request()
        if request is None:
            self.stage.say(self.tr("There is nothing to explain."))
            return
        self.show_begun()
        self.wanted.emit(request)

    def _show_kind_effects(self) -> None:
        """Show the explanation of the current pairs if there is one."""
        request, pairs = self._request(), self._pairs()
        explanation = None
        if request is not None:
            explanation = next((old for old in self._explanations if old.request.is_same(request)), None)
        self.show_chosen()
        self.kind_effects.setVisible(explanation is not None)
        if explanation is not None and pairs is not None:
            title = self.tr("Which kinds of change decided: {0}").format(pairs.title)
            table = kind_effect_table(explanation.kind_effects, title, len(explanation.request.rows))
            self.kind_effects.show_grid(table, self.run.material.signature_lines())

    def _follow_selection(self) -> None:
        rule = self.links.workspace.selection.rule
        if self.form.options().pairs == SELECTED and (rule is None or rule is not self.links.own):
            self.changed.emit()

    def _review(self) -> None:
        self.links.review_wanted.emit(self.run.result.suspects.rows)
