"""One-sided judges: at their natural threshold nearly all pairs get the same answer, so it separates nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.arrays import Labels, Mask
from parapluie_gui.errors import join_words
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
        return describe_judges([self])


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
    """Return sentences on the one-sided judges among scores; "" if there are none."""
    judges = (find_one_sided(column, labels, where) for column in columns)
    return describe_judges([judge for judge in judges if judge is not None])


def describe_judges(judges: Sequence[OneSidedJudge]) -> str:
    """Return the findings on one-sided judges and the remedy in words, those alike in one sentence; "" without any."""
    sentences = []
    for yes, threshold, labelled in dict.fromkeys((judge.yes, judge.threshold, judge.labelled) for judge in judges):
        alike = [
            judge for judge in judges if (judge.yes, judge.threshold, judge.labelled) == (yes, threshold, labelled)
        ]
        counts = [f"to {judge.alike:,} of {judge.scored:,}" for judge in alike]
        counts[0] = f"says {'Yes' if yes else 'No'} {counts[0]}"
        finding = join_words([f"{judge.title} {words}" for judge, words in zip(alike, counts, strict=True)]) + " pairs"
        zero = f"{threshold:g} is not a usable threshold for {'it' if len(alike) == 1 else 'them'}"
        answer = "are paraphrases" if yes else "differ in meaning"
        reason = f": {zero} here." if labelled else f". Unless nearly all of them {answer}, {zero}."
        sentences.append(finding + reason)
    whose = "its" if len(judges) == 1 else "their"
    remedy = f"Compare {whose} scores with each other, or choose a threshold on labelled pairs."
    return " ".join([*sentences, remedy]) if sentences else ""
