"""A person's judgement of a pair: the answers of the paper's human judgement, and a note."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from parapluie_gui.pairs.corpus import UNLABELLED


@dataclass(frozen=True)
class Verdict:
    """One answer a person can give: its word in session files, how it is shown, and the label that it counts as."""

    id: str
    title: str
    label: int


#: The answers of the ParaPLUIE paper (Lemesle et al., COLING 2025, appendix A.3), in its order.
VERDICTS = (
    Verdict("very_different", "Very different", 0),
    Verdict("slightly_similar", "Slightly similar", 0),
    Verdict("mostly_similar", "Mostly similar", 1),
    Verdict("same_meaning", "Same meaning", 1),
    Verdict("dont_know", "Don't know", UNLABELLED),
)


@dataclass(frozen=True)
class Note:
    """What the user wrote of one pair: a text, possibly empty, the id of a `Verdict`, and when (with the time zone)."""

    text: str
    verdict: str | None
    changed: datetime


def verdict(id: str) -> Verdict:
    """Return the answer of that id.

    Raises:
        KeyError: There is none.
    """
    return {answer.id: answer for answer in VERDICTS}[id]
