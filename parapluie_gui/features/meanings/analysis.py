"""Families of two meanings: does a far paraphrase score above a near trap? No threshold is needed.

A family is five sentences: a1, a2 (near a1) and a3 (far from it) say one thing, b1 (near a1) and b2 (far) another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.base import PAIRS, SCORES, Analysis, Block, Need, Run
from parapluie_gui.analysis.figure import Heading, HeatMap
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.buckets import wilson
from parapluie_gui.analysis.statistics.correlation import Estimate, ranks
from parapluie_gui.analysis.table import Cell, Table
from parapluie_gui.arrays import Floats, Mask, Rows
from parapluie_gui.pairs.pool import ORIGIN

#: The columns that say which sentences of a family a pair has, and what turns one meaning into the other.
RELATION, CHANGE = "relation", "change"

#: The pairs of a family: first those of one meaning.
SAME = ("a1-a2", "a1-a3", "a2-a3", "b1-b2")
RELATIONS = (*SAME, "a1-b1", "a1-b2", "a2-b1", "a2-b2", "a3-b1", "a3-b2")
FAR_PARAPHRASE, NEAR_TRAP = RELATIONS.index("a1-a3"), RELATIONS.index("a1-b1")

#: The picture: meaning, nearness, and the pairs that are so. b2 often has the words of a3.
PICTURE = (
    ("same meaning", "near", ("a1-a2",)),
    ("same meaning", "far", ("a1-a3", "a2-a3", "b1-b2")),
    ("another meaning", "near", ("a1-b1", "a2-b1")),
    ("another meaning", "near, both far from a1", ("a3-b2",)),
    ("another meaning", "far", ("a1-b2", "a2-b2", "a3-b1")),
)

#: What the families of all kinds together are called.
ALL = "all families"

#: Resamples between two calls of `tick`.
_BLOCK = 50


def _has_families(material: Material) -> bool:
    column = material.corpus.extra.get(RELATION)
    if column is None or material.corpus.group is None:
        return False
    relations = set(column.cells())
    return RELATIONS[FAR_PARAPHRASE] in relations and RELATIONS[NEAR_TRAP] in relations


FAMILIES = Need(
    _has_families,
    "These pairs are in no families of two meanings: a column “relation” (a1-a3, a1-b1) and a group are missing. Open "
    "Two meanings in the File menu.",
    "meanings.open",
    'These pairs are in no families of two meanings: a column "relation" (a1-a3, a1-b1) and a group are missing. '
    "Choose `meanings` as the corpus.",
)


@dataclass(frozen=True)
class Options:
    """Which families."""

    part: str = part()


@dataclass(frozen=True, eq=False)
class Families:
    """The families of some pairs.

    Attributes:
        names: (f,) of them.
        changes: (f,) What turns one meaning into the other; "" where it is not said.
        rows: (f, 10) The row of each of `RELATIONS`, −1 where it is missing.
    """

    names: tuple[str, ...]
    changes: tuple[str, ...]
    rows: Rows

    @classmethod
    def of(cls, material: Material, where: Mask) -> Families:
        """Find the families of these pairs; those of two pooled corpora are kept apart."""
        corpus = material.corpus
        place = {relation: number for number, relation in enumerate(RELATIONS)}
        relations = corpus.extra[RELATION].cells()
        changes = corpus.extra[CHANGE].cells() if CHANGE in corpus.extra else None
        origins = corpus.extra[ORIGIN].cells() if ORIGIN in corpus.extra else None
        found: dict[tuple[str, str], list[int]] = {}
        kinds: dict[tuple[str, str], str] = {}
        for row in np.flatnonzero(where).tolist():
            group, relation = (corpus.group or ())[row], relations[row]
            if group is None or relation not in place:
                continue
            key = (group, "" if origins is None else str(origins[row]))
            found.setdefault(key, [-1] * len(RELATIONS))[place[str(relation)]] = row
            kinds.setdefault(key, "" if changes is None else str(changes[row] or ""))
        rows = np.array(list(found.values()), dtype=np.int64).reshape(-1, len(RELATIONS))
        return cls(tuple(group for group, _ in found), tuple(kinds.values()), rows)

    def scores(self, column: ScoreColumn) -> Floats:
        """Return the scores of all pairs, (f, 10), the higher the closer; NaN where there is none."""
        values = column.values if column.higher_is_closer else -column.values
        return np.where(self.rows < 0, nan, values[self.rows])

    def kinds(self) -> dict[str, Mask]:
        """Return which families are of each kind of change, the most frequent first."""
        names = sorted(set(self.changes) - {""}, key=lambda name: (-self.changes.count(name), name))
        own = np.array(self.changes, dtype=object)
        return {name: np.asarray(own == name, dtype=bool) for name in names}


@dataclass(frozen=True)
class FamilyShare:
    """How many of some families are so, with Wilson's 95 % interval."""

    families: int
    share: Estimate

    @classmethod
    def of(cls, so: Mask, counted: Mask) -> FamilyShare:
        """Count the families, (f,), that are so among those that count."""
        number, some = int(counted.sum()), int((so & counted).sum())
        return cls(number, Estimate(some / number, *wilson(some, number)) if number else Estimate())


@dataclass(frozen=True, eq=False)
class Judged:
    """What one score makes of families.

    Attributes:
        scored: (f,) Have the far paraphrase and the near trap a score?
        above: (f,) Is the far paraphrase above the near trap?
        complete: (f,) Have all ten pairs a score?
        in_order: (f,) Is every pair of one meaning above every pair of two?
        auc: Over all pairs: how often one of one meaning is above one of two. Interval by resampling families.
        picture: For each cell of `PICTURE` the mean share of the pairs that score lower; likewise.
        auc_of: The area by kind of change.
    """

    scored: Mask
    above: Mask
    complete: Mask
    in_order: Mask
    auc: Estimate
    picture: tuple[Estimate, ...]
    auc_of: dict[str, float]

    @property
    def trap(self) -> FamilyShare:
        """The trap rate: of how many families the far paraphrase is above the near trap."""
        return FamilyShare.of(self.above, self.scored)

    @property
    def order(self) -> FamilyShare:
        """How many families are wholly in order."""
        return FamilyShare.of(self.in_order, self.complete)


@dataclass(frozen=True, eq=False)
class FamiliesResult:
    """The families, and what each score makes of them."""

    families: Families
    scores: dict[str, Judged]


class TwoMeanings(Analysis[Options, FamiliesResult]):
    """A cell clicked selects the families that are not as they should be, or the pairs of a part of the picture."""

    name = "families"
    title = "Two meanings"
    group = "Errors"
    about = (
        "Whether a far paraphrase scores above a near trap, in families of sentences with two meanings; no threshold "
        "is needed"
    )
    manual = "meanings"
    needs = (FAMILIES, SCORES, PAIRS)
    options = Options

    def compute(self, material: Material, options: Options, tick: Tick) -> FamiliesResult:
        families = Families.of(material, material.parts[options.part])
        scores = {}
        for done, each in enumerate(material.score_columns):

            def step(part: int, total: int, before: int = done) -> None:
                tick(1000 * before + 1000 * part // max(total, 1), 1000 * len(material.score_columns))

            step(0, 1)
            scores[each.name] = judged(families, families.scores(each), material.draws, material.seed, step)
        return FamiliesResult(families, scores)

    def blocks(self, run: Run[Options, FamiliesResult]) -> Sequence[Block]:
        return _rates(run), trap_map(run), picture_map(run), _picture(run), *_kinds(run)

    def details(self, run: Run[Options, FamiliesResult]) -> dict[str, object]:
        names = run.result.families.names

        def listed(chosen: Mask) -> list[str]:
            return [name for name, so in zip(names, chosen.tolist(), strict=True) if so]

        return {
            "families": {
                name: {"above_the_trap": listed(each.above & each.scored), "in_order": listed(each.in_order)}
                for name, each in run.result.scores.items()
            }
        }


def judged(families: Families, scores: Floats, draws: int, seed: int, tick: Tick) -> Judged:
    """Return what the scores of families, (f, 10), make of them; the intervals resample the families."""
    same = len(SAME)
    known = ~np.isnan(scores)
    lowest = np.where(known[:, :same], scores[:, :same], np.inf).min(axis=1, initial=np.inf)
    highest = np.where(known[:, same:], scores[:, same:], -np.inf).max(axis=1, initial=-np.inf)
    complete = np.asarray(known.all(axis=1))
    above = np.asarray(scores[:, FAR_PARAPHRASE] > scores[:, NEAR_TRAP])
    area = _Area(scores)
    standing = np.full(scores.shape, nan)
    standing[known] = (ranks(scores[known]) - 0.5) / max(int(known.sum()), 1)
    once = np.ones((1, len(scores)))
    values = [area.of(once[0]), *_cells(standing, once)[0]]
    drawn = np.empty((draws, len(values)))
    random = np.random.default_rng(seed)
    for begin in range(0, draws if len(scores) else 0, _BLOCK):
        tick(begin, draws)
        block = drawn[begin : begin + _BLOCK]
        counts = random.multinomial(len(scores), [1 / len(scores)] * len(scores), size=len(block)).astype(np.float64)
        block[:, 0] = [area.of(each) for each in counts]
        block[:, 1:] = _cells(standing, counts)
    estimates = [_estimate(value, drawn[:, place]) for place, value in enumerate(values)]
    return Judged(
        known[:, FAR_PARAPHRASE] & known[:, NEAR_TRAP],
        above,
        complete,
        complete & (lowest > highest),
        estimates[0],
        tuple(estimates[1:]),
        {name: area.of(own.astype(np.float64)) for name, own in families.kinds().items()},
    )


class _Area:
    """The area under the ROC curve of families with these counts; equal scores count half."""

    def __init__(self, scores: Floats) -> None:
        family, relation = np.nonzero(~np.isnan(scores))
        self._distinct, place = np.unique(scores[family, relation], return_inverse=True)
        self._family, self._place, self._same = family, place, relation < len(SAME)

    def of(self, counts: Floats) -> float:
        """Return the area; NaN without pairs of both kinds."""
        weights, size = counts[self._family], len(self._distinct)
        same = np.bincount(self._place, weights * self._same, size)
        other = np.bincount(self._place, weights * ~self._same, size)
        both = same.sum() * other.sum()
        return float((same * (np.cumsum(other) - other / 2)).sum() / both) if both else nan


def _cells(standing: Floats, counts: Floats) -> Floats:
    """Return the mean of each cell of the picture, (k, cells), for families with these counts, (k, f)."""
    found = np.full((len(counts), len(PICTURE)), nan)
    for cell, (_, _, relations) in enumerate(PICTURE):
        own = standing[:, [RELATIONS.index(each) for each in relations]]
        total, number = counts @ np.nansum(own, axis=1), counts @ (~np.isnan(own)).sum(axis=1)
        np.divide(total, number, out=found[:, cell], where=number > 0)
    return found


def _estimate(value: float, drawn: Floats) -> Estimate:
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn) or np.isnan(value):
        return Estimate(value)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Estimate(value, float(low), float(high))


def _rates(run: Run[Options, FamiliesResult]) -> Table:
    names = list(run.result.scores)
    rows: list[tuple[Cell, ...]] = []
    for name, each in run.result.scores.items():
        rows.append((run.material.title(name), each.trap.families, each.trap.share, each.order.share, each.auc))
    return Table(
        "families",
        "Two meanings: does a far paraphrase score above a near trap?",
        ("score", "families", "trap rate", "in order", "AUC"),
        tuple(rows),
        "Trap rate: share of the families in which the far paraphrase (a1-a3) scores above the near trap (a1-b1). In "
        "order: share in which every pair of one meaning scores above every pair of two. In brackets: 95 % intervals, "
        "Wilson's over families, of the AUC by resampling families. A score drawn by chance has 0.5, 1/210 and 0.5. "
        "Click a share to select the families that are not "
        "so.",
        link=lambda row, column: _failing(run, names[row], order=column == 3),
    )


def _kinds(run: Run[Options, FamiliesResult]) -> tuple[Table, Table]:
    families, kinds = run.result.families, run.result.families.kinds()
    scores, names = run.result.scores.values(), list(run.result.scores)
    titles, titled = [run.material.title(name) for name in names], [*kinds]

    def failing(row: int, column: int) -> PairsLink | None:
        return _failing(run, names[column - 2], titled[row]) if column > 1 else None

    traps = [[FamilyShare.of(each.above, each.scored & own).share for each in scores] for own in kinds.values()]
    areas = [[each.auc_of[kind] for each in scores] for kind in kinds]
    counts = [families.changes.count(kind) for kind in kinds]

    def rows(found: Sequence[Sequence[Cell]]) -> tuple[tuple[Cell, ...], ...]:
        return tuple((kind, count, *cells) for kind, count, cells in zip(kinds, counts, found, strict=True))

    header = ("change", "families", *titles)
    note = "In brackets: Wilson's 95 % intervals over families. Click a share to select the families in the trap."
    return (
        Table(
            "trap-by-change", "Trap rate by kind of change, with its interval", header, rows(traps), note, link=failing
        ),
        Table(
            "auc-by-change", "AUC by kind of change", header, rows(areas), "Over all pairs of the families of a kind."
        ),
    )


def _picture(run: Run[Options, FamiliesResult]) -> Table:
    names = list(run.result.scores)
    cells = [(name, cell) for name in names for cell in range(len(PICTURE))]
    return Table(
        "family-picture",
        "Where pairs stand among all pairs, by meaning and nearness",
        ("score", "meaning", "nearness", "pairs of a family", "pairs that score lower"),
        tuple(
            (run.material.title(name), *PICTURE[cell][:2], ", ".join(PICTURE[cell][2]), judged.picture[cell])
            for name, judged in run.result.scores.items()
            for cell in range(len(PICTURE))
        ),
        "The mean share of all pairs of the families that score lower (equal ones half), with 95 % intervals by "
        "resampling families. A score of meaning has high shares for the same meaning only, near and far. Click a row "
        "to select its pairs.",
        link=lambda row, column: _of_cell(run, cells[row][1]),
    )


def trap_map(run: Run[Options, FamiliesResult]) -> HeatMap:
    """Return the trap rate by score and kind of change."""
    found, everyone = run.result, np.ones(len(run.result.families.names), dtype=bool)
    kinds = {ALL: everyone, **found.families.kinds()}
    shares, texts = dict[tuple[str, str], float](), dict[tuple[str, str], str]()
    for name, each in found.scores.items():
        for kind, own in kinds.items():
            scored = int((each.scored & own).sum())
            share = shares[name, kind] = FamilyShare.of(each.above, each.scored & own).share.value
            if 0 < scored < own.sum():  # the heading of the row counts all families
                texts[name, kind] = f"{100 * share:.0f} % of {scored:,}"
    return HeatMap(
        "trap-rate",
        "Trap rate by kind of change",
        tuple(Heading(name, run.material.title(name)) for name in found.scores),
        tuple(Heading(kind, f"{kind} ({int(own.sum()):,})") for kind, own in kinds.items()),
        shares,
        texts,
        note="Families: far paraphrase above near trap.",
        colour="good",
        link=lambda name, kind: _failing(run, name, kind),
    )


def picture_map(run: Run[Options, FamiliesResult]) -> HeatMap:
    """Return where the pairs of each cell of the picture stand among all pairs, by score."""
    lines: list[Heading | str] = []
    for cell, (meaning, nearness, _) in enumerate(PICTURE):
        if meaning not in lines:
            lines.append(meaning)
        lines.append(Heading(str(cell), nearness))
    return HeatMap(
        "near-and-far",
        "Near and far, same and another meaning",
        tuple(Heading(name, run.material.title(name)) for name in run.result.scores),
        tuple(lines),
        {
            (name, str(cell)): value.value
            for name, each in run.result.scores.items()
            for cell, value in enumerate(each.picture)
        },
        note="Mean share of all pairs that score lower.",
        colour="paraphrase",
        link=lambda name, cell: _of_cell(run, int(cell)),
    )


def _failing(run: Run[Options, FamiliesResult], name: str, kind: str = ALL, order: bool = False) -> PairsLink:
    """Return the pairs of the families that fall into the trap, or that are not in order."""
    each, families, title = run.result.scores[name], run.result.families, run.material.title(name)
    own = np.ones(len(families.names), dtype=bool) if kind == ALL else families.kinds()[kind]
    if order:
        rows = families.rows[each.complete & ~each.in_order & own]
        words = f"Families not in order by {title}"
    else:
        rows = families.rows[each.scored & ~each.above & own][:, [FAR_PARAPHRASE, NEAR_TRAP]]
        words = f"{title} in the trap"
    return PairsLink.of_rows(words if kind == ALL else f"{words}: {kind}", rows[rows >= 0])


def _of_cell(run: Run[Options, FamiliesResult], cell: int) -> PairsLink:
    meaning, nearness, relations = PICTURE[cell]
    rows = run.result.families.rows[:, [RELATIONS.index(each) for each in relations]]
    return PairsLink.of_rows(f"{meaning}, {nearness}", rows[rows >= 0])
