"""What is asked: metrics, and judges with their templates; the same for each part of a corpus, in whatever process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from parapluie_gui.analysis.score_languages import languages_of_choice
from parapluie_gui.metrics import catalogue, consent
from parapluie_gui.metrics.spec import Spec
from parapluie_gui.pluie.judge import judge_class
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable


@dataclass(frozen=True)
class Judging:
    """A judge, and what it is asked."""

    judge: JudgeSettings
    templates: tuple[Template, ...]


@dataclass(frozen=True)
class ScoringPlan:
    """Metrics, and judges with their templates.

    Attributes:
        metrics: Specs of baseline metrics, computed first (see `metrics/spec.py`).
        judgings: The judges in the order in which they are asked, each about all pairs; one without a template is
            left out.
        device: Where the models of metrics compute when there is no judge, as in its settings.
    """

    metrics: tuple[str, ...] = ()
    judgings: tuple[Judging, ...] = ()
    device: str = "auto"

    def __post_init__(self) -> None:
        object.__setattr__(self, "judgings", tuple(each for each in self.judgings if each.templates))

    @classmethod
    def of_judge(
        cls, judge: JudgeSettings, templates: Iterable[Template], metrics: tuple[str, ...] = ()
    ) -> ScoringPlan:
        """Return the plan of one judge, and of metrics."""
        return cls(metrics, (Judging(judge, tuple(templates)),))

    @property
    def templates(self) -> tuple[Template, ...]:
        """The templates of all judges, one judge's after another's."""
        return tuple(template for each in self.judgings for template in each.templates)

    @property
    def metric_device(self) -> str:
        """Where the models of metrics compute: with the first judge, if there is one."""
        return self.judgings[0].judge.device if self.judgings else self.device

    @property
    def columns(self) -> tuple[str, ...]:
        """The further columns of the corpus that judges are shown."""
        return tuple(dict.fromkeys(name for template in self.templates for name in template.columns))

    @property
    def metric_columns(self) -> tuple[str, ...]:
        """The score columns of the metrics."""
        return tuple(map(catalogue.column, self.metrics))

    def for_typed_pairs(self) -> ScoringPlan:
        """Return what of this can be asked about pairs of no corpus.

        Left out are metrics that are not ready, may not run or need a reference.
        """
        return replace(self, metrics=tuple(filter(_is_for_typed_pairs, self.metrics)))

    def judge_scores(self, table: ScoreTable) -> dict[str, ScoringPlan]:
        """Return the plan of each judge's score alone, by what it is, or will be, called among the scores of a table.

        A judge is known by the names of model and precision, so that none has to be looked up.
        """
        names, found = table.take(np.empty(0, dtype=np.intp)), dict[str, ScoringPlan]()
        for each in self.judgings:
            model, precision = each.judge.model, each.judge.precision
            for template in each.templates:
                name = names.column_for(template.column, model, precision)
                if name not in table.signatures and (name in found or name not in names.signatures):
                    signature = Signature.of(template.column, {"model": model, "precision": precision})
                    name = names.declare(template.column, signature)
                found[name] = ScoringPlan((), (Judging(each.judge, (template,)),), self.device)
        return found

    def missing_in(self, table: ScoreTable) -> list[str]:
        """Return the scores that a table does not have for every pair, by their columns."""
        columns = (*self.metric_columns, *self.judge_scores(table))
        return [name for name in columns if table.scored(name) < table.rows]

    def languages(self) -> dict[str, str]:
        """Return the titles of the scores that know few languages, with the codes of these."""
        return languages_of_choice(self.metrics, [each.judge.model for each in self.judgings])

    def by_name(self) -> ScoringPlan:
        """Return the plan with its judges by their names alone, as another computer is to look them up."""
        return replace(self, judgings=tuple(replace(each, judge=each.judge.by_name()) for each in self.judgings))

    def apart(self) -> tuple[ScoringPlan, ...]:
        """Return plans of one judge each, the metrics with the first, which together are this one."""
        if not self.judgings:
            return (self,)
        first, *others = self.judgings
        return (replace(self, judgings=(first,)), *(ScoringPlan((), (each,), self.device) for each in others))

    def signatures(self) -> dict[str, Signature]:
        """Return what each score column of a written table will be computed with; no model is loaded for it.

        Raises:
            ParapluieError: A metric or a model is not there.
        """
        signatures = [catalogue.metric(spec).signature() for spec in self.metrics]
        for each in self.judgings:
            judge = each.judge.locate()
            signatures += [_judge_signature(judge, template) for template in each.templates]
        table = ScoreTable(0)
        for signature in signatures:
            table.declare(signature.column, signature)
        return table.with_full_names().signatures


def _is_for_typed_pairs(spec: str) -> bool:
    info = catalogue.info_of_spec(spec)
    alone = info is not None and not info.needs_reference and not Spec.parse(spec).reference
    return alone and consent.is_allowed(spec) and bool(catalogue.ready(spec))


def _judge_signature(settings: JudgeSettings, template: Template) -> Signature:
    files = settings.files
    return judge_class(files, settings.device, settings.precision).signature(files, template, settings)
