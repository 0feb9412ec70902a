"""Mean and spread of a score for paraphrases and for other pairs, as in the paper's table 1."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.arrays import Labels, Scores
from parapluie_gui.pairs.corpus import UNLABELLED
from parapluie_gui.scores.table import is_scored


@dataclass(frozen=True)
class ScoreSummary:
    """Summary statistics of the scores of some pairs, NaN without scores.

    Attributes:
        scored, missing: Numbers of pairs with and without a score.
        mean, std: Mean and standard deviation (population, as by default in numpy).
        low, median, high: Lowest, median and highest score.
    """

    scored: int = 0
    missing: int = 0
    mean: float = nan
    std: float = nan
    low: float = nan
    median: float = nan
    high: float = nan

    def __str__(self) -> str:
        return f"{self.mean:.3f}±{self.std:.3f}" if self.scored else "–"


@dataclass(frozen=True)
class LabelSummary:
    """A score's summaries: over paraphrases, negatives, unlabelled pairs, and all of them."""

    paraphrase: ScoreSummary
    other: ScoreSummary
    unlabelled: ScoreSummary
    all: ScoreSummary


def summary(scores: Scores) -> ScoreSummary:
    """Summarise scores, ignoring NaN."""
    present = scores[is_scored(scores)]
    missing = len(scores) - len(present)
    if not len(present):
        return ScoreSummary(missing=missing)
    with np.errstate(invalid="ignore", over="ignore"):  # the spread around an infinite mean is NaN
        return ScoreSummary(
            scored=len(present),
            missing=missing,
            mean=float(present.mean()),
            std=float(present.std()),
            low=float(present.min()),
            median=float(np.median(present)),
            high=float(present.max()),
        )


def by_label(scores: Scores, labels: Labels | None) -> LabelSummary:
    """Summarise scores per label; without labels (None) all pairs are unlabelled."""
    labels = np.full(len(scores), UNLABELLED) if labels is None else np.asarray(labels)
    return LabelSummary(
        paraphrase=summary(scores[labels == 1]),
        other=summary(scores[labels == 0]),
        unlabelled=summary(scores[(labels != 0) & (labels != 1)]),
        all=summary(scores),
    )
