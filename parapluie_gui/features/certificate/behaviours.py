"""The behaviours that a certificate tests, in the order shown, and the expected result of each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ExpectedResult(Enum):
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
    expected: ExpectedResult


IDENTITY, REWORDED, SYMMETRY, LADDER, TRIANGLES = "identity", "reworded", "symmetry", "ladder", "transitivity"
NEGATION, ADDED, LOST, UNRELATED = "negation", "added", "lost", "unrelated"
DIGITS, CONTRACTIONS = "digits", "contractions"

_CONSISTENT, _HARMLESS, _HARMFUL = "Consistency", "Same meaning", "Different meaning"

BEHAVIOURS: tuple[Behaviour, ...] = (
    Behaviour(IDENTITY, "sentence with itself", _CONSISTENT, ExpectedResult.SAME),
    Behaviour(SYMMETRY, "source and hypothesis swapped", _CONSISTENT, ExpectedResult.BOTH_WAYS),
    Behaviour(LADDER, "more and more changes", _CONSISTENT, ExpectedResult.FALLING),
    Behaviour(TRIANGLES, "A≈B and B≈C, so A≈C", _CONSISTENT, ExpectedResult.TRANSITIVE),
    Behaviour("case", "letter case", _HARMLESS, ExpectedResult.SAME),
    Behaviour("stop", "final full stop", _HARMLESS, ExpectedResult.SAME),
    Behaviour("spacing", "spacing", _HARMLESS, ExpectedResult.SAME),
    Behaviour("quotes", "quotation marks", _HARMLESS, ExpectedResult.SAME),
    Behaviour(CONTRACTIONS, "contraction", _HARMLESS, ExpectedResult.SAME),
    Behaviour("spelling", "British or American spelling", _HARMLESS, ExpectedResult.SAME),
    Behaviour("typo", "typo", _HARMLESS, ExpectedResult.SAME),
    Behaviour(DIGITS, "number as digits or words", _HARMLESS, ExpectedResult.SAME),
    Behaviour(REWORDED, "rewording", _HARMLESS, ExpectedResult.SAME),
    Behaviour(NEGATION, "negation", _HARMFUL, ExpectedResult.OTHER),
    Behaviour("number", "different number", _HARMFUL, ExpectedResult.OTHER),
    Behaviour("name", "different name", _HARMFUL, ExpectedResult.OTHER),
    Behaviour("swap", "roles swapped", _HARMFUL, ExpectedResult.OTHER),
    Behaviour("quantifier", "different quantifier", _HARMFUL, ExpectedResult.OTHER),
    Behaviour("modality", "different modality", _HARMFUL, ExpectedResult.OTHER),
    Behaviour("tense", "different tense", _HARMFUL, ExpectedResult.OTHER),
    Behaviour("antonym", "antonym", _HARMFUL, ExpectedResult.OTHER),
    Behaviour("unit", "different unit", _HARMFUL, ExpectedResult.OTHER),
    Behaviour("place", "different place", _HARMFUL, ExpectedResult.OTHER),
    Behaviour("time", "different time", _HARMFUL, ExpectedResult.OTHER),
    Behaviour(ADDED, "detail added", _HARMFUL, ExpectedResult.LESS),
    Behaviour(LOST, "detail lost", _HARMFUL, ExpectedResult.LESS),
    Behaviour(UNRELATED, "unrelated sentence", _HARMFUL, ExpectedResult.OTHER),
)

BY_KEY = {behaviour.key: behaviour for behaviour in BEHAVIOURS}
