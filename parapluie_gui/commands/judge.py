"""Computes scores with the judges and metrics in a command's options."""

from __future__ import annotations

from collections.abc import Sequence

from parapluie_gui.api.judges import choose_judges, choose_metrics
from parapluie_gui.api.scoring import compute
from parapluie_gui.commands.options import JudgeAndMetrics
from parapluie_gui.commands.saying import say
from parapluie_gui.pairs import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.scoring_plan import JudgeTemplates, ScoringPlan


def choose_named_judges(scoring: JudgeAndMetrics) -> tuple[JudgeTemplates, ...]:
    """Return the judges in the options, each with its templates; () without a judge or template.

    Raises:
        ParapluieError: A judge or template does not exist, or they cannot be combined.
    """
    return choose_judges(scoring.judge, scoring.template, scoring.device, scoring.precision, scoring.exact, notice=say)


def compute_scores(corpus: Corpus, metrics: Sequence[str], scoring: JudgeAndMetrics) -> ScoreTable:
    """Compute the scores of a corpus with these metrics and the judges in the options.

    Raises:
        ParapluieError: A score cannot be computed.
    """
    return compute(corpus, ScoringPlan(choose_metrics(metrics), choose_named_judges(scoring), scoring.device)).table
