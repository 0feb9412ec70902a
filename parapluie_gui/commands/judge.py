"""The judge and the metrics that a command is given, and the scores that it computes with them."""

from __future__ import annotations

from collections.abc import Sequence

from parapluie_gui.api.judges import choose_judges, choose_metrics
from parapluie_gui.api.scoring import compute
from parapluie_gui.commands.options import JudgeAndMetrics
from parapluie_gui.commands.saying import say
from parapluie_gui.pairs import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.scoring_plan import Judging, ScoringPlan


def judges_of(scoring: JudgeAndMetrics) -> tuple[Judging, ...]:
    """Return the judges that are named, each with its templates; none if neither is.

    Raises:
        ParapluieError: One is not there, or they do not go together.
    """
    return choose_judges(scoring.judge, scoring.template, scoring.device, scoring.precision, scoring.exact, notice=say)


def score_now(corpus: Corpus, metrics: Sequence[str], scoring: JudgeAndMetrics) -> ScoreTable:
    """Return the scores of a corpus by these metrics and the judges that are named.

    Raises:
        ParapluieError: One cannot be computed.
    """
    return compute(corpus, ScoringPlan(choose_metrics(metrics), judges_of(scoring), scoring.device)).table
