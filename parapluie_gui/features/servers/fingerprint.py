"""A few questions whose numbers tell a server's model from another one that has the same name.

Most servers say what their model is called and nothing of its files. What the model answers is its fingerprint: it is
taken on connecting and compared before anything is scored. One server rounds a little differently each time, so that
numbers that lie close together are the same.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

from parapluie_gui.pluie.judge import Scored, Scorer
from parapluie_gui.pluie.templates import Template
from parapluie_gui.pluie.turns import Turn

PROBE = Template("PROBE", (Turn("user", "{source}\nAnswer with one word, which is: {hypothesis}."),))
SHORT = "This is a test."
#: What the model is asked to say; of the last it has to choose by itself.
WORDS = ("Yes", "No", "Yes or No")
#: How far a score may be from the one before: servers compute in 16 bits, and in batches with what others ask.
_NEAR = 0.5

#: The scores of the questions; None where the server did not tell both answers.
Fingerprint = tuple[float | None, ...]


def answer(scorer: Scorer, text: str, word: str) -> Scored:
    """Return the score of one question."""
    [[found]] = scorer.score([text], [word])
    return found


def fingerprint(answers: Sequence[Scored]) -> Fingerprint:
    """Return what the answers to WORDS say of the model."""
    return tuple(
        None if math.isnan(one.evidence.p_yes) or math.isnan(one.evidence.p_no) else one.score for one in answers
    )


def taken(scorer: Scorer) -> Fingerprint:
    """Ask the questions of WORDS."""
    return fingerprint([answer(scorer, SHORT, word) for word in WORDS])


def agree(one: Fingerprint, two: Fingerprint, noise: float) -> bool:
    """Return whether two fingerprints can be of one model, whose answer to the same question differed by `noise`."""
    pairs = zip(one, two, strict=False)
    return len(one) == len(two) and all(
        here is None or there is None or abs(here - there) <= _NEAR + 3 * noise for here, there in pairs
    )


def digest_of(*facts: object) -> str:
    """Return twelve hexadecimal digits that stand for facts."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:12]
