"""What is to be computed of any corpus: the same for each part of it, in whatever process."""

from __future__ import annotations

from dataclasses import dataclass

from parapluie_gui.metrics import catalogue
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pluie.judge import judge_class
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature
from parapluie_gui.work.cascade import Cascade, then_signature


@dataclass(frozen=True)
class ScoringPlan:
    """Metrics, a judge with its templates, and a second judge for what the first is not sure of.

    Attributes:
        metrics: Specs of baseline metrics, computed first (see `metrics/spec.py`).
        judge: The language model; left out where no template is asked for.
        device: Where the models of metrics compute when there is no judge, as in its settings.
        cascade: With it, there is one template.
    """

    metrics: tuple[str, ...] = ()
    judge: JudgeSettings | None = None
    templates: tuple[Template, ...] = ()
    device: str = "auto"
    cascade: Cascade | None = None

    def __post_init__(self) -> None:
        if not self.templates:
            object.__setattr__(self, "judge", None)

    def signatures(self) -> dict[str, Signature]:
        """Return what each score column will be computed with; no model is loaded for it.

        Raises:
            ParapluieError: A metric or a model is not there.
        """
        signatures = [catalogue.metric(spec).signature() for spec in self.metrics]
        if self.judge is not None:
            signatures += [_judge_signature(self.judge, template) for template in self.templates]
        if self.cascade is not None:
            then = then_signature(_judge_signature(self.cascade.judge, self.cascade.template))
            signatures += [then, self.cascade.signature(signatures[-1], then)]
        return {signature.column: signature for signature in signatures}


def _judge_signature(settings: JudgeSettings, template: Template) -> Signature:
    files = find_model(settings.model)
    return judge_class(files, settings.device, settings.precision).signature(files, template, settings)
