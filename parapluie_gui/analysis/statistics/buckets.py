"""Accuracy by bucket: by length, edit distance, phenomenon, corpus or any other column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan, sqrt

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.correlation import Estimate, pearson
from parapluie_gui.analysis.statistics.curves import roc, threshold_curve
from parapluie_gui.analysis.statistics.decision import ThresholdDecision
from parapluie_gui.analysis.statistics.summary import ScoreSummary, summary
from parapluie_gui.analysis.threshold import counts
from parapluie_gui.arrays import Floats, Labels, Mask, Numbers, Rows, Scores
from parapluie_gui.pairs.column import Column, NumberColumn, to_column
from parapluie_gui.scores.table import is_scored

PARTS = 4

#: Maximum number of buckets of a column of categories; beyond it, the rarest categories share the last bucket.
MOST = 30

#: Columns with more distinct numbers than this are cut into ranges.
_FEW = 12

#: The 97.5 % quantile of the standard normal distribution, for 95 % intervals.
Z_95 = 1.959963984540054


@dataclass(frozen=True, eq=False)
class CutColumn:
    """A column cut into buckets.

    Attributes:
        name: The column.
        names: The names of the buckets.
        code: The bucket of each pair, (n,), -1 outside all buckets.
        low, high: The borders of each bucket, NaN for categories.
        members: The pairs in each bucket, (n,), if a pair may be in several; empty otherwise.
    """

    name: str
    names: tuple[str, ...]
    code: Rows
    low: tuple[float, ...]
    high: tuple[float, ...]
    members: tuple[Mask, ...] = ()

    def mask(self, number: int) -> Mask:
        """Return the pairs of a bucket (0-based)."""
        return self.members[number] if self.members else np.asarray(self.code == number)


@dataclass(frozen=True)
class BucketQuality:
    """The quality of a score on the pairs of one bucket.

    Attributes:
        name: The name of the bucket.
        low, high: Its borders, NaN for a category.
        pairs: Number of pairs in the bucket that have this score, with or without a label.
        decision: Accuracy and counts at the threshold.
        interval: Wilson's 95 % confidence interval of the accuracy (JASA 1927); NaN without labelled pairs.
        summary: Summary of the scores in the bucket.
        auc: Area under the ROC curve within the bucket; NaN without both classes.
        pearson: Correlation with human scores within the bucket; NaN without human scores.
    """

    name: str
    low: float
    high: float
    pairs: int
    decision: ThresholdDecision
    interval: tuple[float, float]
    summary: ScoreSummary
    auc: float
    pearson: float


def cut_numbers(name: str, values: Floats, *, parts: int = PARTS, where: Mask | None = None) -> CutColumn:
    """Cut a column of n numbers into ranges that contain about equally many of the pairs in `where` (None: all).

    Equal numbers stay together, so there may be fewer than `parts` ranges. A range includes its left border; the last
    range includes both. NaN and infinite numbers are in no range.
    """
    usable = np.isfinite(values) if where is None else np.isfinite(values) & where
    edges: Floats = np.empty(0)
    if usable.any():
        edges = np.unique(np.quantile(values[usable], np.linspace(0, 1, parts + 1)))
        if len(edges) == 1:
            edges = np.repeat(edges, 2)
    count = max(len(edges) - 1, 0)
    code = np.full(len(values), -1, dtype=np.int64)
    code[usable] = np.clip(np.searchsorted(edges, values[usable], side="right") - 1, 0, count - 1)
    low, high = tuple(edges[:-1].tolist()), tuple(edges[1:].tolist())
    texts = _texts(edges.tolist())
    names = tuple(f"{texts[at]} – {texts[at + 1]}" for at in range(count))
    return CutColumn(name, names, code, low, high)


def cut_categories(
    name: str, values: Sequence[object] | Numbers, *, most: int = MOST, where: Mask | None = None
) -> CutColumn:
    """Cut a column by the text of its values into up to `most` buckets, the commonest first.

    The rarest values share the last bucket. Missing values (None, NaN, empty text) are in no bucket.
    """
    texts = [_text(value) for value in values]
    if where is not None:
        texts = [text if chosen else "" for text, chosen in zip(texts, where.tolist(), strict=True)]
    common = [text for text, _ in Counter(filter(None, texts)).most_common()]
    if len(common) > most:
        common, rest = common[: most - 1], len(common) - most + 1
        names = [*common, f"other ({rest} values)"]
    else:
        rest, names = 0, common
    number = {text: place for place, text in enumerate(common)}
    missing = len(common) if rest else -1
    code = np.array([number.get(text, missing) if text else -1 for text in texts], dtype=np.int64)
    nothing = (nan,) * len(names)
    return CutColumn(name, tuple(names), code, nothing, nothing)


def cut_column(
    name: str, values: Sequence[object] | Numbers | Column, *, parts: int = PARTS, where: Mask | None = None
) -> CutColumn:
    """Cut a column according to its values: many different numbers into ranges, anything else by its values."""
    column = to_column(values)
    if isinstance(column, NumberColumn) and len(np.unique(column.values[~np.isnan(column.values)])) > _FEW:
        return cut_numbers(name, column.values, parts=parts, where=where)
    return cut_categories(name, column.cells(missing=True), where=where)


def cut_members(name: str, members: Mapping[str, Mask], *, where: Mask | None = None) -> CutColumn:
    """Cut by sets of pairs that may overlap, as masks (n,) by name; the largest is first, empty ones are left out."""
    chosen = {title: mask if where is None else mask & where for title, mask in members.items()}
    titles = sorted((title for title in chosen if chosen[title].any()), key=lambda title: -int(chosen[title].sum()))
    nothing = (nan,) * len(titles)
    rows = len(next(iter(members.values()), ()))
    code = np.full(rows, -1, dtype=np.int64)
    return CutColumn(name, tuple(titles), code, nothing, nothing, tuple(chosen[title] for title in titles))


def pair_lengths(sources: Sequence[str], hypotheses: Sequence[str]) -> Floats:
    """Return the length of each pair in characters, (n,): the mean length of its two sentences."""
    pairs = zip(sources, hypotheses, strict=True)
    return np.fromiter(((len(one) + len(two)) / 2 for one, two in pairs), dtype=np.float64, count=len(sources))


def buckets(
    score_column: ScoreColumn,
    labels: Labels,
    cut: CutColumn,
    threshold: float,
    *,
    human: Scores | None = None,
    where: Mask | None = None,
) -> tuple[BucketQuality, ...]:
    """Return the quality of a score at one threshold in each bucket of a cut, on the pairs in `where` (None: all)."""
    result = []
    for number, name in enumerate(cut.names):
        mask = cut.mask(number) if where is None else cut.mask(number) & where
        scores, truth = score_column.values[mask], labels[mask]
        decision = ThresholdDecision(threshold, counts(scores, truth, threshold, score_column.higher_is_closer))
        curve = threshold_curve(scores, truth, higher_is_closer=score_column.higher_is_closer)
        result.append(
            BucketQuality(
                name=name,
                low=cut.low[number],
                high=cut.high[number],
                pairs=int(np.count_nonzero(is_scored(scores))),
                decision=decision,
                interval=wilson(decision.counts.tp + decision.counts.tn, decision.counts.counted),
                summary=summary(scores),
                auc=roc(curve).auc,
                pearson=nan if human is None else pearson(scores, human[mask]),
            )
        )
    return tuple(result)


def wilson(right: int, counted: int) -> tuple[float, float]:
    """Return Wilson's 95 % confidence interval of the share `right / counted`; NaN if nothing was counted."""
    if not counted:
        return nan, nan
    share, squared = right / counted, Z_95 * Z_95
    centre = share + squared / (2 * counted)
    spread = Z_95 * sqrt(share * (1 - share) / counted + squared / (4 * counted * counted))
    scale = 1 + squared / counted
    # At the ends of the range, rounding would give 6e-18 instead of 0.
    low = (centre - spread) / scale if right else 0.0
    high = (centre + spread) / scale if right < counted else 1.0
    return low, high


def estimate_share(part: int, total: int) -> Estimate:
    """Return the share `part / total` with Wilson's 95 % interval; NaN if nothing was counted."""
    return Estimate(part / total, *wilson(part, total)) if total else Estimate()


def _text(value: object) -> str:
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _texts(edges: list[float]) -> list[str]:
    """Format the borders of ranges with the fewest decimals (at least two) that keep them distinct."""
    for digits in range(2, 7):
        texts = [f"{edge:.{digits}f}".rstrip("0").rstrip(".").replace("-", "−") for edge in edges]
        if len(set(texts)) == len(set(edges)):
            return texts
    return [f"{edge:.6g}".replace("-", "−") for edge in edges]
