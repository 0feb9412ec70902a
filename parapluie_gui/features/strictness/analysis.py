"""Strictness: for a wanted false positive rate, the score and threshold that find the most paraphrases.

PARAPHRASUS calibrates prompts in this way. Everything is chosen on a random half of the labelled pairs and reported on
the other, so that the figures are not fitted to the pairs that they are about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, Analysis, AnalysisRequirement, Block, Run
from parapluie_gui.analysis.evaluations.transfer import random_halves
from parapluie_gui.analysis.figure import Chart, CurveLine
from parapluie_gui.analysis.finding import FindingCandidate, compose_finding, share_words
from parapluie_gui.analysis.link import ThresholdLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.buckets import estimate_share
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.statistics.curves import ThresholdCurve, roc, thin_places, threshold_curve
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.analysis.threshold import OutcomeCounts, counts
from parapluie_gui.options import decimal, integer

#: Maximum number of points drawn for a curve.
_POINTS = 400

_BOTH_LABELS = AnalysisRequirement(
    lambda material: any(
        (material.labels[mask] == 1).sum() > 1 and (material.labels[mask] == 0).sum() > 1
        for mask in material.parts.values()
    ),
    "Strictness needs at least two paraphrases and two other pairs. Open a corpus with both labels.",
    "files.open",
)


@dataclass(frozen=True)
class StrictnessOptions:
    """Options of *Strictness*: the wanted rate, the halves and the pairs."""

    rate: float = decimal("&False positive rate", 0.0, 1.0, 0.05, "the maximum false positive rate")
    seed: int = integer("S&eed", 0, 2**31 - 1, 0, "random seed for the two halves")
    part: str = part()


@dataclass(frozen=True, eq=False)
class StrictThreshold:
    """A score at the threshold that finds the most paraphrases on one half within the wanted rate.

    Attributes:
        score: The score.
        threshold: The threshold; infinite if even the strictest score is too lenient.
        chosen_on: Counts on the half that it was chosen on.
        reported_on: Counts on the other half.
        curve: The curve of the other half.
    """

    score: ScoreColumn
    threshold: float
    chosen_on: OutcomeCounts
    reported_on: OutcomeCounts
    curve: ThresholdCurve

    @property
    def false_positive_rate(self) -> Estimate:
        """The false positive rate on the other half, with Wilson's interval."""
        return estimate_share(self.reported_on.fp, self.reported_on.fp + self.reported_on.tn)

    @property
    def recall(self) -> Estimate:
        """The recall on the other half, with Wilson's interval."""
        return estimate_share(self.reported_on.tp, self.reported_on.tp + self.reported_on.fn)


def _describe_strictness(rate: float, result: StrictThreshold) -> FindingCandidate:
    """Return the finding: recall and false positive rate on the other half, with Fisher's exact test."""
    from scipy.stats import fisher_exact

    report, chosen = result.reported_on, result.chosen_on
    paraphrases, others = (
        share_words(some, all_of_label)
        for some, all_of_label in ((report.tp, report.tp + report.fn), (report.fp, report.fp + report.tn))
    )
    words = (
        f"from {number(result.threshold)}, for at most {100 * rate:g} % false positives, finds {paraphrases} that are "
        f"paraphrases on the other half, and {others} that are not"
    )
    p = float(fisher_exact([[report.tp, report.fn], [report.fp, report.tn]], "greater").pvalue)
    # Ordered by the half on which the threshold was chosen.
    return FindingCandidate(result.score.title, words, chosen.tp / max(chosen.counted, 1), p)


class StrictnessAnalysis(Analysis[StrictnessOptions, tuple[StrictThreshold, ...]]):
    """Clicking a row sets its threshold; the first row is the choice."""

    name = "strictness"
    title = "Strictness"
    group = "Scores"
    about = (
        "Score and threshold that find the most paraphrases within a wanted false positive rate, chosen on one half of "
        "the labelled pairs and reported on the other (PARAPHRASUS)"
    )
    manual = "strictness"
    needs = (SCORES, PAIRS, LABELS, _BOTH_LABELS)
    options = StrictnessOptions
    in_analyse = False
    in_report = False

    def compute(
        self, material: AnalysisMaterial, options: StrictnessOptions, tick: Tick
    ) -> tuple[StrictThreshold, ...]:
        labelled = material.parts[options.part] & ((material.labels == 0) | (material.labels == 1))
        one, other = random_halves(labelled, options.seed).values()
        results = []
        for done, score in enumerate(material.score_columns):
            tick(done, len(material.score_columns))
            higher = score.higher_is_closer
            curve = threshold_curve(score.values[one], material.labels[one], higher_is_closer=higher)
            allowed = np.flatnonzero(curve.false_positive_rate <= options.rate)
            # The rate grows along the curve, so that the last threshold within it finds the most paraphrases.
            threshold = float(curve.threshold[allowed[-1]]) if len(allowed) else (inf if higher else -inf)
            chosen_on, reported_on = (
                counts(score.values[half], material.labels[half], threshold, higher) for half in (one, other)
            )
            report = threshold_curve(score.values[other], material.labels[other], higher_is_closer=higher)
            results.append(StrictThreshold(score, threshold, chosen_on, reported_on, report))
        return tuple(sorted(results, key=lambda result: -result.chosen_on.tp / max(result.chosen_on.counted, 1)))

    def finding(self, run: Run[StrictnessOptions, tuple[StrictThreshold, ...]]) -> str:
        candidates = [_describe_strictness(run.options.rate, result) for result in run.result]
        if not candidates:
            return ""
        nothing = f"no score clearly finds paraphrases with at most {100 * run.options.rate:g} % false positives"
        return compose_finding(candidates, nothing)

    def blocks(self, run: Run[StrictnessOptions, tuple[StrictThreshold, ...]]) -> Sequence[Block]:
        return strictness_chart(run), strictness_table(run)


def strictness_table(run: Run[StrictnessOptions, tuple[StrictThreshold, ...]]) -> Table:
    """Return each score's threshold for the wanted rate, the score that finds the most paraphrases first."""
    rows: list[tuple[Cell, ...]] = []
    for result in run.result:
        chosen = result.chosen_on
        first = chosen.fp / (chosen.fp + chosen.tn) if chosen.fp + chosen.tn else None
        rows.append(
            (
                result.score.title,
                result.threshold,
                first,
                chosen.recall,
                result.false_positive_rate,
                result.recall,
                result.reported_on.counted,
            )
        )
    return Table(
        "strictness",
        f"Thresholds for a false positive rate of at most {run.options.rate:g}",
        ("score", "threshold", "FPR, chosen on", "recall, chosen on", "FPR", "recall", "pairs"),
        tuple(rows),
        f"Chosen on a random half (seed {run.options.seed}) of the labelled pairs; FPR and recall, with Wilson's 95 % "
        "interval, on the other half. A rate based on few pairs may differ between the halves. Click a row to set its "
        "threshold.",
        link=lambda row, column: ThresholdLink(run.result[row].score.name, run.result[row].threshold),
        bars=("FPR", "recall"),
    )


def strictness_chart(run: Run[StrictnessOptions, tuple[StrictThreshold, ...]]) -> Chart:
    """Return recall against the false positive rate of every score on the other half."""

    def line(result: StrictThreshold) -> CurveLine:
        curve = roc(result.curve)
        points = thin_places(len(curve.fpr), _POINTS)
        fpr, tpr, thresholds = curve.fpr[points], curve.tpr[points], curve.threshold[points]

        def tip(point: int) -> str:
            rates = f"FPR {number(float(fpr[point]))}, recall {number(float(tpr[point]))}"
            return f"{result.score.title} from {number(float(thresholds[point]))}: {rates}"

        return CurveLine(result.score.title, fpr, tpr, run.material.colour(result.score.name), tip=tip)

    lines = tuple(line(result) for result in run.result if len(result.curve))
    return Chart(
        "strictness",
        "Paraphrases found by the rate of false positives, on the other half",
        lines,
        "false positive rate",
        "recall",
        (0.0, 1.0),
        rules=(("x", run.options.rate),),
    )
