"""Which column of a file plays which role: the mapping, and a guess of it from the columns' names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

from parapluie_gui.pairs.corpus import ROLES

#: Names that two sentences of a pair go by, the surest first.
SENTENCE_NAMES = (
    ("source", "hypothesis"),
    ("sentence1", "sentence2"),
    ("sentence a", "sentence b"),
    ("sent1", "sent2"),
    ("s1", "s2"),
    ("text a", "text b"),
    ("text1", "text2"),
    ("question1", "question2"),
    ("#1 string", "#2 string"),
    ("premise", "hypothesis"),
    ("source", "target"),
    ("source", "paraphrase"),
    ("original", "paraphrase"),
    ("src", "hyp"),
    ("src", "tgt"),
)

#: Names that the other roles go by, the surest first.
OTHER_NAMES = {
    "id": ("id", "pair id", "pairid", "idx", "index", "guid", "uid"),
    "reference": ("reference", "ref"),
    "label": ("label", "gold", "gold label", "quality", "is duplicate", "is paraphrase", "paraphrase", "equivalent"),
    "human": ("human", "human score", "score", "similarity", "similarity score", "relatedness score", "rating"),
    "group": ("group", "phenomenon", "genre", "category", "language", "lang", "domain"),
}


@dataclass(frozen=True)
class ColumnMapping:
    """The column that plays each role, or None; several columns of `id` are joined by a hyphen (MRPC, STS-B)."""

    id: str | tuple[str, ...] | None = None
    source: str | None = None
    hypothesis: str | None = None
    reference: str | None = None
    label: str | None = None
    human: str | None = None
    group: str | None = None

    @property
    def complete(self) -> bool:
        """Both sentences have a column."""
        return self.source is not None and self.hypothesis is not None

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that plays a role."""
        values = (getattr(self, role) for role in ROLES)
        return tuple(name for value in values if value for name in ((value,) if isinstance(value, str) else value))


assert {item.name for item in fields(ColumnMapping)} == set(ROLES)


def plain(name: str) -> str:
    """Return a column name in the form names are compared in: "Text_A " and "text-a" are both "text a"."""
    words = re.sub(r"[\s_\-.]+", " ", name).strip().casefold()
    return re.sub(r" (?=\d+$)", "", words)


def guess_mapping(names: Sequence[str]) -> tuple[ColumnMapping, bool]:
    """Guess the roles of columns from their unique names.

    Returns:
        The mapping (perhaps incomplete), and whether both sentences are certain: exactly one known pair of names is
        there, or the pair this program writes itself (source, hypothesis).
    """
    by_plain: dict[str, str] = {}
    for name in names:
        by_plain.setdefault(plain(name), name)
    pairs = [(left, right) for left, right in SENTENCE_NAMES if left in by_plain and right in by_plain]
    source = by_plain[pairs[0][0]] if pairs else None
    hypothesis = by_plain[pairs[0][1]] if pairs else None
    certain = bool(pairs) and (len(pairs) == 1 or pairs[0] == SENTENCE_NAMES[0])
    found: dict[str, str | None] = {}
    for role, names in OTHER_NAMES.items():
        candidates = (by_plain[name] for name in names if name in by_plain)
        found[role] = next((name for name in candidates if name not in (source, hypothesis)), None)
    return ColumnMapping(source=source, hypothesis=hypothesis, **found), certain
