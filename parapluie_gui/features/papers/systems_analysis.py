"""Systems compared by human scores and by scores, and the agreement of the two (PEM, tables 1 and 3, figure 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.base import PAIRS, SCORES, Analysis, AnalysisRemark, AnalysisRequirement, Block, Run
from parapluie_gui.analysis.evaluations.claims import turn_nearer
from parapluie_gui.analysis.figure import Chart, CurveLine
from parapluie_gui.analysis.finding import FindingCandidate, compose_finding, count_pairs
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.options import part, score
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.arrays import Mask, Scores
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.papers.systems import MOST_SYSTEMS, SYSTEM, SystemEvaluation, SystemMean, evaluate_systems
from parapluie_gui.options import choice
from parapluie_gui.pairs.column import TextColumn

_GROUP = "group"

#: The choice of using no column of systems.
NONE = "none"


def _columns(material: AnalysisMaterial) -> list[str]:
    """Return the columns that may name systems, texts before numbers."""
    own = {name: column for name, column in material.corpus.extra.items() if name not in material.names}
    texts = [name for name, column in own.items() if isinstance(column, TextColumn) or name == SYSTEM]
    texts += [] if material.corpus.group is None else [_GROUP]
    return [*texts, *(name for name in own if name not in texts)]


_PEOPLE_OR_SYSTEMS = AnalysisRequirement(
    lambda material: material.has_human_scores or bool(_columns(material)),
    "These pairs have neither human scores nor a column of systems. Open a corpus with human scores or a column "
    "“system”, or a WMT folder (choose its file in “sources”).",
    "files.open",
    "These pairs have neither systems nor human scores. Name the column of one of them (--system, --human).",
)


@dataclass(frozen=True)
class SystemsOptions:
    """Options of the analysis: the column of systems, the plotted score, and the corpus."""

    system: str = choice(
        "S&ystem",
        lambda material: {NONE: "none", **{name: name for name in _columns(material)}},
        "the column that names the system that wrote the hypothesis (default: system; none: no column)",
        usual=lambda material: SYSTEM if SYSTEM in material.corpus.extra else NONE,
        metavar="COL",
    )
    plotted: str = score("&Plotted score", "the score by which the systems are plotted", only_shown=True)
    part: str = part()


class SystemsAnalysis(Analysis[SystemsOptions, SystemEvaluation]):
    """Shows PEM's tables 1 and 3 and figure 5, and WMT24's measures; clicking a system selects its pairs."""

    name = "systems"
    title = "Systems"
    group = "People"
    about = (
        "Systems that write paraphrases, compared by human scores and by other scores (PEM, tables 1 and 3; WMT 2024)"
    )
    manual = "systems"
    needs = (SCORES, PAIRS, _PEOPLE_OR_SYSTEMS)
    options = SystemsOptions
    in_report = False
    in_analyse = False

    def compute(self, material: AnalysisMaterial, options: SystemsOptions, tick: Tick) -> SystemEvaluation:
        cells = _cells(material, options.system)
        distinct = len({cell for cell in cells or () if cell is not None})
        if distinct > MOST_SYSTEMS:
            what = f'The column "{options.system}" has {distinct:,} values'
            raise ParapluieError(f"{what}, but at most {MOST_SYSTEMS} systems can be compared. Choose another column.")
        return evaluate_systems(
            options.part,
            material.score_columns,
            material.corpus.source,
            material.corpus.human,
            cells,
            column=options.system,
            where=material.parts[options.part],
            draws=material.draws,
            seed=material.seed,
            tick=tick,
        )

    def finding(self, run: Run[SystemsOptions, SystemEvaluation]) -> str:
        plotted = run.options.plotted
        systems = [system for system in run.result.systems if plotted in system.means]
        if len(systems) < 2:
            return ""
        values = _values_by_system(run)
        title = run.material.title(plotted)
        candidates = [_describe_system(system, values, plotted, title, len(systems)) for system in systems]

        def differs(first: FindingCandidate, second: FindingCandidate) -> float:
            return _one_sided(values[first.title], values[second.title])

        nothing = f"no system is clearly above or below the others by {title}"
        return compose_finding(candidates, nothing, "higher" if _is_higher(run) else "lower", differs, "system")

    def blocks(self, run: Run[SystemsOptions, SystemEvaluation]) -> Sequence[Block]:
        evaluation = run.result
        lacking = _lacking(evaluation)
        shown = [system for system in evaluation.systems if "" in system.means and run.options.plotted in system.means]
        return (
            *([AnalysisRemark(lacking)] if lacking else []),
            *([_means_chart(run, shown)] if len(shown) > 1 else []),
            systems_table(run),
            agreement_table(evaluation),
            tabulate_within_sources(evaluation),
            tests_table(evaluation),
        )


def _is_higher(run: Run[SystemsOptions, SystemEvaluation]) -> bool:
    return run.material.score_column(run.options.plotted).higher_is_closer


def _values_by_system(run: Run[SystemsOptions, SystemEvaluation]) -> dict[str, Scores]:
    """Return the plotted scores of the compared pairs of each system, negated for distances."""
    material = run.material
    cells = _cells(material, run.options.system) or ()
    names = np.array([str(cell).strip() if cell is not None else "" for cell in cells], dtype=object)
    where, human = material.parts[run.options.part], material.corpus.human
    if human is not None and not np.isnan(human[where]).all():
        where = where & ~np.isnan(human)
    values = turn_nearer(material.score_column(run.options.plotted))
    where = where & ~np.isnan(values)
    return {system.system: values[where & (names == system.system)] for system in run.result.systems}


def _one_sided(first: Scores, second: Scores) -> float:
    """Return the one-sided p of the Mann-Whitney test for the first values being higher; NaN if undefined."""
    from scipy.stats import mannwhitneyu

    if min(len(first), len(second)) < 2:
        return nan
    return float(mannwhitneyu(first, second, alternative="greater").pvalue)


def _describe_system(
    system: SystemMean, values: Mapping[str, Scores], plotted: str, title: str, systems: int
) -> FindingCandidate:
    """Return the candidate finding for a system's scores against those of all other systems."""
    others = np.concatenate([values[name] for name in values if name != system.system])
    own = values[system.system]
    mean = f"mean {number(system.means[plotted].value)} over {count_pairs(len(own))}"
    words = f"is number {_place(system.ranks[plotted])} of {systems} systems by {title} ({mean})"
    return FindingCandidate(system.system, words, -system.ranks[plotted], _one_sided(own, others))


def _cells(material: AnalysisMaterial, name: str) -> Sequence[object] | None:
    if name == _GROUP and material.corpus.group is not None:
        return material.corpus.group
    return material.corpus.extra[name].cells() if name in material.corpus.extra else None


def _lacking(evaluation: SystemEvaluation) -> str:
    if not evaluation.systems:
        return "To compare systems, choose the column that names the system that wrote the hypothesis."
    if not evaluation.scores:
        return "These pairs have no human scores, so no score can be compared with people."
    return ""


def _pairs(run: Run[SystemsOptions, SystemEvaluation], system: str) -> PairsLink:
    cells, where = _cells(run.material, run.options.system) or (), run.material.parts[run.options.part]

    def mask(_: AnalysisMaterial) -> Mask:
        own = (cell is not None and str(cell).strip() == system for cell in cells)
        return np.asarray(np.fromiter(own, dtype=bool, count=len(cells)) & where)

    return PairsLink(system, mask)


def _means_chart(run: Run[SystemsOptions, SystemEvaluation], shown: Sequence[SystemMean]) -> Chart:
    evaluation, name = run.result, run.options.plotted
    title = run.material.title(name)
    human, own = (np.array([entry.means[key].value for entry in shown]) for key in ("", name))
    level = next((entry.systems.pearson.value for entry in evaluation.scores if entry.name == name), nan)

    def tip(point: int) -> str:
        system = shown[point]
        means = f"{number(system.means[''].value)} by people, {number(system.means[name].value)} by {title}"
        return f"{system.system}: {means}\nclick to select its {system.pairs:,} pairs"

    def link(point: int) -> PairsLink:
        return _pairs(run, shown[point].system)

    points = CurveLine("", human, own, 0, dots=True, joined=False, tip=tip, link=link)
    words = f"Systems by people and by {title}: Pearson {number(level)}"
    return Chart("system-means", words, (points,), "mean human score", "mean score", scores=(name,))


_RATED = "All means are computed over the pairs that have a human score."
_BRACKETS = "In brackets: 95 % bootstrap intervals over sources."


def systems_table(run: Run[SystemsOptions, SystemEvaluation]) -> Table:
    """Return a table of each system's mean and rank by human scores and by each score (PEM, figure 5)."""
    evaluation = run.result
    names = [name for name in evaluation.systems[0].means if name] if evaluation.systems else []
    human = bool(evaluation.systems) and "" in evaluation.systems[0].means
    columns = ["", *names] if human else names
    header = [word for name in columns for word in (evaluation.titles.get(name, "human"), "place")]
    rows: list[tuple[Cell, ...]] = [
        (
            system.system,
            system.pairs,
            *(cell for name in columns for cell in (system.means[name], _place(system.ranks[name]))),
        )
        for system in evaluation.systems
    ]
    return Table(
        "systems",
        f"Systems of {evaluation.corpus}, by the column {evaluation.column}: means over sources, and ranks",
        ("system", "pairs", *header),
        tuple(rows),
        " ".join(filter(None, [human * _RATED, bool(evaluation.draws) * _BRACKETS])),
        link=lambda row, column: _pairs(run, evaluation.systems[row].system),
    )


def agreement_table(evaluation: SystemEvaluation) -> Table:
    """Return a table of how well each score agrees with people over pairs and over systems (PEM, tables 1 and 3)."""
    several = len(evaluation.systems) > 1
    counts = [agreement.sentences.pairs for agreement in evaluation.scores] or [0]
    more = ("Pearson, systems", "SPA", "cluster", "pairwise accuracy", "Spearman, systems", "Kendall, systems")
    rows: list[tuple[Cell, ...]] = []
    for agreement in evaluation.scores:
        over = agreement.systems
        first: tuple[Cell, ...] = (over.pearson, agreement.soft, agreement.rank_soft or None, agreement.pairwise)
        levels = (*first, over.spearman.value, over.kendall.value)
        overall = agreement.title, agreement.sentences.pairs, agreement.sentences.pearson, agreement.sentences.spearman
        rows.append((*overall, *(levels if several else ())))
    return Table(
        "system-agreement",
        f"Agreement with the human scores of {evaluation.corpus}"
        + (f", {len(evaluation.systems)} systems" if several else ""),
        ("score", "pairs", "Pearson", "Spearman", *(more if several else ())),
        tuple(rows),
        " ".join(
            filter(
                None,
                (
                    "Distances are negated.",
                    several * "SPA: soft pairwise accuracy (Thompson et al., WMT 2024).",
                    several * "Cluster: significance cluster by SPA; 1 is best.",
                    (min(counts) < max(counts))
                    * f"The rows count different pairs ({min(counts):,} to {max(counts):,}).",
                ),
            )
        ),
    )


def tabulate_within_sources(evaluation: SystemEvaluation) -> Table:
    """Return a table of how often each score orders two hypotheses of one source as people do (acc_eq)."""
    rows: list[tuple[Cell, ...]] = []
    for agreement in evaluation.scores:
        own = agreement.within
        if own.pairs:
            ties = 100 * own.human_ties
            rows.append(
                (
                    *(agreement.title, own.sources, own.pairs, ties),
                    *(own.accuracy, own.epsilon, own.plain),
                    agreement.rank_within or None,
                )
            )
    return Table(
        "within-source",
        f"Pairs of hypotheses of one source, {evaluation.corpus}: ordered or tied as people do",
        ("score", "sources", "pairs", "% tied by people", "acc_eq", "ε", "with ε = 0", "cluster"),
        tuple(rows),
        "acc_eq: within-source pairwise accuracy with tie calibration (Deutsch et al., EMNLP 2023); scores up to ε "
        "apart are tied, and ε is the best value for these pairs. Cluster: significance cluster; 1 is best.",
    )


def tests_table(evaluation: SystemEvaluation) -> Table:
    """Return a table of the tests of every pair of scores."""
    several = len(evaluation.systems) > 1
    rows: list[tuple[Cell, ...]] = [
        (
            *(evaluation.titles[test.first], evaluation.titles[test.second], test.sentences, test.sentences_p),
            *((test.soft, test.soft_p) if several else ()),
            *(test.within, test.within_p),
        )
        for test in evaluation.tests
        if not all(map(isnan, (test.sentences, test.within)))
    ]
    more = ("SPA difference", "p") if several else ()
    return Table(
        "system-tests",
        "Which of two scores agrees better with people",
        ("first", "second", "Pearson difference", "p", *more, "acc_eq difference", "p"),
        tuple(rows),
        f"One-sided p for the better score, {evaluation.draws:,} permutations: PERM-BOTH (Deutsch et al., TACL 2021); "
        "for acc_eq, the two scores' results for a pair of hypotheses are swapped."
        if evaluation.draws
        else "",
    )


def _place(rank: float) -> Cell:
    """Format a rank, as a whole number unless systems share it."""
    return int(rank) if rank.is_integer() else rank
