"""In which language a sentence is, where that is sure: by py3langid, offline; what is plainly English is known without.

py3langid's 139 languages take 0.7 s of CPU time and 105 MB to load, so it is loaded for texts of other languages only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

import regex

ENGLISH = "en"
#: A language that is not told, of a text whose letters are not Latin.
OTHER = "und"

#: From this probability a language counts as sure. Of 21,384 English pairs 1 is taken for another language; of 3,000
#: French ones 98 % are known as French (tests/benchmarks/languages.py).
SURE = 0.9

#: Words of nearly every English sentence that are rare in other languages.
_ENGLISH_WORDS = re.compile(
    r"the|of|and|with|that|it|she|they|you|are|this|what|how|from|were|been|which|who|would|will|can|did|does|your|"
    r"their|there"
)
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = regex.compile(r"\p{Latin}")
#: Share of them from which a text is plainly English.
_PLAIN = 0.08

#: Sentences of a corpus that are looked at: every so-manieth of all, of each its beginning.
_LOOKED_AT = 200
_BEGINNING = 2_000
#: From so many sentences on most of them decide, and of fewer all, as long as there are these.
_MANY, _FEW = 30, 5
_MOST = 0.9


@dataclass(frozen=True)
class Spoken:
    """The languages of some sentences of a corpus.

    Attributes:
        counts: How many are surely in which language, by its ISO 639 code; `OTHER` where the script alone is known.
        looked_at: How many sentences were looked at.
    """

    counts: Mapping[str, int]
    looked_at: int

    def outside(self, languages: Iterable[str]) -> bool:
        """Return whether they are surely in others: nine of ten sentences, where there are fewer than 30 all of them.

        Fewer than five sentences say nothing.
        """
        strange = sum(self.counts.values()) - sum(self.counts.get(each, 0) for each in languages)
        needed = _MOST * self.looked_at if self.looked_at >= _MANY else self.looked_at
        return self.looked_at >= _FEW and strange >= needed

    @property
    def language(self) -> str:
        """The language of most of the sentences, `OTHER` where there is none."""
        found = max(self.counts, key=self.counts.__getitem__, default=OTHER)
        return found if 2 * self.counts.get(found, 0) > self.looked_at else OTHER


def plainly_english(text: str) -> bool:
    """Say, from its words alone, that a text is English; False says nothing."""
    words = _WORD.findall(text.casefold())
    return not words or sum(_ENGLISH_WORDS.fullmatch(word) is not None for word in words) >= _PLAIN * len(words)


def sure_languages(source: str, hypothesis: str) -> frozenset[str]:
    """Return the ISO 639 codes of the languages of two sentences, of each that is sure, or of both together.

    Loads the detector, which takes a moment; see `load`. Without py3langid nothing is sure.
    """
    detector = load()
    if detector is None:
        return frozenset()
    each = frozenset(filter(None, (_sure(detector, text) for text in (source, hypothesis))))
    return each or frozenset(filter(None, [_sure(detector, f"{source} {hypothesis}")]))


def corpus_languages(sources: Sequence[str], hypotheses: Sequence[str]) -> Spoken:
    """Return the languages of n pairs, as far as they are sure.

    At most 200 sentences are looked at. Loads the detector unless they are plainly English; see `load`.
    """
    texts = _looked_at(sources, hypotheses)
    counts = Counter(map(_sure_or_none, texts))
    del counts[""]
    return Spoken(counts, len(texts))


def plain_languages(sources: Sequence[str], hypotheses: Sequence[str]) -> Spoken:
    """Return the languages of n pairs, counting whatever is not plainly English as another language; loads nothing.

    What this is not outside of, the pairs are surely not outside of.
    """
    texts = _looked_at(sources, hypotheses)
    return Spoken(Counter(ENGLISH if plainly_english(text) else OTHER for text in texts), len(texts))


def _looked_at(sources: Sequence[str], hypotheses: Sequence[str]) -> list[str]:
    step = -(-2 * len(sources) // _LOOKED_AT) or 1
    return [text[:_BEGINNING] for text in chain(sources[::step], hypotheses[::step]) if text.strip()]


def _sure_or_none(text: str) -> str:
    if plainly_english(text):
        return ENGLISH
    detector = load()
    return "" if detector is None else _sure(detector, text)


@cache
def load() -> Any:
    """Return the detector, None where py3langid is not installed."""
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError:
        return None
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def loaded() -> bool:
    """Is the detector at hand?"""
    return load.cache_info().currsize > 0


def _sure(detector: Any, text: str) -> str:
    if plainly_english(text):
        return ENGLISH
    language, probability = detector.classify(text)
    if probability >= SURE:
        return str(language)
    return OTHER if not _LATIN.search(text) else ""
