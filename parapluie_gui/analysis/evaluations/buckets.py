"""Accuracy by length, edit distance, kind of change, group, any column of the corpus, or any score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.base import PAIRS, SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.claims import CONSTANT, CONSTANT_NOTE
from parapluie_gui.analysis.figure import Chart, CurveLine, HeatMap, HeatMapHeading
from parapluie_gui.analysis.finding import FindingCandidate, compose_finding, share_words
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import LENGTH, AnalysisMaterial
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.buckets import (
    PARTS,
    BucketQuality,
    CutColumn,
    buckets,
    cut_column,
    cut_members,
    cut_numbers,
    pair_lengths,
)
from parapluie_gui.analysis.study import DISTANCE
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.arrays import Mask
from parapluie_gui.metrics.changes.kinds import COLUMN, kind_members
from parapluie_gui.options import choice, integer
from parapluie_gui.pairs.corpus import UNLABELLED

_GROUP, _LABEL = "group", "label"


def columns(material: AnalysisMaterial) -> Mapping[str, str]:
    """Return the columns by which pairs can be divided, with their titles."""
    corpus = material.corpus
    titles = {DISTANCE: _title(material, DISTANCE), LENGTH: "Length", _kinds(material): "Kind of change"}
    if corpus.group is not None:
        titles[_GROUP] = "Group"
    if corpus.label is not None:
        titles[_LABEL] = "Label"
    titles |= {name: name for name in corpus.extra if name not in titles}
    return titles | {name: material.title(name) for name in material.names if name not in titles}


@dataclass(frozen=True)
class BucketsOptions:
    """Options of *Accuracy by range*: the column, the number of ranges and the pairs."""

    by: str = choice(
        "B&y", columns, "the column of the corpus, or the score, by which pairs are divided", metavar="COL"
    )
    ranges: int = integer(
        "&Ranges",
        2,
        20,
        PARTS,
        "number of ranges into which numbers are divided, with the same number of pairs in each",
    )
    part: str = part()


@dataclass(frozen=True, eq=False)
class BucketsResult:
    """The division of the pairs, and the quality of each score in each bucket."""

    cut: CutColumn
    scores: dict[str, tuple[BucketQuality, ...]]


class BucketAnalysis(Analysis[BucketsOptions, BucketsResult]):
    """Shows the accuracy of each score by bucket; without labels, the mean scores.

    Clicking a row, a point or a cell selects the bucket's pairs.
    """

    name = "buckets"
    title = "Accuracy by range"
    group = "Errors"
    about = "Accuracy of each score by ranges of length or edit distance, by kind of change or any column"
    needs = (SCORES, PAIRS)
    options = BucketsOptions
    follows_threshold = True
    printed = False

    def usual(self, material: AnalysisMaterial) -> Sequence[BucketsOptions]:
        return [
            BucketsOptions(by=by) for by in (DISTANCE, LENGTH, *([] if material.corpus.group is None else [_GROUP]))
        ]

    def compute(self, material: AnalysisMaterial, options: BucketsOptions, tick: Tick) -> BucketsResult:
        steps, where = len(material.score_columns) + 1, material.parts[options.part]
        tick(0, steps)
        cut = _cut(material, options, where, tick)
        by_score = {}
        for done, score in enumerate(material.score_columns, start=1):
            tick(done, steps)
            threshold = material.threshold(score, where)
            by_score[score.name] = buckets(
                score, material.labels, cut, threshold, human=material.corpus.human, where=where
            )
        return BucketsResult(cut, by_score)

    def finding(self, run: Run[BucketsOptions, BucketsResult]) -> str:
        if not run.material.has_labels or len(run.result.cut.names) < 2:
            return ""
        candidates = [
            _describe_ranges(run.material.title(score), by_bucket) for score, by_bucket in run.result.scores.items()
        ]
        return compose_finding(candidates, "no score is clearly right more often in one range than in another")

    def blocks(self, run: Run[BucketsOptions, BucketsResult]) -> Sequence[Block]:
        cut = run.result.cut
        if not run.material.has_labels:
            return [_table(run)]
        shown: list[Block] = []
        # Lines are for ranges; categories have no order, and many of them would not fit along an axis.
        if len(cut.names) > 1 and not cut.members:
            shown.append(_chart(run))
        if cut.names and isnan(cut.low[0]):
            shown.append(_heat_map(run))
        return [*shown, _table(run)]


#: Minimum number of labelled pairs of a range that a finding compares.
_FEWEST = 10


def _describe_ranges(title: str, by_bucket: Sequence[BucketQuality]) -> FindingCandidate:
    """Return the candidate for the difference between a score's ranges, by the χ² test of right and wrong verdicts."""
    from scipy.stats import chi2_contingency

    compared = [bucket for bucket in by_bucket if bucket.decision.counts.counted >= _FEWEST]
    rights = [bucket.decision.counts.tp + bucket.decision.counts.tn for bucket in compared]
    wrongs = [bucket.decision.counts.counted - right for bucket, right in zip(compared, rights, strict=True)]
    if len(compared) < 2 or not sum(rights) or not sum(wrongs):
        return FindingCandidate(title, "has too few pairs in its ranges", nan, nan)
    worst = min(compared, key=lambda bucket: bucket.decision.accuracy)
    best = max(compared, key=lambda bucket: bucket.decision.accuracy)
    words = f"differs by range: right on {_describe_accuracy(worst)}, and on {_describe_accuracy(best)}"
    p = float(chi2_contingency([rights, wrongs], correction=False).pvalue)
    return FindingCandidate(title, words, best.decision.accuracy - worst.decision.accuracy, p)


def _describe_accuracy(bucket: BucketQuality) -> str:
    counts = bucket.decision.counts
    return f"{share_words(counts.tp + counts.tn, counts.counted)} ({bucket.name})"


def _table(run: Run[BucketsOptions, BucketsResult]) -> Table:
    material, cut = run.material, run.result.cut
    labelled, judged = material.has_labels, material.has_human_scores
    rows: list[tuple[Cell, ...]] = []
    places = []
    for place, name in enumerate(cut.names):
        for score, by_bucket in run.result.scores.items():
            bucket = by_bucket[place]
            if not bucket.pairs:
                continue
            decision = bucket.decision
            quality = (
                (decision.accuracy, *bucket.interval, decision.counts.constant, decision.f1, bucket.auc)
                if labelled
                else ()
            )
            threshold = (decision.threshold,) if labelled else ()
            human = (bucket.pearson,) if judged else ()
            rows.append((name, material.title(score), bucket.pairs, *quality, bucket.summary, *threshold, *human))
            places.append(place)
    several = " A pair counts under each of its kinds of change." if cut.members else ""
    rule = (
        "Low, high: Wilson's 95 % interval of accuracy. Each score uses its chosen threshold; failing that, its "
        "natural threshold; failing that, the best on the corpus. "
        f"{CONSTANT_NOTE} "
    )
    return Table(
        "buckets",
        f"{'Accuracy' if labelled else 'Scores'} by {columns(material)[run.options.by]}",
        (
            *("value" if cut.names and isnan(cut.low[0]) else "range", "score", "pairs"),
            *(("accuracy", "low", "high", CONSTANT, "F1", "AUC") if labelled else ()),
            "mean",
            *(("threshold",) if labelled else ()),
            *(("Pearson with human",) if judged else ()),
        ),
        tuple(rows),
        f"{rule if labelled else ''}Click a row to select its pairs.{several}",
        link=lambda row, column: _pairs(run, places[row]),
        bars=("accuracy", "F1", "AUC"),
    )


def _chart(run: Run[BucketsOptions, BucketsResult]) -> Chart:
    material, cut = run.material, run.result.cut
    at = np.arange(len(cut.names), dtype=np.float64)

    def line(score: str, by_bucket: Sequence[BucketQuality]) -> CurveLine:
        def tip(point: int) -> str:
            bucket = by_bucket[point]
            low, high = bucket.interval
            accuracy = f"{number(bucket.decision.accuracy)} [{number(low)}, {number(high)}]"
            return f"{material.title(score)}, {bucket.name}: accuracy {accuracy} of {bucket.pairs:,} pairs\n{_CLICK}"

        accuracy = np.array([bucket.decision.accuracy for bucket in by_bucket])
        link = lambda point: _pairs(run, point)  # noqa: E731
        return CurveLine(material.title(score), at, accuracy, material.colour(score), dots=True, tip=tip, link=link)

    lines = tuple(line(*score_buckets) for score_buckets in run.result.scores.items())
    by, ends = columns(material)[run.options.by], (-0.4, len(at) - 0.6)
    return Chart("accuracy", "Accuracy by range", lines, by, "accuracy", ends, (0.0, 1.0), ticks=tuple(cut.names))


_CLICK = "click to select them"


def _heat_map(run: Run[BucketsOptions, BucketsResult]) -> HeatMap:
    """Return a heat map of the share of wrong verdicts of each score in each category."""
    cut, scores = run.result.cut, run.result.scores
    values = {
        (score, name): 1 - bucket.decision.accuracy
        for score, by_bucket in scores.items()
        for name, bucket in zip(cut.names, by_bucket, strict=True)
    }
    return HeatMap(
        "wrong",
        "Wrong verdicts",
        tuple(HeatMapHeading(score, run.material.title(score)) for score in scores),
        tuple(HeatMapHeading(name, name) for name in cut.names),
        values,
        note="Wrong verdicts in %. Click a cell to select its pairs.",
        link=lambda score, name: _pairs(run, cut.names.index(name)),
    )


def _pairs(run: Run[BucketsOptions, BucketsResult], place: int) -> PairsLink:
    cut, where = run.result.cut, run.material.parts[run.options.part]
    mask = cut.mask(place) & where
    return PairsLink(f"{columns(run.material)[run.options.by]} {cut.names[place]}", lambda now: mask)


def _cut(material: AnalysisMaterial, options: BucketsOptions, where: Mask, tick: Tick) -> CutColumn:
    corpus, by, parts = material.corpus, options.by, options.ranges
    if by == DISTANCE:
        return cut_numbers(by, material.studies.distance(material), parts=parts, where=where)
    if by == LENGTH:
        return cut_numbers(by, pair_lengths(corpus.source, corpus.hypothesis), parts=parts, where=where)
    if by == _kinds(material):
        return cut_members(by, kind_members(material.studies.kinds(material, tick)), where=where)
    if by == _GROUP and corpus.group is not None:
        return cut_column(by, corpus.group, parts=parts, where=where)
    if by == _LABEL and corpus.label is not None:
        return cut_column(by, np.where(corpus.labels == UNLABELLED, np.nan, corpus.labels), parts=parts, where=where)
    if by in material.names:
        return cut_numbers(by, material.score_column(by).values, parts=parts, where=where)
    return cut_column(by, corpus.extra[by], parts=parts, where=where)


def _kinds(material: AnalysisMaterial) -> str:
    """Return the name for the kinds of change, altered if a column of the corpus has the same name."""
    return f"{COLUMN} (change)" if COLUMN in material.corpus.extra else COLUMN


def _title(material: AnalysisMaterial, name: str) -> str:
    return material.title(name) if name in material.names else "Edit distance"
