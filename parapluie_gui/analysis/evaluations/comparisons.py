"""Every two scores compared, and what all of them get wrong (PARAPHRASUS, section 6.3).

A score is at the chosen threshold, otherwise at its natural one or, without one, at the best on the corpus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from parapluie_gui.analysis.base import PAIRS, SCORES, TWO_SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.shared import SHARED, SHARED_NOTE, shared_cells
from parapluie_gui.analysis.link import Link, Pairs
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.comparison import Comparison, compare, flips_and_movers
from parapluie_gui.analysis.statistics.shared_errors import (
    SharedErrors,
    score_verdicts,
    shared_errors,
    templates_or_all,
    wrong_by,
)
from parapluie_gui.analysis.table import Cell, Table, slim
from parapluie_gui.arrays import Mask, Rows


@dataclass(frozen=True)
class Options:
    """Nothing can be chosen."""


@dataclass(frozen=True, eq=False)
class Match:
    """Two scores on one corpus; `flips` are the rows on which their verdicts differ."""

    corpus: str
    first: ScoreColumn
    second: ScoreColumn
    comparison: Comparison
    flips: Rows


@dataclass(frozen=True, eq=False)
class Found:
    """Every two scores compared, and by corpus what the scores of `together` get wrong together.

    Attributes:
        together: The templates if there are two, otherwise all scores.
        verdicts: What these say of each pair on each corpus, (n, scores).
    """

    matches: tuple[Match, ...]
    together: tuple[str, ...]
    shared: Mapping[str, SharedErrors]
    verdicts: Mapping[str, np.ndarray]


class Comparisons(Analysis[Options, Found]):
    """A row clicked selects the pairs on which the two scores differ."""

    name = "comparison"
    title = "Compare all"
    group = "Scores"
    about = "Every two scores: accuracies, paired tests, κ; and what all of them get wrong (PARAPHRASUS, section 6.3)"
    needs = (SCORES, PAIRS, TWO_SCORES)
    options = Options
    follows_threshold = True

    def compute(self, material: Material, options: Options, tick: Tick) -> Found:
        pairs = list(combinations(material.score_columns, 2))
        together = tuple(templates_or_all(material.names))
        columns = [material.score_column(name) for name in together]
        matches: list[Match] = []
        shared, verdicts = {}, {}
        steps = len(material.parts) * len(pairs)
        for part, where in material.parts.items():
            for first, second in pairs:
                before = len(matches)

                def step(done: int, total: int, before: int = before) -> None:
                    tick(1000 * before + 1000 * done // max(total, 1), 1000 * steps)

                matches.append(_match(material, part, where, first, second, step))
            at = [material.threshold(each, where) for each in columns]
            verdicts[part] = score_verdicts(columns, material.labels, at)
            shared[part] = shared_errors(verdicts[part][where], material.labels[where])
        return Found(tuple(matches), together, shared, verdicts)

    def blocks(self, run: Run[Options, Found]) -> Sequence[Block]:
        return slim(comparisons_table(run)), slim(shared_table(run))


def _match(material: Material, part: str, where: Mask, first: ScoreColumn, second: ScoreColumn, tick: Tick) -> Match:
    one, two = material.threshold(first, where), material.threshold(second, where)
    found = compare(
        first,
        second,
        material.labels,
        first_threshold=one,
        second_threshold=two,
        human=material.corpus.human,
        where=where,
        draws=material.draws,
        seed=material.seed,
        tick=tick,
    )
    flipped, _ = flips_and_movers(first, second, one, two, where, 0)
    return Match(part, first, second, found, flipped.rows)


def comparisons_table(run: Run[Options, Found]) -> Table:
    """Return every two scores compared."""
    shown = [each for each in run.result.matches if each.comparison.pairs or each.comparison.human]

    def link(row: int, column: int) -> Pairs:
        each = shown[row]
        return Pairs.of_rows(f"{each.first.title} and {each.second.title} differ", each.flips)

    return Table(
        "comparison",
        "Scores compared, each at its chosen threshold, otherwise its natural or its best one",
        (
            *("corpus", "first", "second", "accuracy 1", "accuracy 2", "difference", "bootstrap p"),
            *("McNemar p", "exact p", "kappa", "human r difference", "human p"),
        ),
        tuple((each.corpus, each.first.title, each.second.title, *_cells(each.comparison)) for each in shown),
        _least_p([each.comparison for each in shown]),
        link=link,
    )


def shared_table(run: Run[Options, Found]) -> Table:
    """Return what all templates get wrong, and what at least one gets right, by corpus."""
    found, material = run.result, run.material
    shown = [(part, each) for part, each in found.shared.items() if each.pairs]

    def link(row: int, column: int) -> Link | None:
        if column == 0:
            return None
        part = shown[row][0]
        every = "wrong by all" in SHARED[column - 1]
        _, by_all, by_any = wrong_by(found.verdicts[part], material.labels)
        mask = np.asarray((by_all if every else by_any) & material.parts[part])
        return Pairs("Wrong by all" if every else "Wrong by at least one", lambda now: mask)

    return Table(
        "shared-errors",
        f"Wrong together: {', '.join(map(material.title, found.together))}",
        ("corpus", *SHARED),
        tuple((part, *shared_cells(each)) for part, each in shown),
        SHARED_NOTE,
        scores=found.together,
        link=link,
    )


def _cells(found: Comparison) -> tuple[Cell, ...]:
    return (
        *(found.first_accuracy, found.second_accuracy, found.difference, found.p_value),
        *((found.mcnemar.p_value, found.mcnemar.exact) if found.pairs else (None, None)),
        found.kappa,
        *((found.pearson, found.pearson_p_value) if found.human else (None, None)),
    )


def _least_p(found: Sequence[Comparison]) -> str:
    """Return what the smallest p of resampling means, where one is as small as so few resamples can give."""
    for each in found:
        if each.draws and any(p <= each.least_p for p in (each.p_value, each.pearson_p_value)):  # never of NaN
            return f"bootstrap p, human p: {each.least_p:.2g} is the least that {each.draws:,} resamples can give."
    return ""
