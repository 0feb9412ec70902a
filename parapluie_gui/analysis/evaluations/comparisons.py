"""Every two scores compared, and what all of them get wrong (PARAPHRASUS, section 6.3).

A score is at the chosen threshold, otherwise at its natural one or, without one, at the best on the corpus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from parapluie_gui.analysis.base import PAIRS, SCORES, TWO_SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.shared import SHARED, SHARED_NOTE, Together, shared_cells
from parapluie_gui.analysis.link import Link, PairsLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.comparison import Comparison, flips_and_movers
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
class ComparisonsResult:
    """Every two scores compared, and by corpus what all get wrong together."""

    matches: tuple[Match, ...]
    together: Mapping[str, Together]


class Comparisons(Analysis[Options, ComparisonsResult]):
    """A row clicked selects the pairs on which the two scores differ."""

    name = "comparison"
    title = "Compare all"
    group = "Scores"
    about = "Every two scores: accuracies, paired tests, κ; and what all of them get wrong (PARAPHRASUS, section 6.3)"
    needs = (SCORES, PAIRS, TWO_SCORES)
    options = Options
    follows_threshold = True

    def compute(self, material: Material, options: Options, tick: Tick) -> ComparisonsResult:
        pairs = list(combinations(material.score_columns, 2))
        matches: list[Match] = []
        steps = len(material.parts) * len(pairs)
        for part, where in material.parts.items():
            for first, second in pairs:
                before = len(matches)

                def step(done: int, total: int, before: int = before) -> None:
                    tick(1000 * before + 1000 * done // max(total, 1), 1000 * steps)

                matches.append(_match(material, part, where, first, second, step))
        return ComparisonsResult(
            tuple(matches), {part: Together.of(material, where) for part, where in material.parts.items()}
        )

    def blocks(self, run: Run[Options, ComparisonsResult]) -> Sequence[Block]:
        return slim(comparisons_table(run)), slim(shared_table(run))


def _match(material: Material, part: str, where: Mask, first: ScoreColumn, second: ScoreColumn, tick: Tick) -> Match:
    one, two = material.threshold(first, where), material.threshold(second, where)
    found = material.compare(first, second, where, tick)
    flipped, _ = flips_and_movers(first, second, one, two, where, 0)
    return Match(part, first, second, found, flipped.rows)


def comparisons_table(run: Run[Options, ComparisonsResult]) -> Table:
    """Return every two scores compared."""
    shown = [each for each in run.result.matches if each.comparison.pairs or each.comparison.human]

    def link(row: int, column: int) -> PairsLink:
        each = shown[row]
        return PairsLink.of_rows(f"{each.first.title} and {each.second.title} differ", each.flips)

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


def shared_table(run: Run[Options, ComparisonsResult]) -> Table:
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
