"""One-sided judges: at their natural threshold nearly all pairs get the same answer, so it separates nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.arrays import Labels, Mask
from parapluie_gui.scores.table import is_scored

#: Minimum number of scored pairs for calling a judge one-sided.
FEWEST = 20

#: Share of pairs with the same answer from which a judge is one-sided.
NEARLY_ALL = 0.95

#: Share of pairs with the rarer label below which the pairs themselves may be the reason.
_RARE = 0.1


@dataclass(frozen=True)
class OneSidedJudge:
    """A judge that gives nearly all pairs the same answer.

    Attributes:
        title: The name of its score.
        yes: Whether that answer is Yes, a paraphrase.
        alike: Number of pairs with that answer.
        scored: Number of pairs with a score.
        threshold: The natural threshold.
        labelled: Whether labels show that the answer is wrong for many of the pairs.
    """

    title: str
    yes: bool
    alike: int
    scored: int
    threshold: float
    labelled: bool

    @property
    def sentence(self) -> str:
        """The finding and the remedy, in words."""
        answer, zero = "Yes" if self.yes else "No", f"{self.threshold:g}"
        start = f"{self.title} says {answer} to {self.alike:,} of {self.scored:,} pairs"
        if self.labelled:
            start += f": {zero} is not a usable threshold for it here."
        else:
            alike = "are paraphrases" if self.yes else "differ in meaning"
            start += f". Unless nearly all of them {alike}, {zero} is not a usable threshold for it."
        return f"{start} Compare its scores with each other, or choose a threshold on labelled pairs."


def find_one_sided(column: ScoreColumn, labels: Labels, where: Mask | None = None) -> OneSidedJudge | None:
    """Return a judge's one-sidedness at its natural threshold on the pairs in `where` (None: all), or None.

    If there are enough labels, they decide: a judge is not one-sided if nearly all pairs have the same label.
    """
    if not column.is_from_judge or column.threshold is None:
        return None
    scored = is_scored(column.values)
    if where is not None:
        scored &= where
    if (total := int(np.count_nonzero(scored))) < FEWEST:
        return None
    positive = int(np.count_nonzero(column.predicted_positive(column.threshold) & scored))
    yes = 2 * positive >= total
    alike = positive if yes else total - positive
    if alike < NEARLY_ALL * total:
        return None
    truth = labels[scored & ((labels == 0) | (labels == 1))]
    labelled = len(truth) >= FEWEST
    # If 3 % of the pairs are paraphrases, a good judge may say No to 98 %.
    if labelled and np.count_nonzero(truth != yes) < _RARE * len(truth):
        return None
    return OneSidedJudge(column.title, yes, alike, total, column.threshold, labelled)


def describe_one_sided(columns: Iterable[ScoreColumn], labels: Labels, where: Mask | None = None) -> str:
    """Return a sentence for each one-sided judge among scores; "" if there are none."""
    judges = (find_one_sided(column, labels, where) for column in columns)
    return " ".join(judge.sentence for judge in judges if judge is not None)
