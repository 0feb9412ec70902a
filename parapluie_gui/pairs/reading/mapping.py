"""Which column of a file plays which role: the mapping, and a guess of it from the columns' names."""

from __future__ import annotations

import re
from collections import defaultdict
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
    ("context", "hypothesis"),
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
    "label": (
        *("label", "gold", "gold label", "quality", "is duplicate", "is paraphrase", "paraphrase", "equivalent"),
        *("same", "same meaning", "gleich"),
    ),
    "human": (
        *("human", "human score", "score", "similarity", "similarity score"),
        *("relatedness score", "annot score", "rating"),
    ),
    "group": ("group", "phenomenon", "genre", "category", "language", "lang", "domain"),
}

#: Words for a sentence in the names of two columns that differ by a counter alone: "Satz A" and "Satz B".
_SENTENCE_WORDS = frozenset(
    [
        *("sentence", "sent", "string", "text", "question", "query", "utterance", "tweet"),
        *("satz", "frage", "phrase", "texte", "frase", "texto", "oración", "zin"),
    ]
)
#: Characters of a column's name; what is longer is a line of a file that something else separates.
_LONGEST_NAME = 100
_COUNTERS = {
    "1": "2",
    "0": "1",
    "a": "b",
    "first": "second",
    "left": "right",
    "erster": "zweiter",
    "première": "deuxième",
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


#: What is looked at of a column's name: a sheet without a header may have a whole book in its first cell.
_LONGEST = 200


def plain(name: str) -> str:
    """Return a column name in the form names are compared in: "Text_A " and "text-a" are both "text a"."""
    words = re.sub(r"[\s_\-.]+", " ", name[:_LONGEST]).strip().rstrip("?:").casefold()
    return re.sub(r" (?=\d+$)", "", words)


def guess_mapping(names: Sequence[str]) -> tuple[ColumnMapping, bool]:
    """Guess the roles of columns from their unique names.

    Returns:
        The mapping (perhaps incomplete), and whether both sentences are certain: exactly one known pair of names is
        there, or two names that differ by a counter ("Satz A", "Satz B"), or the pair this program writes itself
        (source, hypothesis).
    """
    by_plain: dict[str, str] = {}
    for name in names:
        by_plain.setdefault(plain(name), name)
    pairs = [(left, right) for left, right in SENTENCE_NAMES if left in by_plain and right in by_plain]
    counted = _counted(names) if not pairs else []
    found_pairs = [(by_plain[left], by_plain[right]) for left, right in pairs] or counted
    source, hypothesis = found_pairs[0] if found_pairs else (None, None)
    certain = len(found_pairs) == 1 or (bool(pairs) and pairs[0] == SENTENCE_NAMES[0])
    found: dict[str, str | None] = {}
    for role, names in OTHER_NAMES.items():
        candidates = (by_plain[name] for name in names if name in by_plain)
        found[role] = next((name for name in candidates if name not in (source, hypothesis)), None)
    return ColumnMapping(source=source, hypothesis=hypothesis, **found), certain


def _counted(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of columns whose names hold a word for a sentence and differ by a counter alone."""
    by_words: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in names:
        if len(name) <= _LONGEST_NAME:
            parts = plain(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
            by_words[tuple(re.findall(r"[^\W\d_]+|\d+", parts))].append(name)
    found = []
    for words, lefts in list(by_words.items()):
        if _SENTENCE_WORDS.isdisjoint(words):
            continue
        for at, word in enumerate(words):
            if word in _COUNTERS:
                rights = by_words.get((*words[:at], _COUNTERS[word], *words[at + 1 :]), ())
                found += [(left, right) for left in lefts for right in rights]
    return found
