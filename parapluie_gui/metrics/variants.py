"""Variants of a metric, which fill their own column and, with `.ref`, compare with the reference."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.metrics.base import (
    NO_REFERENCE,
    AllReferences,
    Metric,
    MetricContext,
    MetricInfo,
    MetricReadiness,
    Texts,
)
from parapluie_gui.metrics.spec import REFERENCE, MetricSpec, describe_variant
from parapluie_gui.scores.signature import Signature


class WrappedMetric(Metric):
    """A metric that delegates to another metric."""

    takes_all_references = True

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.info = metric.info
        self.chunk = metric.chunk

    def signature(self) -> Signature:
        return self.metric.signature()

    def readiness(self) -> MetricReadiness:
        return self.metric.readiness()

    def announce(self, context: MetricContext) -> None:
        self.metric.announce(context)

    def prepare(self, context: MetricContext) -> None:
        self.metric.prepare(context)
        self.chunk = self.metric.chunk

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        return self.metric.why_missing(source, hypothesis, reference)

    def remark(self, sources: Texts, hypotheses: Texts) -> str:
        sentence = self.metric.remark(sources, hypotheses)
        self.unread = self.metric.unread
        return sentence

    def _score(self, sources: Texts, hypotheses: Texts, references: AllReferences) -> Scores:
        return self.metric.score(sources, hypotheses, references)


class MetricVariant(WrappedMetric):
    """A metric whose scores go into a spec's column; with `.ref`, NaN for a pair without a reference."""

    def __init__(self, metric: Metric, spec: MetricSpec) -> None:
        super().__init__(metric)
        self.spec = spec
        self.info = variant_info(metric.info, spec.column)

    def signature(self) -> Signature:
        """Return the metric's signature under this column, with `against:reference` for `.ref`."""
        plain = self.metric.signature()
        against = (("against", "reference"),) if self.spec.reference else ()
        return Signature(self.spec.column, (*plain.fields[:1], *against, *plain.fields[1:]))

    def why_missing(self, source: str, hypothesis: str, reference: str | None = None) -> str:
        if not self.spec.reference:
            return super().why_missing(source, hypothesis, reference)
        return NO_REFERENCE if reference is None else self.metric.why_missing(reference, hypothesis)

    def _score(self, sources: Texts, hypotheses: Texts, references: AllReferences) -> Scores:
        if not self.spec.reference or references is None:
            return super()._score(sources, hypotheses, references)
        return score_against_references(self.metric, references, hypotheses, np.full(len(hypotheses), np.nan))


def score_against_references(
    metric: Metric, references: Sequence[str | tuple[str, ...] | None], hypotheses: Texts, values: Scores
) -> Scores:
    """Score each hypothesis against its references in place, leaving pairs without a reference unchanged."""
    present = {row: text for row, text in enumerate(references) if text is not None}
    rows = list(present)
    chosen = [hypotheses[row] for row in rows]
    single = [text for text in present.values() if isinstance(text, str)]
    if len(single) == len(present):
        values[rows] = metric.score(single, chosen)
    else:
        alternatives = [(text,) if isinstance(text, str) else text for text in present.values()]
        values[rows] = metric.score_against(chosen, alternatives)
    return values


def variant_info(info: MetricInfo, column: str) -> MetricInfo:
    """Return a metric's description under the column of a variant; the options are read from the column's name alone.

    So a score has one title, whether it was requested by a spec or read back from a file.
    """
    rest = column.removeprefix(info.id)
    reference = info.reference_form and f"{rest}.".startswith(f"{REFERENCE}.")
    options = describe_variant(rest.removeprefix(REFERENCE if reference else "").removeprefix("."), info.options)
    title = f"{info.title} ({', '.join(options)})" if options else info.title
    return dataclasses.replace(
        info,
        id=column,
        title=f"{title} vs reference" if reference else title,
        uses_reference=info.uses_reference or reference,
        needs_reference=info.needs_reference or reference,
        default=False,
    )
