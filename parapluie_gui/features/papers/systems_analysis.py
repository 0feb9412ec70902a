"""Who writes the better paraphrases, by people and by scores, and which score tells it (PEM, tables 1, 3, figure 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.base import PAIRS, SCORES, Analysis, Block, Need, Remark, Run
from parapluie_gui.analysis.figure import Chart, Line
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.options import part, score
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.arrays import Mask
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.papers.systems import MOST_SYSTEMS, SYSTEM, SystemEvaluation, SystemMean, evaluate
from parapluie_gui.options import choice
from parapluie_gui.pairs.column import TextColumn

_GROUP = "group"

#: No column names systems.
NONE = "none"


def _columns(material: Material) -> list[str]:
    """Return the columns that may name systems, texts before numbers."""
    own = {name: column for name, column in material.corpus.extra.items() if name not in material.names}
    texts = [name for name, column in own.items() if isinstance(column, TextColumn) or name == SYSTEM]
    texts += [] if material.corpus.group is None else [_GROUP]
    return [*texts, *(name for name in own if name not in texts)]


_PEOPLE_OR_SYSTEMS = Need(
    lambda material: material.judged or bool(_columns(material)),
    "These pairs have neither human scores nor a column that says who wrote the hypothesis. Open a corpus with a "
    "column “system”, with human scores, or a folder of WMT (choose its file in “sources”).",
    "files.open",
    "These pairs have neither systems nor human scores. Name a column of one or the other (--system, --human).",
)


@dataclass(frozen=True)
class Options:
    """Who wrote what, and what is plotted."""

    system: str = choice(
        "S&ystem",
        lambda material: {NONE: "none", **{name: name for name in _columns(material)}},
        "the column that says who or what wrote the hypothesis (default: system; none: no column)",
        usual=lambda material: SYSTEM if SYSTEM in material.corpus.extra else NONE,
        metavar="COL",
    )
    plotted: str = score("&Plotted score", "the score that the systems are plotted by", only_shown=True)
    part: str = part()


class Systems(Analysis[Options, SystemEvaluation]):
    """PEM's tables 1 and 3 and figure 5, and WMT24's measures; a system clicked selects its pairs."""

    name = "systems"
    title = "Systems"
    group = "People"
    about = "Writers of paraphrases compared, by people and by scores (PEM, tables 1 and 3; WMT 2024)"
    manual = "systems"
    needs = (SCORES, PAIRS, _PEOPLE_OR_SYSTEMS)
    options = Options
    in_report = False
    in_analyse = False

    def compute(self, material: Material, options: Options, tick: Tick) -> SystemEvaluation:
        cells = _cells(material, options.system)
        distinct = len({cell for cell in cells or () if cell is not None})
        if distinct > MOST_SYSTEMS:
            what = f'The column "{options.system}" has {distinct:,} values'
            raise ParapluieError(f"{what}; {MOST_SYSTEMS} systems are compared at most. Choose another.")
        return evaluate(
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

    def finding(self, run: Run[Options, SystemEvaluation]) -> str:
        plotted = run.options.plotted
        places = {each.system: each.ranks[plotted] for each in run.result.systems if plotted in each.ranks}
        if len(places) < 2:
            return ""
        first = min(places, key=places.__getitem__)
        return f"{first} is first of {len(places)} systems by {run.material.title(plotted)}."

    def blocks(self, run: Run[Options, SystemEvaluation]) -> Sequence[Block]:
        found = run.result
        lacking = _lacking(found)
        shown = [each for each in found.systems if "" in each.means and run.options.plotted in each.means]
        return (
            *([Remark(lacking)] if lacking else []),
            *([_means_chart(run, shown)] if len(shown) > 1 else []),
            systems_table(run),
            agreement_table(found),
            within_table(found),
            tests_table(found),
        )


def _cells(material: Material, name: str) -> Sequence[object] | None:
    if name == _GROUP and material.corpus.group is not None:
        return material.corpus.group
    return material.corpus.extra[name].cells() if name in material.corpus.extra else None


def _lacking(found: SystemEvaluation) -> str:
    if not found.systems:
        return "Choose the column that says who wrote the hypothesis to compare its writers."
    if not found.scores:
        return "These pairs have no human scores, so no score can be compared with people."
    return ""


def _pairs(run: Run[Options, SystemEvaluation], system: str) -> PairsLink:
    cells, where = _cells(run.material, run.options.system) or (), run.material.parts[run.options.part]

    def mask(_: Material) -> Mask:
        own = (cell is not None and str(cell).strip() == system for cell in cells)
        return np.asarray(np.fromiter(own, dtype=bool, count=len(cells)) & where)

    return PairsLink(system, mask)


def _means_chart(run: Run[Options, SystemEvaluation], shown: Sequence[SystemMean]) -> Chart:
    found, name = run.result, run.options.plotted
    title = run.material.title(name)
    human, own = (np.array([each.means[key].value for each in shown]) for key in ("", name))
    level = next((each.systems.pearson.value for each in found.scores if each.name == name), nan)

    def tip(point: int) -> str:
        each = shown[point]
        means = f"{number(each.means[''].value)} by people, {number(each.means[name].value)} by {title}"
        return f"{each.system}: {means}\nclick to select its {each.pairs:,} pairs"

    def link(point: int) -> PairsLink:
        return _pairs(run, shown[point].system)

    points = Line("", human, own, 0, dots=True, joined=False, tip=tip, link=link)
    words = f"Systems by people and by {title}: Pearson {number(level)}"
    return Chart("system-means", words, (points,), "mean human score", "mean score", scores=(name,))


def systems_table(run: Run[Options, SystemEvaluation]) -> Table:
    """Return each system's mean and place, by people and by each score (PEM, figure 5)."""
    found = run.result
    names = [name for name in found.systems[0].means if name] if found.systems else []
    human = bool(found.systems) and "" in found.systems[0].means
    columns = ["", *names] if human else names
    header = [word for name in columns for word in (found.titles.get(name, "human"), "place")]
    rows: list[tuple[Cell, ...]] = [
        (each.system, each.pairs, *(cell for name in columns for cell in (each.means[name], _place(each.ranks[name]))))
        for each in found.systems
    ]
    return Table(
        "systems",
        f"Systems of {found.corpus}, by the column {found.column}: means over sources, and places",
        ("system", "pairs", *header),
        tuple(rows),
        "In brackets: 95 % bootstrap intervals over sources." if found.draws else "",
        link=lambda row, column: _pairs(run, found.systems[row].system),
    )


def agreement_table(found: SystemEvaluation) -> Table:
    """Return how well each score agrees with people over pairs and over systems (PEM, tables 1 and 3)."""
    several = len(found.systems) > 1
    more = ("Pearson, systems", "SPA", "cluster", "pairwise accuracy", "Spearman, systems", "Kendall, systems")
    rows: list[tuple[Cell, ...]] = []
    for each in found.scores:
        over = each.systems
        first: tuple[Cell, ...] = (over.pearson, each.soft, each.rank_soft or None, each.pairwise)
        levels = (*first, over.spearman.value, over.kendall.value)
        overall = each.title, each.sentences.pairs, each.sentences.pearson, each.sentences.spearman
        rows.append((*overall, *(levels if several else ())))
    return Table(
        "system-agreement",
        f"Agreement with the human scores of {found.corpus}" + (f", {len(found.systems)} systems" if several else ""),
        ("score", "pairs", "Pearson", "Spearman", *(more if several else ())),
        tuple(rows),
        "Distances are negated. SPA: soft pairwise accuracy (Thompson et al., WMT 2024). Cluster: of significance by "
        "SPA, 1 the best."
        if several
        else "Distances are negated.",
    )


def within_table(found: SystemEvaluation) -> Table:
    """Return how often each score orders two hypotheses of one source as people do."""
    rows: list[tuple[Cell, ...]] = []
    for each in found.scores:
        own = each.within
        if own.pairs:
            ties = 100 * own.human_ties
            rows.append(
                (
                    *(each.title, own.sources, own.pairs, ties),
                    *(own.accuracy, own.epsilon, own.plain),
                    each.rank_within or None,
                )
            )
    return Table(
        "within-source",
        f"Two hypotheses of one source, {found.corpus}: ordered, or tied, as by people",
        ("score", "sources", "pairs", "% tied by people", "acc_eq", "ε", "with ε = 0", "cluster"),
        tuple(rows),
        "acc_eq: within-source pairwise accuracy with tie calibration (Deutsch et al., EMNLP 2023); scores up to ε "
        "apart are tied, and ε is the best one for these pairs. Cluster: of significance, 1 the best.",
    )


def tests_table(found: SystemEvaluation) -> Table:
    """Return the tests of every two scores."""
    several = len(found.systems) > 1
    rows: list[tuple[Cell, ...]] = [
        (
            *(found.titles[each.first], found.titles[each.second], each.sentences, each.sentences_p),
            *((each.soft, each.soft_p) if several else ()),
            *(each.within, each.within_p),
        )
        for each in found.tests
        if not all(map(isnan, (each.sentences, each.within)))
    ]
    more = ("SPA difference", "p") if several else ()
    return Table(
        "system-tests",
        "Which of two scores agrees better with people",
        ("first", "second", "Pearson difference", "p", *more, "acc_eq difference", "p"),
        tuple(rows),
        f"One-sided p of the better one, {found.draws:,} permutations: PERM-BOTH (Deutsch et al., TACL 2021), for "
        "acc_eq by swapping what the two say of a pair of hypotheses."
        if found.draws
        else "",
    )


def _place(rank: float) -> Cell:
    """Return a place as a whole number, unless systems share it."""
    return int(rank) if rank.is_integer() else rank
