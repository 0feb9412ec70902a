"""The scores of a plan one by one, with their names in the corpus shown and for a typed pair."""

from __future__ import annotations

from dataclasses import replace

from parapluie_gui.analysis.names import shown_names
from parapluie_gui.metrics import catalogue
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.work.scoring_plan import ScoringPlan


def typed_scores(plan: ScoringPlan) -> tuple[dict[str, ScoringPlan], dict[str, str]]:
    """Return the plan of each score of a typed pair alone, by its column, and the titles of the judges' scores.

    The judge in the picker, which is last in a plan, comes first here, because the user is working with it.
    """
    plan, table = plan.for_typed_pairs(), ScoreTable(0)
    judged = replace(plan, judgings=plan.judgings[::-1]).judge_scores(table)
    for name, alone in judged.items():
        (judging,) = alone.judgings
        table.declare(
            name, Signature.from_fields(name, {"model": judging.judge.model, "precision": judging.judge.precision})
        )
    return {**_metrics(plan), **judged}, shown_names(table)


def chosen_scores(plan: ScoringPlan, workspace: CorpusWorkspace) -> dict[str, ScoringPlan]:
    """Return the plan of each chosen score alone, by its present or future name in the corpus shown."""
    plan = plan.for_typed_pairs()
    return {**_metrics(plan), **plan.judge_scores(workspace.table)}


def only_column(alone: ScoringPlan) -> str:
    """Return the column of the only score of a plan."""
    return alone.templates[0].column if alone.judgings else alone.metric_columns[0]


def _metrics(plan: ScoringPlan) -> dict[str, ScoringPlan]:
    return {catalogue.column(spec): ScoringPlan((spec,), (), plan.device) for spec in plan.metrics}
