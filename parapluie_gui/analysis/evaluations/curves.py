"""Quality against threshold or rank, ROC, precision against recall, and calibration.

Includes figures 3 to 14 of the ParaPLUIE paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.claims import order_claims
from parapluie_gui.analysis.evaluations.rows import score_rows, study_of
from parapluie_gui.analysis.figure import Chart, CurveLine
from parapluie_gui.analysis.finding import compose_finding, count_pairs, estimate_words, find_standing_out
from parapluie_gui.analysis.link import PairsLink, ThresholdLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.options import part, score
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.calibration import Calibration, probability, probability_mask
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.statistics.curves import thin_places
from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell, Table, number, slim
from parapluie_gui.arrays import Floats, Mask
from parapluie_gui.options import choice

#: Maximum number of points drawn for a curve.
POINTS = 400

_UNIT = (0.0, 1.0)
_DIAGONAL = np.array(_UNIT)


@dataclass(frozen=True)
class CurvesOptions:
    """Options of *Curves*: the score whose quality is plotted, the x axis and the pairs."""

    score: str = score("&Score", "the score whose quality is plotted", only_shown=True, flag="--quality")
    along: str = choice(
        "Quality a&gainst",
        {"threshold": "score", "rank": "rank"},
        "what the quality is plotted against",
        default="threshold",
        only_shown=True,
    )
    part: str = part(only_shown=True)


@dataclass(frozen=True, eq=False)
class CurvesResult:
    """The studies of each corpus from which the curves are drawn."""

    studies: tuple[CorpusStudy, ...]


def describe_order(material: AnalysisMaterial, corpus: CorpusStudy) -> str:
    """Return the finding on the scores that put paraphrases nearer than other pairs; "" without both labels."""
    areas = corpus.numbers(lambda study: study.roc.auc)
    if not areas:
        return ""

    def describe(title: str, estimate: Estimate, pairs: int) -> str:
        area = estimate_words(replace(estimate, value=areas[title]), 3)
        return f"puts paraphrases nearer than other pairs: area under the ROC curve {area} over {count_pairs(pairs)}"

    candidates, differs, turned = order_claims(material, material.parts[corpus.name], describe, areas)
    nothing = "no score clearly puts paraphrases nearer than other pairs"
    sentence = compose_finding(candidates, nothing, "better", differs)
    if find_standing_out(candidates):
        sentence += " The area is the share of cases in which the paraphrase is nearer; equal scores count half."
    return f"{sentence} {turned}".strip()


class CurveAnalysis(Analysis[CurvesOptions, CurvesResult]):
    """Shows how the quality of a score depends on its threshold; clicking a point makes it the threshold."""

    name = "curves"
    title = "Curves"
    group = "Scores"
    about = "Quality by threshold, ROC, precision against recall, calibration (ParaPLUIE, figures 3 to 14)"
    needs = (SCORES, PAIRS, LABELS)
    options = CurvesOptions

    def compute(self, material: AnalysisMaterial, options: CurvesOptions, tick: Tick) -> CurvesResult:
        return CurvesResult(material.all_studies(tick))

    def finding(self, run: Run[CurvesOptions, CurvesResult]) -> str:
        return describe_order(run.material, study_of(run.result.studies, run.options.part))

    def blocks(self, run: Run[CurvesOptions, CurvesResult]) -> Sequence[Block]:
        material, result, options = run.material, run.result, run.options
        corpus = study_of(result.studies, options.part)
        drawn = [study for study in corpus.scores.values() if len(study.curve)]
        chosen = corpus.scores[options.score]
        judged = [study for study in drawn if study.calibration is not None]
        return (
            quality_chart(chosen, by_rank=options.along == "rank"),
            roc_chart(material, drawn),
            recall_chart(material, drawn),
            *([calibration_chart(material, corpus.name, judged)] if judged else []),
            slim(areas_table(material, result.studies)),
            slim(calibration_table(material, result.studies)),
        )


def quality_chart(study: ScoreStudy, *, by_rank: bool = False) -> Chart:
    """Return a chart of accuracy, F1, recall and precision against the threshold or its rank."""
    curve, title, best = study.curve.thin(POINTS), study.score_column.title, study.thresholds.best
    x = curve.rank.astype(np.float64) if by_rank else curve.threshold
    order = np.argsort(x, kind="stable")
    thresholds = curve.threshold[order]
    kinds = (
        ("accuracy", curve.accuracy, "paraphrase"),
        ("F1", curve.f1, "other"),
        ("recall", curve.recall, "good"),
        ("precision", curve.precision, "unlabelled"),
    )
    name = study.score_column.name

    def line(measure: str, values: Floats, colour: str) -> CurveLine:
        def tip(point: int) -> str:
            at, value = number(float(thresholds[point])), number(float(values[point]))
            return f"threshold {at}: {measure} {value}\nclick to set it"

        link = lambda point: ThresholdLink(name, float(thresholds[point]))  # noqa: E731
        return CurveLine(measure, x[order], values, colour, tip=tip, link=link)

    return Chart(
        f"quality-{name}",
        f"{title} as threshold; the line marks the best accuracy, {number(best.accuracy)} at {number(best.threshold)}",
        tuple(line(measure, values[order], colour) for measure, values, colour in kinds),
        f"rank by {title}" if by_rank else title,
        "",
        y_range=_UNIT,
        rules=() if by_rank else (("x", best.threshold),),
        high=1.25,
        scores=(name,),
    )


def roc_chart(material: AnalysisMaterial, studies: Sequence[ScoreStudy]) -> Chart:
    """Return the ROC curves of some scores."""

    def curve(study: ScoreStudy) -> CurveLine:
        colour = material.colour(study.score_column.name)
        points = study.roc
        return _line(colour, study, points.fpr, points.tpr, points.threshold, "recall {1}, false positive rate {0}")

    lines = tuple(map(curve, studies))
    chance = CurveLine("chance", _DIAGONAL, _DIAGONAL, "muted", guide=True)
    return Chart(
        "roc", "ROC", (*lines, chance), "false positive rate", "recall", _UNIT, _UNIT, wide=False, high=1.2, square=True
    )


def recall_chart(material: AnalysisMaterial, studies: Sequence[ScoreStudy]) -> Chart:
    """Return the curves of precision against recall of some scores."""

    def curve(study: ScoreStudy) -> CurveLine:
        colour = material.colour(study.score_column.name)
        points = study.precision_recall
        return _line(colour, study, points.recall, points.precision, points.threshold, "precision {1}, recall {0}")

    lines = tuple(map(curve, studies))
    title = "Precision against recall"
    return Chart(
        "precision-recall", title, lines, "recall", "precision", _UNIT, _UNIT, wide=False, high=1.2, square=True
    )


def calibration_chart(material: AnalysisMaterial, corpus: str, studies: Sequence[ScoreStudy]) -> Chart:
    """Return a chart of the share of paraphrases against the probability of "yes"."""
    lines = tuple(
        _calibration_line(material, corpus, study, study.calibration)
        for study in studies
        if study.calibration is not None
    )
    perfect = CurveLine("perfect", _DIAGONAL, _DIAGONAL, "muted", guide=True)
    axes = ("mean probability of “yes”", "share of paraphrases")
    return Chart(
        "calibration-curve", "Calibration of p(yes)", (*lines, perfect), *axes, _UNIT, _UNIT, high=1.2, square=True
    )


def areas_table(material: AnalysisMaterial, studies: Sequence[CorpusStudy]) -> Table:
    """Return the areas under the curves and the equal error rate."""

    def cells(study: ScoreStudy) -> Iterable[Cell] | None:
        error = study.equal_error
        if not study.curve.positives or not study.curve.negatives:
            return None
        return study.roc.auc, study.precision_recall.average_precision, error.rate, error.threshold

    return Table(
        "curves",
        "Area under the ROC curve, average precision and equal error rate",
        ("corpus", "score", "AUC", "AP", "EER", "EER at"),
        score_rows(studies, material, cells)[0],
        bars=("AUC", "AP"),
    )


def calibration_table(material: AnalysisMaterial, studies: Sequence[CorpusStudy]) -> Table:
    """Return the calibration errors of p(yes)."""

    def cells(study: ScoreStudy) -> Iterable[Cell] | None:
        calibration = study.calibration
        if calibration is None or not calibration.pairs:
            return None
        return calibration.ece, calibration.mce, calibration.brier, calibration.pairs

    return Table(
        "calibration",
        "Calibration of p(yes) / (p(yes) + p(no))",
        ("corpus", "score", "ECE", "MCE", "Brier", "pairs"),
        score_rows(studies, material, cells)[0],
        "ECE, MCE: mean and largest gap between the probability and the share of paraphrases in ten bins.",
    )


def _line(colour: int, study: ScoreStudy, x: Floats, y: Floats, thresholds: Floats, template: str) -> CurveLine:
    """Return a curve of up to `POINTS` points; `template` formats x and y for the tip."""
    places = thin_places(len(x), POINTS)
    score, xs, ys, shown = study.score_column, x[places], y[places], thresholds[places]

    def tip(point: int) -> str:
        numbers = template.format(number(float(xs[point])), number(float(ys[point])))
        return f"{score.title} at {number(float(shown[point]))}: {numbers}\nclick to set this threshold"

    return CurveLine(
        score.title, xs, ys, colour, tip=tip, link=lambda point: ThresholdLink(score.name, float(shown[point]))
    )


def _calibration_line(
    material: AnalysisMaterial, corpus: str, study: ScoreStudy, calibration: Calibration
) -> CurveLine:
    score, edges = study.score_column, calibration.edges

    def tip(point: int) -> str:
        low, high = number(edges[point], 1), number(edges[point + 1], 1)
        share = f"{number(100 * calibration.observed[point], 0)} % of them paraphrases"
        pairs = f"{calibration.count[point]:,} pairs, {share}"
        return f"{score.title}, p(yes) from {low} to {high}: {pairs}\nclick to select them"

    def link(point: int) -> PairsLink:
        title = f"p(yes) of {score.title} from {number(edges[point], 1)} to {number(edges[point + 1], 1)}"
        return PairsLink(title, _select_bin(material.parts[corpus], score.name, edges, point))

    colour = material.colour(score.name)
    return CurveLine(score.title, calibration.predicted, calibration.observed, colour, dots=True, tip=tip, link=link)


def _select_bin(where: Mask, name: str, edges: Floats, point: int) -> Callable[[AnalysisMaterial], Mask]:
    def mask(now: AnalysisMaterial) -> Mask:
        labelled = (now.labels == 0) | (now.labels == 1)
        values = now.score_column(name).values
        return probability_mask(probability(values), edges, point, where=where & labelled)

    return mask
