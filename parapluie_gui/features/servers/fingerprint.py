"""Fingerprints of models on servers: scores of a few fixed questions that identify a model beyond its name.

Most servers report the name of their model and nothing about its files. The fingerprint is taken on connecting and
compared before anything is scored. A server rounds slightly differently each time, so close numbers count as equal.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

from parapluie_gui.pluie.judge import PairScore, TemplateScorer
from parapluie_gui.pluie.templates import Template
from parapluie_gui.pluie.turns import ChatTurn

PROBE = Template("PROBE", (ChatTurn("user", "{source}\nAnswer with one word, which is: {hypothesis}."),))
SHORT = "This is a test."
#: The answers that the model is asked to give; the last lets it choose.
WORDS = ("Yes", "No", "Yes or No")
#: Maximum difference between two scores of one question: servers compute in 16 bits, and batch requests of many users.
_NEAR = 0.5

#: The scores of the questions; None where the server did not return both answers.
Fingerprint = tuple[float | None, ...]


def answer(scorer: TemplateScorer, text: str, word: str) -> PairScore:
    """Return the score of one question."""
    [[scored]] = scorer.score([text], [word])
    return scored


def fingerprint(answers: Sequence[PairScore]) -> Fingerprint:
    """Return the fingerprint made of the answers to the questions of WORDS."""
    return tuple(
        None if math.isnan(one.evidence.p_yes) or math.isnan(one.evidence.p_no) else one.score for one in answers
    )


def take_fingerprint(scorer: TemplateScorer) -> Fingerprint:
    """Ask the questions of WORDS and return the fingerprint of the model."""
    return fingerprint([answer(scorer, SHORT, word) for word in WORDS])


def fingerprints_agree(one: Fingerprint, two: Fingerprint, noise: float) -> bool:
    """Return whether two fingerprints can belong to one model, whose repeated answers differ by up to `noise`."""
    pairs = zip(one, two, strict=False)
    return len(one) == len(two) and all(
        first is None or second is None or abs(first - second) <= _NEAR + 3 * noise for first, second in pairs
    )


def make_digest(*facts: object) -> str:
    """Return a digest of twelve hexadecimal digits."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:12]
