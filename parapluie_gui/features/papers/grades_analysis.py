"""How many pairs each score calls a paraphrase, by human score (PARAPHRASUS, figure 1); labels are not needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from parapluie_gui.analysis.base import HUMAN, PAIRS, Analysis, Block, Need, Remark, Run
from parapluie_gui.analysis.figure import Chart, Line
from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.shared_errors import score_verdicts
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.arrays import Floats, Scores
from parapluie_gui.features.papers.grades import Grade, grade_codes, grade_edges, grades
from parapluie_gui.features.papers.paraphrasus import prediction_columns, prediction_method
from parapluie_gui.options import decimal

#: Columns of predictions that are shown where no score is chosen, at most.
_MOST_PREDICTIONS = 8

METHODS = Need(
    lambda material: bool(material.score_columns) or bool(prediction_columns(material.corpus)),
    "No score has been computed or none is chosen, and the corpus has no column of predictions (1, 0). Press Run (F5), "
    "or select scores at the left.",
    "run",
    "There is neither a score nor a column of predictions (1, 0). Score the pairs first.",
)


@dataclass(frozen=True)
class Options:
    """How wide a bin is."""

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
    """What methods say of pairs.

    Attributes:
        edges: The borders of the bins.
        grades: Each method's, by its title.
        verdicts: What each says, (n, 1).
        without: Titles of scores that have no threshold.
    """

    edges: Floats
    grades: dict[str, tuple[Grade, ...]]
    verdicts: dict[str, Floats]
    without: tuple[str, ...]


class Grades(Analysis[Options, GradesResult]):
    """A point or row clicked selects the pairs called paraphrases."""

    name = "grades"
    title = "Grades"
    group = "People"
    about = "Share of pairs called a paraphrase, by human score (PARAPHRASUS, figure 1)"
    needs = (PAIRS, HUMAN, METHODS)
    options = Options
    follows_threshold = True
    in_analyse = False

    def compute(self, material: Material, options: Options, tick: Tick) -> GradesResult:
        where, human = material.parts[options.part], _human(material)
        tick(0, 2)
        verdicts: dict[str, Floats] = {}
        without = []
        for each in material.score_columns:
            threshold = material.threshold(each, where)
            if np.isnan(threshold):
                without.append(each.title)
            else:
                verdicts[each.title] = score_verdicts([each], material.labels, [threshold])
        tick(1, 2)
        # Columns of predictions may be chosen as scores; without any choice some are shown.
        columns = () if material.score_columns else prediction_columns(material.corpus)[:_MOST_PREDICTIONS]
        for name in columns:
            verdicts[name] = prediction_method(name, material.corpus, [name]).verdicts
        edges = grade_edges(human[where], options.bin_width or None)
        found = {name: grades(own, human, edges, where) for name, own in verdicts.items()}
        return GradesResult(edges, found, verdicts, tuple(without))

    def blocks(self, run: Run[Options, GradesResult]) -> Sequence[Block]:
        found = run.result
        words = (
            "A score is judged at the chosen threshold, otherwise at its natural threshold or, without one, at its "
            "best. Click a row or a point to select the pairs called paraphrases."
        )
        if found.without:
            names = ", ".join(found.without)
            words += f" Without a threshold, since these pairs have no labels: {names}. Put it on the scatter's y axis."
        chart = [_chart(run)] if found.grades and len(found.edges) > 1 else []
        return *chart, _table(run), Remark(words)

    def details(self, run: Run[Options, GradesResult]) -> dict[str, object]:
        return {"grades": plain(run.result.grades)}


def grades_table(found: Mapping[str, Sequence[Grade]]) -> Table:
    """Return how many pairs each method calls a paraphrase, by human score."""
    rows: list[tuple[Cell, ...]] = [
        (method, bin_name(each, last=each is bins[-1]), each.pairs, 100 * each.share, *(100 * x for x in each.interval))
        for method, bins in found.items()
        for each in bins
        if each.pairs
    ]
    return Table(
        "grades",
        "Called a paraphrase, by human score, in per cent",
        ("score", "human score", "pairs", "% paraphrase", "low", "high"),
        tuple(rows),
        "Low, high: Wilson's 95 % interval. A bin holds its lower border; the last one holds both. A single number is "
        "a bin of that score alone.",
        digits=1,
        bars=("% paraphrase",),
    )


def _table(run: Run[Options, GradesResult]) -> Table:
    found = run.result
    places = [(method, at) for method, bins in found.grades.items() for at, each in enumerate(bins) if each.pairs]
    table = grades_table(found.grades)
    return replace(table, link=lambda row, column: _pairs(run, *places[row]))


def _chart(run: Run[Options, GradesResult]) -> Chart:
    found = run.result
    names = _names(found)
    at = np.arange(len(names), dtype=np.float64)

    def line(place: int, method: str, bins: Sequence[Grade]) -> Line:
        def tip(point: int) -> str:
            each = bins[point]
            low, high = each.interval
            share = f"{number(each.share)} [{number(low)}, {number(high)}] of {each.pairs:,} pairs"
            return f"{method}, {names[point]}: {share}\nclick to select those called paraphrases"

        shares = np.array([each.share for each in bins])
        return Line(method, at, shares, place, dots=True, tip=tip, link=lambda point: _pairs(run, method, point))

    lines = tuple(line(place, *each) for place, each in enumerate(found.grades.items()))
    title, ends = "Called a paraphrase, by human score", (-0.4, len(names) - 0.6)
    return Chart("shares", title, lines, "human score", "share called paraphrase", ends, (0.0, 1.0), ticks=names)


def _pairs(run: Run[Options, GradesResult], method: str, point: int) -> PairsLink:
    found, where, human = run.result, run.material.parts[run.options.part], _human(run.material)
    mask = (grade_codes(human, found.edges) == point) & where & (found.verdicts[method] == 1).any(axis=1)
    title = f"{method}: called paraphrases, human score {_names(found)[point]}"
    return PairsLink(title, lambda now: np.asarray(mask))


def _names(found: GradesResult) -> tuple[str, ...]:
    bins = next(iter(found.grades.values()), ())
    return tuple(bin_name(each, last=each is bins[-1]) for each in bins)


def bin_name(grade: Grade, *, last: bool) -> str:
    """Return the borders of a bin as an interval, or the score that is alone in it."""
    if grade.low == grade.high:
        return _short(grade.low)
    return f"[{_short(grade.low)}, {_short(grade.high)}{']' if last else ')'}"


def _human(material: Material) -> Scores:
    assert material.corpus.human is not None  # the analysis needs them
    return material.corpus.human


def _short(value: float) -> str:
    return f"{value:g}".replace("-", "−") if abs(value) < 1e9 else number(value)
