"""What is to be computed of any corpus: the same for each part of it, in whatever process."""

from __future__ import annotations

from dataclasses import dataclass

from parapluie_gui.errors import ParapluieError
from parapluie_gui.metrics import catalogue
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge import judge_class
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.cascade import Cascade, put_cascade, then_signature
from parapluie_gui.work.local import LocalScorer


@dataclass(frozen=True)
class Plan:
    """Metrics, a judge with its templates, and a second judge for what the first is not sure of.

    Attributes:
        device: Where the models of metrics compute.
        cascade: With it, there is one template.
    """

    metrics: tuple[str, ...] = ()
    judge: JudgeSettings | None = None
    templates: tuple[Template, ...] = ()
    device: str = "auto"
    cascade: Cascade | None = None

    def signatures(self) -> dict[str, Signature]:
        """Return what each score column will be computed with; no model is loaded for it.

        Raises:
            ParapluieError: A metric or a model is not there.
        """
        found = [catalogue.metric(spec).signature() for spec in self.metrics]
        if self.judge is not None:
            found += [_judge_signature(self.judge, template) for template in self.templates]
        if self.cascade is not None:
            then = then_signature(_judge_signature(self.cascade.judge, self.cascade.template))
            found += [then, self.cascade.signature(found[-1], then)]
        return {signature.column: signature for signature in found}


def _judge_signature(settings: JudgeSettings, template: Template) -> Signature:
    files = find_model(settings.model)
    return judge_class(files, settings.device, settings.precision).signature(files, template, settings)


class PlanScorer:
    """Scores one corpus after the other by a plan; between them its models stay loaded, two judges where there are two.

    Arguments as of `LocalScorer`.
    """

    def __init__(self, plan: Plan, scorer: LocalScorer, then: LocalScorer | None = None) -> None:
        self._plan, self._scorer, self._then = plan, scorer, then or scorer

    def score(self, corpus: Corpus) -> tuple[Corpus, ScoreTable, list[ParapluieError]]:
        """Return the corpus with what was found out about it, its scores, and why others cannot be computed."""
        plan = self._plan
        table, errors = self._scorer.score(corpus, plan.metrics, plan.judge, plan.templates, plan.device)
        if plan.cascade is None or plan.judge is None or errors:
            return corpus, table, errors
        first = plan.templates[0].column
        sent = plan.cascade.sent(table[first])
        second = ScoreTable(0)
        if len(sent):
            then = plan.cascade
            second, errors = self._then.score(corpus.take(sent), (), then.judge, (then.template,), plan.device)
            if errors:
                return corpus, table, errors
        else:
            second.declare(plan.cascade.template.column, _judge_signature(plan.cascade.judge, plan.cascade.template))
        names = tuple(find_model(judge.model).name for judge in (plan.judge, plan.cascade.judge))
        corpus = put_cascade(corpus, table, first, second, sent, plan.cascade, (names[0], names[1]))
        return corpus, table, errors
