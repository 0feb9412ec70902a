"""Share of pairs that each score calls a paraphrase, by human score (PARAPHRASUS, figure 1); needs no labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from parapluie_gui.analysis.base import HUMAN, PAIRS, Analysis, AnalysisRemark, AnalysisRequirement, Block, Run
from parapluie_gui.analysis.figure import Chart, CurveLine
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.shared_errors import score_verdicts
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.arrays import Floats, Scores
from parapluie_gui.features.papers.grades import GradeBin, grade_codes, grade_edges, grades
from parapluie_gui.features.papers.paraphrasus import prediction_columns, prediction_method
from parapluie_gui.options import decimal

#: Maximum number of prediction columns shown if no score is chosen.
_MOST_PREDICTIONS = 8

METHODS = AnalysisRequirement(
    lambda material: bool(material.score_columns) or bool(prediction_columns(material.corpus)),
    "No score has been computed or none is chosen, and the corpus has no column of predictions (1, 0). Press Run (F5), "
    "or select scores on the left.",
    "run",
    "There is neither a score nor a column of predictions (1, 0). Score the pairs first.",
)


@dataclass(frozen=True)
class GradesOptions:
    """Options of the analysis: the width of a bin, and the corpus."""

    bin_width: float = decimal(
        "&Bin width",
        0,
        1000,
        0,
        "width of a bin; automatic: about five bins",
        special="automatic",
        flag="--grades",
        metavar="WIDTH",
    )
    part: str = part()


@dataclass(frozen=True, eq=False)
class GradesResult:
    """Verdicts of methods by human score.

    Attributes:
        edges: Borders of the bins.
        grades: Bins of each method, by its title.
        verdicts: Verdicts of each method, (n, 1).
        without: Titles of scores without a threshold.
    """

    edges: Floats
    grades: dict[str, tuple[GradeBin, ...]]
    verdicts: dict[str, Floats]
    without: tuple[str, ...]


class GradesAnalysis(Analysis[GradesOptions, GradesResult]):
    """Shows the share of paraphrases by human score; clicking a point or row selects the pairs called paraphrases."""

    name = "grades"
    title = "Grades"
    group = "People"
    about = "Share of pairs called a paraphrase, by human score (PARAPHRASUS, figure 1)"
    needs = (PAIRS, HUMAN, METHODS)
    options = GradesOptions
    follows_threshold = True
    in_analyse = False

    def compute(self, material: AnalysisMaterial, options: GradesOptions, tick: Tick) -> GradesResult:
        where, human = material.parts[options.part], _human(material)
        tick(0, 2)
        verdicts: dict[str, Floats] = {}
        without = []
        for score_column in material.score_columns:
            threshold = material.threshold(score_column, where)
            if np.isnan(threshold):
                without.append(score_column.title)
            else:
                verdicts[score_column.title] = score_verdicts([score_column], material.labels, [threshold])
        tick(1, 2)
        # Prediction columns can be chosen as scores; without a choice the first few are shown.
        columns = () if material.score_columns else prediction_columns(material.corpus)[:_MOST_PREDICTIONS]
        for name in columns:
            verdicts[name] = prediction_method(name, material.corpus, [name]).verdicts
        edges = grade_edges(human[where], options.bin_width or None)
        shares = {name: grades(own, human, edges, where) for name, own in verdicts.items()}
        return GradesResult(edges, shares, verdicts, tuple(without))

    def blocks(self, run: Run[GradesOptions, GradesResult]) -> Sequence[Block]:
        result = run.result
        words = (
            "Each score uses its chosen threshold; failing that, its natural threshold; failing that, the best "
            "on the corpus. Click a row or a point to select the pairs called paraphrases."
        )
        if result.without:
            names = ", ".join(result.without)
            words += (
                f" These scores have no threshold, because the pairs have no labels: {names}. To choose one, put "
                "the score on the scatter's y axis."
            )
        chart = [_chart(run)] if result.grades and len(result.edges) > 1 else []
        return *chart, _table(run), AnalysisRemark(words)

    def details(self, run: Run[GradesOptions, GradesResult]) -> dict[str, object]:
        return {"grades": plain(run.result.grades)}


def grades_table(by_method: Mapping[str, Sequence[GradeBin]]) -> Table:
    """Return a table of how many pairs each method calls a paraphrase, by human score."""
    rows: list[tuple[Cell, ...]] = [
        (
            method,
            bin_name(grade, last=grade is bins[-1]),
            grade.pairs,
            100 * grade.share,
            *(100 * x for x in grade.interval),
        )
        for method, bins in by_method.items()
        for grade in bins
        if grade.pairs
    ]
    return Table(
        "grades",
        "Pairs called a paraphrase, by human score, in per cent",
        ("score", "human score", "pairs", "% paraphrase", "low", "high"),
        tuple(rows),
        "Low, high: Wilson's 95 % interval. A bin includes its lower bound; the last bin includes both. A single "
        "number is a bin for that score alone.",
        digits=1,
        bars=("% paraphrase",),
    )


def _table(run: Run[GradesOptions, GradesResult]) -> Table:
    result = run.result
    places = [(method, at) for method, bins in result.grades.items() for at, grade in enumerate(bins) if grade.pairs]
    table = grades_table(result.grades)
    return replace(table, link=lambda row, column: _pairs(run, *places[row]))


def _chart(run: Run[GradesOptions, GradesResult]) -> Chart:
    result = run.result
    names = _names(result)
    at = np.arange(len(names), dtype=np.float64)

    def line(place: int, method: str, bins: Sequence[GradeBin]) -> CurveLine:
        def tip(point: int) -> str:
            grade = bins[point]
            low, high = grade.interval
            share = f"{number(grade.share)} [{number(low)}, {number(high)}] of {grade.pairs:,} pairs"
            return f"{method}, {names[point]}: {share}\nclick to select those called paraphrases"

        shares = np.array([grade.share for grade in bins])
        return CurveLine(method, at, shares, place, dots=True, tip=tip, link=lambda point: _pairs(run, method, point))

    lines = tuple(line(place, *method_grades) for place, method_grades in enumerate(result.grades.items()))
    title, ends = "Called a paraphrase, by human score", (-0.4, len(names) - 0.6)
    return Chart("shares", title, lines, "human score", "share called a paraphrase", ends, (0.0, 1.0), ticks=names)


def _pairs(run: Run[GradesOptions, GradesResult], method: str, point: int) -> PairsLink:
    result, where, human = run.result, run.material.parts[run.options.part], _human(run.material)
    mask = (grade_codes(human, result.edges) == point) & where & (result.verdicts[method] == 1).any(axis=1)
    title = f"{method}: called paraphrases, human score {_names(result)[point]}"
    return PairsLink(title, lambda now: np.asarray(mask))


def _names(result: GradesResult) -> tuple[str, ...]:
    bins = next(iter(result.grades.values()), ())
    return tuple(bin_name(grade, last=grade is bins[-1]) for grade in bins)


def bin_name(grade: GradeBin, *, last: bool) -> str:
    """Return the borders of a bin as an interval, or its only score."""
    if grade.low == grade.high:
        return _short(grade.low)
    return f"[{_short(grade.low)}, {_short(grade.high)}{']' if last else ')'}"


def _human(material: AnalysisMaterial) -> Scores:
    assert material.corpus.human is not None  # the analysis requires human scores
    return material.corpus.human


def _short(value: float) -> str:
    return f"{value:g}".replace("-", "−") if abs(value) < 1e9 else number(value)
