"""The fixed order of the scores in the window: judges, then metrics as in Setup."""

from __future__ import annotations

from functools import cache

from parapluie_gui.metrics import catalogue
from parapluie_gui.pluie.templates import built_in_templates
from parapluie_gui.scores.identity import ColumnIdentity


def score_place(identity: ColumnIdentity) -> tuple[int, str, int, str]:
    """Return the rank of a score among the others; the corpus's scores share a rank and keep their order."""
    if identity.is_from_judge:
        template = "" if identity.maker is None else identity.maker.template
        templates = _templates()
        return 0, identity.word, templates.get(template, len(templates)), identity.column
    info, metrics = catalogue.info(identity.column), _metrics()
    if info is None:
        return 1, "", len(metrics), ""
    return 1, "", metrics.get(info.id.partition(":")[0], len(metrics)), identity.column


@cache
def _templates() -> dict[str, int]:
    return {template.name: place for place, template in enumerate(built_in_templates())}


@cache
def _metrics() -> dict[str, int]:
    return {info.id: place for place, (info, _) in enumerate(catalogue.shipped_metrics())}
