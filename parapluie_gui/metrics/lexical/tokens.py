"""Words as numbers: texts split by a tokeniser, each distinct stretch between two spaces only once."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import count

import numpy as np

#: Splits one text into tokens.
Split = Callable[[str], list[str]]

#: Distinct stretches and words kept at a time: about 60 MB.
_KEPT = 1 << 18
#: A stretch longer than this is hardly met again.
_LONG = 64


def whitespace_tokens(text: str) -> list[str]:
    """Split at white space only."""
    return text.split()


@lru_cache(maxsize=1)
def _treebank() -> Split:
    # Loaded at the first sentence: nltk takes a good part of a second to import.
    from nltk.tokenize import NLTKWordTokenizer

    split: Split = NLTKWordTokenizer().tokenize
    return split


def treebank_tokens(text: str) -> list[str]:
    """Split in the manner of the Penn Treebank, by nltk's NLTKWordTokenizer, the whole text taken as one sentence."""
    return _treebank()(text)


def treebank_lower_tokens(text: str) -> list[str]:
    """Split like `treebank_tokens`, then in lower case: what nltk's METEOR compares."""
    return [token.lower() for token in _treebank()(text)]


@lru_cache(maxsize=1)
def _mteval() -> Callable[[str], str]:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    return Tokenizer13a()


def mteval_tokens(text: str) -> list[str]:
    """Split as mteval-v13a does, by sacreBLEU's tokeniser "13a"."""
    return _mteval()(text.rstrip()).split()


_ASCII = re.compile("[a-z0-9]+")


def ascii_tokens(text: str) -> list[str]:
    """Return the runs of ASCII letters and digits of the text in lower case, as rouge-score does."""
    return _ASCII.findall(text.lower())


#: Tokenisers by the name that stands in signatures.
TOKENISERS: dict[str, Split] = {
    "treebank": treebank_tokens,
    "treebank-lower": treebank_lower_tokens,
    "13a": mteval_tokens,
    "ascii": ascii_tokens,
    "whitespace": whitespace_tokens,
}

#: Plain words with inner hyphens and plain numbers: only the sign at their end is anything to split.
_PLAIN = re.compile(r"((?:[A-Za-z]+-)*[A-Za-z0-9]+|(?:[0-9]+[.,])+[0-9]+)([,;:?!.]?)")
#: The same with what newspapers put around words: a quotation mark or a dollar before, "'s" and a mark behind.
_QUOTED = re.compile(r"""(["$]?)((?:[A-Za-z]+-)*[A-Za-z0-9]+|(?:[0-9]+[.,])+[0-9]+)('[sS])?([,;:?!.]?)("?)""")
#: What nltk takes apart though it is letters only (cannot, gimme, gonna, gotta, lemme, wanna).
_CONTRACTED = re.compile(r"can(?=not)|gim(?=me)|gon(?=na)|got(?=ta)|lem(?=me)|wan(?=na)", re.IGNORECASE)

#: What may close a sentence. nltk looks for the final full stop in front of a run of these and of spaces.
_CLOSERS = frozenset("])}>\"'»”’")


class Words:
    """Gives every distinct word a number, and texts as rows of these numbers.

    The tokenisers look at white space but never past it, with three exceptions that `_row` minds: nltk treats the
    beginning and the end of a text in ways of their own, and a text that ends in closing signs as a whole. So a text's
    tokens are those of its stretches between single spaces, and each stretch is split once, however often it is met.
    The tests compare with the plain tokenisers on all corpora at hand and on random text.

    Args:
        tokeniser: A name of `TOKENISERS`.
    """

    def __init__(self, tokeniser: str) -> None:
        self.tokeniser = tokeniser
        self._split = TOKENISERS[tokeniser]
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._edges = tokeniser.startswith("treebank")
        # The others split a text sooner than its stretches are looked up.
        self._slow = self._edges or tokeniser == "13a"
        if self._edges:
            # nltk takes a full stop for the end of an abbreviation anywhere but at the end of the text.
            self._first = _Stretches(self, after=" x", keep=".")
            self._middle = _Stretches(self, before="x ", after=" x", keep=".")
            self._last = _Stretches(self, before="x ")
        else:
            self._first = self._middle = self._last = _Stretches(self)

    @property
    def words(self) -> list[str]:
        """The word that each number means."""
        return list(self._numbers)

    def number(self, texts: Sequence[str]) -> list[bytes]:
        """Return each text's words as numbers (int32 in bytes), which mean the same until the next call."""
        if len(self._numbers) + len(self._middle) + len(self._first) + len(self._last) > _KEPT:
            for kept in (self._numbers, self._middle, self._first, self._last):
                kept.clear()
            self._numbers.default_factory = count().__next__
        known: dict[str, bytes] = {}
        for text in texts:
            if text not in known:
                known[text] = self._row(text)
        return [known[text] for text in texts]

    def _row(self, text: str) -> bytes:
        if not self._slow:
            return self.pack(self._split(text))
        stretches = text.split(" ")
        try:
            if not self._edges:
                return b"".join(map(self._middle.__getitem__, stretches))
            if len(stretches) > 1 and not _CLOSERS.issuperset(stretches[-1]):
                first = self._first[stretches[0]]
                return first + b"".join(map(self._middle.__getitem__, stretches[1:-1])) + self._last[stretches[-1]]
        except _OtherSpaceError:
            pass
        return self.pack(self._split(text))

    def split(self, stretch: str, before: str, after: str, keep: str) -> list[str]:
        """Split a stretch as it is split between such neighbours; signs in `keep` stay with the word before them."""
        plain = _PLAIN.fullmatch(stretch)
        if plain and not (self._edges and _CONTRACTED.search(stretch)):
            word, sign = plain.groups()
            tokens = [word, sign] if sign and sign not in keep else [stretch]
            return self._cased(tokens)
        if self._edges and (found := self._quoted(stretch, keep)):
            return self._cased(found)
        tokens = self._split(f"{before}{stretch}{after}")
        return tokens[bool(before) : len(tokens) - bool(after)]

    def _quoted(self, stretch: str, keep: str) -> list[str]:
        """Split a word with its marks as the Penn Treebank has it, or return [] where it is none of the usual ones."""
        found = _QUOTED.fullmatch(stretch)
        if found is None or _CONTRACTED.search(stretch):
            return []
        before, word, possessive, sign, after = found.groups()
        if sign and sign in keep:
            if possessive:  # what stands at the end of an abbreviation is not split
                return []
            word, sign = word + sign, ""
        mark = "``" if before == '"' else before
        return [each for each in (mark, word, possessive, sign, "''" if after else "") if each]

    def _cased(self, tokens: list[str]) -> list[str]:
        return [token.lower() for token in tokens] if self.tokeniser == "treebank-lower" else tokens

    def pack(self, tokens: Iterable[str]) -> bytes:
        """Return tokens as numbers, int32 in bytes."""
        return array("i", map(self._numbers.__getitem__, tokens)).tobytes()


class _OtherSpaceError(Exception):
    """White space other than single spaces."""


class _Stretches(dict[str, bytes]):
    """The words of every stretch met so far at one place of a text (first, last, in between).

    Args:
        words: Who splits them and gives the numbers.
        before, after: What stands around a stretch while it is split: "x" for the rest of the text.
        keep: Signs that stay with the word before them at this place.
    """

    def __init__(self, words: Words, before: str = "", after: str = "", keep: str = "") -> None:
        self._words = words
        self._place = (before, after, keep)

    def __missing__(self, stretch: str) -> bytes:
        if stretch.split() != [stretch]:
            raise _OtherSpaceError
        packed = self._words.pack(self._words.split(stretch, *self._place))
        if len(stretch) <= _LONG:
            self[stretch] = packed
        return packed


def flat(rows: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows' numbers one after the other (int32) and how many each row has (int64)."""
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)) // 4
    return np.frombuffer(b"".join(rows), dtype=np.int32), lengths
