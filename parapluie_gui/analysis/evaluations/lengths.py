"""The median of each score by the length of the sentences, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isnan, nan, sqrt

import numpy as np

from parapluie_gui.analysis.base import Analysis, Block, Run
from parapluie_gui.analysis.figure import Chart, Line
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import LENGTH, Material
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.buckets import Cut, cut_numbers, pair_lengths
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.table import Table, number
from parapluie_gui.arrays import Scores
from parapluie_gui.options import integer

#: 97.5 % of the standard normal distribution.
_Z = 1.959963984540054


@dataclass(frozen=True)
class LengthsOptions:
    """Into how many ranges lengths are divided."""

    ranges: int = integer("&Ranges", 2, 20, 5, "into how many ranges of equally many pairs lengths are divided")
    part: str = part()


@dataclass(frozen=True, eq=False)
class LengthsResult:
    """The ranges of length, and in each the pairs that have a score and its median, by score."""

    cut: Cut
    medians: dict[str, list[tuple[int, Estimate]]]


class Lengths(Analysis[LengthsOptions, LengthsResult]):
    """A row or a point clicked selects the pairs of its range."""

    name = "lengths"
    title = "By length"
    group = "Errors"
    about = "Median of each score by the length of the sentences, with its 95 % interval"
    options = LengthsOptions
    in_analyse = False
    in_report = False

    def compute(self, material: Material, options: LengthsOptions, tick: Tick) -> LengthsResult:
        where, corpus = material.parts[options.part], material.corpus
        lengths = pair_lengths(corpus.source, corpus.hypothesis)
        cut = cut_numbers(LENGTH, lengths, parts=options.ranges, where=where)
        medians = {}
        for done, each in enumerate(material.score_columns):
            tick(done, len(material.score_columns))
            inside = [each.values[cut.mask(place) & where] for place in range(len(cut.names))]
            scored = [values[~np.isnan(values)] for values in inside]
            medians[each.name] = [(len(values), median(values)) for values in scored]
        return LengthsResult(cut, medians)

    def finding(self, run: Run[LengthsOptions, LengthsResult]) -> str:
        ends = {}
        for name, found in run.result.medians.items():
            first, last = found[0][1], found[-1][1]
            if len(found) > 1 and not isnan(first.low + last.low):
                ends[name] = first, last
        apart = [name for name, (one, two) in ends.items() if one.high < two.low or two.high < one.low]
        if not ends:
            return ""
        if not apart:
            return "No score has another median for the longest pairs than for the shortest, as far as can be seen."
        return "Longer pairs score otherwise than short ones by: " + ", ".join(map(run.material.title, apart)) + "."

    def blocks(self, run: Run[LengthsOptions, LengthsResult]) -> Sequence[Block]:
        return *(_chart(run, name) for name in run.result.medians), _table(run)


def median(values: Scores) -> Estimate:
    """Return the median of some numbers, (k,), with its 95 % interval.

    The interval is between order statistics, by the normal approximation of the binomial distribution of how many
    numbers are below the median (Conover, Practical Nonparametric Statistics, 3rd edition, section 3.2). Below six
    numbers there is none.
    """
    count = len(values)
    if not count:
        return Estimate(nan)
    middle = float(np.median(values))
    if count < 6:
        return Estimate(middle)
    ordered, half = np.sort(values), _Z * sqrt(count) / 2
    low, high = ceil(count / 2 - half), ceil(count / 2 + half)
    return Estimate(middle, float(ordered[max(low, 1) - 1]), float(ordered[min(high, count) - 1]))


def _table(run: Run[LengthsOptions, LengthsResult]) -> Table:
    cut, medians = run.result.cut, run.result.medians
    places = [(place, name) for place in range(len(cut.names)) for name in medians if medians[name][place][0]]
    return Table(
        "lengths",
        "Median of each score by the characters of a pair",
        ("length", "score", "pairs", "median"),
        tuple((cut.names[place], run.material.title(name), *medians[name][place]) for place, name in places),
        "In brackets: 95 % interval between order statistics. Click a row to select its pairs.",
        link=lambda row, column: _pairs(run, places[row][0]),
    )


def _chart(run: Run[LengthsOptions, LengthsResult], name: str) -> Chart:
    cut, title = run.result.cut, run.material.title(name)
    found = [estimate for _, estimate in run.result.medians[name]]
    at = np.arange(len(found), dtype=np.float64)
    middle, low, high = (np.array([getattr(each, end) for each in found]) for end in ("value", "low", "high"))

    def tip(point: int) -> str:
        each = found[point]
        return f"{cut.names[point]}: median {number(each.value)} [{number(each.low)}, {number(each.high)}]"

    lines = (
        Line("median", at, middle, "paraphrase", dots=True, tip=tip, link=lambda point: _pairs(run, point)),
        Line("95 % interval", at, low, "muted", guide=True),
        Line("", at, high, "muted", guide=True),
    )
    axes, ends = ("characters of a pair", title), (-0.4, len(found) - 0.6)
    return Chart(f"length-{name}", title, lines, *axes, ends, ticks=cut.names, wide=False, scores=(name,))


def _pairs(run: Run[LengthsOptions, LengthsResult], place: int) -> PairsLink:
    mask = run.result.cut.mask(place) & run.material.parts[run.options.part]
    return PairsLink(f"length {run.result.cut.names[place]}", lambda now: mask)
