"""The words and stems of PEM, in training and in scoring."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

import regex

#: Maximum number of words of a sentence; further words are ignored.
MOST_WORDS = 10_000

#: Maximum number of stems cached; few corpora have more distinct words.
_MOST_CACHED = 200_000

_CLITIC = r"'(?:s|re|ve|ll|d|m)(?!\p{L})"
_WORD = regex.compile(
    rf"""
      [\p{{Han}}\p{{Hiragana}}\p{{Katakana}}]        # scripts without spaces: each character
    | \p{{N}}+(?:[.,:]\p{{N}}+)*                       # 3.14, 12:30
    | [\p{{L}}\p{{M}}]+?(?=n't(?!\p{{L}})) | n't(?!\p{{L}})    # do n't
    | [\p{{L}}\p{{M}}]+(?={_CLITIC}) | {_CLITIC}       # he 's
    | [\p{{L}}\p{{M}}]+'(?=\p{{L}})                    # l' homme, qu' il
    | (?:(?![\p{{Han}}\p{{Hiragana}}\p{{Katakana}}])[\p{{L}}\p{{M}}\p{{N}}])+
    | \.{{2,}}
    | (?!\s)\X                                         # punctuation, an emoji with all its parts
    """,
    regex.VERBOSE,
)
#: Maximum number of characters of a sentence: MOST_WORDS long words.
_MOST_CHARACTERS = 40 * MOST_WORDS


def words(text: str) -> list[str]:
    """Split a sentence into up to MOST_WORDS lower-case words and punctuation marks.

    No language is assumed: English clitics go to the right ("do n't", "he 's"), elisions to the left ("l' homme"), and
    Chinese and Japanese are split into characters.
    """
    text = unicodedata.normalize("NFC", text[:_MOST_CHARACTERS]).replace("’", "'").lower()
    tokens: list[str] = _WORD.findall(text)
    return tokens[:MOST_WORDS]


class Stemmer:
    """A caching stemmer: "porter" (English, as in the paper), "none" or any other algorithm of snowballstemmer.

    Raises:
        ValueError: The stemmer is unknown.
    """

    def __init__(self, name: str = "porter") -> None:
        self.name = name
        self._stem = lru_cache(_MOST_CACHED)(_make_stemmer(name))

    def stems(self, tokens: Sequence[str]) -> list[str]:
        """Return the stem of each word."""
        return list(map(self._stem, tokens))


def _make_stemmer(name: str) -> Callable[[str], str]:
    if name == "none":
        return str
    import snowballstemmer

    if name not in snowballstemmer.algorithms():
        raise ValueError(
            f'there is no stemmer "{name}"; the stemmers are none, {", ".join(snowballstemmer.algorithms())}'
        )
    stem_word = snowballstemmer.stemmer(name).stemWord

    def stem(word: str) -> str:
        # As in Porter's own program, words of one or two letters are left unchanged ("is" would become "i"), as are
        # signs and "'s".
        return word if len(word) <= 2 or not word[0].isalpha() else stem_word(word) or word

    return stem
