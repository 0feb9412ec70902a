"""Identifies the language of sentences offline with py3langid, where the result is certain.

py3langid's 139 languages take 0.7 s of CPU time and 105 MB to load, so it is not loaded for plainly English texts.
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
#: An unidentified language that is not written in Latin letters.
OTHER = "und"

#: Minimum probability at which a language counts as certain. Of 21,384 English pairs, 1 is mistaken for a different
#: language; of 3,000 French pairs, 98 % are identified as French (tests/benchmarks/languages.py).
SURE = 0.9

#: Words that occur in nearly every English sentence and are rare in other languages.
_ENGLISH_WORDS = re.compile(
    r"the|of|and|with|that|it|she|they|you|are|this|what|how|from|were|been|which|who|would|will|can|did|does|your|"
    r"their|there"
)
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = regex.compile(r"\p{Latin}")
#: Minimum share of these words in a text that is plainly English.
_PLAIN = 0.08

#: Number of evenly spread sentences of a corpus that are examined, and of characters of each.
_EXAMINED = 200
_BEGINNING = 2_000
#: With `_MANY` sentences, a share of `_MOST` is enough; with fewer, all must agree; fewer than `_FEW` decide nothing.
_MANY, _FEW = 30, 5
_MOST = 0.9
#: Shares that are enough for `_MANY` short sentences, which are often uncertain: `_HALF` in other languages if at most
#: `_HARDLY` are in these.
_HALF, _HARDLY = 0.5, 0.02


@dataclass(frozen=True)
class LanguageCounts:
    """The languages of some sentences of a corpus.

    Attributes:
        counts: The number of sentences certainly in each language, by ISO 639 code; `OTHER` for an unknown one.
        examined: The number of sentences examined.
    """

    counts: Mapping[str, int]
    examined: int

    def outside(self, languages: Iterable[str]) -> bool:
        """Return whether the sentences are certainly in languages other than these.

        This requires nine of ten sentences, or half of them and at most one of fifty in these languages; all if there
        are fewer than 30; fewer than five are too few to decide.
        """
        known = sum(self.counts.get(language, 0) for language in languages)
        strange = sum(self.counts.values()) - known
        if self.examined < _MANY:
            return self.examined >= _FEW and strange == self.examined
        if known <= _HARDLY * self.examined:
            return strange >= _HALF * self.examined
        return strange >= _MOST * self.examined

    @property
    def language(self) -> str:
        """The language of most of the sentences, or `OTHER`."""
        commonest = max(self.counts, key=self.counts.__getitem__, default=OTHER)
        return commonest if 2 * self.counts.get(commonest, 0) > self.examined else OTHER


def plainly_english(text: str) -> bool:
    """Return True if a text's words show that it is English; False means unknown."""
    words = _WORD.findall(text.casefold())
    return not words or sum(_ENGLISH_WORDS.fullmatch(word) is not None for word in words) >= _PLAIN * len(words)


def sure_languages(source: str, hypothesis: str) -> frozenset[str]:
    """Return the ISO 639 codes of the certain languages of two sentences, taken singly or together.

    Loads the detector, which takes a moment; see `load_detector`. Without py3langid no language is certain.
    """
    detector = load_detector()
    if detector is None:
        return frozenset()
    texts = source[:_BEGINNING], hypothesis[:_BEGINNING]
    languages = frozenset(filter(None, (_certain_language(detector, text) for text in texts)))
    return languages or frozenset(filter(None, [_certain_language(detector, " ".join(texts))]))


def corpus_languages(sources: Sequence[str], hypotheses: Sequence[str]) -> LanguageCounts:
    """Count the languages of n pairs in at most 200 sentences, where they are certain.

    Loads the detector unless they are plainly English; see `load_detector`.
    """
    texts = _examined_sentences(sources, hypotheses)
    counts = Counter(map(_language_or_blank, texts))
    del counts[""]
    return LanguageCounts(counts, len(texts))


def plain_languages(sources: Sequence[str], hypotheses: Sequence[str]) -> LanguageCounts:
    """Count the languages of n pairs without the detector: sentences that are not plainly English count as `OTHER`.

    If the result is not `outside` some languages, neither is that of `corpus_languages`.
    """
    texts = _examined_sentences(sources, hypotheses)
    return LanguageCounts(Counter(ENGLISH if plainly_english(text) else OTHER for text in texts), len(texts))


def _examined_sentences(sources: Sequence[str], hypotheses: Sequence[str]) -> list[str]:
    step = -(-2 * len(sources) // _EXAMINED) or 1
    return [text[:_BEGINNING] for text in chain(sources[::step], hypotheses[::step]) if text.strip()]


def _language_or_blank(text: str) -> str:
    if plainly_english(text):
        return ENGLISH
    detector = load_detector()
    return "" if detector is None else _certain_language(detector, text)


@cache
def load_detector() -> Any:
    """Load the detector once; None if py3langid is not installed."""
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError:
        return None
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def is_detector_loaded() -> bool:
    """Return whether `load_detector` has been called."""
    return load_detector.cache_info().currsize > 0


def _certain_language(detector: Any, text: str) -> str:
    if plainly_english(text):
        return ENGLISH
    language, probability = detector.classify(text)
    if probability >= SURE:
        return str(language)
    return OTHER if not _LATIN.search(text) else ""
