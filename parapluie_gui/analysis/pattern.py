"""What is searched for in sentences: words as they are typed, whole words, or a regular expression between slashes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np
import regex

from parapluie_gui.arrays import Rows
from parapluie_gui.errors import FilterError, with_advice

#: Called with how many texts were searched; what it raises stops the search.
Tick = Callable[[int], None]

#: What is called while texts are searched, unless the caller says so itself.
_TICK: ContextVar[Tick | None] = ContextVar("tick", default=None)

#: Texts that are searched in one go, joined by line feeds: per text, the call alone would take ten times as long.
BLOCK = 5000
#: Seconds of the processor after which an expression is given up in one block of texts.
SECONDS = 2.0
#: The same for a whole search, and how much more for each character that is searched.
WHOLE, EACH = 10.0, 1e-6

#: The longest expression, the most groups within each other, and the most parts it may have once its counted
#: repetitions are written out: `regex` takes more time and memory than there is to understand larger ones.
LONGEST, DEEPEST, LARGEST = 5000, 100, 10_000

_SLASHES = regex.compile(r"/(.+)/([a-z]*)", regex.DOTALL)
#: What hardly stands in words that are searched for: `.*`, `\b`, `[abc]`, `a|b`, `^a`, `a$`.
_SIGNS = regex.compile(r"\.[*+]|\\\w|\[.+\]|\w\|\w|^\^|\$$")
#: What looks beyond a match, or gives nothing back, is led astray by the line feeds of a joined text: such an
#: expression is tried on each text alone.
#: What `_size` goes by: escapes, sets of characters, comments, the beginning and the end of groups, repetitions.
_PART = regex.compile(
    r"\\[pPN]\{[^}]*\}|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\(\?\#[^)]*\)|\((?:\?(?:P?<?[=!]|P?<\w+>|[:|>]))?|\)"
    r"|\{(?P<least>\d*)(?:,(?P<most>\d*))?\}|.",
    regex.DOTALL,
)
#: What calls a group, which may be the one that it stands in, and what changes how the rest is read.
_CALLS = regex.compile(r"\(\?(?:R|[+-]?\d|&|P>)")
_CHANGES = regex.compile(r"\(\?[a-zA-UW-Z0-9-]*(?:V[01]|x)")
_FAULTS = (RecursionError, MemoryError, ValueError, OverflowError, TypeError, LookupError, AttributeError)

_LOOKS_AROUND = regex.compile(r"\(\?(<?[=!]|>)|[+*?}]\+|\\[AZGK]")


_SIMPLER = "write it more simply, without repetition within repetition"


@dataclass(frozen=True)
class Pattern:
    """Something to find in texts.

    Attributes:
        text: As it was typed.
    """

    text: str
    _expression: regex.Pattern[str]
    _alone: bool

    def spans(self, texts: Sequence[str], tick: Tick | None = None) -> Rows:
        """Return each hit: the number of the text, and where it starts and ends in it; (k, 3), in order, never empty.

        Raises:
            FilterError: The expression takes too long, in a block of texts or for all of them.
        """
        tick = tick or _TICK.get() or (lambda done: None)
        until = time.thread_time() + WHOLE + EACH * sum(map(len, texts))
        found: list[Rows] = [np.zeros((0, 3), dtype=np.int64)]
        for first in range(0, len(texts), BLOCK):
            tick(first)
            if time.thread_time() > until:
                raise self._too_long()
            block = texts[first : first + BLOCK]
            hits = self._each(block, range(len(block))) if self._alone else self._in_block(block)
            hits[:, 0] += first
            found.append(hits)
        return np.concatenate(found)

    def _each(self, texts: Sequence[str], numbers: Iterable[int]) -> Rows:
        hits: list[tuple[int, int, int]] = []
        until = time.thread_time() + SECONDS
        for at in numbers:
            hits += ((at, *span) for span in self._found(texts[at]) if span[0] < span[1])
            if time.thread_time() > until:
                raise self._too_long()
        return np.array(hits, dtype=np.int64).reshape(-1, 3)

    def _in_block(self, texts: Sequence[str]) -> Rows:
        joined = "\n".join(texts)
        if joined.count("\n") >= len(texts):
            # a line feed within a text; a space takes its place, so that nothing moves
            texts = [text.replace("\n", " ") for text in texts]
            joined = "\n".join(texts)
        spans = np.array(self._found(joined), dtype=np.int64).reshape(-1, 2)
        spans = spans[spans[:, 0] < spans[:, 1]]
        begins = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1, out=begins[1:])
        at = np.searchsorted(begins, spans[:, 0], "right") - 1
        hits: Rows = np.column_stack([at, spans - begins[at, None]])
        over = spans[:, 1] >= begins[at + 1]
        if not over.any():
            return hits
        # A match ran over the end of a text: each of these texts is asked alone.
        last = np.searchsorted(begins, spans[over, 1], "right") - 1
        torn: set[int] = set()
        for first, end in zip(at[over].tolist(), last.tolist(), strict=True):
            torn.update(range(first, min(end + 1, len(texts))))
        hits = np.concatenate([hits[~np.isin(at, list(torn))], self._each(texts, torn)])
        return hits[np.lexsort((hits[:, 1], hits[:, 0]))]

    def _found(self, text: str) -> list[tuple[int, int]]:
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
    """Call `tick` in every search within, however deep; what it raises stops the search."""
    before = _TICK.set(tick)
    try:
        yield
    finally:
        _TICK.reset(before)


def looks_like_expression(text: str) -> bool:
    """Whether words that are searched for have signs that mean something in regular expressions alone."""
    return _SLASHES.fullmatch(text.strip()) is None and _SIGNS.search(text) is not None


def compile_pattern(text: str, whole_words: bool = False) -> Pattern:
    """Understand what is searched for.

    Args:
        text: Words, found in any case; or a regular expression as /…/, which minds the case, or /…/i, which does not.
        whole_words: Words must not be part of longer ones; an expression says so itself, by a word boundary.

    Raises:
        FilterError: There is nothing in it, or the expression is faulty.
    """
    slashes = _SLASHES.fullmatch(text.strip())
    if slashes is None:
        words = text.split()
        if not words:
            raise FilterError("There is nothing to search for. Type a word, or a regular expression as /…/.")
        body = r"[^\S\n]+".join(map(regex.escape, words))
        body = rf"(?<!\w){body}(?!\w)" if whole_words else body
        return Pattern(text.strip(), regex.compile(body, regex.IGNORECASE | regex.FULLCASE), False)
    body, letters = slashes.groups()
    if wrong := letters.replace("i", ""):
        raise FilterError(f'"{wrong[0]}" has no meaning behind a regular expression. Write /…/ or /…/i.')
    _check_bounds(body)
    flags = regex.MULTILINE | (regex.IGNORECASE | regex.FULLCASE if letters else 0)
    try:
        return Pattern(text.strip(), regex.compile(body, flags), _LOOKS_AROUND.search(body) is not None)
    except regex.error as error:
        place = "" if error.pos is None else f" (at character {error.pos + 2})"
        todo = "mend it, or search without the slashes for the words as they stand"
        raise FilterError(with_advice(f"The regular expression is faulty{place}: {error.msg}", todo)) from None
    except _FAULTS as error:
        raise FilterError(with_advice(f"The regular expression cannot be understood ({error})", _SIMPLER)) from None


def _check_bounds(body: str) -> None:
    """Refuse an expression that would take too much time or memory to understand or to follow.

    Raises:
        FilterError: It is too long, too deep, repeats too much, or calls itself.
    """
    what = ""
    if len(body) > LONGEST:
        what = f"has more than {LONGEST:,} characters"
    else:
        begins = [part.start() for part in _PART.finditer(body) if part[0].startswith("(")]
        size, depth = _size(body)
        if any(_CALLS.match(body, begin) for begin in begins):
            what = "calls one of its groups, which may have no end"
        elif any(_CHANGES.match(body, begin) for begin in begins):
            what = "has the flag V or x, which mean nothing here"
        elif depth > DEEPEST:
            what = f"has more than {DEEPEST} groups within each other"
        elif size > LARGEST:
            what = f"repeats more than {LARGEST:,} times in all"
    if what:
        raise FilterError(with_advice(f"The regular expression {what}", _SIMPLER))


def _size(body: str) -> tuple[int, int]:
    """Return how many parts an expression has once its counted repetitions are written out, and its deepest group."""
    groups, last, deepest = [0], 0, 0
    for part in _PART.finditer(body):
        text = part[0]
        if text.startswith("("):
            if not text.startswith("(?#"):
                groups.append(0)
                deepest = max(deepest, len(groups) - 1)
            continue
        if text == ")" and len(groups) > 1:
            last = max(groups.pop(), 1)
        elif part["least"] or part["most"]:
            times = int((part["most"] or part["least"]).lstrip("0")[:9] or 0)
            groups[-1] += last * max(times - 1, 0)
            last *= max(times, 1)
            continue
        else:
            last = 1
        groups[-1] += last
    return sum(groups), deepest
