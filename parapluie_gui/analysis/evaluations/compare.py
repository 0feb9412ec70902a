"""Compares two scores: flips and the kinds of change in them, tests, agreement, and movers.

Each score uses the threshold the user chose; failing that, its natural threshold; failing that, the most accurate one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.base import PAIRS, SCORES, TWO_SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.claims import LEARNT, is_learnt
from parapluie_gui.analysis.evaluations.shared import SHARED, SHARED_NOTE, JointVerdicts, shared_cells
from parapluie_gui.analysis.figure import Chart, ScatterPoints
from parapluie_gui.analysis.finding import LEVEL, count_pairs, share_words
from parapluie_gui.analysis.link import Link, PairsLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.options import part, score
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.comparison import (
    FlipKind,
    RankedPairs,
    ScoreComparison,
    Which,
    flip_kinds,
    flips_and_movers,
    rightness_mask,
)
from parapluie_gui.analysis.statistics.disagreement import disagreement
from parapluie_gui.analysis.table import Cell, Table, number, percent
from parapluie_gui.arrays import Floats, Mask, Rows
from parapluie_gui.errors import join_words
from parapluie_gui.metrics.changes.kinds import kind_members
from parapluie_gui.scores.table import is_scored

#: Maximum number of pairs shown in a list; a click selects all of them.
MOST = 100
#: Size of the largest corpus for which kinds of change are computed here; for larger ones they are shown if already
#: known.
KINDS_FOUND = 5000
#: Maximum number of pairs drawn.
_POINTS = 4000
#: Maximum number of letters shown of a sentence; a click shows the pair itself.
_LETTERS = 60

#: The cells of the matrix: columns are the first score, rows the second.
_CELLS: dict[tuple[int, int], Which] = {
    (0, 1): "both",
    (0, 2): "only_second",
    (1, 1): "only_first",
    (1, 2): "neither",
}


def _another(material: AnalysisMaterial) -> str:
    return next((name for name in material.names if name != material.y), "")


@dataclass(frozen=True)
class CompareOptions:
    """Options of *Compare two*: the two scores and the pairs."""

    first: str = score("&First", "the first score")
    second: str = score("S&econd", "the second score", usual=_another)
    part: str = part()


@dataclass(frozen=True, eq=False)
class CompareResult:
    """The comparison of two scores on the same pairs.

    Attributes:
        thresholds: The thresholds of the two scores.
        kinds: The kinds of change in the flips, the most frequent first.
        spread: Disagreement between all chosen scores on each pair, (n,).
        apart: The rows on which they disagree most, (k,).
        together: The verdicts of all chosen scores and the errors that they share.
        where: The pairs that were compared, (n,).
    """

    first: ScoreColumn
    second: ScoreColumn
    thresholds: tuple[float, float]
    result: ScoreComparison
    flips: RankedPairs
    kinds: list[FlipKind]
    movers: RankedPairs
    spread: Floats
    apart: Rows
    together: JointVerdicts
    where: Mask


class CompareTwo(Analysis[CompareOptions, CompareResult]):
    """Compares two metrics, templates or models; clicking a row or a count selects its pairs."""

    name = "compare"
    title = "Compare two"
    group = "Scores"
    about = "Comparison of two scores: flips, paired tests, agreement, movers"
    needs = (SCORES, PAIRS, TWO_SCORES)
    options = CompareOptions
    follows_threshold = True
    in_analyse = False
    in_report = False

    def compute(self, material: AnalysisMaterial, options: CompareOptions, tick: Tick) -> CompareResult:
        where, second_name = material.parts[options.part], options.second
        if second_name == options.first:
            second_name = next(name for name in material.names if name != options.first)
        first, second = material.score_column(options.first), material.score_column(second_name)
        thresholds = material.threshold(first, where), material.threshold(second, where)
        comparison = material.compare(first, second, where, tick)
        flips, movers = flips_and_movers(first, second, *thresholds, where, MOST)
        tick(1, 1)
        with_kinds = material.kinds is not None or len(material.corpus) <= KINDS_FOUND
        members = kind_members(material.studies.kinds(material, tick)) if with_kinds else {}
        spread = disagreement(material.score_columns, where)
        defined = np.flatnonzero(~np.isnan(spread))
        return CompareResult(
            first=first,
            second=second,
            thresholds=thresholds,
            result=comparison,
            flips=flips,
            kinds=flip_kinds(members, flips.rows, first.predicted_positive(thresholds[0]), where),
            movers=movers,
            spread=spread,
            apart=defined[np.argsort(-spread[defined], kind="stable")][:MOST],
            together=JointVerdicts.from_material(material, where),
            where=where,
        )

    def finding(self, run: Run[CompareOptions, CompareResult]) -> str:
        first, second, comparison = run.result.first, run.result.second, run.result.result
        agreement = percent(comparison.agreement, comparison.compared)
        compared = f"{agreement} of {count_pairs(comparison.compared)}"
        sentence = f"{first.title} and {second.title} give the same verdict for {compared}"
        if not comparison.pairs:
            return f"{sentence}."
        p = comparison.mcnemar.exact
        clear = "a clear difference" if p < LEVEL else "no clear difference"
        rights = comparison.both + comparison.only_first, comparison.both + comparison.only_second
        first_right, second_right = (share_words(right, comparison.pairs) for right in rights)
        learnt = [score.title for score in (first, second) if is_learnt(run.material, score)]
        note = f" Thresholds {LEARNT}: {join_words(learnt)}." if learnt else ""
        accuracies = f"{first_right} and {second_right} are right, {clear} (McNemar's exact p {number(p)})"
        return f"{sentence}; {accuracies}.{note}"

    def blocks(self, run: Run[CompareOptions, CompareResult]) -> Sequence[Block]:
        result = run.result
        return (
            _chart(run),
            _flips_table(run),
            _kinds_table(result),
            _tests_table(run),
            _matrix_table(run),
            _shared_table(run),
            _movers_table(run),
            _apart_table(run),
        )


def _chart(run: Run[CompareOptions, CompareResult]) -> Chart:
    """Return a scatter plot of both scores, coloured by which score is right or, without labels, by agreement."""
    result, material = run.result, run.material
    first, second = result.first, result.second
    rows = np.flatnonzero(result.where & is_scored(first.values) & is_scored(second.values))
    sample_note = ""
    if len(rows) > _POINTS:
        rows = np.sort(np.random.default_rng(0).choice(rows, _POINTS, replace=False))
        sample_note = f", {_POINTS:,} pairs drawn at random"
    first_verdicts = first.predicted_positive(result.thresholds[0])
    second_verdicts = second.predicted_positive(result.thresholds[1])
    labels = material.labels
    labelled = (labels == 0) | (labels == 1)
    first_right = labelled & (first_verdicts == (labels == 1))
    second_right = labelled & (second_verdicts == (labels == 1))
    kinds: tuple[tuple[str, str, Mask], ...] = (
        ("same verdict", "unlabelled", ~labelled & (first_verdicts == second_verdicts)),
        ("different verdicts", "bad", ~labelled & (first_verdicts != second_verdicts)),
        ("both right", "muted", first_right & second_right),
        ("both wrong", "bad", labelled & ~first_right & ~second_right),
        (f"only {first.title} right", "paraphrase", first_right & ~second_right),
        (f"only {second.title} right", "other", second_right & ~first_right),
    )

    def points(name: str, colour: str, mask: Mask) -> ScatterPoints:
        chosen = rows[mask[rows]]

        def tip(point: int) -> str:
            row = int(chosen[point])
            return f"{name}\n{shorten(material.corpus.source[row])}\n{shorten(material.corpus.hypothesis[row])}"

        link = lambda point: PairsLink.of_rows(name, chosen, int(chosen[point]))  # noqa: E731
        label = f"{name} ({len(chosen):,})"
        return ScatterPoints(label, first.values[chosen], second.values[chosen], colour, tip=tip, link=link)

    marks = tuple(mark for kind in kinds if len(mark := points(*kind)))
    title = f"{second.title} against {first.title}, with their thresholds{sample_note}"
    return Chart(
        *("comparison", title, marks, first.title, second.title),
        rules=(("x", result.thresholds[0]), ("y", result.thresholds[1])),
        high=1.25,
        scores=_both(result),
    )


def _flips_table(run: Run[CompareOptions, CompareResult]) -> Table:
    result = run.result
    rows = result.flips.rows
    limit_note = f"The first {MOST}. " if len(rows) > MOST else ""
    title = f"{len(rows):,} flips: pairs that only one of the two scores calls a paraphrase"
    note = limit_note + _rank_note(result)
    return _pair_list(run, "flips", title, "Flips", rows, _RANKS, result.flips.change, note, _both(result))


def _movers_table(run: Run[CompareOptions, CompareResult]) -> Table:
    result = run.result
    title, note = "Movers: pairs whose ranks differ most between the two scores", _rank_note(result)
    return _pair_list(
        run, "movers", title, "Movers", result.movers.rows, _RANKS, result.movers.change, note, _both(result)
    )


def _apart_table(run: Run[CompareOptions, CompareResult]) -> Table:
    result = run.result
    title = f"Pairs on which all {len(run.material.score_columns)} chosen scores disagree most"
    note = f"Disagreement: standard deviation of the pair's ranks (as shares of the corpus), 0 to 0.5. {_CLICK}"
    rows, spread = result.apart, result.spread[result.apart]
    return _pair_list(run, "disagreement", title, "Most disagreement", rows, "disagreement", spread, note, None)


_RANKS = "rank difference"
_CLICK = "Click a pair to show it."


def _both(result: CompareResult) -> tuple[str, ...]:
    return (result.first.name, result.second.name)


def _rank_note(result: CompareResult) -> str:
    return (
        f"A rank difference above 0 means that {result.first.title} ranks the pair closer than "
        f"{result.second.title} does. {_CLICK}"
    )


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
    """Return a list of pairs, each with its value under `heading`; clicking a row selects all and shows that pair."""
    corpus, labels = run.material.corpus, run.material.labels
    kinds = {1: "paraphrase", 0: "not a paraphrase"}
    compared = (run.result.first, run.result.second) if scores else ()
    cells: list[tuple[Cell, ...]] = []
    for row, value in zip(rows[:MOST].tolist(), values[:MOST].tolist(), strict=True):
        sentences = shorten(corpus.source[row]), shorten(corpus.hypothesis[row])
        both = (float(score.values[row]) for score in compared)
        cells.append((value, *both, kinds.get(int(labels[row])), *sentences, corpus.id[row]))
    return Table(
        name,
        title,
        (heading, *(score.title for score in compared), "label", "source", "hypothesis", "id"),
        tuple(cells),
        note,
        scores=scores,
        link=lambda row, column: PairsLink.of_rows(words, rows, int(rows[row])),
        pairs=PairsLink.of_rows(words, rows),
    )


def _kinds_table(result: CompareResult) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (flips.kind, flips.pairs, len(flips.rows), 100 * len(flips.rows) / flips.pairs, flips.first, flips.second)
        for flips in result.kinds
    ]
    verdicts = (f"only {score.title}: paraphrase" for score in (result.first, result.second))
    return Table(
        "flip-kinds",
        "Kinds of change in the flips",
        ("change", "pairs", "flips", "% flips", *verdicts),
        tuple(rows),
        "A pair counts once for each of its kinds of change. Click a row to select its flips.",
        digits=1,
        scores=_both(result),
        link=lambda row, column: PairsLink.of_rows(f"Flips: {result.kinds[row].kind}", result.kinds[row].rows),
        bars=("% flips",),
    )


def _tests_table(run: Run[CompareOptions, CompareResult]) -> Table:
    scores, comparison = run.result, run.result.result
    first, second = scores.first.title, scores.second.title
    rows: list[tuple[Cell, ...]] = []
    if comparison.pairs:
        rows += [
            (f"accuracy of {first} at {number(scores.thresholds[0])}", comparison.first_accuracy),
            (f"accuracy of {second} at {number(scores.thresholds[1])}", comparison.second_accuracy),
            ("difference of accuracy, 95 % bootstrap interval", comparison.difference),
            ("paired bootstrap test, p", _p(comparison.p_value, run)),
            ("McNemar's χ²", comparison.mcnemar.statistic),
            ("McNemar's test, p", comparison.mcnemar.p_value),
            ("exact binomial test, p", comparison.mcnemar.exact),
        ]
    rows += [
        ("same verdict", comparison.agreement),
        ("Cohen's κ of the verdicts", comparison.kappa),
        ("pairs with both scores", comparison.compared),
    ]
    if comparison.human:
        rows += [
            ("difference of Pearson with human scores", comparison.pearson),
            ("paired bootstrap test of that difference, p", _p(comparison.pearson_p_value, run)),
        ]
    return Table(
        "comparison",
        f"{first} against {second}",
        ("measure", "value"),
        tuple(rows),
        "" if comparison.pairs else "Without labels, it is unknown which score is right; agreement needs no labels.",
        scores=_both(scores),
    )


def _p(value: float, run: Run[CompareOptions, CompareResult]) -> str | float:
    """Format a bootstrap p-value; the smallest value that the resamples can give is shown as a bound."""
    least = run.result.result.least_p
    if not value <= least:
        return value
    return f"≤ {number(least)} (the smallest p that {run.material.draws} resamples can give)"


def _matrix_table(run: Run[CompareOptions, CompareResult]) -> Table:
    scores, comparison, labels = run.result, run.result.result, run.material.labels
    first, second = scores.first.title, scores.second.title
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
        mask = rightness_mask(scores.first, scores.second, labels, *scores.thresholds, which, scores.where)
        return PairsLink(titles[which], lambda now: mask)

    rows = (
        (f"{second} right", comparison.both, comparison.only_second),
        (f"{second} wrong", comparison.only_first, comparison.neither),
    )
    return Table(
        "rightness",
        "Who is right",
        ("", f"{first} right", f"{first} wrong"),
        rows if comparison.pairs else (),
        "Click a count to select its pairs.",
        scores=_both(scores),
        link=link,
    )


def _shared_table(run: Run[CompareOptions, CompareResult]) -> Table:
    verdicts = run.result.together
    return Table(
        "shared-errors",
        f"Errors shared by {', '.join(map(run.material.title, verdicts.names))}",
        SHARED,
        (shared_cells(verdicts.errors),) if verdicts.errors.pairs else (),
        f"{SHARED_NOTE} Click a count to select its pairs.",
        digits=1,
        scores=verdicts.names,
        link=lambda row, column: verdicts.link_errors(SHARED[column]),
    )


def shorten(text: str) -> str:
    """Shorten a sentence to one line of up to `_LETTERS` letters."""
    text = " ".join(text.split())
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"
