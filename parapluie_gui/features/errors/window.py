"""Errors in the window: explains the errors on the page by scoring variants of the pairs."""

from __future__ import annotations

from functools import partial

from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.features.errors.page import ErrorsExplanation, ErrorsRequest
from parapluie_gui.features.explain.explanation import ExplanationVariants, effects_by_kind
from parapluie_gui.features.explain.page import kinds_of
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.chosen_scores import chosen_scores, only_column
from parapluie_gui.ui.state.experiment import ExperimentPlan
from parapluie_gui.ui.window.experiments import ExperimentController
from parapluie_gui.work.scoring_plan import ScoringPlan


class ErrorsWindow(ExperimentController):
    """Explains the errors on the page with the score chosen in Setup."""

    def begin(self, request: ErrorsRequest) -> None:
        plan = chosen_scores(self._setup.plan, self._workspace).get(request.column)
        if plan is not None:
            self.experiment.start(partial(explanation_plan, request, plan, only_column(plan)))
        else:
            self.experiment.ended.emit(
                self.tr("This score is not chosen in Setup. Choose its metric or template there to explain it.")
            )


def explanation_plan(request: ErrorsRequest, scoring: ScoringPlan, column: str) -> ExperimentPlan[ErrorsExplanation]:
    """Return a plan that scores the variants of all pairs and explains them.

    Args:
        request: The pairs and their score.
        scoring: The plan of that score alone.
        column: The name of the score in the table that the plan gives.
    """
    pairs = request.corpus.take(request.rows)
    variants = ExplanationVariants(pairs)

    def evaluate(table: ScoreTable, broken: bool) -> ErrorsExplanation | None:
        if broken or column not in table:
            return None
        scores = score_column(request.column, table[column])
        explanations = enumerate(variants.explanations(scores, request.threshold))
        with_kinds = ((explanation, kinds_of(pairs, row, explanation)) for row, explanation in explanations)
        return ErrorsExplanation(request, effects_by_kind(with_kinds))

    return ExperimentPlan(variants.corpus, scoring, evaluate)
