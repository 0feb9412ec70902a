"""The list of metrics: which there are, and one of them by its name."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics import edit, overlap
from parapluie_gui.metrics.base import Metric, MetricInfo

#: Every metric, in the order in which it is offered: what its numbers mean and how to make one.
METRICS: tuple[tuple[MetricInfo, Callable[[], Metric]], ...] = (
    (edit.INFO, edit.EditDistance),
    (overlap.INFO, overlap.Bleu),
)


def metrics() -> list[MetricInfo]:
    """Return what there is to know of every metric, in the order of the catalogue; nothing heavy is loaded."""
    return [each for each, _ in METRICS]


def info(name: str) -> MetricInfo | None:
    """Return what there is to know of the metric of that id, or None when it is the name of something else."""
    return next((each for each, _ in METRICS if each.id == name), None)


def metric(name: str) -> Metric:
    """Return the metric of that id ("bleu").

    Raises:
        MetricError: There is none; the sentence lists the names.
    """
    for each, make in METRICS:
        if each.id == name:
            return make()
    names = [each.id for each, _ in METRICS]
    near = difflib.get_close_matches(name.lower(), names, n=1)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    raise MetricError(f'There is no metric "{name}"; the metrics are {", ".join(names)}.{hint}')
