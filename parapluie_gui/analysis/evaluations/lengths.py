"""The median of each score by the length of the sentences, with its confidence interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, nan, sqrt

import numpy as np

from parapluie_gui.analysis.base import Analysis, Block, Run
from parapluie_gui.analysis.figure import Chart, CurveLine
from parapluie_gui.analysis.finding import FindingCandidate, compose_finding, find_standing_out, name_some
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import LENGTH, AnalysisMaterial
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.buckets import Z_95, CutColumn, cut_numbers, pair_lengths
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.table import Table, number
from parapluie_gui.arrays import Scores
from parapluie_gui.options import integer


@dataclass(frozen=True)
class LengthsOptions:
    """Options of *By length*: the number of ranges and the pairs."""

    ranges: int = integer(
        "&Ranges", 2, 20, 5, "number of ranges into which lengths are divided, with the same number of pairs in each"
    )
    part: str = part()


@dataclass(frozen=True, eq=False)
class LengthsResult:
    """The ranges of length and, by score, the number of scored pairs and the median in each range."""

    cut: CutColumn
    medians: dict[str, list[tuple[int, Estimate]]]


class LengthAnalysis(Analysis[LengthsOptions, LengthsResult]):
    """Shows the median of each score by sentence length; clicking a row or a point selects the pairs of its range."""

    name = "lengths"
    title = "By length"
    group = "Errors"
    about = "Median of each score by the length of the sentences, with its 95 % interval"
    options = LengthsOptions
    in_analyse = False
    in_report = False

    def compute(self, material: AnalysisMaterial, options: LengthsOptions, tick: Tick) -> LengthsResult:
        where, corpus = material.parts[options.part], material.corpus
        lengths = pair_lengths(corpus.source, corpus.hypothesis)
        cut = cut_numbers(LENGTH, lengths, parts=options.ranges, where=where)
        medians = {}
        for done, score in enumerate(material.score_columns):
            tick(done, len(material.score_columns))
            values_by_range = [score.values[cut.mask(place) & where] for place in range(len(cut.names))]
            scored = [values[~np.isnan(values)] for values in values_by_range]
            medians[score.name] = [(len(values), median(values)) for values in scored]
        return LengthsResult(cut, medians)

    def finding(self, run: Run[LengthsOptions, LengthsResult]) -> str:
        candidates = _describe_ends(run)
        if not candidates:
            return ""
        nothing = "no score has clearly different values for the shortest and the longest pairs"
        standing = find_standing_out(candidates)
        if len(standing) < 2:
            return compose_finding(candidates, nothing)
        return f"For the shortest and the longest pairs these differ: {name_some([one.title for one in standing])}."

    def blocks(self, run: Run[LengthsOptions, LengthsResult]) -> Sequence[Block]:
        return *(_chart(run, name) for name in run.result.medians), _table(run)


def _describe_ends(run: Run[LengthsOptions, LengthsResult]) -> list[FindingCandidate]:
    """Return a candidate for each score's difference between the shortest and the longest pairs (Mann-Whitney)."""
    from scipy.stats import mannwhitneyu

    cut, where = run.result.cut, run.material.parts[run.options.part]
    if len(cut.names) < 2:
        return []
    candidates = []
    for name, estimates in run.result.medians.items():
        values = run.material.score_column(name).values
        ends = [values[cut.mask(place) & where] for place in (0, len(cut.names) - 1)]
        short, long = (end[~np.isnan(end)] for end in ends)
        p = float(mannwhitneyu(short, long).pvalue) if min(len(short), len(long)) > 1 else nan
        medians = number(estimates[0][1].value), number(estimates[-1][1].value)
        words = f"has the median {medians[0]} for the shortest pairs and {medians[1]} for the longest"
        candidates.append(FindingCandidate(run.material.title(name), words, 1 - p, p))
    return candidates


def median(values: Scores) -> Estimate:
    """Return the median of some numbers, (k,), with its 95 % interval.

    The interval is between order statistics, by the normal approximation of the binomial distribution of the number of
    values below the median (Conover, Practical Nonparametric Statistics, 3rd edition, section 3.2). With fewer than six
    numbers there is no interval.
    """
    count = len(values)
    if not count:
        return Estimate(nan)
    middle = float(np.median(values))
    if count < 6:
        return Estimate(middle)
    ordered, half = np.sort(values), Z_95 * sqrt(count) / 2
    low, high = ceil(count / 2 - half), ceil(count / 2 + half)
    return Estimate(middle, float(ordered[max(low, 1) - 1]), float(ordered[min(high, count) - 1]))


def _table(run: Run[LengthsOptions, LengthsResult]) -> Table:
    cut, medians = run.result.cut, run.result.medians
    places = [(place, name) for place in range(len(cut.names)) for name in medians if medians[name][place][0]]
    return Table(
        "lengths",
        "Median of each score by the number of characters of a pair",
        ("length", "score", "pairs", "median"),
        tuple((cut.names[place], run.material.title(name), *medians[name][place]) for place, name in places),
        "In brackets: 95 % interval between order statistics. Click a row to select its pairs.",
        link=lambda row, column: _pairs(run, places[row][0]),
    )


def _chart(run: Run[LengthsOptions, LengthsResult], name: str) -> Chart:
    cut, title = run.result.cut, run.material.title(name)
    estimates = [estimate for _, estimate in run.result.medians[name]]
    at = np.arange(len(estimates), dtype=np.float64)
    middle = np.array([estimate.value for estimate in estimates])
    low = np.array([estimate.low for estimate in estimates])
    high = np.array([estimate.high for estimate in estimates])

    def tip(point: int) -> str:
        estimate = estimates[point]
        return f"{cut.names[point]}: median {number(estimate.value)} [{number(estimate.low)}, {number(estimate.high)}]"

    lines = (
        CurveLine("median", at, middle, "paraphrase", dots=True, tip=tip, link=lambda point: _pairs(run, point)),
        CurveLine("95 % interval", at, low, "muted", guide=True),
        CurveLine("", at, high, "muted", guide=True),
    )
    axes, ends = ("characters of a pair", title), (-0.4, len(estimates) - 0.6)
    return Chart(f"length-{name}", title, lines, *axes, ends, ticks=cut.names, wide=False, scores=(name,))


def _pairs(run: Run[LengthsOptions, LengthsResult], place: int) -> PairsLink:
    mask = run.result.cut.mask(place) & run.material.parts[run.options.part]
    return PairsLink(f"length {run.result.cut.names[place]}", lambda now: mask)
