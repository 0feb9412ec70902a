"""What a signature says of the meaning of foreign numbers: columns of the corpus, the user's and packages' metrics."""

from __future__ import annotations

import math

from parapluie_gui.metrics.base import MetricInfo
from parapluie_gui.scores.signature import Signature

#: Families whose metrics the catalogue cannot know; their signatures carry what there is to know.
FOREIGN = ("external", "user")


def said(info: MetricInfo) -> dict[str, str]:
    """Return what a signature is to carry of a foreign metric: title, range, direction and threshold."""
    fields = {"title": info.title, "closer": "higher" if info.higher_is_closer else "lower"}
    if math.isfinite(info.low):
        fields["low"] = f"{info.low:g}"
    if math.isfinite(info.high):
        fields["high"] = f"{info.high:g}"
    if info.threshold is not None:
        fields["threshold"] = f"{info.threshold:g}"
    return fields


def described(signature: Signature, known: MetricInfo) -> MetricInfo:
    """Return what there is to know of a foreign metric's column.

    Args:
        signature: With the fields of `said`.
        known: What the catalogue knows of its kind.
    """
    fields = dict(signature.fields)
    title = fields.get("title", known.title)
    return MetricInfo(
        id=signature.column,
        title=f"{title} vs reference" if fields.get("against") == "reference" else title,
        family=known.family,
        low=float(fields.get("low", "-inf")),
        high=float(fields.get("high", "inf")),
        higher_is_closer=fields.get("closer") != "lower",
        threshold=float(fields["threshold"]) if "threshold" in fields else None,
        uses_reference=fields.get("against") == "reference",
        summary=known.summary,
        cost=known.cost,
    )
