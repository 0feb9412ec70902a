"""The fixed order of the scores in the window: judge by judge, then metrics as in Setup."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from parapluie_gui.metrics import catalogue
from parapluie_gui.pluie.templates import built_in_templates
from parapluie_gui.scores.identity import ColumnIdentity, identify
from parapluie_gui.scores.table import ScoreTable

#: A judge, and its rank among the judges: its first template, and whether another judge scored first under it.
Judge = tuple[str, str, str]
JudgeRank = tuple[int, bool]


def arrange_scores(table: ScoreTable) -> None:
    """Order the columns of a table: the templates of each judge together, then the metrics."""
    ranks: dict[Judge, JudgeRank] = {}
    for identity in {table.identity(identify(name).score) for name in table}:
        if identity.is_from_judge:
            judge, rank = _judge(identity), (_template(identity), bool(identity.word))
            ranks[judge] = min(rank, ranks.get(judge, rank))
    table.arrange(partial(_place, ranks))


def _place(ranks: Mapping[Judge, JudgeRank], identity: ColumnIdentity) -> tuple[int, JudgeRank, Judge, int, str]:
    """Return the rank of a score among the others; the corpus's scores share a rank and keep their order."""
    if identity.is_from_judge:
        judge = _judge(identity)
        return 0, ranks[judge], judge, _template(identity), identity.column
    info, metrics, none = catalogue.info(identity.column), _metrics(), ("", "", "")
    if info is None:
        return 1, (0, False), none, len(metrics), ""
    return 1, (0, False), none, metrics.get(info.id.partition(":")[0], len(metrics)), identity.column


def _judge(identity: ColumnIdentity) -> Judge:
    return ("", "", "") if identity.maker is None else identity.maker.who


def _template(identity: ColumnIdentity) -> int:
    templates = _templates()
    return templates.get("" if identity.maker is None else identity.maker.template, len(templates))


@cache
def _templates() -> dict[str, int]:
    return {template.name: place for place, template in enumerate(built_in_templates())}


@cache
def _metrics() -> dict[str, int]:
    return {info.id: place for place, (info, _) in enumerate(catalogue.shipped_metrics())}
