"""The behaviours that a certificate tests, in the order shown, and the expected result of each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Expectation(Enum):
    """The expected result of a score on a case."""

    #: Same meaning: the pair reaches the threshold.
    SAME = "same"
    #: Different meaning: the pair scores below the threshold and below the sentence with itself.
    OTHER = "other"
    #: One detail more or less: the pair scores below the sentence with itself.
    LESS = "less"
    #: The pair and the swapped pair have the same verdict.
    BOTH_WAYS = "both ways"
    #: No later pair of a ladder scores higher than an earlier one.
    FALLING = "falling"
    #: If A≈B and B≈C, then A≈C.
    TRANSITIVE = "transitive"


@dataclass(frozen=True)
class Behaviour:
    """One row of a certificate.

    Attributes:
        key: The name in JSON and in the sentence files ("negation").
        title: The name shown to users.
        group: The heading above the row.
        expected: The expected result.
    """

    key: str
    title: str
    group: str
    expected: Expectation


IDENTITY, REWORDED, SYMMETRY, LADDER, TRIANGLES = "identity", "reworded", "symmetry", "ladder", "transitivity"
NEGATION, ADDED, LOST, UNRELATED = "negation", "added", "lost", "unrelated"
DIGITS, CONTRACTIONS = "digits", "contractions"

_CONSISTENT, _HARMLESS, _HARMFUL = "Consistency", "Same meaning", "Different meaning"

BEHAVIOURS: tuple[Behaviour, ...] = (
    Behaviour(IDENTITY, "sentence with itself", _CONSISTENT, Expectation.SAME),
    Behaviour(SYMMETRY, "source and hypothesis swapped", _CONSISTENT, Expectation.BOTH_WAYS),
    Behaviour(LADDER, "more and more changes", _CONSISTENT, Expectation.FALLING),
    Behaviour(TRIANGLES, "A≈B and B≈C, so A≈C", _CONSISTENT, Expectation.TRANSITIVE),
    Behaviour("case", "letter case", _HARMLESS, Expectation.SAME),
    Behaviour("stop", "final full stop", _HARMLESS, Expectation.SAME),
    Behaviour("spacing", "spacing", _HARMLESS, Expectation.SAME),
    Behaviour("quotes", "quotation marks", _HARMLESS, Expectation.SAME),
    Behaviour(CONTRACTIONS, "contraction", _HARMLESS, Expectation.SAME),
    Behaviour("spelling", "British or American spelling", _HARMLESS, Expectation.SAME),
    Behaviour("typo", "typo", _HARMLESS, Expectation.SAME),
    Behaviour(DIGITS, "number as digits or words", _HARMLESS, Expectation.SAME),
    Behaviour(REWORDED, "rewording", _HARMLESS, Expectation.SAME),
    Behaviour(NEGATION, "negation", _HARMFUL, Expectation.OTHER),
    Behaviour("number", "different number", _HARMFUL, Expectation.OTHER),
    Behaviour("name", "different name", _HARMFUL, Expectation.OTHER),
    Behaviour("swap", "roles swapped", _HARMFUL, Expectation.OTHER),
    Behaviour("quantifier", "different quantifier", _HARMFUL, Expectation.OTHER),
    Behaviour("modality", "different modality", _HARMFUL, Expectation.OTHER),
    Behaviour("tense", "different tense", _HARMFUL, Expectation.OTHER),
    Behaviour("antonym", "antonym", _HARMFUL, Expectation.OTHER),
    Behaviour("unit", "different unit", _HARMFUL, Expectation.OTHER),
    Behaviour("place", "different place", _HARMFUL, Expectation.OTHER),
    Behaviour("time", "different time", _HARMFUL, Expectation.OTHER),
    Behaviour(ADDED, "detail added", _HARMFUL, Expectation.LESS),
    Behaviour(LOST, "detail lost", _HARMFUL, Expectation.LESS),
    Behaviour(UNRELATED, "unrelated sentence", _HARMFUL, Expectation.OTHER),
)

BY_KEY = {behaviour.key: behaviour for behaviour in BEHAVIOURS}
