"""Which scores cannot be certified, and why."""

from __future__ import annotations

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.column_source import ColumnSource
from parapluie_gui.metrics.spec import Spec


def refuse(spec: str) -> None:
    """Refuse a metric that has no numbers for pairs that are made.

    Raises:
        MetricError: It is a column of a corpus, or it needs references; or there is no such metric.
    """
    found = catalogue.find(spec)
    if isinstance(found, ColumnSource):
        raise MetricError(
            f'The column "{found.column}" has numbers for its corpus alone and none for the pairs of a certificate. '
            "Choose a metric or a judge that computes them."
        )
    if Spec.parse(spec).reference or found.info.needs_reference:
        raise MetricError(
            f"{spec} compares with a reference, and the pairs of a certificate have none. Choose a metric that "
            "compares with the source."
        )
