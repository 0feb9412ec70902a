"""Quality against threshold or rank, ROC, precision against recall, calibration, and two judges one after the other.

Figures 3 to 14 of the ParaPLUIE paper and the usual curves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.rows import score_rows, study_of
from parapluie_gui.analysis.figure import Chart, Line
from parapluie_gui.analysis.link import PairsLink, ThresholdLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.options import part, score
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.calibration import Calibration, probability, probability_mask
from parapluie_gui.analysis.statistics.curves import thinned
from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell, Table, number, percent, slim
from parapluie_gui.arrays import Floats, Mask
from parapluie_gui.options import choice

#: Points of a curve that are drawn.
POINTS = 400

_UNIT = (0.0, 1.0)
_DIAGONAL = np.array(_UNIT)


@dataclass(frozen=True)
class CurvesOptions:
    """Whose quality is drawn, against what."""

    score: str = score("&Score", "the score whose quality is drawn", only_shown=True, flag="--quality")
    along: str = choice(
        "Quality a&gainst",
        {"threshold": "score", "rank": "rank"},
        "what quality is drawn against",
        default="threshold",
        only_shown=True,
    )
    part: str = part(only_shown=True)


@dataclass(frozen=True, eq=False)
class CurvesResult:
    """The studies of each corpus."""

    studies: tuple[CorpusStudy, ...]


class Curves(Analysis[CurvesOptions, CurvesResult]):
    """A point clicked becomes the threshold."""

    name = "curves"
    title = "Curves"
    group = "Scores"
    about = "Quality by threshold, ROC, precision against recall, calibration (ParaPLUIE, figures 3 to 14)"
    needs = (SCORES, PAIRS, LABELS)
    options = CurvesOptions

    def compute(self, material: Material, options: CurvesOptions, tick: Tick) -> CurvesResult:
        return CurvesResult(material.all_studies(tick))

    def finding(self, run: Run[CurvesOptions, CurvesResult]) -> str:
        corpus = study_of(run.result.studies, run.options.part)
        areas = corpus.numbers(lambda each: each.roc.auc)
        if not areas:
            return ""
        best = max(areas, key=areas.__getitem__)
        return (
            f"{best} orders the pairs best: a paraphrase scores higher than another pair in "
            f"{percent(areas[best], corpus.pairs)} of all cases (area under the ROC curve)."
        )

    def blocks(self, run: Run[CurvesOptions, CurvesResult]) -> Sequence[Block]:
        material, found, options = run.material, run.result, run.options
        corpus = study_of(found.studies, options.part)
        drawn = [each for each in corpus.scores.values() if len(each.curve)]
        chosen = corpus.scores[options.score]
        judged = [each for each in drawn if each.calibration is not None]
        return (
            quality_chart(chosen, by_rank=options.along == "rank"),
            roc_chart(drawn),
            recall_chart(drawn),
            *([calibration_chart(material, corpus.name, judged)] if judged else []),
            slim(areas_table(material, found.studies)),
            slim(calibration_table(material, found.studies)),
        )


def quality_chart(each: ScoreStudy, *, by_rank: bool = False) -> Chart:
    """Return accuracy, F1, recall and precision against the threshold, or its rank."""
    curve, title, best = each.curve.thin(POINTS), each.score_column.title, each.thresholds.best
    along = curve.rank.astype(np.float64) if by_rank else curve.threshold
    order = np.argsort(along, kind="stable")
    at = curve.threshold[order]
    kinds = (
        ("accuracy", curve.accuracy, "paraphrase"),
        ("F1", curve.f1, "other"),
        ("recall", curve.recall, "good"),
        ("precision", curve.precision, "unlabelled"),
    )
    name = each.score_column.name

    def line(words: str, values: Floats, colour: str) -> Line:
        def tip(point: int) -> str:
            return f"threshold {number(float(at[point]))}: {words} {number(float(values[point]))}\nclick to set it"

        return Line(
            words, along[order], values, colour, tip=tip, link=lambda point: ThresholdLink(name, float(at[point]))
        )

    return Chart(
        f"quality-{name}",
        f"{title} as threshold; the line is the best accuracy, {number(best.accuracy)} at {number(best.threshold)}",
        tuple(line(words, values[order], colour) for words, values, colour in kinds),
        f"rank by {title}" if by_rank else title,
        "",
        y_range=_UNIT,
        rules=() if by_rank else (("x", best.threshold),),
        high=1.25,
        scores=(name,),
    )


def roc_chart(studies: Sequence[ScoreStudy]) -> Chart:
    """Return the ROC curves."""

    def curve(place: int, each: ScoreStudy) -> Line:
        return _line(place, each, each.roc.fpr, each.roc.tpr, each.roc.threshold, "recall {1}, false positive rate {0}")

    lines = tuple(curve(place, each) for place, each in enumerate(studies))
    chance = Line("chance", _DIAGONAL, _DIAGONAL, "muted", guide=True)
    return Chart("roc", "ROC", (*lines, chance), "false positive rate", "recall", _UNIT, _UNIT, wide=False, high=1.2)


def recall_chart(studies: Sequence[ScoreStudy]) -> Chart:
    """Return precision against recall."""

    def curve(place: int, each: ScoreStudy) -> Line:
        found = each.precision_recall
        return _line(place, each, found.recall, found.precision, found.threshold, "precision {1}, recall {0}")

    lines = tuple(curve(place, each) for place, each in enumerate(studies))
    title = "Precision against recall"
    return Chart("precision-recall", title, lines, "recall", "precision", _UNIT, _UNIT, wide=False, high=1.2)


def calibration_chart(material: Material, corpus: str, studies: Sequence[ScoreStudy]) -> Chart:
    """Return the share of paraphrases against the probability of "yes"."""
    lines = tuple(
        _calibration_line(material, corpus, place, each, each.calibration)
        for place, each in enumerate(studies)
        if each.calibration is not None
    )
    perfect = Line("perfect", _DIAGONAL, _DIAGONAL, "muted", guide=True)
    axes = ("mean probability of “yes”", "share of paraphrases")
    return Chart("calibration-curve", "Calibration of p(yes)", (*lines, perfect), *axes, _UNIT, _UNIT, high=1.2)


def areas_table(material: Material, studies: Sequence[CorpusStudy]) -> Table:
    """Return the areas under the curves and the equal error rate."""

    def cells(each: ScoreStudy) -> Iterable[Cell] | None:
        error = each.equal_error
        if not each.curve.positives or not each.curve.negatives:
            return None
        return each.roc.auc, each.precision_recall.average_precision, error.rate, error.threshold

    return Table(
        "curves",
        "Area under the ROC curve, average precision and equal error rate",
        ("corpus", "score", "AUC", "AP", "EER", "EER at"),
        score_rows(studies, material, cells)[0],
        bars=("AUC", "AP"),
    )


def calibration_table(material: Material, studies: Sequence[CorpusStudy]) -> Table:
    """Return how well p(yes) fits."""

    def cells(each: ScoreStudy) -> Iterable[Cell] | None:
        found = each.calibration
        return None if found is None or not found.pairs else (found.ece, found.mce, found.brier, found.pairs)

    return Table(
        "calibration",
        "Calibration of p(yes) / (p(yes) + p(no))",
        ("corpus", "score", "ECE", "MCE", "Brier", "pairs"),
        score_rows(studies, material, cells)[0],
        "ECE, MCE: mean and greatest gap of probability and share of paraphrases in ten bins.",
    )


def _line(place: int, each: ScoreStudy, x: Floats, y: Floats, thresholds: Floats, words: str) -> Line:
    """Return a curve of at most `POINTS` points, each with its threshold; `words` takes x and y."""
    places = thinned(len(x), POINTS)
    score, across, up, at = each.score_column, x[places], y[places], thresholds[places]

    def tip(point: int) -> str:
        numbers = words.format(number(float(across[point])), number(float(up[point])))
        return f"{score.title} at {number(float(at[point]))}: {numbers}\nclick to set this threshold"

    return Line(score.title, across, up, place, tip=tip, link=lambda point: ThresholdLink(score.name, float(at[point])))


def _calibration_line(material: Material, corpus: str, place: int, each: ScoreStudy, found: Calibration) -> Line:
    score, edges = each.score_column, found.edges

    def tip(point: int) -> str:
        low, high = number(edges[point], 1), number(edges[point + 1], 1)
        share = f"{number(100 * found.observed[point], 0)} % of them paraphrases"
        return (
            f"{score.title}, p(yes) from {low} to {high}: {found.count[point]:,} pairs, {share}\nclick to select them"
        )

    def link(point: int) -> PairsLink:
        title = f"p(yes) of {score.title} from {number(edges[point], 1)} to {number(edges[point + 1], 1)}"
        return PairsLink(title, _in_bin(material.parts[corpus], score.name, edges, point))

    return Line(score.title, found.predicted, found.observed, place, dots=True, tip=tip, link=link)


def _in_bin(where: Mask, name: str, edges: Floats, point: int) -> Callable[[Material], Mask]:
    def mask(now: Material) -> Mask:
        labelled = (now.labels == 0) | (now.labels == 1)
        values = now.score_column(name).values
        return probability_mask(probability(values), edges, point, where=where & labelled)

    return mask
