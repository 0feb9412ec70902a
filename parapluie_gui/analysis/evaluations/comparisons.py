"""All pairs of scores compared, as a matrix and as a list, and the errors they share (PARAPHRASUS, section 6.3).

Each score uses the threshold that the user chose; failing that, its natural threshold; failing that, the best one on
the corpus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.base import PAIRS, SCORES, TWO_SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.claims import (
    CONSTANT,
    CONSTANT_NOTE,
    LEARNT,
    describe_different_pairs,
    is_learnt,
)
from parapluie_gui.analysis.evaluations.shared import SHARED, SHARED_NOTE, JointVerdicts, shared_cells
from parapluie_gui.analysis.figure import HeatMap, HeatMapHeading, square_cell
from parapluie_gui.analysis.finding import FindingCandidate, compose_finding, count_pairs, name_some, tested_rows
from parapluie_gui.analysis.link import AnalysisLink, Link, PairsLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import ScoreColumn, Tick, divide_tick
from parapluie_gui.analysis.statistics.comparison import ScoreComparison, flips_and_movers
from parapluie_gui.analysis.statistics.correlation import kendall
from parapluie_gui.analysis.statistics.significance import holm
from parapluie_gui.analysis.table import Cell, Table, number, percent, slim
from parapluie_gui.arrays import Mask, Rows
from parapluie_gui.options import choice
from parapluie_gui.scores.table import is_scored

#: The measures that the matrix can show.
KAPPA, TAU, FLIPS, ERRORS = "kappa", "tau", "flips", "errors"
_MEASURES = {
    KAPPA: "Cohen's κ of the verdicts",
    TAU: "Kendall's τ of the scores",
    FLIPS: "share of pairs with different verdicts",
    ERRORS: "Cohen's κ of the errors",
}
#: Maximum number of pairs ranked for Kendall's τ; larger corpora are thinned to every second, third, … pair.
MOST_RANKED = 20_000


@dataclass(frozen=True)
class ComparisonsOptions:
    """Options of *Compare all*: what the matrix shows, and for which part of the corpus."""

    measure: str = choice("&Matrix of", _MEASURES, "what each cell of the matrix shows", default=KAPPA, only_shown=True)
    part: str = part(only_shown=True)


@dataclass(frozen=True, eq=False)
class ScorePair:
    """Two scores compared on one corpus: `flips` are the rows with different verdicts, `tau` is Kendall's τ-b."""

    corpus: str
    first: ScoreColumn
    second: ScoreColumn
    comparison: ScoreComparison
    flips: Rows
    tau: float = nan

    def value(self, measure: str) -> float:
        """Return the value of a measure of the matrix; NaN where undefined."""
        comparison = self.comparison
        if measure == ERRORS:
            return _kappa(comparison.both, comparison.only_first, comparison.only_second, comparison.neither)
        return {KAPPA: comparison.kappa, TAU: self.tau, FLIPS: 1 - comparison.agreement}[measure]

    def pairs(self, measure: str) -> int:
        """Return the number of pairs from which a measure is computed."""
        return self.comparison.pairs if measure == ERRORS else self.comparison.compared


@dataclass(frozen=True, eq=False)
class ComparisonsResult:
    """The comparison of every two scores, and by corpus the verdicts and shared errors of all scores."""

    matches: tuple[ScorePair, ...]
    together: Mapping[str, JointVerdicts]


class ComparisonAnalysis(Analysis[ComparisonsOptions, ComparisonsResult]):
    """Compares every two scores on each corpus.

    Clicking a row selects the pairs with different verdicts; clicking a cell of the matrix opens *Compare two*.
    """

    name = "comparison"
    title = "Compare all"
    group = "Scores"
    about = (
        "Matrix of all scores: κ, τ, flips, errors; paired tests; pairs that every score gets wrong (PARAPHRASUS, 6.3)"
    )
    needs = (SCORES, PAIRS, TWO_SCORES)
    options = ComparisonsOptions
    follows_threshold = True

    def compute(self, material: AnalysisMaterial, options: ComparisonsOptions, tick: Tick) -> ComparisonsResult:
        pairs = list(combinations(material.score_columns, 2))
        matches: list[ScorePair] = []
        steps = len(material.parts) * len(pairs)
        for corpus, where in material.parts.items():
            for first, second in pairs:
                step = divide_tick(tick, len(matches), steps)
                matches.append(_compare_pair(material, corpus, where, first, second, step))
        return ComparisonsResult(
            tuple(matches),
            {name: JointVerdicts.from_material(material, where) for name, where in material.parts.items()},
        )

    def finding(self, run: Run[ComparisonsOptions, ComparisonsResult]) -> str:
        matches = [match for match in run.result.matches if match.corpus == run.options.part]
        candidates = [
            _describe_match(run.material, run.material.parts[match.corpus], match)
            for match in matches
            if match.comparison.compared
        ]
        if not candidates:
            return ""
        return compose_finding(candidates, "no two scores clearly give the same verdicts more often than by chance")

    def blocks(self, run: Run[ComparisonsOptions, ComparisonsResult]) -> Sequence[Block]:
        return matrix(run), slim(comparisons_table(run)), slim(shared_table(run))


def _describe_match(material: AnalysisMaterial, where: Mask, match: ScorePair) -> FindingCandidate:
    """Return the candidate for the agreement of two scores beyond chance, by Fisher's exact test of their verdicts."""
    from scipy.stats import fisher_exact

    first, second, comparison = match.first, match.second, match.comparison
    title = f"{first.title} and {second.title}"
    rows = tested_rows(where & is_scored(first.values) & is_scored(second.values))
    thresholds = material.threshold(first, where), material.threshold(second, where)
    one, two = (
        score.predicted_positive(threshold)[rows] for score, threshold in zip((first, second), thresholds, strict=True)
    )
    table = [[int((one & two).sum()), int((one & ~two).sum())], [int((~one & two).sum()), int((~one & ~two).sum())]]
    share = percent(comparison.agreement, comparison.compared)
    kappa = number(comparison.kappa, 2)
    words = f"agree beyond chance: the same verdict for {share} of {count_pairs(comparison.compared)} (κ {kappa})"
    p = nan if isnan(comparison.kappa) else float(fisher_exact(table, "greater").pvalue)
    return FindingCandidate(title, words, comparison.kappa, p)


def _compare_pair(
    material: AnalysisMaterial, part: str, where: Mask, first: ScoreColumn, second: ScoreColumn, tick: Tick
) -> ScorePair:
    first_threshold, second_threshold = material.threshold(first, where), material.threshold(second, where)
    comparison = material.compare(first, second, where, tick)
    flips, _ = flips_and_movers(first, second, first_threshold, second_threshold, where, 0)
    rows = np.flatnonzero(where)
    rows = rows[:: max(1, -(-len(rows) // MOST_RANKED))]
    one_values, two_values = (
        score.values[rows] if score.higher_is_closer else -score.values[rows] for score in (first, second)
    )
    return ScorePair(part, first, second, comparison, flips.rows, kendall(one_values, two_values))


def matrix(run: Run[ComparisonsOptions, ComparisonsResult]) -> HeatMap:
    """Return the matrix of all pairs of scores, ordered so that the most similar scores are neighbours."""
    measure, chosen = run.options.measure, run.options.part
    matches = [match for match in run.result.matches if match.corpus == chosen]
    by_names = {(match.first.name, match.second.name): match for match in matches}
    titles = {score.name: score.title for match in matches for score in (match.first, match.second)}
    names = _order_by_agreement(list(titles), by_names, measure)
    values, texts = {}, {}
    differ = len({match.pairs(measure) for match in matches}) > 1
    for (first, second), match in by_names.items():
        number = match.value(measure)
        for cell in ((first, second), (second, first)):
            texts[cell] = "–" if isnan(number) else f"{number:.2f}".replace("-", "−")
            texts[cell] += f" ({match.pairs(measure):,})" if differ else ""
            values[cell] = max(number, 0.0)

    def link(column: str, row: str) -> Link | None:
        return AnalysisLink("compare", {"first": row, "second": column, "part": chosen}) if column != row else None

    headings = tuple(HeatMapHeading(name, titles[name]) for name in names)
    least = min((match.pairs(measure) for match in matches), default=0)
    size = (
        f"In brackets: the number of pairs of each cell, {least:,} or more."
        if differ
        else f"Each cell is based on {least:,} pairs."
    )
    note = f"{size} Similar scores are placed side by side. Click a cell to open Compare two, with the flips first."
    return HeatMap(
        "agreement-matrix",
        f"{_MEASURES[measure][0].upper()}{_MEASURES[measure][1:]}, for each pair of scores at their thresholds",
        headings,
        headings,
        values,
        texts,
        note,
        cell=square_cell(len(headings)),
        colour="bad" if measure in (FLIPS, ERRORS) else "good",
        link=link,
    )


def _order_by_agreement(names: list[str], by_names: Mapping[tuple[str, str], ScorePair], measure: str) -> list[str]:
    """Order the scores so that the most similar ones are neighbours (average linkage)."""
    if len(names) < 3:
        return names
    from scipy.cluster.hierarchy import leaves_list, linkage

    distances = []
    for pair in combinations(names, 2):
        number = by_names[pair].value(measure)
        distances.append(2.0 if isnan(number) else number if measure == FLIPS else 1 - number)
    return [names[place] for place in leaves_list(linkage(distances, "average", optimal_ordering=True))]


def _kappa(both: int, only_first: int, only_second: int, neither: int) -> float:
    """Return Cohen's κ of a 2×2 table; NaN where it is not defined."""
    total = both + only_first + only_second + neither
    if not total:
        return nan
    first, second = both + only_first, both + only_second
    chance = first * second + (total - first) * (total - second)
    return (total * (both + neither) - chance) / (total**2 - chance) if chance < total**2 else nan


def comparisons_table(run: Run[ComparisonsOptions, ComparisonsResult]) -> Table:
    """Return the comparison of every two scores as a table."""
    shown = [match for match in run.result.matches if match.comparison.pairs or match.comparison.human]
    with_human = any(match.comparison.human for match in shown)

    notes = (CONSTANT_NOTE, describe_different_pairs((match.corpus, match.comparison.pairs) for match in shown))

    def link(row: int, column: int) -> PairsLink:
        match = shown[row]
        return PairsLink.of_rows(f"{match.first.title} and {match.second.title} differ", match.flips)

    return Table(
        "comparison",
        "Comparison of scores at their chosen, natural or best thresholds",
        (
            *("corpus", "first", "second", "pairs", "accuracy 1", "accuracy 2", CONSTANT, "difference", "bootstrap p"),
            *("McNemar p", "exact p", "Holm p", "kappa", *(("human r difference", "human p") if with_human else ())),
        ),
        tuple(
            (match.corpus, match.first.title, match.second.title, *_cells(match.comparison, p, with_human))
            for match, p in zip(shown, _correct_p(shown), strict=True)
        ),
        " ".join(filter(None, [*notes, _HOLM, _describe_learnt(run), _least_p([match.comparison for match in shown])])),
        link=link,
        bars=("accuracy 1", "accuracy 2"),
    )


def shared_table(run: Run[ComparisonsOptions, ComparisonsResult]) -> Table:
    """Return, by corpus, the pairs that all scores get wrong and the proportion that at least one gets right."""
    by_corpus = run.result.together
    shown = [(part, verdicts) for part, verdicts in by_corpus.items() if verdicts.errors.pairs]
    names = next(iter(by_corpus.values())).names

    def link(row: int, column: int) -> Link | None:
        return shown[row][1].link_errors(SHARED[column - 1]) if column else None

    return Table(
        "shared-errors",
        f"Errors shared by {', '.join(map(run.material.title, names))}",
        ("corpus", *SHARED),
        tuple((part, *shared_cells(verdicts.errors)) for part, verdicts in shown),
        SHARED_NOTE,
        scores=names,
        link=link,
    )


_HOLM = "Holm p: exact p, corrected for the number of comparisons on the corpus. The other p are not corrected."


def _correct_p(matches: Sequence[ScorePair]) -> list[float]:
    """Return the exact p of McNemar's test of every two scores, corrected for their number (Holm)."""
    exact = [match.comparison.mcnemar.exact if match.comparison.pairs else nan for match in matches]
    corrected = list(exact)
    for corpus in dict.fromkeys(match.corpus for match in matches):
        places = [place for place, match in enumerate(matches) if match.corpus == corpus]
        for place, p in zip(places, holm([exact[place] for place in places]), strict=True):
            corrected[place] = p
    return corrected


def _describe_learnt(run: Run[ComparisonsOptions, ComparisonsResult]) -> str:
    """Return a sentence on the scores whose thresholds were learnt on the compared pairs; "" if there are none."""
    material = run.material
    learnt = [column.title for column in material.score_columns if is_learnt(material, column)]
    if not learnt or len(learnt) == len(material.score_columns):
        return f"All thresholds were {LEARNT}." if learnt else ""
    return (
        f"{name_some(learnt)}: thresholds {LEARNT}, which raises accuracy (by 0.03 with 100 pairs, 0.015 with 400) "
        "compared with a score with a natural threshold."
    )


def _cells(comparison: ScoreComparison, corrected: float, with_human: bool) -> tuple[Cell, ...]:
    against = (comparison.pearson, comparison.pearson_p_value) if comparison.human else (None, None)
    return (
        *(comparison.pairs, comparison.first_accuracy, comparison.second_accuracy, comparison.constant),
        *(comparison.difference, comparison.p_value),
        *((comparison.mcnemar.p_value, comparison.mcnemar.exact, corrected) if comparison.pairs else (None,) * 3),
        comparison.kappa,
        *(against if with_human else ()),
    )


def _least_p(comparisons: Sequence[ScoreComparison]) -> str:
    """Return a note on the smallest p that the resamples can give, if some p-value equals it."""
    for comparison in comparisons:
        p_values = (comparison.p_value, comparison.pearson_p_value)
        if comparison.draws and any(p <= comparison.least_p for p in p_values):  # this is false for NaN
            which = "bootstrap p, human p" if comparison.human else "bootstrap p"
            return f"{which}: {comparison.least_p:.2g} is the smallest p that {comparison.draws:,} resamples can give."
    return ""
