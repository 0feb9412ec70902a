"""The opening sentence of an analysis, made of candidates: it claims only what chance does not explain.

Among several scores one is always the best, even if all are noise. A candidate is named if its test holds after a
correction for the number of candidates (Holm), and called better than the others only if it is tested against each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from parapluie_gui.analysis.statistics.buckets import wilson
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.statistics.significance import holm
from parapluie_gui.analysis.table import NOTHING, cell_text, percent
from parapluie_gui.arrays import Mask, Rows
from parapluie_gui.errors import join_words

#: The level of the tests: on noise, 1 of 100 opening sentences claims something.
LEVEL = 0.01

#: Maximum number of pairs in a test, which are spread evenly over a larger corpus.
_MOST_TESTED = 50_000

#: Maximum number of rivals that a sentence names.
_MOST_NAMED = 3


@dataclass(frozen=True)
class FindingCandidate:
    """A result that a finding may name.

    Attributes:
        title: The title of the score, or of another thing.
        words: The result after the title: "is right on 76.4 % [74.3, 78.3] of 1,725 pairs".
        strength: A number by which candidates are ordered, the greatest first.
        p: The p-value of the result against chance, in the direction that is claimed; NaN if it cannot be tested.
    """

    title: str
    words: str
    strength: float
    p: float

    @property
    def sentence(self) -> str:
        """Title and result, without a full stop."""
        return f"{self.title} {self.words}"


def find_standing_out(candidates: Sequence[FindingCandidate]) -> list[FindingCandidate]:
    """Return the candidates whose results chance does not explain, the strongest first."""
    corrected = holm([candidate.p for candidate in candidates])
    standing = [candidate for candidate, p in zip(candidates, corrected, strict=True) if p < LEVEL]
    return sorted(standing, key=lambda candidate: -candidate.strength)


def compose_finding(
    candidates: Sequence[FindingCandidate],
    nothing: str,
    comparative: str = "",
    differs: Callable[[FindingCandidate, FindingCandidate], float] | None = None,
    noun: str = "score",
) -> str:
    """Return the sentence about the strongest candidate; "Nothing stands out: …" if chance explains all of them.

    Args:
        candidates: All results that were compared, including weak ones, because their number matters.
        nothing: The clause for no result: "no score is right more often than the commoner label".
        comparative: The word for a stronger candidate: "more often".
        differs: Returns the p-value of the difference between two candidates; None without such a test.
        noun: The word for a candidate: "score", "system".
    """
    standing = find_standing_out(candidates)
    if not standing:
        return f"Nothing stands out: {nothing}."
    first = standing[0]
    rivals = [candidate for candidate in candidates if candidate is not first and not isnan(candidate.strength)]
    if not rivals or differs is None:
        return f"{first.sentence}."
    # Without a test, as for two equal columns, a rival is not known to be weaker.
    corrected = holm([differs(first, rival) for rival in rivals])
    equal = [
        rival.title
        for rival, p in zip(rivals, corrected, strict=True)
        if not (p < LEVEL and rival.strength < first.strength)
    ]
    if not equal:
        others = f"the other {noun}" if len(rivals) == 1 else f"each of the {len(rivals)} other {noun}s"
        return f"{first.sentence}, {comparative} than {others}."
    return f"{first.sentence}, not clearly {comparative} than {name_some(equal)}."


def name_some(titles: Sequence[str]) -> str:
    """Return a list of titles in words; of many, the first ones and a number."""
    if len(titles) <= _MOST_NAMED + 1:
        return join_words(list(titles))
    return f"{', '.join(titles[:_MOST_NAMED])} and {len(titles) - _MOST_NAMED} others"


def count_pairs(number: int) -> str:
    """Return "1 pair" or "2,000 pairs"."""
    return f"{number:,} {'pair' if number == 1 else 'pairs'}"


def share_words(right: int, counted: int) -> str:
    """Return a share with Wilson's 95 % interval: "76.4 % [74.3, 78.3] of 1,725 pairs"."""
    if not counted:
        return NOTHING
    low, high = (percent(end, counted).removesuffix(" %") for end in wilson(right, counted))
    return f"{percent(right / counted, counted)} [{low}, {high}] of {count_pairs(counted)}"


def estimate_words(estimate: Estimate, digits: int = 2) -> str:
    """Return a number with its interval, if it has one."""
    return cell_text(estimate, digits)


def tested_rows(where: Mask) -> Rows:
    """Return the rows of a mask that tests use: all, or as many as are enough, evenly spread."""
    rows = np.flatnonzero(where)
    if len(rows) <= _MOST_TESTED:
        return rows
    return rows[np.linspace(0, len(rows) - 1, _MOST_TESTED).astype(np.int64)]
