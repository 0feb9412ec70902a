"""Resolves the names of judges, templates and metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.api.notices import Notice, warn
from parapluie_gui.errors import ModelError, OwnFileError, TemplateError
from parapluie_gui.metrics import catalogue
from parapluie_gui.models import sources
from parapluie_gui.models.catalogue import choose_default_judge
from parapluie_gui.models.device import PRECISIONS
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import USUAL_TEMPLATES, check_template_kinds, find_templates, load_templates
from parapluie_gui.work.scoring_plan import JudgeTemplates


def choose_judges(
    judges: Sequence[str],
    templates: Sequence[str],
    device: str = "auto",
    precision: str = "auto",
    exact: bool = False,
    *,
    notice: Notice = warn,
) -> tuple[JudgeTemplates, ...]:
    """Resolve judges and their templates; if only templates are named, the usual judge is used.

    Args:
        judges: MODEL, MODEL=P1,P2 with its own templates, or MODEL@bfloat16 with its own precision.
        templates: The templates for judges without their own: each judge gets those that it supports, or else its usual
            template; a single judge gets all.
        device: The device of the models.
        precision: The precision of judges without their own.
        exact: Whether to process one pair at a time.
        notice: The function that receives sentences about broken templates and downloads.

    Raises:
        ParapluieError: A judge is missing or named twice, or no judge supports a template.
    """
    if not (judges or templates):
        return ()
    available, broken = load_templates(places.user_templates())
    for file in broken:
        notice(OwnFileError(file.error))
    shared = find_templates(dict.fromkeys(templates), available)
    named = [_parse_judge(text) for text in judges or [choose_default_judge({template.kind for template in shared})]]
    chosen: list[JudgeTemplates] = []
    unread = dict.fromkeys(template.name for template in shared)
    for model, own, own_precision in named:
        wanted = find_templates(dict.fromkeys(own), available)
        sources.prepare(model, notice)
        judge = JudgeSettings(model, device, own_precision or precision, exact).locate(notice)
        files = judge.files
        if not own:
            wanted = tuple(template for template in shared if len(named) == 1 or template.kind == files.kind)
            for template in wanted:
                unread.pop(template.name, None)
        wanted = wanted or find_templates(USUAL_TEMPLATES[files.kind], available)
        chosen.append(JudgeTemplates(judge, check_template_kinds(files.kind, files.name, wanted)))
    if len(named) > 1 and unread:
        name, every = next(iter(unread)), ", ".join(judging.judge.model for judging in chosen)
        raise TemplateError(
            f"None of the judges can use the template {name} ({every}). Leave it out, or name a different judge."
        )
    check_distinct(chosen)
    return tuple(chosen)


def _parse_judge(text: str) -> tuple[str, tuple[str, ...], str]:
    """Parse MODEL@PRECISION=NAME,NAME into model, templates and precision."""
    model, templates = text, tuple[str, ...]()
    head, sign, names = text.rpartition("=")
    if sign and head and names and not Path(text).exists():
        model = head
        # A comma may also separate a template from its order: DIRECT,reverse.
        templates = tuple(re.split(r",(?!reverse\b)", names))
    head, sign, precision = model.rpartition("@")
    if sign and precision in PRECISIONS and not Path(model).exists():
        return head, templates, precision
    return model, templates, ""


def check_distinct(judges: Sequence[JudgeTemplates]) -> None:
    """Raise a ModelError if two judges are the same, so that their scores would have the same column."""
    seen: set[tuple[str, str, str]] = set()
    for judging in judges:
        files = judging.judge.files
        identity = files.name, files.revision, judging.judge.precision
        if identity in seen:
            model = judging.judge.model
            raise ModelError(f"{model} is named twice. Name it once: {model}=P1,P2 uses two templates.")
        seen.add(identity)


def choose_metrics(specs: Iterable[str]) -> tuple[str, ...]:
    """Check metrics and remove duplicates.

    Raises:
        MetricError: There is no such metric, or two metrics would have the same column.
    """
    chosen = tuple(dict.fromkeys(specs))
    for spec in chosen:
        catalogue.find(spec)
    catalogue.check_distinct(chosen)
    return chosen


def as_names(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return names as a tuple; a single name may be given as a string."""
    return (names,) if isinstance(names, str) else tuple(names)
