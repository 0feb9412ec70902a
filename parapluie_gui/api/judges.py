"""Which judge, templates and metrics are asked for, by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.api.notices import Notice, warn
from parapluie_gui.errors import ModelError, TemplateError
from parapluie_gui.metrics import catalogue
from parapluie_gui.models import sources
from parapluie_gui.models.catalogue import usual_judge
from parapluie_gui.models.device import PRECISIONS
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import USUAL_TEMPLATES, find_templates, for_judge, load_templates
from parapluie_gui.work.scoring_plan import Judging


def choose_judges(
    judges: Sequence[str],
    templates: Sequence[str],
    device: str = "auto",
    precision: str = "auto",
    exact: bool = False,
    *,
    notice: Notice = warn,
) -> tuple[Judging, ...]:
    """Return the judges named, each with what it is asked; the usual judge where only templates are named.

    Args:
        judges: MODEL, with templates of its own MODEL=P1,P2, in another precision MODEL@bfloat16.
        templates: Of all judges that have none of their own: each is asked those that it can read, or its usual one;
            a single judge is asked all.
        device: Where they compute.
        precision: In which precision, where it has none of its own.
        exact: One pair at a time.
        notice: Takes sentences on what was found.

    Raises:
        ParapluieError: One is not there or named twice, or no judge can read a template.
    """
    if not (judges or templates):
        return ()
    available, broken = load_templates(places.user_templates())
    for file in broken:
        notice(str(file.error))
    shared = find_templates(dict.fromkeys(templates), available)
    named = [_named(text) for text in judges or [usual_judge({template.kind for template in shared})]]
    chosen: list[Judging] = []
    unread = dict.fromkeys(template.name for template in shared)
    for model, own, ownprecision in named:
        wanted = find_templates(dict.fromkeys(own), available)
        sources.prepare(model, notice)
        judge = JudgeSettings(model, device, ownprecision or precision, exact).locate()
        files = judge.files
        if not own:
            wanted = tuple(each for each in shared if len(named) == 1 or each.kind == files.kind)
            for template in wanted:
                unread.pop(template.name, None)
        wanted = wanted or find_templates(USUAL_TEMPLATES[files.kind], available)
        chosen.append(Judging(judge, for_judge(files.kind, files.name, wanted)))
    if len(named) > 1 and unread:
        name, every = next(iter(unread)), ", ".join(each.judge.model for each in chosen)
        raise TemplateError(f"None of the judges reads {name} ({every}). Leave it out, or name another judge.")
    check_distinct(chosen)
    return tuple(chosen)


def _named(text: str) -> tuple[str, tuple[str, ...], str]:
    """Return the model, the templates and the precision that MODEL@PRECISION=NAME,NAME names."""
    model, templates = text, tuple[str, ...]()
    head, sign, names = text.rpartition("=")
    if sign and head and names and not Path(text).exists():
        model = head
        # A comma is also between a template and its order: DIRECT,reverse.
        templates = tuple(re.split(r",(?!reverse\b)", names))
    head, sign, precision = model.rpartition("@")
    if sign and precision in PRECISIONS and not Path(model).exists():
        return head, templates, precision
    return model, templates, ""


def check_distinct(judges: Sequence[Judging]) -> None:
    """Raise a ModelError where two of the judges are one, whose scores would be one column."""
    seen: dict[tuple[str, str, str], str] = {}
    for each in judges:
        files = each.judge.files
        who = files.name, files.revision, each.judge.precision
        if who in seen:
            raise ModelError(
                f"{each.judge.model} is named twice. Name it once: {each.judge.model}=P1,P2 asks it two templates."
            )
        seen[who] = each.judge.model


def choose_metrics(specs: Iterable[str]) -> tuple[str, ...]:
    """Return the metrics named, each once.

    Raises:
        MetricError: There is no such metric, or two would fill the same column.
    """
    chosen = tuple(dict.fromkeys(specs))
    for spec in chosen:
        catalogue.find(spec)
    catalogue.check_distinct(chosen)
    return chosen


def names_of(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return names, of which a single one may stand alone."""
    return (names,) if isinstance(names, str) else tuple(names)
