"""The page of errors: beside what every page has, what decided the errors, and the review of doubtful labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parapluie_gui.analysis.base import Analysis
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.arrays import Rows
from parapluie_gui.features.errors.analysis import SELECTED, PairSet
from parapluie_gui.features.explain.explanation import KindEffect
from parapluie_gui.features.explain.page import kind_effect_table
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.analysis.experiment import WorkedPage
from parapluie_gui.ui.analysis.links import Links
from parapluie_gui.ui.analysis.page import Runs
from parapluie_gui.ui.widgets.arrange import button, flow
from parapluie_gui.ui.widgets.controls import KeyChoice


@dataclass(frozen=True, eq=False)
class ErrorsWanted:
    """Pairs of a corpus whose score is to be explained, with the threshold of its verdicts."""

    corpus: Corpus
    rows: Rows
    column: str
    threshold: float

    def of_same_corpus(self, other: ErrorsWanted) -> bool:
        # What people say of a corpus makes another one of it, with the same texts.
        return self.corpus.source is other.corpus.source and self.corpus.hypothesis is other.corpus.hypothesis

    def same_as(self, other: ErrorsWanted) -> bool:
        """Are these the same pairs, to be explained alike?"""
        same = (self.column, self.threshold) == (other.column, other.threshold)
        return same and self.of_same_corpus(other) and np.array_equal(self.rows, other.rows)


@dataclass(frozen=True, eq=False)
class ErrorsExplained:
    """What decided the pairs, by the kinds of change."""

    wanted: ErrorsWanted
    blame: tuple[KindEffect, ...]


class ErrorsPage(WorkedPage):
    """Errors of one score, or of all, or the selection.

    The score on the scatter is judged at the decision line, every other one at its natural threshold or at its best.
    """

    def __init__(self, links: Links) -> None:
        super().__init__(links, analysis("errors"))
        tip = self.tr("Which kinds of change decided these pairs: every variant of each of them is scored")
        self.explain_button = button(self.tr("Explain them all"), self._explain, tip)
        tip = self.tr("Go through them by keys, the most likely first: label is right, wrong, unsure")
        self.review = button(
            self.tr("Review them…"), self._review, tip, name=self.tr("Review labels that may be wrong")
        )
        explaining = self.offer_stop(self.tr("explaining"))
        self.flow.addLayout(flow(self.explain_button, self.review, explaining))
        self.stage.say("")
        self.flow.addWidget(self.stage)
        self.blame = self.table()
        self.flow.addWidget(self.blame)
        for each in (self.explain_button, self.review, self.blame):
            each.hide()  # until there is something that they are about
        self._blamed: list[ErrorsExplained] = []
        links.workspace.selection.set_changed.connect(self._follow_selection)

    def why_empty(self, inputs: Material) -> str:
        # What is selected needs no labels.
        return super().why_empty(self._with_selection(inputs) if inputs.score_columns else inputs)

    def remedy(self, inputs: Material) -> str:
        return super().remedy(self._with_selection(inputs) if inputs.score_columns else inputs)

    def settle(self, inputs: Material) -> None:
        # At first the false positives of the score in sight, not all errors of all scores.
        for name, usual in (("score", inputs.y), ("pairs", "fp")):
            control = self.form.controls[name]
            if isinstance(control, KeyChoice) and not control.count():
                control.offer([usual], [usual])
        super().settle(inputs)

    def work(self, inputs: Material, only: Sequence[Analysis[Any, Any]] = ()) -> Callable[[Tick], Runs]:
        return super().work(self._with_selection(inputs), only)

    def draw(self) -> None:
        super().draw()
        pairs = self._pairs()
        self.explain_button.setVisible(pairs is not None and bool(pairs.chosen.any()))
        self.review.setVisible(bool(len(self.run.result.suspects.rows)))
        self._show_blame()

    def _with_selection(self, inputs: Material) -> Material:
        return replace(inputs, selected=self.links.workspace.selection.mask.copy())

    def _pairs(self) -> PairSet | None:
        """Return the pairs of the result if they are those of one score."""
        sets: tuple[PairSet, ...] = self.run.result.sets if self._runs else ()
        return sets[0] if len(sets) == 1 else None

    # What decided them

    def show_chosen(self) -> None:
        """Show whether the pairs can be explained."""
        self.explain_button.setEnabled(self._wanted() is not None and self.running.isHidden())

    def show_outcome(self, outcome: ErrorsExplained) -> None:
        """Show which kinds of change decided the pairs."""
        self._blamed = [outcome, *(old for old in self._blamed if old.wanted.of_same_corpus(outcome.wanted))]
        self._show_blame()

    def _wanted(self) -> ErrorsWanted | None:
        pairs, corpus = self._pairs(), self.links.workspace.judged
        if pairs is None or corpus is None or not pairs.score or not pairs.chosen.any():
            return None
        return ErrorsWanted(corpus, np.flatnonzero(pairs.chosen), pairs.score, pairs.threshold)

    def _explain(self) -> None:
        wanted = self._wanted()
        if wanted is None:
            self.stage.say(self.tr("There is nothing to explain."))
            return
        self.show_begun()
        self.wanted.emit(wanted)

    def _show_blame(self) -> None:
        """Show what decided the pairs, if these are the pairs that were explained."""
        wanted, pairs = self._wanted(), self._pairs()
        found = next((each for each in self._blamed if wanted is not None and each.wanted.same_as(wanted)), None)
        self.show_chosen()
        self.blame.setVisible(found is not None)
        if found is not None and pairs is not None:
            title = self.tr("Which kinds of change decided: {0}").format(pairs.title)
            self.blame.show_grid(
                kind_effect_table(found.blame, title, len(found.wanted.rows)), self.run.material.signature_lines()
            )

    def _follow_selection(self) -> None:
        rule = self.links.workspace.selection.rule
        if self.form.options().pairs == SELECTED and (rule is None or rule is not self.links.own):
            self.changed.emit()

    def _review(self) -> None:
        self.links.review_wanted.emit(self.run.result.suspects.rows)
