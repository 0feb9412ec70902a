"""Words and stems: how PEM splits a sentence, in training and in scoring alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

import regex

#: Most words of a sentence that are looked at. What is beyond costs nothing and counts for nothing.
MOST_WORDS = 10_000

#: Most stems remembered; a corpus rarely has more distinct words.
_MOST_STEMS = 200_000

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
#: Most characters of a sentence that are looked at: MOST_WORDS long words.
_MOST_CHARACTERS = 40 * MOST_WORDS


def words(text: str) -> list[str]:
    """Return the lower-case words and punctuation marks of a sentence in order, MOST_WORDS at most.

    No language is assumed: English clitics go right ("do n't", "he 's"), elisions left ("l' homme"), Chinese and
    Japanese are split into characters.
    """
    text = unicodedata.normalize("NFC", text[:_MOST_CHARACTERS]).replace("’", "'").lower()
    found: list[str] = _WORD.findall(text)
    return found[:MOST_WORDS]


class Stemmer:
    """Stems and remembers, by "porter" (English, as in the paper), "none" or another algorithm of snowballstemmer.

    Raises:
        ValueError: There is no stemmer of that name.
    """

    def __init__(self, name: str = "porter") -> None:
        self.name = name
        self._stem = lru_cache(_MOST_STEMS)(_stemmer(name))

    def stems(self, tokens: Sequence[str]) -> list[str]:
        """Return the stem of each word."""
        return list(map(self._stem, tokens))


def _stemmer(name: str) -> Callable[[str], str]:
    if name == "none":
        return str
    import snowballstemmer

    if name not in snowballstemmer.algorithms():
        raise ValueError(f'there is no stemmer "{name}"; there are none, {", ".join(snowballstemmer.algorithms())}')
    stem_word = snowballstemmer.stemmer(name).stemWord

    def stem(word: str) -> str:
        # Words of two letters stay, as in Porter's own program: "is" would become "i". So do signs and "'s".
        return word if len(word) <= 2 or not word[0].isalpha() else stem_word(word) or word

    return stem
