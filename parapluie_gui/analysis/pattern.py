"""Search patterns for sentences: words as typed, whole words, or a regular expression between slashes."""

from __future__ import annotations

import contextlib
import itertools
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np
import regex

from parapluie_gui.arrays import Rows
from parapluie_gui.errors import FilterError, with_advice

#: A function called with the number of texts searched so far; an exception it raises stops the search.
Tick = Callable[[int], None]

#: The default tick of all searches in this context.
_TICK: ContextVar[Tick | None] = ContextVar("tick", default=None)

#: Number of texts searched in one call, joined by line feeds; a call for each text would take ten times as long.
BLOCK = 5000
#: CPU seconds after which the search of one block of texts is stopped.
SECONDS = 2.0
#: CPU seconds allowed for a search, and further seconds for each character searched.
WHOLE, EACH = 10.0, 1e-6

#: Limits of an expression: characters, nested groups, and parts after writing out counted repetitions. `regex` takes
#: too much time and memory to compile larger ones.
LONGEST, DEEPEST, LARGEST = 5000, 100, 10_000

#: Characters that match each other: apostrophes with the prime and the accents typed for them, and hyphens
#: with the dashes and the minus sign. The soft hyphen is not among them.
APOSTROPHES = "'\u2019\u2018\u02bc\u2032\uff07\u00b4`"
HYPHENS = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d"

#: A letter with its combining marks, and the maximum number of marks that are searched in every order.
_LETTER = regex.compile(r"\P{M}\p{M}*|\p{M}+")
_MARKS = 3

_SLASHES = regex.compile(r"/(.+)/([a-z]*)", regex.DOTALL)
#: Signs of regular expressions that are rare in plain words: `.*`, `\b`, `[abc]`, `a|b`, `^a`, `a$`.
_SIGNS = regex.compile(r"\.[*+]|\\\w|\[.+\]|\w\|\w|^\^|\$$")
#: The parts of an expression for `_size`: escapes, sets of characters, comments, starts and ends of groups,
#: repetitions.
_PART = regex.compile(
    r"\\[pPN]\{[^}]*\}|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\(\?\#[^)]*\)|\((?:\?(?:P?<?[=!]|P?<\w+>|[:|>]))?|\)"
    r"|\{(?P<least>\d*)(?:,(?P<most>\d*))?\}|.",
    regex.DOTALL,
)
#: Calls of groups, which may be recursive, and flags that change the syntax.
_CALLS = regex.compile(r"\(\?(?:R|[+-]?\d|&|P>)")
_CHANGES = regex.compile(r"\(\?[a-zA-UW-Z0-9-]*(?:V[01]|x)")
_FAULTS = (RecursionError, MemoryError, ValueError, OverflowError, TypeError, LookupError, AttributeError)

#: Lookarounds, possessive and atomic groups and anchors of the text: they would see the line feeds between joined
#: texts, so each text is searched separately.
_LOOKS_AROUND = regex.compile(r"\(\?(<?[=!]|>)|[+*?}]\+|\\[AZGK]")


_SIMPLER = "write it more simply, without repetition within repetition"


@dataclass(frozen=True)
class SearchPattern:
    """A compiled search pattern.

    Attributes:
        text: The pattern as typed.
    """

    text: str
    _expression: regex.Pattern[str]
    _alone: bool

    def spans(self, texts: Sequence[str], tick: Tick | None = None) -> Rows:
        """Find all matches: number of the text, start and end in it, (k, 3), in order; empty matches are left out.

        Raises:
            FilterError: The search takes too long, in a block of texts or for all of them.
        """
        tick = tick or _TICK.get() or (lambda done: None)
        deadline = time.thread_time() + WHOLE + EACH * sum(map(len, texts))
        hits: list[Rows] = [np.zeros((0, 3), dtype=np.int64)]
        for start in range(0, len(texts), BLOCK):
            tick(start)
            if time.thread_time() > deadline:
                raise self._too_long()
            block = texts[start : start + BLOCK]
            block_hits = self._search_each_text(block, range(len(block))) if self._alone else self._search_block(block)
            block_hits[:, 0] += start
            hits.append(block_hits)
        return np.concatenate(hits)

    def _search_each_text(self, texts: Sequence[str], numbers: Iterable[int]) -> Rows:
        hits: list[tuple[int, int, int]] = []
        deadline = time.thread_time() + SECONDS
        for number in numbers:
            hits += ((number, *span) for span in self._find_spans(texts[number]) if span[0] < span[1])
            if time.thread_time() > deadline:
                raise self._too_long()
        return np.array(hits, dtype=np.int64).reshape(-1, 3)

    def _search_block(self, texts: Sequence[str]) -> Rows:
        joined = "\n".join(texts)
        if joined.count("\n") >= len(texts):
            # A text contains a line feed: replace it by a space, so that no position changes.
            texts = [text.replace("\n", " ") for text in texts]
            joined = "\n".join(texts)
        spans = np.array(self._find_spans(joined), dtype=np.int64).reshape(-1, 2)
        spans = spans[spans[:, 0] < spans[:, 1]]
        starts = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1, out=starts[1:])
        numbers = np.searchsorted(starts, spans[:, 0], "right") - 1
        hits: Rows = np.column_stack([numbers, spans - starts[numbers, None]])
        crosses_end = spans[:, 1] >= starts[numbers + 1]
        if not crosses_end.any():
            return hits
        # A match crosses the end of a text: search each of these texts separately.
        last = np.searchsorted(starts, spans[crosses_end, 1], "right") - 1
        split_texts: set[int] = set()
        for first, end in zip(numbers[crosses_end].tolist(), last.tolist(), strict=True):
            split_texts.update(range(first, min(end + 1, len(texts))))
        hits = np.concatenate([hits[~np.isin(numbers, list(split_texts))], self._search_each_text(texts, split_texts)])
        return hits[np.lexsort((hits[:, 1], hits[:, 0]))]

    def _find_spans(self, text: str) -> list[tuple[int, int]]:
        try:
            return [match.span() for match in self._expression.finditer(text, timeout=SECONDS, concurrent=True)]
        except TimeoutError:
            raise self._too_long() from None
        except _FAULTS:
            raise FilterError(with_advice(f"{self.text} takes too much memory", _SIMPLER)) from None

    def _too_long(self) -> FilterError:
        return FilterError(with_advice(f"{self.text} takes too long", _SIMPLER))


@contextlib.contextmanager
def search_tick(tick: Tick) -> Iterator[None]:
    """Call `tick` in every search within this context; an exception it raises stops the search."""
    before = _TICK.set(tick)
    try:
        yield
    finally:
        _TICK.reset(before)


def looks_like_expression(text: str) -> bool:
    """Return True if words to search for contain signs of regular expressions."""
    return _SLASHES.fullmatch(text.strip()) is None and _SIGNS.search(text) is not None


def compile_pattern(text: str, whole_words: bool = False) -> SearchPattern:
    """Compile a search pattern.

    Args:
        text: Words, found in any case, with any apostrophes and hyphens, and with letters composed or decomposed; or a
            regular expression, case-sensitive as /…/, case-insensitive as /…/i.
        whole_words: Whether the words must not be part of longer words; `*` then stands for any letters: "*not*" finds
            "another". Regular expressions use word boundaries instead.

    Raises:
        FilterError: The text is empty, or the expression is faulty.
    """
    slashes = _SLASHES.fullmatch(text.strip())
    if slashes is None:
        words = text.split()
        if not words:
            raise FilterError("There is nothing to search for. Type a word, or a regular expression as /…/.")
        body = r"[^\S\n]+".join(map(_open_word if whole_words else _spellings, words))
        body = rf"(?<!\w){body}(?!\w)" if whole_words else rf"{body}(?!\p{{M}})"
        return SearchPattern(text.strip(), regex.compile(body, regex.IGNORECASE | regex.FULLCASE), False)
    body, flag_letters = slashes.groups()
    if unknown_flags := flag_letters.replace("i", ""):
        raise FilterError(f'"{unknown_flags[0]}" has no meaning after a regular expression. Write /…/ or /…/i.')
    _check_bounds(body)
    flags = regex.MULTILINE | (regex.IGNORECASE | regex.FULLCASE if flag_letters else 0)
    try:
        return SearchPattern(text.strip(), regex.compile(body, flags), _LOOKS_AROUND.search(body) is not None)
    except regex.error as error:
        place = "" if error.pos is None else f" (at character {error.pos + 2})"
        todo = "correct it, or search for the words without the slashes"
        raise FilterError(with_advice(f"The regular expression is invalid{place}: {error.msg}", todo)) from None
    except _FAULTS as error:
        raise FilterError(with_advice(f"The regular expression cannot be understood ({error})", _SIMPLER)) from None


def _open_word(word: str) -> str:
    """Return the expression of a word in which `*` stands for letters: any number of them, at least one alone."""
    if not word.strip("*"):
        return r"\w+"
    return r"\w*".join(map(_spellings, regex.split(r"\*+", word)))


def _spellings(word: str) -> str:
    """Return the expression of a word with any apostrophes and hyphens, and its letters composed or decomposed."""
    parts = []
    for letter in _LETTER.findall(unicodedata.normalize("NFC", word)):
        if letter in APOSTROPHES:
            parts.append(f"[{regex.escape(APOSTROPHES)}]")
        elif letter in HYPHENS:
            parts.append(f"[{regex.escape(HYPHENS)}]")
        else:
            spellings = list(map(regex.escape, _canonical_spellings(letter)))
            parts.append(spellings[0] if len(spellings) == 1 else f"(?:{'|'.join(spellings)})")
    return "".join(parts)


def _canonical_spellings(letter: str) -> list[str]:
    """Return the spellings of a letter with its marks that are canonically equivalent, the composed one first.

    "ế" is one character, ê with an acute accent, or e with a circumflex and an acute accent.
    """
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if not marks or len(marks) > _MARKS:
        return [letter]
    spellings = [letter]
    for order in itertools.permutations(marks):
        for composed in range(len(order) + 1):
            spelling = unicodedata.normalize("NFC", "".join([base, *order[:composed]])) + "".join(order[composed:])
            if unicodedata.normalize("NFC", spelling) == letter:
                spellings.append(spelling)
    return list(dict.fromkeys(spellings))


def _check_bounds(body: str) -> None:
    """Refuse an expression that would take too much time or memory to compile or to search with.

    Raises:
        FilterError: The expression is too long, nested too deeply, repeats too much, or calls a group.
    """
    fault = ""
    if len(body) > LONGEST:
        fault = f"has more than {LONGEST:,} characters"
    else:
        group_starts = [part.start() for part in _PART.finditer(body) if part[0].startswith("(")]
        size, depth = _size(body)
        if any(_CALLS.match(body, begin) for begin in group_starts):
            fault = "refers recursively to one of its groups, which may never end"
        elif any(_CHANGES.match(body, begin) for begin in group_starts):
            fault = "has the flag V or x, which is not supported"
        elif depth > DEEPEST:
            fault = f"has more than {DEEPEST} nested groups"
        elif size > LARGEST:
            fault = f"has more than {LARGEST:,} repetitions in all"
    if fault:
        raise FilterError(with_advice(f"The regular expression {fault}", _SIMPLER))


def _size(body: str) -> tuple[int, int]:
    """Return the number of parts of an expression with its counted repetitions written out, and its nesting depth."""
    groups, last_size, deepest = [0], 0, 0
    for part in _PART.finditer(body):
        text = part[0]
        if text.startswith("("):
            if not text.startswith("(?#"):
                groups.append(0)
                deepest = max(deepest, len(groups) - 1)
            continue
        if text == ")" and len(groups) > 1:
            last_size = max(groups.pop(), 1)
        elif part["least"] or part["most"]:
            times = int((part["most"] or part["least"]).lstrip("0")[:9] or 0)
            groups[-1] += last_size * max(times - 1, 0)
            last_size *= max(times, 1)
            continue
        else:
            last_size = 1
        groups[-1] += last_size
    return sum(groups), deepest
