"""The analysis "Two meanings": does a far paraphrase score above a near trap? No threshold is needed.

A family has five sentences. a1, a2 (near a1) and a3 (far from a1) have one meaning; b1 (near a1) and b2 (far from a1)
have the other meaning. Near sentences share most of their words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.base import PAIRS, SCORES, Analysis, AnalysisRequirement, Block, Run
from parapluie_gui.analysis.figure import HeatMap, HeatMapHeading
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import ScoreColumn, Tick, divide_tick
from parapluie_gui.analysis.statistics.buckets import estimate_share
from parapluie_gui.analysis.statistics.correlation import Estimate, ranks
from parapluie_gui.analysis.table import Cell, Table
from parapluie_gui.arrays import Floats, Mask, Rows
from parapluie_gui.pairs.pool import ORIGIN

#: The columns with the two sentences of a pair (a1-b1), and with the change between the two meanings.
RELATION, CHANGE = "relation", "change"

#: The pairs of a family; those with the same meaning come first.
SAME = ("a1-a2", "a1-a3", "a2-a3", "b1-b2")
RELATIONS = (*SAME, "a1-b1", "a1-b2", "a2-b1", "a2-b2", "a3-b1", "a3-b2")
FAR_PARAPHRASE, NEAR_TRAP = RELATIONS.index("a1-a3"), RELATIONS.index("a1-b1")

#: The cells of the table by meaning and nearness, with their pairs. b2 often shares the words of a3.
CELLS = (
    ("same meaning", "near", ("a1-a2",)),
    ("same meaning", "far", ("a1-a3", "a2-a3", "b1-b2")),
    ("another meaning", "near", ("a1-b1", "a2-b1")),
    ("another meaning", "near, both far from a1", ("a3-b2",)),
    ("another meaning", "far", ("a1-b2", "a2-b2", "a3-b1")),
)

#: The title of the row for families of all kinds together.
ALL = "all families"

#: Number of resamples between two calls of `tick`.
_BLOCK = 50


def _has_families(material: AnalysisMaterial) -> bool:
    column = material.corpus.extra.get(RELATION)
    if column is None or material.corpus.group is None:
        return False
    relations = set(column.cells())
    return RELATIONS[FAR_PARAPHRASE] in relations and RELATIONS[NEAR_TRAP] in relations


FAMILIES = AnalysisRequirement(
    _has_families,
    "These pairs are not families with two meanings: the column “relation” (a1-a3, a1-b1) or the groups are missing. "
    "Choose File, Open Two meanings.",
    "meanings.open",
    'These pairs are not families with two meanings: the column "relation" (a1-a3, a1-b1) or the groups are missing. '
    "Choose `meanings` as the corpus.",
)


@dataclass(frozen=True)
class TwoMeaningsOptions:
    """Options of the analysis: the part of the corpus."""

    part: str = part()


@dataclass(frozen=True, eq=False)
class MeaningFamilies:
    """The f families of some pairs.

    Attributes:
        names: (f,) Their names.
        changes: (f,) The kind of change between the two meanings; "" if unknown.
        rows: (f, 10) The row of each of `RELATIONS`; −1 if it is missing.
    """

    names: tuple[str, ...]
    changes: tuple[str, ...]
    rows: Rows

    @classmethod
    def from_pairs(cls, material: AnalysisMaterial, where: Mask) -> MeaningFamilies:
        """Return the families of the pairs in `where`. Families in different pooled corpora are distinct."""
        corpus = material.corpus
        place = {relation: number for number, relation in enumerate(RELATIONS)}
        relations = corpus.extra[RELATION].cells()
        changes = corpus.extra[CHANGE].cells() if CHANGE in corpus.extra else None
        origins = corpus.extra[ORIGIN].cells() if ORIGIN in corpus.extra else None
        families: dict[tuple[str, str], list[int]] = {}
        kinds: dict[tuple[str, str], str] = {}
        for row in np.flatnonzero(where).tolist():
            group, relation = (corpus.group or ())[row], relations[row]
            if group is None or relation not in place:
                continue
            key = (group, "" if origins is None else str(origins[row]))
            families.setdefault(key, [-1] * len(RELATIONS))[place[str(relation)]] = row
            kinds.setdefault(key, "" if changes is None else str(changes[row] or ""))
        rows = np.array(list(families.values()), dtype=np.int64).reshape(-1, len(RELATIONS))
        return cls(tuple(group for group, _ in families), tuple(kinds.values()), rows)

    def scores(self, column: ScoreColumn) -> Floats:
        """Return the scores of all pairs, (f, 10), negated for distances; NaN for missing scores."""
        values = column.values if column.higher_is_closer else -column.values
        return np.where(self.rows < 0, nan, values[self.rows])

    def kinds(self) -> dict[str, Mask]:
        """Return a mask (f,) of the families with each kind of change, the most frequent kind first."""
        names = sorted(set(self.changes) - {""}, key=lambda name: (-self.changes.count(name), name))
        changes = np.array(self.changes, dtype=object)
        return {name: np.asarray(changes == name, dtype=bool) for name in names}


@dataclass(frozen=True)
class FamilyShare:
    """A share of families with a 95 % Wilson interval.

    Attributes:
        families: The number of families counted.
        share: The share of these families.
    """

    families: int
    share: Estimate

    @classmethod
    def from_masks(cls, matching: Mask, counted: Mask) -> FamilyShare:
        """Return the share of matching families among the counted ones; both are masks (f,)."""
        total, matches = int(counted.sum()), int((matching & counted).sum())
        return cls(total, estimate_share(matches, total))


@dataclass(frozen=True, eq=False)
class FamilyOutcome:
    """The results of one score on families.

    Attributes:
        scored: (f,) Whether the far paraphrase and the near trap have scores.
        above: (f,) Whether the far paraphrase scores above the near trap.
        complete: (f,) Whether all ten pairs have scores.
        in_order: (f,) Whether every pair with the same meaning scores above every pair with different meanings.
        auc: The area under the ROC curve over all pairs, with an interval by resampling families.
        standings: For each of `CELLS` the mean share of all pairs that score lower, with intervals like `auc`.
        auc_of: The area for each kind of change.
    """

    scored: Mask
    above: Mask
    complete: Mask
    in_order: Mask
    auc: Estimate
    standings: tuple[Estimate, ...]
    auc_of: dict[str, float]

    @property
    def trap(self) -> FamilyShare:
        """The trap rate: the share of families in which the far paraphrase scores above the near trap."""
        return FamilyShare.from_masks(self.above, self.scored)

    @property
    def order(self) -> FamilyShare:
        """The share of complete families in order."""
        return FamilyShare.from_masks(self.in_order, self.complete)


@dataclass(frozen=True, eq=False)
class FamiliesResult:
    """The families, and the results of each score on them."""

    families: MeaningFamilies
    scores: dict[str, FamilyOutcome]


class TwoMeanings(Analysis[TwoMeaningsOptions, FamiliesResult]):
    """The analysis of families. Clicking a share selects failing families; clicking a rank selects its pairs."""

    name = "families"
    title = "Two meanings"
    group = "Errors"
    about = (
        "Shows whether far paraphrases score above near traps in families of sentences with two meanings. No threshold "
        "is needed"
    )
    manual = "meanings"
    needs = (FAMILIES, SCORES, PAIRS)
    options = TwoMeaningsOptions

    def compute(self, material: AnalysisMaterial, options: TwoMeaningsOptions, tick: Tick) -> FamiliesResult:
        families = MeaningFamilies.from_pairs(material, material.parts[options.part])
        scores = {}
        for done, column in enumerate(material.score_columns):
            step = divide_tick(tick, done, len(material.score_columns))
            step(0, 1)
            values = families.scores(column)
            scores[column.name] = evaluate_families(families, values, material.draws, material.seed, step)
        return FamiliesResult(families, scores)

    def blocks(self, run: Run[TwoMeaningsOptions, FamiliesResult]) -> Sequence[Block]:
        return _rates_table(run), trap_map(run), standings_map(run), _standings_table(run), *_kind_tables(run)

    def details(self, run: Run[TwoMeaningsOptions, FamiliesResult]) -> dict[str, object]:
        names = run.result.families.names

        def chosen_names(chosen: Mask) -> list[str]:
            return [name for name, is_chosen in zip(names, chosen.tolist(), strict=True) if is_chosen]

        return {
            "families": {
                name: {
                    "above_the_trap": chosen_names(outcome.above & outcome.scored),
                    "in_order": chosen_names(outcome.in_order),
                }
                for name, outcome in run.result.scores.items()
            }
        }


def evaluate_families(families: MeaningFamilies, scores: Floats, draws: int, seed: int, tick: Tick) -> FamilyOutcome:
    """Return the results of one score on families.

    Args:
        families: f families.
        scores: (f, 10) The scores of their pairs, higher is closer; NaN for missing scores.
        draws: The number of resamples of families for the intervals.
        seed: The seed of the resamples.
        tick: Called with the resamples done and their total.
    """
    same = len(SAME)
    known = ~np.isnan(scores)
    lowest = np.where(known[:, :same], scores[:, :same], np.inf).min(axis=1, initial=np.inf)
    highest = np.where(known[:, same:], scores[:, same:], -np.inf).max(axis=1, initial=-np.inf)
    complete = np.asarray(known.all(axis=1))
    above = np.asarray(scores[:, FAR_PARAPHRASE] > scores[:, NEAR_TRAP])
    calculator = _AucCalculator(scores)
    standing = np.full(scores.shape, nan)
    standing[known] = (ranks(scores[known]) - 0.5) / max(int(known.sum()), 1)
    unweighted = np.ones((1, len(scores)))
    values = [calculator.area(unweighted[0]), *_cell_means(standing, unweighted)[0]]
    resampled = np.empty((draws, len(values)))
    random = np.random.default_rng(seed)
    for begin in range(0, draws if len(scores) else 0, _BLOCK):
        tick(begin, draws)
        block = resampled[begin : begin + _BLOCK]
        counts = random.multinomial(len(scores), [1 / len(scores)] * len(scores), size=len(block)).astype(np.float64)
        block[:, 0] = [calculator.area(weights) for weights in counts]
        block[:, 1:] = _cell_means(standing, counts)
    estimates = [_estimate(value, resampled[:, place]) for place, value in enumerate(values)]
    return FamilyOutcome(
        scored=known[:, FAR_PARAPHRASE] & known[:, NEAR_TRAP],
        above=above,
        complete=complete,
        in_order=complete & (lowest > highest),
        auc=estimates[0],
        standings=tuple(estimates[1:]),
        auc_of={name: calculator.area(own.astype(np.float64)) for name, own in families.kinds().items()},
    )


class _AucCalculator:
    """Computes areas under the ROC curve of weighted families; equal scores count half."""

    def __init__(self, scores: Floats) -> None:
        family, relation = np.nonzero(~np.isnan(scores))
        self._distinct, place = np.unique(scores[family, relation], return_inverse=True)
        self._family, self._place, self._same = family, place, relation < len(SAME)

    def area(self, counts: Floats) -> float:
        """Return the area for families with these weights, (f,); NaN without pairs of both kinds."""
        weights, size = counts[self._family], len(self._distinct)
        same = np.bincount(self._place, weights * self._same, size)
        other = np.bincount(self._place, weights * ~self._same, size)
        both = same.sum() * other.sum()
        return float((same * (np.cumsum(other) - other / 2)).sum() / both) if both else nan


def _cell_means(standing: Floats, counts: Floats) -> Floats:
    """Return the mean standing in each cell, (k, cells), for families with the weights (k, f)."""
    means = np.full((len(counts), len(CELLS)), nan)
    for cell, (_, _, relations) in enumerate(CELLS):
        in_cell = standing[:, [RELATIONS.index(relation) for relation in relations]]
        total, number = counts @ np.nansum(in_cell, axis=1), counts @ (~np.isnan(in_cell)).sum(axis=1)
        np.divide(total, number, out=means[:, cell], where=number > 0)
    return means


def _estimate(value: float, resampled: Floats) -> Estimate:
    resampled = resampled[~np.isnan(resampled)]
    if not len(resampled) or np.isnan(value):
        return Estimate(value)
    low, high = np.percentile(resampled, [2.5, 97.5])
    return Estimate(value, float(low), float(high))


def _rates_table(run: Run[TwoMeaningsOptions, FamiliesResult]) -> Table:
    names = list(run.result.scores)
    rows: list[tuple[Cell, ...]] = []
    for name, outcome in run.result.scores.items():
        trap = outcome.trap
        rows.append((run.material.title(name), trap.families, trap.share, outcome.order.share, outcome.auc))
    return Table(
        "families",
        "Two meanings: does a far paraphrase score above a near trap?",
        ("score", "families", "trap rate", "in order", "AUC"),
        tuple(rows),
        "Trap rate: share of the families in which the far paraphrase (a1-a3) scores above the near trap (a1-b1). In "
        "order: share in which every pair with the same meaning scores above every pair with different meanings. In "
        "brackets: 95 % intervals, Wilson intervals for shares, by resampling families for the AUC. Random scores "
        "reach 0.5, 1/210 and 0.5. Click a share to select the families that fail.",
        link=lambda row, column: _failing_pairs(run, names[row], order=column == 3),
    )


def _kind_tables(run: Run[TwoMeaningsOptions, FamiliesResult]) -> tuple[Table, Table]:
    families, kinds = run.result.families, run.result.families.kinds()
    outcomes, names = run.result.scores.values(), list(run.result.scores)
    kind_names = list(kinds)

    def link(row: int, column: int) -> PairsLink | None:
        return _failing_pairs(run, names[column - 2], kind_names[row]) if column > 1 else None

    traps = [
        [FamilyShare.from_masks(outcome.above, outcome.scored & of_kind).share for outcome in outcomes]
        for of_kind in kinds.values()
    ]
    areas = [[outcome.auc_of[kind] for outcome in outcomes] for kind in kinds]
    counts = [families.changes.count(kind) for kind in kinds]

    def rows(numbers: Sequence[Sequence[Cell]]) -> tuple[tuple[Cell, ...], ...]:
        return tuple((kind, count, *cells) for kind, count, cells in zip(kinds, counts, numbers, strict=True))

    header = ("change", "families", *map(run.material.title, names))
    note = "In brackets: 95 % Wilson intervals over families. Click a share to select the families in the trap."
    return (
        Table("trap-by-change", "Trap rate by kind of change, with its interval", header, rows(traps), note, link=link),
        Table(
            "auc-by-change",
            "AUC by kind of change",
            header,
            rows(areas),
            "Each AUC is computed over all pairs of the families with that kind of change.",
        ),
    )


def _standings_table(run: Run[TwoMeaningsOptions, FamiliesResult]) -> Table:
    names = list(run.result.scores)
    cells = [(name, cell) for name in names for cell in range(len(CELLS))]
    return Table(
        "family-picture",
        "Ranks of pairs among all pairs, by meaning and nearness",
        ("score", "meaning", "nearness", "pairs of a family", "pairs that score lower"),
        tuple(
            (run.material.title(name), meaning, nearness, ", ".join(relations), standing)
            for name, outcome in run.result.scores.items()
            for (meaning, nearness, relations), standing in zip(CELLS, outcome.standings, strict=True)
        ),
        "The mean share of all pairs of the families that score lower (equal scores count half), with 95 % intervals "
        "by resampling families. A score that measures meaning has high shares only for the same meaning, near and "
        "far. Click a row to select its pairs.",
        link=lambda row, column: _cell_pairs(run, cells[row][1]),
    )


def trap_map(run: Run[TwoMeaningsOptions, FamiliesResult]) -> HeatMap:
    """Return a heat map of the trap rate by score and kind of change."""
    result, all_families = run.result, np.ones(len(run.result.families.names), dtype=bool)
    kinds = {ALL: all_families, **result.families.kinds()}
    shares, texts = dict[tuple[str, str], float](), dict[tuple[str, str], str]()
    for name, outcome in result.scores.items():
        for kind, of_kind in kinds.items():
            scored = int((outcome.scored & of_kind).sum())
            share = shares[name, kind] = FamilyShare.from_masks(outcome.above, outcome.scored & of_kind).share.value
            if 0 < scored < of_kind.sum():  # the heading of the row counts all families
                texts[name, kind] = f"{100 * share:.0f} % of {scored:,}"
    return HeatMap(
        "trap-rate",
        "Trap rate by kind of change",
        tuple(HeatMapHeading(name, run.material.title(name)) for name in result.scores),
        tuple(HeatMapHeading(kind, f"{kind} ({int(of_kind.sum()):,})") for kind, of_kind in kinds.items()),
        shares,
        texts,
        note="Share of families in which the far paraphrase scores above the near trap.",
        colour="good",
        link=lambda name, kind: _failing_pairs(run, name, kind),
    )


def standings_map(run: Run[TwoMeaningsOptions, FamiliesResult]) -> HeatMap:
    """Return a heat map of the mean standing of pairs by score, meaning and nearness."""
    lines: list[HeatMapHeading | str] = []
    for cell, (meaning, nearness, _) in enumerate(CELLS):
        if meaning not in lines:
            lines.append(meaning)
        lines.append(HeatMapHeading(str(cell), nearness))
    return HeatMap(
        "near-and-far",
        "Near and far pairs with the same and with a different meaning",
        tuple(HeatMapHeading(name, run.material.title(name)) for name in run.result.scores),
        tuple(lines),
        {
            (name, str(cell)): standing.value
            for name, outcome in run.result.scores.items()
            for cell, standing in enumerate(outcome.standings)
        },
        note="Mean share of all pairs that score lower than a pair of this kind.",
        colour="paraphrase",
        link=lambda name, cell: _cell_pairs(run, int(cell)),
    )


def _failing_pairs(
    run: Run[TwoMeaningsOptions, FamiliesResult], name: str, kind: str = ALL, order: bool = False
) -> PairsLink:
    """Return a link to the far paraphrases and near traps ranked wrong, or to the families that are not in order."""
    outcome, families, score = run.result.scores[name], run.result.families, run.material.title(name)
    of_kind = np.ones(len(families.names), dtype=bool) if kind == ALL else families.kinds()[kind]
    if order:
        rows = families.rows[outcome.complete & ~outcome.in_order & of_kind]
        title = f"Families not in order by {score}"
    else:
        rows = families.rows[outcome.scored & ~outcome.above & of_kind][:, [FAR_PARAPHRASE, NEAR_TRAP]]
        title = f"{score} in the trap"
    return PairsLink.of_rows(title if kind == ALL else f"{title}: {kind}", rows[rows >= 0])


def _cell_pairs(run: Run[TwoMeaningsOptions, FamiliesResult], cell: int) -> PairsLink:
    meaning, nearness, relations = CELLS[cell]
    rows = run.result.families.rows[:, [RELATIONS.index(relation) for relation in relations]]
    return PairsLink.of_rows(f"{meaning}, {nearness}", rows[rows >= 0])
