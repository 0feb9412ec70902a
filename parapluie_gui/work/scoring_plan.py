"""What is to be computed of any corpus: the same for each part of it, in whatever process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from parapluie_gui.metrics import catalogue
from parapluie_gui.models.catalogue import find_model
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
        judge: The language model; left out where no template is asked for.
        device: Where the models of metrics compute when there is no judge, as in its settings.
        further: Judges beside the first: all judge all pairs, one after the other.
    """

    metrics: tuple[str, ...] = ()
    judge: JudgeSettings | None = None
    templates: tuple[Template, ...] = ()
    device: str = "auto"
    further: tuple[Judging, ...] = ()

    def __post_init__(self) -> None:
        if not self.templates:
            object.__setattr__(self, "judge", None)

    @classmethod
    def of(
        cls,
        metrics: tuple[str, ...],
        judgings: Sequence[Judging],
        device: str = "auto",
    ) -> ScoringPlan:
        """Return the plan of metrics and of judges, none or several."""
        if not judgings:
            return cls(metrics, device=device)
        first, *further = judgings
        return cls(metrics, first.judge, first.templates, device, tuple(further))

    @property
    def judgings(self) -> tuple[Judging, ...]:
        """All judges with their templates, in the order in which they are asked."""
        first = () if self.judge is None else (Judging(self.judge, self.templates),)
        return (*first, *self.further)

    @property
    def columns(self) -> tuple[str, ...]:
        """The further columns of the corpus that judges are shown."""
        templates = [template for each in self.judgings for template in each.templates]
        return tuple(dict.fromkeys(name for template in templates for name in template.columns))

    def apart(self) -> tuple[ScoringPlan, ...]:
        """Return plans of one judge each, which together are this one."""
        one = replace(self, further=())
        return (one, *(ScoringPlan((), each.judge, each.templates, self.device) for each in self.further))

    def signatures(self) -> dict[str, Signature]:
        """Return what each score column of a written table will be computed with; no model is loaded for it.

        Raises:
            ParapluieError: A metric or a model is not there.
        """
        signatures = [catalogue.metric(spec).signature() for spec in self.metrics]
        for each in self.judgings:
            signatures += [_judge_signature(each.judge, template) for template in each.templates]
        table = ScoreTable(0)
        for signature in signatures:
            table.declare(signature.column, signature)
        return table.with_full_names().signatures


def _judge_signature(settings: JudgeSettings, template: Template) -> Signature:
    files = find_model(settings.model)
    return judge_class(files, settings.device, settings.precision).signature(files, template, settings)
