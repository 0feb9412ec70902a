"""Two scores set against each other: flips and what changes in them, tests, agreement, movers.

Each is at the chosen threshold, otherwise at its natural one or, without one, at the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.base import PAIRS, SCORES, TWO_SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.shared import SHARED, SHARED_NOTE, Together, shared_cells
from parapluie_gui.analysis.figure import Chart, Points
from parapluie_gui.analysis.link import Link, PairsLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.options import part, score
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.comparison import (
    Comparison,
    FlipKind,
    RankedPairs,
    Which,
    flip_kinds,
    flips_and_movers,
    rightness_mask,
)
from parapluie_gui.analysis.statistics.disagreement import disagreement
from parapluie_gui.analysis.table import Cell, Table, number, percent
from parapluie_gui.arrays import Floats, Mask, Rows
from parapluie_gui.metrics.changes.kinds import kind_members

#: Pairs of a list that are shown; all of the flips can be selected.
MOST = 100
#: Pairs of a corpus whose kinds of change are found for this; of a larger one they are shown where they are known.
KINDS_FOUND = 5000
#: Pairs that are drawn.
_POINTS = 4000
#: Letters of a sentence that are shown; the pair itself is one click away.
_LETTERS = 60

#: The cells of the matrix: columns are the first score, rows the second.
_CELLS: dict[tuple[int, int], Which] = {
    (0, 1): "both",
    (0, 2): "only_second",
    (1, 1): "only_first",
    (1, 2): "neither",
}


def _another(material: Material) -> str:
    return next((name for name in material.names if name != material.y), "")


@dataclass(frozen=True)
class CompareOptions:
    """Which two scores."""

    first: str = score("&First", "the first score")
    second: str = score("S&econd", "the second score", usual=_another)
    part: str = part()


@dataclass(frozen=True, eq=False)
class CompareResult:
    """What two scores say of the same pairs.

    Attributes:
        thresholds: Where paraphrases begin by each of the two scores.
        kinds: The kinds of change in the flips, the most frequent first.
        spread: Disagreement of all chosen scores on each pair, (n,).
        apart: The rows on which they disagree most, (k,).
        together: What all chosen scores get wrong together.
        where: The pairs that were looked at, (n,).
    """

    first: ScoreColumn
    second: ScoreColumn
    thresholds: tuple[float, float]
    result: Comparison
    flips: RankedPairs
    kinds: list[FlipKind]
    movers: RankedPairs
    spread: Floats
    apart: Rows
    together: Together
    where: Mask


class CompareTwo(Analysis[CompareOptions, CompareResult]):
    """Two metrics, templates or models; a row or a count clicked selects its pairs."""

    name = "compare"
    title = "Compare two"
    group = "Scores"
    about = "Two scores against each other: flips, paired tests, agreement, movers"
    needs = (SCORES, PAIRS, TWO_SCORES)
    options = CompareOptions
    follows_threshold = True
    in_analyse = False
    in_report = False

    def compute(self, material: Material, options: CompareOptions, tick: Tick) -> CompareResult:
        chosen, where = options.second, material.parts[options.part]
        if chosen == options.first:
            chosen = next(name for name in material.names if name != options.first)
        first, second = material.score_column(options.first), material.score_column(chosen)
        one, two = material.threshold(first, where), material.threshold(second, where)
        result = material.compare(first, second, where, tick)
        flipped, moved = flips_and_movers(first, second, one, two, where, MOST)
        tick(1, 1)
        quick = material.kinds is not None or len(material.corpus) <= KINDS_FOUND
        members = kind_members(material.studies.kinds(material, tick)) if quick else {}
        kinds = flip_kinds(members, flipped.rows, first.predicted_positive(one), where)
        spread = disagreement(material.score_columns, where)
        defined = np.flatnonzero(~np.isnan(spread))
        apart = defined[np.argsort(-spread[defined], kind="stable")][:MOST]
        pairs = flipped, kinds, moved, spread, apart
        return CompareResult(first, second, (one, two), result, *pairs, Together.of(material, where), where)

    def finding(self, run: Run[CompareOptions, CompareResult]) -> str:
        found, result = run.result, run.result.result
        same = f"give {percent(result.agreement, result.compared)} of {result.compared:,} pairs the same verdict"
        words = f"{found.first.title} and {found.second.title} {same}"
        if not result.pairs:
            return f"{words}."
        first, second = (percent(each, result.pairs) for each in (result.first_accuracy, result.second_accuracy))
        return f"{words}; {first} and {second} of their verdicts are right."

    def blocks(self, run: Run[CompareOptions, CompareResult]) -> Sequence[Block]:
        found = run.result
        return (
            _chart(run),
            _flips_table(run),
            _kinds_table(found),
            _tests_table(run),
            _matrix_table(run),
            _shared_table(run),
            _movers_table(run),
            _apart_table(run),
        )


def _chart(run: Run[CompareOptions, CompareResult]) -> Chart:
    """Return the pairs by both scores, in the colours of who is right, or, without labels, of whether they agree."""
    found, material = run.result, run.material
    one, two = found.first.values, found.second.values
    rows = np.flatnonzero(found.where & ~np.isnan(one) & ~np.isnan(two))
    drawn = ""
    if len(rows) > _POINTS:
        rows = np.sort(np.random.default_rng(0).choice(rows, _POINTS, replace=False))
        drawn = f", {_POINTS:,} pairs drawn at random"
    first, second = (
        each.predicted_positive(at) for each, at in zip((found.first, found.second), found.thresholds, strict=True)
    )
    labels = material.labels
    labelled = (labels == 0) | (labels == 1)
    right, also = (labelled & (each == (labels == 1)) for each in (first, second))
    kinds: tuple[tuple[str, str, Mask], ...] = (
        ("same verdict", "unlabelled", ~labelled & (first == second)),
        ("different verdicts", "bad", ~labelled & (first != second)),
        ("both right", "muted", right & also),
        ("both wrong", "bad", labelled & ~right & ~also),
        (f"only {found.first.title} right", "paraphrase", right & labelled & ~also),
        (f"only {found.second.title} right", "other", also & labelled & ~right),
    )

    def points(name: str, colour: str, mask: Mask) -> Points:
        chosen = rows[mask[rows]]

        def tip(point: int) -> str:
            row = int(chosen[point])
            return f"{name}\n{shortened(material.corpus.source[row])}\n{shortened(material.corpus.hypothesis[row])}"

        link = lambda point: PairsLink.of_rows(name, chosen, int(chosen[point]))  # noqa: E731
        return Points(f"{name} ({len(chosen):,})", one[chosen], two[chosen], colour, tip=tip, link=link)

    marks = tuple(each for kind in kinds if len(each := points(*kind)))
    rules = (("x", found.thresholds[0]), ("y", found.thresholds[1]))
    title = f"{found.second.title} against {found.first.title}, with their thresholds{drawn}"
    return Chart(
        *("comparison", title, marks, found.first.title, found.second.title),
        rules=rules,
        high=1.25,
        scores=_both(found),
    )


def _flips_table(run: Run[CompareOptions, CompareResult]) -> Table:
    found = run.result
    rows = found.flips.rows
    shown = f"The first {MOST}. " if len(rows) > MOST else ""
    title = f"{len(rows):,} flips: pairs that only one of the two judges a paraphrase"
    note = shown + _rank_note(found)
    return _pair_list(run, "flips", title, "Flips", rows, _RANKS, found.flips.change, note, _both(found))


def _movers_table(run: Run[CompareOptions, CompareResult]) -> Table:
    found = run.result
    title, note = "Movers: pairs that the two rank most differently", _rank_note(found)
    return _pair_list(
        run, "movers", title, "Movers", found.movers.rows, _RANKS, found.movers.change, note, _both(found)
    )


def _apart_table(run: Run[CompareOptions, CompareResult]) -> Table:
    found = run.result
    title = f"Pairs on which all {len(run.material.score_columns)} chosen scores disagree most"
    note = f"Disagreement: standard deviation of the pair's rank shares, 0 to 0.5. {_CLICK}"
    rows, spread = found.apart, found.spread[found.apart]
    return _pair_list(run, "disagreement", title, "Most disagreement", rows, "disagreement", spread, note, None)


_RANKS = "rank difference"
_CLICK = "Click a pair to show it."


def _both(found: CompareResult) -> tuple[str, ...]:
    return (found.first.name, found.second.name)


def _rank_note(found: CompareResult) -> str:
    return f"Rank difference above 0: {found.first.title} ranks the pair closer than {found.second.title}. {_CLICK}"


def _pair_list(
    run: Run[CompareOptions, CompareResult],
    name: str,
    title: str,
    words: str,
    rows: Rows,
    heading: str,
    values: Floats,
    note: str,
    scores: tuple[str, ...] | None,
) -> Table:
    """Return a list of pairs, each with a number under the heading; a click selects them and shows one."""
    corpus, labels = run.material.corpus, run.material.labels
    kinds = {1: "paraphrase", 0: "not a paraphrase"}
    cells: list[tuple[Cell, ...]] = []
    for row, value in zip(rows[:MOST].tolist(), values[:MOST].tolist(), strict=True):
        sentences = shortened(corpus.source[row]), shortened(corpus.hypothesis[row])
        cells.append((value, kinds.get(int(labels[row])), *sentences, corpus.id[row]))
    return Table(
        name,
        title,
        (heading, "label", "source", "hypothesis", "id"),
        tuple(cells),
        note,
        scores=scores,
        link=lambda row, column: PairsLink.of_rows(words, rows, int(rows[row])),
        pairs=PairsLink.of_rows(words, rows),
    )


def _kinds_table(found: CompareResult) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (each.kind, each.pairs, len(each.rows), 100 * len(each.rows) / each.pairs, each.first, each.second)
        for each in found.kinds
    ]
    says = (f"only {each.title}: paraphrase" for each in (found.first, found.second))
    return Table(
        "flip-kinds",
        "Kinds of change in the flips",
        ("change", "pairs", "flips", "% flips", *says),
        tuple(rows),
        "A pair counts for each kind of its changes. Click a row to select its flips.",
        digits=1,
        scores=_both(found),
        link=lambda row, column: PairsLink.of_rows(f"Flips: {found.kinds[row].kind}", found.kinds[row].rows),
        bars=("% flips",),
    )


def _tests_table(run: Run[CompareOptions, CompareResult]) -> Table:
    found, result = run.result, run.result.result
    first, second = found.first.title, found.second.title
    rows: list[tuple[Cell, ...]] = []
    if result.pairs:
        rows += [
            (f"accuracy of {first} at {number(found.thresholds[0])}", result.first_accuracy),
            (f"accuracy of {second} at {number(found.thresholds[1])}", result.second_accuracy),
            ("difference of accuracy, 95 % bootstrap interval", result.difference),
            ("paired bootstrap test, p", _p(result.p_value, run)),
            ("McNemar's χ²", result.mcnemar.statistic),
            ("McNemar's test, p", result.mcnemar.p_value),
            ("exact binomial test, p", result.mcnemar.exact),
        ]
    rows += [
        ("same verdict", result.agreement),
        ("Cohen's κ of the verdicts", result.kappa),
        ("pairs with both scores", result.compared),
    ]
    if result.human:
        rows += [
            ("difference of Pearson with human scores", result.pearson),
            ("its paired bootstrap test, p", _p(result.pearson_p_value, run)),
        ]
    return Table(
        "comparison",
        f"{first} against {second}",
        ("measure", "value"),
        tuple(rows),
        "" if result.pairs else "Without labels, right and wrong are unknown. Agreement needs no labels.",
        scores=_both(found),
    )


def _p(value: float, run: Run[CompareOptions, CompareResult]) -> str | float:
    """Return a p-value of resampling; the smallest that this many resamples can give is only a bound."""
    least = run.result.result.least_p
    if not value <= least:
        return value
    return f"≤ {number(least)} (the least that {run.material.draws} resamples give)"


def _matrix_table(run: Run[CompareOptions, CompareResult]) -> Table:
    found, result, labels = run.result, run.result.result, run.material.labels
    first, second = found.first.title, found.second.title
    titles = {
        "both": f"{first} and {second} right",
        "only_first": f"only {first} right, {second} wrong",
        "only_second": f"{first} wrong, only {second} right",
        "neither": f"{first} and {second} wrong",
    }

    def link(row: int, column: int) -> Link | None:
        if (row, column) not in _CELLS:
            return None
        which = _CELLS[row, column]
        mask = rightness_mask(found.first, found.second, labels, *found.thresholds, which, found.where)
        return PairsLink(titles[which], lambda now: mask)

    rows = (
        (f"{second} right", result.both, result.only_second),
        (f"{second} wrong", result.only_first, result.neither),
    )
    return Table(
        "rightness",
        "Who is right",
        ("", f"{first} right", f"{first} wrong"),
        rows if result.pairs else (),
        "Click a count to select its pairs.",
        scores=_both(found),
        link=link,
    )


def _shared_table(run: Run[CompareOptions, CompareResult]) -> Table:
    found = run.result.together
    return Table(
        "shared-errors",
        f"Wrong together: {', '.join(map(run.material.title, found.names))}",
        SHARED,
        (shared_cells(found.errors),) if found.errors.pairs else (),
        f"{SHARED_NOTE} Click a count to select its pairs.",
        digits=1,
        scores=found.names,
        link=lambda row, column: found.wrong(SHARED[column]),
    )


def shortened(text: str) -> str:
    """Return a sentence in one line of at most `_LETTERS` letters."""
    text = " ".join(text.split())
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"
