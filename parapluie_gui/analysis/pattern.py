"""What is searched for in sentences: words as they are typed, whole words, or a regular expression between slashes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import regex

from parapluie_gui.arrays import Rows
from parapluie_gui.errors import FilterError, with_advice

#: Called with how many texts were searched; what it raises stops the search.
Tick = Callable[[int], None]

#: Texts that are searched in one go, joined by line feeds: per text, the call alone would take ten times as long.
BLOCK = 5000
#: Seconds after which an expression is given up in one block of texts.
SECONDS = 2.0

_SLASHES = regex.compile(r"/(.+)/([a-z]*)", regex.DOTALL)
#: What looks beyond a match, or gives nothing back, is led astray by the line feeds of a joined text: such an
#: expression is tried on each text alone.
_LOOKS_AROUND = regex.compile(r"\(\?(<?[=!]|>)|[+*?}]\+|\\[AZGK]")


@dataclass(frozen=True)
class Pattern:
    """Something to find in texts.

    Attributes:
        text: As it was typed.
    """

    text: str
    _expression: regex.Pattern[str]
    _alone: bool

    def spans(self, texts: Sequence[str], tick: Tick = lambda done: None) -> Rows:
        """Return each hit: the number of the text, and where it starts and ends in it; (k, 3), in order, never empty.

        Raises:
            FilterError: The expression takes too long.
        """
        found: list[Rows] = [np.zeros((0, 3), dtype=np.int64)]
        for first in range(0, len(texts), BLOCK):
            tick(first)
            block = texts[first : first + BLOCK]
            hits = self._each(block, range(len(block))) if self._alone else self._in_block(block)
            hits[:, 0] += first
            found.append(hits)
        return np.concatenate(found)

    def _each(self, texts: Sequence[str], numbers: Iterable[int]) -> Rows:
        hits = [(at, *span) for at in numbers for span in self._found(texts[at]) if span[0] < span[1]]
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
            todo = "write it more simply, without repetition within repetition"
            raise FilterError(with_advice(f"{self.text} takes too long", todo)) from None


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
    flags = regex.MULTILINE | (regex.IGNORECASE | regex.FULLCASE if letters else 0)
    try:
        return Pattern(text.strip(), regex.compile(body, flags), _LOOKS_AROUND.search(body) is not None)
    except regex.error as error:
        place = "" if error.pos is None else f" (at character {error.pos + 2})"
        todo = "mend it, or search without the slashes for the words as they stand"
        raise FilterError(with_advice(f"The regular expression is faulty{place}: {error.msg}", todo)) from None
