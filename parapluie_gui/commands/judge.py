"""The judge and the metrics that a command is given, and the scores that it computes with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parapluie_gui.api.judges import choose_judges, choose_metrics
from parapluie_gui.api.scoring import compute
from parapluie_gui.commands.options import Cascading, JudgeAndMetrics
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.cascade import Cascade
from parapluie_gui.work.scoring_plan import Judging, ScoringPlan


def judges_of(scoring: JudgeAndMetrics) -> tuple[Judging, ...]:
    """Return the judges that are named, each with its templates; none if neither is.

    Raises:
        ParapluieError: One is not there, or they do not go together.
    """
    return choose_judges(scoring.judge, scoring.template, scoring.device, scoring.precision, scoring.exact, notice=say)


def choose_cascade(options: Cascading, scoring: JudgeAndMetrics, first: Sequence[Judging]) -> Cascade | None:
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
    asked = [template for each in first for template in each.templates]
    if len(asked) != 1:
        what = "there is no first judge" if not first else f"the first judge has {len(asked)} templates"
        if len(first) > 1:
            what = f"{len(first)} judges are named"
        raise ParapluieError(
            f"A second judge follows one judge with one template, and {what}. Name --judge, --template."
        )
    if (options.band is None) == (options.send is None):
        raise ParapluieError("What is sent on to the second judge? Name either --band LOW HIGH or --send SHARE.")
    if options.band is not None and options.band[0] > options.band[1]:
        low, high = options.band
        raise ParapluieError(f"The band from {low:g} to {high:g} holds no score. Name the lower bound first.")
    wanted = () if options.then_template is None else (options.then_template,)
    (second,) = judges_of(replace(scoring, judge=(options.then,), template=wanted))
    return Cascade(second.judge, second.templates[0], options.band, options.send)


def score_now(corpus: Corpus, metrics: Sequence[str], scoring: JudgeAndMetrics) -> ScoreTable:
    """Return the scores of a corpus by these metrics and the judges that are named.

    Raises:
        ParapluieError: One cannot be computed.
    """
    return compute(corpus, ScoringPlan.of(choose_metrics(metrics), judges_of(scoring), scoring.device)).table
