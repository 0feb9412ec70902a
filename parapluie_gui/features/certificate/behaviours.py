"""What a certificate tries: the behaviours, what each expects of a score, and in which order they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Expected(Enum):
    """What a score is to do with a case."""

    #: The pair means the same: on the right side of the threshold.
    SAME = "same"
    #: The pair means something else: below the sentence beside itself, and on the other side of the threshold.
    OTHER = "other"
    #: The pair says more or less than the source: below the sentence beside itself.
    LESS = "less"
    #: Both directions have the same verdict.
    BOTH_WAYS = "both ways"
    #: No later pair of a ladder is above an earlier one.
    FALLING = "falling"
    #: Where A means the same as B, and B as C, so does A as C.
    TRANSITIVE = "transitive"


@dataclass(frozen=True)
class Behaviour:
    """One row of a certificate.

    Attributes:
        key: The name in JSON and in the files of sentences ("negation").
        title: What a person reads.
        group: The heading above it.
        expected: What a score is to do.
    """

    key: str
    title: str
    group: str
    expected: Expected


IDENTITY, REWORDED, SYMMETRY, LADDER, TRIANGLES = "identity", "reworded", "symmetry", "ladder", "transitivity"
NEGATION, ADDED, LOST, UNRELATED = "negation", "added", "lost", "unrelated"
DIGITS, CONTRACTIONS = "digits", "contractions"

_CONSISTENT, _HARMLESS, _HARMFUL = "Consistency", "Same meaning", "Other meaning"

BEHAVIOURS: tuple[Behaviour, ...] = (
    Behaviour(IDENTITY, "sentence beside itself", _CONSISTENT, Expected.SAME),
    Behaviour(SYMMETRY, "swapped source and hypothesis", _CONSISTENT, Expected.BOTH_WAYS),
    Behaviour(LADDER, "more and more changes", _CONSISTENT, Expected.FALLING),
    Behaviour(TRIANGLES, "A≈B and B≈C, so A≈C", _CONSISTENT, Expected.TRANSITIVE),
    Behaviour("case", "letter case", _HARMLESS, Expected.SAME),
    Behaviour("stop", "final full stop", _HARMLESS, Expected.SAME),
    Behaviour("spacing", "spacing", _HARMLESS, Expected.SAME),
    Behaviour("quotes", "quotation marks", _HARMLESS, Expected.SAME),
    Behaviour(CONTRACTIONS, "contraction", _HARMLESS, Expected.SAME),
    Behaviour("spelling", "British or American spelling", _HARMLESS, Expected.SAME),
    Behaviour("typo", "typo", _HARMLESS, Expected.SAME),
    Behaviour(DIGITS, "number as digits or words", _HARMLESS, Expected.SAME),
    Behaviour(REWORDED, "said in other words", _HARMLESS, Expected.SAME),
    Behaviour(NEGATION, "negation", _HARMFUL, Expected.OTHER),
    Behaviour("number", "another number", _HARMFUL, Expected.OTHER),
    Behaviour("name", "another name", _HARMFUL, Expected.OTHER),
    Behaviour("swap", "roles swapped", _HARMFUL, Expected.OTHER),
    Behaviour("quantifier", "another quantifier", _HARMFUL, Expected.OTHER),
    Behaviour("modality", "another modality", _HARMFUL, Expected.OTHER),
    Behaviour("tense", "another tense", _HARMFUL, Expected.OTHER),
    Behaviour("antonym", "antonym", _HARMFUL, Expected.OTHER),
    Behaviour("unit", "another unit", _HARMFUL, Expected.OTHER),
    Behaviour("place", "another place", _HARMFUL, Expected.OTHER),
    Behaviour("time", "another time", _HARMFUL, Expected.OTHER),
    Behaviour(ADDED, "detail added", _HARMFUL, Expected.LESS),
    Behaviour(LOST, "detail lost", _HARMFUL, Expected.LESS),
    Behaviour(UNRELATED, "unrelated sentence", _HARMFUL, Expected.OTHER),
)

BY_KEY = {each.key: each for each in BEHAVIOURS}
