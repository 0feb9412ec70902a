"""Every two scores compared, as a matrix and as a list, and what all of them get wrong (PARAPHRASUS, section 6.3).

A score is at the chosen threshold, otherwise at its natural one or, without one, at the best on the corpus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.base import PAIRS, SCORES, TWO_SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.shared import SHARED, SHARED_NOTE, Together, shared_cells
from parapluie_gui.analysis.figure import Heading, HeatMap, square_cell
from parapluie_gui.analysis.link import AnalysisLink, Link, PairsLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.comparison import Comparison, flips_and_movers
from parapluie_gui.analysis.statistics.correlation import kendall
from parapluie_gui.analysis.table import Cell, Table, percent, slim
from parapluie_gui.arrays import Mask, Rows
from parapluie_gui.options import choice

#: How two scores are compared in the matrix.
KAPPA, TAU, FLIPS, ERRORS = "kappa", "tau", "flips", "errors"
_MEASURES = {
    KAPPA: "Cohen's κ of the verdicts",
    TAU: "Kendall's τ of the scores",
    FLIPS: "share of pairs with another verdict",
    ERRORS: "Cohen's κ of being wrong",
}
#: Pairs that Kendall's τ is of, at most: every second, third … of a larger corpus.
MOST_RANKED = 20_000


@dataclass(frozen=True)
class ComparisonsOptions:
    """What the matrix shows, and of which pairs."""

    measure: str = choice("&Matrix of", _MEASURES, "the measure of the matrix", default=KAPPA, only_shown=True)
    part: str = part(only_shown=True)


@dataclass(frozen=True, eq=False)
class Match:
    """Two scores on one corpus; `flips` are the rows on which their verdicts differ, `tau` is Kendall's τ-b."""

    corpus: str
    first: ScoreColumn
    second: ScoreColumn
    comparison: Comparison
    flips: Rows
    tau: float = nan

    def measured(self, measure: str) -> float:
        """Return one of the measures of the matrix."""
        found = self.comparison
        if measure == ERRORS:
            return _kappa(found.both, found.only_first, found.only_second, found.neither)
        return {KAPPA: found.kappa, TAU: self.tau, FLIPS: 1 - found.agreement}[measure]

    def pairs(self, measure: str) -> int:
        """Return how many pairs it is of."""
        return self.comparison.pairs if measure == ERRORS else self.comparison.compared


@dataclass(frozen=True, eq=False)
class ComparisonsResult:
    """Every two scores compared, and by corpus what all get wrong together."""

    matches: tuple[Match, ...]
    together: Mapping[str, Together]


class Comparisons(Analysis[ComparisonsOptions, ComparisonsResult]):
    """A row clicked selects the pairs on which the two scores differ; a cell of the matrix opens *Compare two*."""

    name = "comparison"
    title = "Compare all"
    group = "Scores"
    about = "Every two scores as a matrix: κ, τ, flips, errors; paired tests; what all get wrong (PARAPHRASUS, 6.3)"
    needs = (SCORES, PAIRS, TWO_SCORES)
    options = ComparisonsOptions
    follows_threshold = True

    def compute(self, material: Material, options: ComparisonsOptions, tick: Tick) -> ComparisonsResult:
        pairs = list(combinations(material.score_columns, 2))
        matches: list[Match] = []
        steps = len(material.parts) * len(pairs)
        for corpus, where in material.parts.items():
            for first, second in pairs:
                before = len(matches)

                def step(done: int, total: int, before: int = before) -> None:
                    tick(1000 * before + 1000 * done // max(total, 1), 1000 * steps)

                matches.append(_match(material, corpus, where, first, second, step))
        return ComparisonsResult(
            tuple(matches), {name: Together.of(material, where) for name, where in material.parts.items()}
        )

    def finding(self, run: Run[ComparisonsOptions, ComparisonsResult]) -> str:
        matches = [each for each in run.result.matches if each.corpus == run.options.part]
        matches = [each for each in matches if each.comparison.compared]
        if not matches:
            return ""
        most = max(matches, key=lambda each: each.comparison.agreement)
        least = min(matches, key=lambda each: each.comparison.agreement)

        def words(each: Match) -> str:
            share = percent(each.comparison.agreement, each.comparison.compared)
            return f"{each.first.title} and {each.second.title} ({share} the same verdicts)"

        return f"Most alike: {words(most)}." if most is least else f"Most alike: {words(most)}; least: {words(least)}."

    def blocks(self, run: Run[ComparisonsOptions, ComparisonsResult]) -> Sequence[Block]:
        return matrix(run), slim(comparisons_table(run)), slim(shared_table(run))


def _match(material: Material, part: str, where: Mask, first: ScoreColumn, second: ScoreColumn, tick: Tick) -> Match:
    one, two = material.threshold(first, where), material.threshold(second, where)
    found = material.compare(first, second, where, tick)
    flipped, _ = flips_and_movers(first, second, one, two, where, 0)
    rows = np.flatnonzero(where)
    rows = rows[:: max(1, -(-len(rows) // MOST_RANKED))]
    one_values, two_values = (
        each.values[rows] if each.higher_is_closer else -each.values[rows] for each in (first, second)
    )
    return Match(part, first, second, found, flipped.rows, kendall(one_values, two_values))


def matrix(run: Run[ComparisonsOptions, ComparisonsResult]) -> HeatMap:
    """Return how every two scores agree, those that agree most beside each other."""
    measure, chosen = run.options.measure, run.options.part
    matches = [each for each in run.result.matches if each.corpus == chosen]
    found = {(each.first.name, each.second.name): each for each in matches}
    names = _alike(list(dict.fromkeys(each for two in found for each in two)), found, measure)
    title = {each.name: each.title for match in matches for each in (match.first, match.second)}
    values, texts = {}, {}
    for (one, two), each in found.items():
        number = each.measured(measure)
        for cell in ((one, two), (two, one)):
            texts[cell] = "–" if isnan(number) else f"{number:.2f}".replace("-", "−")
            values[cell] = max(number, 0.0)

    def link(column: str, row: str) -> Link | None:
        return AnalysisLink("compare", {"first": row, "second": column, "part": chosen}) if column != row else None

    headings = tuple(Heading(name, title[name]) for name in names)
    least = min((each.pairs(measure) for each in matches), default=0)
    note = f"Of {least:,} pairs or more. Neighbours agree most. Click a cell to open Compare two, with the flips first."
    return HeatMap(
        "agreement-matrix",
        f"{_MEASURES[measure][0].upper()}{_MEASURES[measure][1:]}, every two scores at their thresholds",
        headings,
        headings,
        values,
        texts,
        note,
        cell=square_cell(len(headings)),
        colour="bad" if measure in (FLIPS, ERRORS) else "good",
        link=link,
    )


def _alike(names: list[str], found: Mapping[tuple[str, str], Match], measure: str) -> list[str]:
    """Return the scores in an order that puts those which agree most beside each other (average linkage)."""
    if len(names) < 3:
        return names
    from scipy.cluster.hierarchy import leaves_list, linkage

    far = []
    for two in combinations(names, 2):
        number = found[two].measured(measure)
        far.append(2.0 if isnan(number) else number if measure == FLIPS else 1 - number)
    return [names[place] for place in leaves_list(linkage(far, "average", optimal_ordering=True))]


def _kappa(both: int, only_first: int, only_second: int, neither: int) -> float:
    """Return Cohen's κ of a table of two by two; NaN where it is not defined."""
    total = both + only_first + only_second + neither
    if not total:
        return nan
    first, second = (both + only_first) / total, (both + only_second) / total
    chance = first * second + (1 - first) * (1 - second)
    return ((both + neither) / total - chance) / (1 - chance) if chance < 1 else nan


def comparisons_table(run: Run[ComparisonsOptions, ComparisonsResult]) -> Table:
    """Return every two scores compared."""
    shown = [each for each in run.result.matches if each.comparison.pairs or each.comparison.human]
    human = any(each.comparison.human for each in shown)

    def link(row: int, column: int) -> PairsLink:
        each = shown[row]
        return PairsLink.of_rows(f"{each.first.title} and {each.second.title} differ", each.flips)

    return Table(
        "comparison",
        "Scores compared, each at its chosen threshold, otherwise its natural or its best one",
        (
            *("corpus", "first", "second", "accuracy 1", "accuracy 2", "difference", "bootstrap p"),
            *("McNemar p", "exact p", "kappa", *(("human r difference", "human p") if human else ())),
        ),
        tuple((each.corpus, each.first.title, each.second.title, *_cells(each.comparison, human)) for each in shown),
        _least_p([each.comparison for each in shown]),
        link=link,
        bars=("accuracy 1", "accuracy 2"),
    )


def shared_table(run: Run[ComparisonsOptions, ComparisonsResult]) -> Table:
    """Return what all templates get wrong, and what at least one gets right, by corpus."""
    found = run.result.together
    shown = [(part, each) for part, each in found.items() if each.errors.pairs]
    names = next(iter(found.values())).names

    def link(row: int, column: int) -> Link | None:
        return shown[row][1].wrong(SHARED[column - 1]) if column else None

    return Table(
        "shared-errors",
        f"Wrong together: {', '.join(map(run.material.title, names))}",
        ("corpus", *SHARED),
        tuple((part, *shared_cells(each.errors)) for part, each in shown),
        SHARED_NOTE,
        scores=names,
        link=link,
    )


def _cells(found: Comparison, human: bool) -> tuple[Cell, ...]:
    against = (found.pearson, found.pearson_p_value) if found.human else (None, None)
    return (
        *(found.first_accuracy, found.second_accuracy, found.difference, found.p_value),
        *((found.mcnemar.p_value, found.mcnemar.exact) if found.pairs else (None, None)),
        found.kappa,
        *(against if human else ()),
    )


def _least_p(found: Sequence[Comparison]) -> str:
    """Return what the smallest p of resampling means, where one is as small as so few resamples can give."""
    for each in found:
        if each.draws and any(p <= each.least_p for p in (each.p_value, each.pearson_p_value)):  # never of NaN
            which = "bootstrap p, human p" if each.human else "bootstrap p"
            return f"{which}: {each.least_p:.2g} is the least that {each.draws:,} resamples can give."
    return ""
