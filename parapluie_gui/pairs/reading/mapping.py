"""The mapping of a file's columns to roles, and a guess of it from the columns' names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache

from parapluie_gui.pairs.corpus import ROLES

#: Column names for the two sentences, the most certain first.
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
    ("src", "mt"),
    ("source", "mt"),
    ("reference", "candidate"),
)

#: Names that mean source and hypothesis only if the columns contain sentences, the most certain first.
SOURCE_WORDS = (
    *("source", "src", "original", "original sentence", "original text", "orig", "input", "input text", "sentence"),
    *("text", "premise", "query", "question", "source text", "source sentence", "sources", "inputs", "originals"),
)
HYPOTHESIS_WORDS = (
    *("hypothesis", "hyp", "paraphrase", "paraphrased", "paraphrased sentence", "paraphrased text", "prediction"),
    *("predicted", "pred", "candidate", "output", "output text", "generated", "generated text", "simplification"),
    *("simplified", "rewrite", "rewritten", "rephrased", "rephrase", "translation", "mt", "title", "target"),
    *("hypotheses", "paraphrases", "predictions", "candidates", "outputs"),
)

#: Column names for the other roles, the most certain first.
OTHER_NAMES = {
    "id": ("id", "pair id", "pairid", "idx", "index", "guid", "uid", "test id", "example id", "sample id"),
    "reference": (
        *("reference", "ref", "references", "reference0", "ref0", "reference1", "ref1", "references1", "target"),
    ),
    "label": (
        *("label", "labels", "gold", "gold label", "quality", "is duplicate", "is paraphrase", "paraphrase"),
        *("equivalent", "same", "same meaning", "gleich", "gleichbedeutend", "binary label"),
        *("标签", "标注", "ラベル", "레이블", "метка", "etiqueta", "étiquette", "etichetta"),
    ),
    "human": (
        *("human", "human score", "score", "similarity", "similarity score"),
        *("relatedness score", "annot score", "rating", "gold score", "manual similarity", "human rating"),
        *("bewertung", "ähnlichkeit", "similarité", "similitud", "similarità", "оценка", "相似度", "类似度", "유사도"),
    ),
    "group": ("group", "phenomenon", "genre", "category", "language", "lang", "domain"),
}

#: Words for a sentence in the names of two columns that differ only in a counter: "Satz A" and "Satz B".
_SENTENCE_WORDS = frozenset(
    [
        *("sentence", "sent", "string", "text", "txt", "question", "query", "utterance", "tweet"),
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


#: The column of a role, several columns of ids that are joined or of references, or None.
Columns = str | tuple[str, ...] | None


def list_columns(values: Iterable[Columns]) -> tuple[str, ...]:
    """Return the columns of several roles."""
    return tuple(name for value in values if value for name in ((value,) if isinstance(value, str) else value))


@dataclass(frozen=True)
class ColumnMapping:
    """The column that plays each role, or None.

    Several columns of `id` are joined by a hyphen (MRPC, STS-B); each of several `reference` columns is a reference.
    """

    id: str | tuple[str, ...] | None = None
    source: str | None = None
    hypothesis: str | None = None
    reference: str | tuple[str, ...] | None = None
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
        return list_columns(getattr(self, role) for role in ROLES)

    @property
    def references(self) -> tuple[str, ...]:
        """The columns of the references."""
        return list_columns([self.reference])

    def with_roles(self, named: Mapping[str, Columns]) -> ColumnMapping:
        """Return the mapping with the columns that a user named; these are freed from the roles they had.

        A role named None has no column.
        """
        taken = set(list_columns(named.values()))
        roles: dict[str, Columns] = {}
        for role in ROLES:
            value = getattr(self, role)
            if not taken.isdisjoint(list_columns([value])):
                left = tuple(name for name in self.references if name not in taken) if role == "reference" else ()
                value = left[0] if len(left) == 1 else left or None
            roles[role] = named.get(role, value)
        return ColumnMapping(**roles)  # type: ignore[arg-type]


assert {item.name for item in fields(ColumnMapping)} == set(ROLES)


#: The values of a column in its name: "label (yes/no)", "score [1-5]".
_BRACKETS = re.compile(r"[(\[][^()\[\]]*[/\d][^()\[\]]*[)\]]")
#: Number of characters of a column's name that are compared; the first cell of a sheet without header may hold a whole
#: book.
_LONGEST = 200


def normalise_name(name: str) -> str:
    """Normalise a column name for comparison: "Text_A " and "text-a" both become "text a"."""
    return _normalise(name[:_LONGEST])


@lru_cache(maxsize=2**15)  # the names of a wide sheet are compared with those of every layout
def _normalise(name: str) -> str:
    words = re.sub(r"[\s_\-.]+", " ", name).strip().rstrip("?:").casefold()
    return re.sub(r" (?=\d+$)", "", words)


def index_names(names: Sequence[str]) -> dict[str, str]:
    """Return the columns by their normalised names; "doc.text1" and "label (yes/no)" also as "text1" and "label"."""
    by_plain: dict[str, str] = {}
    for name in names:
        by_plain.setdefault(normalise_name(name), name)
    for name in names:
        for part in (name[:_LONGEST].rpartition(".")[2], _BRACKETS.sub("", name[:_LONGEST])):
            by_plain.setdefault(normalise_name(part), name)
    by_plain.pop("", None)
    return by_plain


def sentence_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of columns whose names mean the two sentences, the most certain first."""
    by_plain = index_names(names)
    pairs = [
        (by_plain[left], by_plain[right]) for left, right in SENTENCE_NAMES if left in by_plain and right in by_plain
    ]
    return pairs or _pair_by_counter(names)


def guess_mapping(names: Sequence[str]) -> tuple[ColumnMapping, bool]:
    """Guess the roles of columns from their unique names.

    Returns:
        The mapping (perhaps incomplete), and whether both sentences are certain: there is exactly one known pair of
        names, or one pair of names that differ in a counter ("Satz A", "Satz B"), or the pair that this program
        writes (source, hypothesis).
    """
    by_plain = index_names(names)
    sentences = sentence_pairs(names)
    source, hypothesis = sentences[0] if sentences else (None, None)
    first = tuple(by_plain.get(name) for name in SENTENCE_NAMES[0])
    certain = len(sentences) == 1 or (bool(sentences) and sentences[0] == first)
    others: dict[str, str | None] = {}
    for role, words in OTHER_NAMES.items():
        candidates = (by_plain[name] for name in words if name in by_plain)
        others[role] = next((name for name in candidates if name not in (source, hypothesis)), None)
    return ColumnMapping(source=source, hypothesis=hypothesis, **others), certain


def find_references(names: Sequence[str], first: str) -> Columns:
    """Return the columns of the references: `first`, and those whose names differ from it in a counter."""
    stem, _, rest = re.sub(r"[ _.-]?\d+", "\0", first, count=1).partition("\0")
    pattern = re.compile(rf"{re.escape(stem)}[ _.-]?\d+{re.escape(rest)}")
    further = [name for name in names if name != first and pattern.fullmatch(name)]
    return (first, *further) if further else first


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
