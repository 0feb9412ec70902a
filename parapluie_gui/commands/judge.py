"""The judge and the metrics that a command is given, and the scores that it computes with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parapluie_gui.api.judges import choose_judge, choose_metrics
from parapluie_gui.api.scoring import compute
from parapluie_gui.commands.options import Cascading, JudgeAndMetrics
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.cascade import Cascade
from parapluie_gui.work.scoring_plan import ScoringPlan


def judge_of(scoring: JudgeAndMetrics) -> tuple[JudgeSettings | None, tuple[Template, ...]]:
    """Return the judge and the templates that are named; None and () if neither is.

    Raises:
        ParapluieError: One is not there, or they do not go together.
    """
    return choose_judge(scoring.judge, scoring.template, scoring.device, scoring.precision, scoring.exact, notice=say)


def choose_cascade(options: Cascading, scoring: JudgeAndMetrics, first: Sequence[Template]) -> Cascade | None:
    """Return the second judge, what it is asked and what is sent on to it; None if none is named.

    Raises:
        ParapluieError: It is not there, there is not one template of the first judge, or nothing says what to send on.
    """
    if options.then is None:
        for name in ("then_template", "band", "send"):
            if getattr(options, name) is not None:
                flag = f"--{name.replace('_', '-')}"
                raise ParapluieError(f"{flag} is for a second judge, and none is named. Name it: --then MODEL.")
        return None
    if len(first) != 1:
        what = "there is no first judge" if not first else f"the first judge has {len(first)} templates"
        raise ParapluieError(
            f"A second judge follows one judge with one template, and {what}. Name --judge, --template."
        )
    if (options.band is None) == (options.send is None):
        raise ParapluieError("What is sent on to the second judge? Name either --band LOW HIGH or --send SHARE.")
    if options.band is not None and options.band[0] > options.band[1]:
        low, high = options.band
        raise ParapluieError(f"The band from {low:g} to {high:g} holds no score. Name the lower bound first.")
    wanted = () if options.then_template is None else (options.then_template,)
    judge, templates = judge_of(replace(scoring, judge=options.then, template=wanted))
    assert judge is not None
    return Cascade(judge, templates[0], options.band, options.send)


def score_now(corpus: Corpus, metrics: Sequence[str], scoring: JudgeAndMetrics) -> ScoreTable:
    """Return the scores of a corpus by these metrics and the judge that is named.

    Raises:
        ParapluieError: One cannot be computed.
    """
    return compute(corpus, ScoringPlan(choose_metrics(metrics), *judge_of(scoring), scoring.device)).table
