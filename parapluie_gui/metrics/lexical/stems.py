"""Porter stems of English words (nltk's extended algorithm)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from parapluie_gui.packages import import_alone

#: Number of distinct words whose stems are cached.
_MOST_CACHED = 1 << 18


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    # Imported when the first word is stemmed, because importing nltk takes most of a second.
    import_alone("nltk")
    from nltk.stem.porter import PorterStemmer

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem


@lru_cache(_MOST_CACHED)
def porter_stem(word: str) -> str:
    """Return the stem of a word, in lower case."""
    return _stemmer()(word)
