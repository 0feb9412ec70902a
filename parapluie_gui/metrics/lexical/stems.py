"""Porter's stems of English words (nltk's extended algorithm)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

#: Distinct words whose stems are kept.
_KEPT = 1 << 18


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    # Loaded at the first word: nltk takes a good part of a second to import.
    from nltk.stem.porter import PorterStemmer

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem


@lru_cache(_KEPT)
def porter_stem(word: str) -> str:
    """Return the stem of a word, in lower case."""
    return _stemmer()(word)
