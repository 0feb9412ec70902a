"""The plan for scoring a corpus: metrics, and judges with their templates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from parapluie_gui.analysis.score_languages import languages_of_choice
from parapluie_gui.metrics import catalogue, consent
from parapluie_gui.metrics.spec import MetricSpec
from parapluie_gui.pairs.corpus import name_references
from parapluie_gui.pluie.judge import judge_class
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable


@dataclass(frozen=True)
class JudgeTemplates:
    """A judge and its templates."""

    judge: JudgeSettings
    templates: tuple[Template, ...]


@dataclass(frozen=True)
class ScoringPlan:
    """The metrics to compute, and the judges to run with their templates.

    Attributes:
        metrics: Specs of baseline metrics, computed first (see `metrics/spec.py`).
        judgings: The judges in order, each of which scores all pairs; judges without a template are dropped.
        device: The device for the models of metrics if there is no judge, as in `JudgeSettings`.
    """

    metrics: tuple[str, ...] = ()
    judgings: tuple[JudgeTemplates, ...] = ()
    device: str = "auto"

    def __post_init__(self) -> None:
        object.__setattr__(self, "judgings", tuple(judging for judging in self.judgings if judging.templates))

    @classmethod
    def from_judge(
        cls, judge: JudgeSettings, templates: Iterable[Template], metrics: tuple[str, ...] = ()
    ) -> ScoringPlan:
        """Return the plan for one judge and some metrics."""
        return cls(metrics, (JudgeTemplates(judge, tuple(templates)),))

    @property
    def templates(self) -> tuple[Template, ...]:
        """The templates of all judges, in the order of the judges."""
        return tuple(template for judging in self.judgings for template in judging.templates)

    @property
    def metric_device(self) -> str:
        """The device for the models of metrics: the first judge's, if there is a judge."""
        return self.judgings[0].judge.device if self.judgings else self.device

    @property
    def columns(self) -> tuple[str, ...]:
        """The further columns of the corpus that templates show."""
        return tuple(dict.fromkeys(name for template in self.templates for name in template.columns))

    @property
    def metric_columns(self) -> tuple[str, ...]:
        """The score columns of the metrics."""
        return tuple(map(catalogue.column, self.metrics))

    def for_typed_pairs(self) -> ScoringPlan:
        """Return the plan for typed pairs, without metrics that are not ready, may not run or need a reference."""
        return replace(self, metrics=tuple(filter(_is_for_typed_pairs, self.metrics)))

    def judge_scores(self, table: ScoreTable) -> dict[str, ScoringPlan]:
        """Return a plan for each single score of a judge, by its column in a table.

        Judges are identified by the names of model and precision, so that no model has to be looked up.
        """
        names = table.take(np.empty(0, dtype=np.intp))
        plans: dict[str, ScoringPlan] = {}
        for judging in self.judgings:
            model, precision = judging.judge.model, judging.judge.precision
            for template in judging.templates:
                name = names.column_for(template.column, model, precision)
                if name not in table.signatures and (name in plans or name not in names.signatures):
                    signature = Signature.from_fields(template.column, {"model": model, "precision": precision})
                    name = names.declare(template.column, signature)
                plans[name] = ScoringPlan((), (JudgeTemplates(judging.judge, (template,)),), self.device)
        return plans

    def missing_in(self, table: ScoreTable) -> list[str]:
        """Return the columns of the scores that a table does not have for every pair."""
        columns = (*self.metric_columns, *self.judge_scores(table))
        return [name for name in columns if table.count_scores(name) < table.rows]

    def languages(self) -> dict[str, str]:
        """Return, by title, the language codes of the scores that are made for certain languages only."""
        return languages_of_choice(self.metrics, [judging.judge.model for judging in self.judgings])

    def by_name(self) -> ScoringPlan:
        """Return the plan with its judges by name only, without paths on this computer."""
        return replace(
            self, judgings=tuple(replace(judging, judge=judging.judge.by_name()) for judging in self.judgings)
        )

    def split_by_judge(self) -> tuple[ScoringPlan, ...]:
        """Split the plan into one for each judge; the first has the metrics."""
        if not self.judgings:
            return (self,)
        first, *others = self.judgings
        return (replace(self, judgings=(first,)), *(ScoringPlan((), (judging,), self.device) for judging in others))

    def signatures(self, references: int = 1) -> dict[str, Signature]:
        """Return the signature of each score column of a written table, without loading a model.

        `references` is the number of columns with references.

        Raises:
            ParapluieError: A metric or a model is missing.
        """
        columns = name_references(references)
        metrics = map(catalogue.metric, self.metrics)
        signatures = [
            metric.signature().with_references(columns if metric.info.uses_reference else ()) for metric in metrics
        ]
        for judging in self.judgings:
            judge = judging.judge.locate()
            signatures += [_judge_signature(judge, template) for template in judging.templates]
        table = ScoreTable(0)
        for signature in signatures:
            table.declare(signature.column, signature)
        return table.with_full_names().signatures


def _is_for_typed_pairs(spec: str) -> bool:
    info = catalogue.info_of_spec(spec)
    needs_pair_only = info is not None and not info.needs_reference and not MetricSpec.parse(spec).reference
    return needs_pair_only and consent.is_allowed(spec) and bool(catalogue.ready(spec))


def _judge_signature(settings: JudgeSettings, template: Template) -> Signature:
    files = settings.files
    return judge_class(files, settings.device, settings.precision).signature(files, template, settings)
