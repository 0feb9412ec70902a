"""The mapping of a file's columns to roles, and a guess of it from the columns' names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields

from parapluie_gui.pairs.corpus import ROLES

#: Names of the columns of the two sentences, the surest first.
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

#: Names of the columns of the other roles, the surest first.
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

#: Words for a sentence in the names of two columns that differ only in a counter: "Satz A" and "Satz B".
_SENTENCE_WORDS = frozenset(
    [
        *("sentence", "sent", "string", "text", "question", "query", "utterance", "tweet"),
        *("satz", "frage", "phrase", "texte", "frase", "texto", "oración", "zin"),
    ]
)
#: Maximum number of characters of such a name; a longer one is a line of a file with a different separator.
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
        """Whether both sentences have a column."""
        return self.source is not None and self.hypothesis is not None

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that plays a role."""
        values = (getattr(self, role) for role in ROLES)
        return tuple(name for value in values if value for name in ((value,) if isinstance(value, str) else value))


assert {item.name for item in fields(ColumnMapping)} == set(ROLES)


#: Characters of a column's name that are compared; the first cell of a sheet without header may hold a whole book.
_LONGEST = 200


def normalise_name(name: str) -> str:
    """Normalise a column name for comparison: "Text_A " and "text-a" both become "text a"."""
    words = re.sub(r"[\s_\-.]+", " ", name[:_LONGEST]).strip().rstrip("?:").casefold()
    return re.sub(r" (?=\d+$)", "", words)


def guess_mapping(names: Sequence[str]) -> tuple[ColumnMapping, bool]:
    """Guess the roles of columns from their unique names.

    Returns:
        The mapping (perhaps incomplete), and whether both sentences are certain: there is exactly one known pair of
        names, or one pair of names that differ in a counter ("Satz A", "Satz B"), or the pair that this program
        writes (source, hypothesis).
    """
    by_plain: dict[str, str] = {}
    for name in names:
        by_plain.setdefault(normalise_name(name), name)
    pairs = [(left, right) for left, right in SENTENCE_NAMES if left in by_plain and right in by_plain]
    counted = _pair_by_counter(names) if not pairs else []
    sentences = [(by_plain[left], by_plain[right]) for left, right in pairs] or counted
    source, hypothesis = sentences[0] if sentences else (None, None)
    certain = len(sentences) == 1 or (bool(pairs) and pairs[0] == SENTENCE_NAMES[0])
    others: dict[str, str | None] = {}
    for role, names in OTHER_NAMES.items():
        candidates = (by_plain[name] for name in names if name in by_plain)
        others[role] = next((name for name in candidates if name not in (source, hypothesis)), None)
    return ColumnMapping(source=source, hypothesis=hypothesis, **others), certain


def _pair_by_counter(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of columns whose names contain a word for a sentence and differ only in a counter."""
    by_words: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in names:
        if len(name) <= _LONGEST_NAME:
            parts = normalise_name(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
            by_words[tuple(re.findall(r"[^\W\d_]+|\d+", parts))].append(name)
    pairs = []
    for words, lefts in list(by_words.items()):
        if _SENTENCE_WORDS.isdisjoint(words):
            continue
        for at, word in enumerate(words):
            if word in _COUNTERS:
                rights = by_words.get((*words[:at], _COUNTERS[word], *words[at + 1 :]), ())
                pairs += [(left, right) for left in lefts for right in rights]
    return pairs
