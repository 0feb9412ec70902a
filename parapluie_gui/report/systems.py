"""The tables of the system level: systems by people and scores, agreement with people, tests of two scores."""

from __future__ import annotations

from math import isnan

from parapluie_gui.analysis.protocols.systems import SystemEvaluation
from parapluie_gui.analysis.table import Cell, Table


def system_grids(found: SystemEvaluation) -> list[Table]:
    """Return every table that has rows."""
    grids = [systems_grid(found), agreement_grid(found), within_grid(found), tests_grid(found)]
    return [grid for grid in grids if len(grid)]


def systems_grid(found: SystemEvaluation) -> Table:
    """Return each system's mean and place, by people and by each score (PEM, figure 5)."""
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
    )


def agreement_grid(found: SystemEvaluation) -> Table:
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


def within_grid(found: SystemEvaluation) -> Table:
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


def tests_grid(found: SystemEvaluation) -> Table:
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
