"""Accuracy by the share of pairs kept, those furthest from the threshold being kept first (ParaPLUIE, section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.claims import (
    CONSTANT,
    CONSTANT_NOTE,
    LEARNT,
    describe_different_pairs,
    is_learnt,
)
from parapluie_gui.analysis.figure import Chart, CurveLine
from parapluie_gui.analysis.finding import FindingCandidate, compose_finding, share_words
from parapluie_gui.analysis.link import Link, PairsLink, ThresholdLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import ScoreColumn, Tick, keep_selected
from parapluie_gui.analysis.statistics.buckets import estimate_share
from parapluie_gui.analysis.statistics.curves import thin_places
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.analysis.threshold import constant_accuracy, distance_to, predicted_positive
from parapluie_gui.arrays import Floats, Labels, Mask, Rows
from parapluie_gui.scores.table import is_scored

#: The shares of kept pairs that the table lists.
SHARES = (1.0, 0.9, 0.75, 0.5, 0.25, 0.1)
#: Maximum number of points drawn for a curve.
_POINTS = 400


@dataclass(frozen=True)
class CoverageOptions:
    """Options of *Coverage*: the pairs."""

    part: str = part()


@dataclass(frozen=True, eq=False)
class CoverageCurve:
    """The accuracy of a score on the pairs at a given distance from its threshold or further.

    Attributes:
        score: The score.
        threshold: The score at which paraphrases begin (distances: end).
        distance: The distinct distances from the threshold, (k,), the greatest first.
        kept: int64 (k,), labelled pairs at each distance or further.
        right: int64 (k,), right verdicts on these pairs.
        positives: The number of paraphrases among all these pairs.
    """

    score: ScoreColumn
    threshold: float
    distance: Floats
    kept: Rows
    right: Rows
    positives: int = 0

    @property
    def constant(self) -> float:
        """Accuracy of always giving the more common label."""
        return constant_accuracy(self.positives, int(self.kept[-1]))

    @property
    def accuracy(self) -> Floats:
        """Share of right verdicts on the kept pairs, (k,)."""
        return self.right / self.kept

    @property
    def share(self) -> Floats:
        """Share of kept pairs, (k,)."""
        return np.asarray(self.kept / self.kept[-1])

    @property
    def mean(self) -> float:
        """Mean accuracy over all numbers of kept pairs; pairs at equal distances count with their mean."""
        before = np.concatenate([[0.0], self.right[:-1]])
        first = np.concatenate([[0], self.kept[:-1]])
        rates = (self.right - before) / (self.kept - first)
        at = np.arange(1, self.kept[-1] + 1)
        block = np.searchsorted(self.kept, at)
        return float(np.mean((before[block] + rates[block] * (at - first[block])) / at))

    def index_at(self, share: float) -> int:
        """Return the first index (0-based) at which at least this share of the pairs is kept."""
        return int(np.searchsorted(self.kept, np.ceil(share * self.kept[-1] - 1e-9)))


def coverage_curve(score: ScoreColumn, labels: Labels, threshold: float, where: Mask | None = None) -> CoverageCurve:
    """Return the curve of a score on the labelled pairs in `where` (None: all); empty without labelled pairs."""
    values = keep_selected(score.values, where)
    usable = ((labels == 0) | (labels == 1)) & is_scored(values)
    distance = distance_to(threshold, values[usable])
    right = predicted_positive(values[usable], threshold, score.higher_is_closer) == (labels[usable] == 1)
    order = np.argsort(-distance, kind="stable")
    distance, summed = distance[order], np.cumsum(right[order])
    # Pairs at equal distances are kept together.
    last = np.flatnonzero(np.r_[distance[1:] != distance[:-1], True] if len(distance) else [])
    positives = int((labels[usable] == 1).sum())
    return CoverageCurve(score, threshold, distance[last], last + 1, summed[last], positives)


def _describe_certainty(material: AnalysisMaterial, curve: CoverageCurve) -> FindingCandidate:
    """Return the candidate for the accuracy far from the threshold against that near it, by Fisher's exact test."""
    from scipy.stats import fisher_exact

    half, last = curve.index_at(0.5), len(curve.kept) - 1
    far, far_right = int(curve.kept[half]), int(curve.right[half])
    near, near_right = int(curve.kept[last]) - far, int(curve.right[last]) - far_right
    if not near:
        return FindingCandidate(curve.score.title, "has equal distances from its threshold", nan, nan)
    p = float(fisher_exact([[far_right, far - far_right], [near_right, near - near_right]], "greater").pvalue)
    learnt = f", {LEARNT}," if is_learnt(material, curve.score) else ""
    far_words, near_words = share_words(far_right, far), share_words(near_right, near)
    words = f"is right on {far_words} furthest from its threshold{learnt} and on {near_words} nearest to it"
    return FindingCandidate(curve.score.title, words, far_right / far - near_right / near, p)


class CoverageAnalysis(Analysis[CoverageOptions, tuple[CoverageCurve, ...]]):
    """Shows accuracy by the share of pairs kept.

    Clicking a point or a count selects the confident errors, that is, wrong pairs at that distance or further.
    """

    name = "coverage"
    title = "Coverage"
    group = "Scores"
    about = "Accuracy of the pairs furthest from the threshold, by the share of pairs kept (ParaPLUIE, section 5.3)"
    needs = (SCORES, PAIRS, LABELS)
    options = CoverageOptions
    follows_threshold = True
    printed = False

    def compute(self, material: AnalysisMaterial, options: CoverageOptions, tick: Tick) -> tuple[CoverageCurve, ...]:
        where, curves = material.parts[options.part], []
        for done, score in enumerate(material.score_columns):
            tick(done, len(material.score_columns))
            threshold = material.threshold(score, where)
            if not isnan(threshold):  # NaN means no natural threshold, and no labelled pairs to find the best one
                curves.append(coverage_curve(score, material.labels, threshold, where))
        return tuple(curve for curve in curves if len(curve.kept))

    def finding(self, run: Run[CoverageOptions, tuple[CoverageCurve, ...]]) -> str:
        candidates = [_describe_certainty(run.material, curve) for curve in run.result]
        if not candidates:
            return ""
        nothing = "no score is clearly right more often far from its threshold than near it"
        return compose_finding(candidates, nothing)

    def blocks(self, run: Run[CoverageOptions, tuple[CoverageCurve, ...]]) -> Sequence[Block]:
        return _chart(run), _summary(run), _shares(run)


def _chart(run: Run[CoverageOptions, tuple[CoverageCurve, ...]]) -> Chart:
    def line(curve: CoverageCurve) -> CurveLine:
        points = thin_places(len(curve.kept), _POINTS)
        share, accuracy = 100 * curve.share[points], curve.accuracy[points]

        def tip(point: int) -> str:
            at = int(points[point])
            right = f"accuracy {number(float(accuracy[point]))} of {curve.kept[at]:,} pairs"
            far = f"at least {number(float(curve.distance[at]))} from {number(curve.threshold)}"
            return f"{curve.score.title}, {far}: {right}\nclick to select those that are wrong"

        return CurveLine(
            *(curve.score.title, share, accuracy, run.material.colour(curve.score.name)),
            tip=tip,
            link=lambda point: _link_pairs(run, curve, int(points[point]), wrong=True),
        )

    lines = tuple(map(line, run.result))
    title = "Accuracy of the pairs furthest from the threshold"
    return Chart("coverage", title, lines, "% of the pairs kept", "accuracy", (0.0, 100.0), high=1.25)


def _summary(run: Run[CoverageOptions, tuple[CoverageCurve, ...]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for curve in run.result:
        accuracy = float(curve.accuracy[-1])
        pairs = int(curve.kept[-1])
        rows.append(
            (curve.score.title, curve.threshold, pairs, accuracy, curve.constant, curve.mean, curve.mean - accuracy)
        )
    different = describe_different_pairs(("", int(curve.kept[-1])) for curve in run.result)
    return Table(
        "coverage",
        "Accuracy of all pairs, and its mean over all shares kept",
        ("score", "threshold", "pairs", "accuracy", CONSTANT, "mean", "above accuracy"),
        tuple(rows),
        "Above accuracy: mean minus accuracy; 0 where the distance from the threshold does not show how certain a "
        "verdict is. The threshold is the chosen one; failing that, the natural one; failing that, the best for "
        f"these pairs. {CONSTANT_NOTE} {different}".strip(),
        link=lambda row, column: ThresholdLink(run.result[row].score.name, run.result[row].threshold),
    )


def _shares(run: Run[CoverageOptions, tuple[CoverageCurve, ...]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    places: list[tuple[CoverageCurve, int]] = []
    for curve in run.result:
        for at in dict.fromkeys(map(curve.index_at, SHARES)):
            pairs, right = int(curve.kept[at]), int(curve.right[at])
            accuracy = estimate_share(right, pairs)
            share, far = round(100 * float(curve.share[at])), float(curve.distance[at])
            rows.append((curve.score.title, share, pairs, far, accuracy, pairs - right))
            places.append((curve, at))
    header = ("score", "% kept", "pairs", "distance", "accuracy", "wrong")

    def link(row: int, column: int) -> Link:
        return _link_pairs(run, *places[row], wrong=header[column] == "wrong")

    return Table(
        "coverage-shares",
        "Accuracy by the share of pairs kept",
        header,
        tuple(rows),
        "Distance: smallest distance of a kept score from the threshold. Accuracy with Wilson's 95 % interval. Click "
        "a row to select its pairs, or the number of wrong pairs to select only those.",
        link=link,
        bars=("accuracy",),
    )


def _link_pairs(
    run: Run[CoverageOptions, tuple[CoverageCurve, ...]], curve: CoverageCurve, place: int, *, wrong: bool
) -> PairsLink:
    """Return a link to the labelled pairs, or only the wrong ones, at the distance with an index or further."""
    score, threshold, far = curve.score, curve.threshold, float(curve.distance[place])
    where = run.material.parts[run.options.part]

    def mask(now: AnalysisMaterial) -> Mask:
        values = keep_selected(now.score_column(score.name).values if score.name in now.names else score.values, where)
        chosen = ((now.labels == 0) | (now.labels == 1)) & (distance_to(threshold, values) >= far)
        if wrong:
            chosen &= predicted_positive(values, threshold, score.higher_is_closer) != (now.labels == 1)
        return np.asarray(chosen)

    words = "wrong though " if wrong else ""
    return PairsLink(f"{words}{number(far)} or further from {number(threshold)} by {score.title}", mask)
