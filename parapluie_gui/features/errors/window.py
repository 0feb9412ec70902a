"""Errors in the window: which kinds of change decided them is found out from variants of each of the pairs."""

from __future__ import annotations

from functools import partial

from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.features.errors.page import ErrorsExplained, ErrorsWanted
from parapluie_gui.features.explain.explanation import Variants, effects_by_kind
from parapluie_gui.features.explain.page import kinds_of
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.chosen_scores import chosen_scores, only_column
from parapluie_gui.ui.state.experiment import ExperimentPlan
from parapluie_gui.ui.window.experiments import Experimenter
from parapluie_gui.work.scoring_plan import ScoringPlan


class ErrorsWindow(Experimenter):
    """Explains the errors on the page, with the score as it is chosen in Setup."""

    def begin(self, wanted: ErrorsWanted) -> None:
        asked = chosen_scores(self._setup.plan, self._workspace).get(wanted.column)
        if asked is not None:
            self.experiment.start(partial(blame_plan, wanted, asked, only_column(asked)))
        else:
            self.experiment.ended.emit(
                self.tr("This score is not chosen in Setup. Choose its metric or template there to explain it.")
            )


def blame_plan(wanted: ErrorsWanted, asked: ScoringPlan, column: str) -> ExperimentPlan[ErrorsExplained]:
    """Make the variants of all pairs, and return what is scored and what it says.

    Args:
        wanted: The pairs and their score.
        asked: The plan of that score alone.
        column: The column in which it comes.
    """
    pairs = wanted.corpus.take(wanted.rows)
    variants = Variants(pairs)

    def look(table: ScoreTable, broken: bool) -> ErrorsExplained | None:
        if broken or column not in table:
            return None
        scores = score_column(wanted.column, table[column])
        explanations = enumerate(variants.explanations(scores, wanted.threshold))
        return ErrorsExplained(
            wanted, effects_by_kind((each, kinds_of(pairs, row, each)) for row, each in explanations)
        )

    return ExperimentPlan(variants.corpus, asked, look)
