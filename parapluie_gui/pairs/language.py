"""In which language a sentence is, where that is sure: by py3langid, offline; what is plainly English is known without.

py3langid's 139 languages take 0.7 s of CPU time and 105 MB to load, so it is loaded for texts of other languages only.
"""

from __future__ import annotations

import re
from functools import cache
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
