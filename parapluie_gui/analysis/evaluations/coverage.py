"""Accuracy against the share of pairs kept, those furthest from the threshold first (ParaPLUIE, section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, Analysis, Block, Run
from parapluie_gui.analysis.figure import Chart, Line
from parapluie_gui.analysis.link import Link, PairsLink, ThresholdLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import ScoreColumn, Tick, selected
from parapluie_gui.analysis.statistics.buckets import wilson
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.statistics.curves import thinned
from parapluie_gui.analysis.table import Cell, Table, number, percent
from parapluie_gui.analysis.threshold import predicted_positive
from parapluie_gui.arrays import Floats, Labels, Mask, Rows

#: Shares of the pairs whose accuracy is written.
SHARES = (1.0, 0.9, 0.75, 0.5, 0.25, 0.1)
#: Points of a curve that are drawn.
_POINTS = 400


@dataclass(frozen=True)
class CoverageOptions:
    """Which pairs."""

    part: str = part()


@dataclass(frozen=True, eq=False)
class CoverageCurve:
    """How often a score is right on the pairs that are so far from its threshold.

    Attributes:
        score: The score.
        threshold: Where paraphrases begin (distances: end).
        distance: (k,) Each distance from it that occurs, the greatest first.
        kept: int64 (k,), how many labelled pairs are at least so far away.
        right: int64 (k,), how many of them are decided rightly.
    """

    score: ScoreColumn
    threshold: float
    distance: Floats
    kept: Rows
    right: Rows

    @property
    def accuracy(self) -> Floats:
        """Share of the kept pairs that are decided rightly, (k,)."""
        return self.right / self.kept

    @property
    def share(self) -> Floats:
        """Share of the pairs that are kept, (k,)."""
        return np.asarray(self.kept / self.kept[-1])

    @property
    def mean(self) -> float:
        """Accuracy averaged over all numbers of pairs to keep; pairs equally far away count as in any order."""
        before = np.concatenate([[0.0], self.right[:-1]])
        first = np.concatenate([[0], self.kept[:-1]])
        rates = (self.right - before) / (self.kept - first)
        at = np.arange(1, self.kept[-1] + 1)
        block = np.searchsorted(self.kept, at)
        return float(np.mean((before[block] + rates[block] * (at - first[block])) / at))

    def at(self, share: float) -> int:
        """Return the place at which at least this share of the pairs is kept."""
        return int(np.searchsorted(self.kept, np.ceil(share * self.kept[-1] - 1e-9)))


def coverage_curve(score: ScoreColumn, labels: Labels, threshold: float, where: Mask | None = None) -> CoverageCurve:
    """Return the curve of a score on the labelled pairs in `where` (None: all); it is empty without any."""
    values = selected(score.values, where)
    usable = ((labels == 0) | (labels == 1)) & ~np.isnan(values)
    distance = np.abs(values[usable] - threshold)
    right = predicted_positive(values[usable], threshold, score.higher_is_closer) == (labels[usable] == 1)
    order = np.argsort(-distance, kind="stable")
    distance, summed = distance[order], np.cumsum(right[order])
    # Pairs equally far away are kept together.
    last = np.flatnonzero(np.r_[distance[1:] != distance[:-1], True] if len(distance) else [])
    return CoverageCurve(score, threshold, distance[last], last + 1, summed[last])


class Coverage(Analysis[CoverageOptions, tuple[CoverageCurve, ...]]):
    """A point or a count clicked selects the pairs that are wrong though they are so far from the threshold."""

    name = "coverage"
    title = "Coverage"
    group = "Scores"
    about = "Accuracy of the pairs furthest from the threshold, by the share that is kept (ParaPLUIE, section 5.3)"
    needs = (SCORES, PAIRS, LABELS)
    options = CoverageOptions
    follows_threshold = True
    printed = False

    def compute(self, material: Material, options: CoverageOptions, tick: Tick) -> tuple[CoverageCurve, ...]:
        where, found = material.parts[options.part], []
        for done, each in enumerate(material.score_columns):
            tick(done, len(material.score_columns))
            threshold = material.threshold(each, where)
            if not isnan(threshold):  # without a natural one it is learnt, which needs labelled pairs
                found.append(coverage_curve(each, material.labels, threshold, where))
        return tuple(each for each in found if len(each.kept))

    def finding(self, run: Run[CoverageOptions, tuple[CoverageCurve, ...]]) -> str:
        gains = {each.score.title: each for each in run.result}
        if not gains:
            return ""
        best = max(gains.values(), key=lambda each: each.mean - float(each.accuracy[-1]))
        every, half = (
            percent(float(best.accuracy[at]), int(best.kept[at])) for at in (len(best.kept) - 1, best.at(0.5))
        )
        words = f"Of all pairs {best.score.title} gets {every} right"
        return f"{words}; of the half that is furthest from its threshold, {half}."

    def blocks(self, run: Run[CoverageOptions, tuple[CoverageCurve, ...]]) -> Sequence[Block]:
        return _chart(run), _summary(run), _shares(run)


def _chart(run: Run[CoverageOptions, tuple[CoverageCurve, ...]]) -> Chart:
    def line(place: int, curve: CoverageCurve) -> Line:
        points = thinned(len(curve.kept), _POINTS)
        share, accuracy = 100 * curve.share[points], curve.accuracy[points]

        def tip(point: int) -> str:
            at = int(points[point])
            right = f"accuracy {number(float(accuracy[point]))} of {curve.kept[at]:,} pairs"
            far = f"{number(float(curve.distance[at]))} or further from {number(curve.threshold)}"
            return f"{curve.score.title}, {far}: {right}\nclick to select those that are wrong"

        return Line(
            *(curve.score.title, share, accuracy, place),
            tip=tip,
            link=lambda point: _kept(run, curve, int(points[point]), wrong=True),
        )

    lines = tuple(line(place, curve) for place, curve in enumerate(run.result))
    title = "Accuracy of the pairs furthest from the threshold"
    return Chart("coverage", title, lines, "% of the pairs kept", "accuracy", (0.0, 100.0), high=1.25)


def _summary(run: Run[CoverageOptions, tuple[CoverageCurve, ...]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in run.result:
        accuracy = float(each.accuracy[-1])
        pairs = int(each.kept[-1])
        rows.append((each.score.title, each.threshold, pairs, accuracy, each.mean, each.mean - accuracy))
    return Table(
        "coverage",
        "Accuracy of all pairs, and its mean over all shares kept",
        ("score", "threshold", "pairs", "accuracy", "mean", "above accuracy"),
        tuple(rows),
        "Above accuracy: what the mean is more; 0 where the distance from the threshold says nothing of how sure a "
        "verdict is. The threshold is the chosen one, otherwise the natural one or, without one, the best for these "
        "pairs.",
        link=lambda row, column: ThresholdLink(run.result[row].score.name, run.result[row].threshold),
    )


def _shares(run: Run[CoverageOptions, tuple[CoverageCurve, ...]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    places: list[tuple[CoverageCurve, int]] = []
    for curve in run.result:
        for at in dict.fromkeys(map(curve.at, SHARES)):
            kept, right = int(curve.kept[at]), int(curve.right[at])
            accuracy = Estimate(right / kept, *wilson(right, kept))
            share, far = round(100 * float(curve.share[at])), float(curve.distance[at])
            rows.append((curve.score.title, share, kept, far, accuracy, kept - right))
            places.append((curve, at))
    header = ("score", "% kept", "pairs", "distance", "accuracy", "wrong")

    def link(row: int, column: int) -> Link:
        return _kept(run, *places[row], wrong=header[column] == "wrong")

    return Table(
        "coverage-shares",
        "Accuracy by the share of pairs kept",
        header,
        tuple(rows),
        "Distance: of a score from its threshold, at least. Accuracy with Wilson's 95 % interval. Click a row to "
        "select its pairs, or those of them that are wrong.",
        link=link,
        bars=("accuracy",),
    )


def _kept(
    run: Run[CoverageOptions, tuple[CoverageCurve, ...]], curve: CoverageCurve, place: int, *, wrong: bool
) -> PairsLink:
    """Return the labelled pairs that are at least as far from the threshold, or those of them that are wrong."""
    score, threshold, far = curve.score, curve.threshold, float(curve.distance[place])
    where = run.material.parts[run.options.part]

    def mask(now: Material) -> Mask:
        values = selected(now.score_column(score.name).values if score.name in now.names else score.values, where)
        chosen = ((now.labels == 0) | (now.labels == 1)) & (np.abs(values - threshold) >= far)
        if wrong:
            chosen &= predicted_positive(values, threshold, score.higher_is_closer) != (now.labels == 1)
        return np.asarray(chosen)

    words = "wrong though " if wrong else ""
    return PairsLink(f"{words}{number(far)} or further from {number(threshold)} by {score.title}", mask)
