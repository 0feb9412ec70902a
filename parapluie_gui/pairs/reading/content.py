"""Classifies a column's cells: sentences, numbers, labels, or a few repeated values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from parapluie_gui.pairs.column import MISSING
from parapluie_gui.pairs.difference.words import UNSPACED
from parapluie_gui.pairs.reading.raw_table import SAMPLE_ROWS, RawTable, as_text

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)*|\.\d+)([eE][+-]?\d+)?%?", re.ASCII)
_LETTER = re.compile(r"[^\W\d_]")
_ADDRESS = re.compile(r"https?://\S+|[\w.~-]*[/\\][\w./\\~-]+")

#: Minimum number of words of a sentence, on average over the sample.
_SENTENCE = 3
#: Maximum number of words, on average, of values that are names or codes.
_WORD = 1.2
#: Number of characters of a cell that are examined.
_BEGINNING = 500
#: Nearly all cells of a sample.
_MOST = 0.9
#: Minimum number of rows for deciding that a column contains no sentences.
_FEWEST = 4
#: Sentences of a row have to share this many times more of their characters than sentences of different rows.
_RELATED = 1.3
#: The share of common pieces from which texts count as similar in any case.
_ALIKE = 0.3


@dataclass(frozen=True)
class ColumnContent:
    """The cells of a column's first rows; `cells` are those that are not empty."""

    cells: tuple[str, ...]
    rows: int

    @cached_property
    def present(self) -> tuple[str, ...]:
        """The cells without words for a missing value, such as None."""
        return tuple(cell for cell in self.cells if cell.casefold() not in MISSING)

    @cached_property
    def words(self) -> float:
        """The number of words of a cell that is not empty, on average."""
        return sum(map(count_words, self.cells)) / len(self.cells) if self.cells else 0.0

    @cached_property
    def holds_numbers(self) -> bool:
        """Whether nearly all cells are numbers or missing."""
        if not self.present:
            return False
        numbers = sum(_NUMBER.fullmatch(cell) is not None for cell in self.present)
        return numbers + len(self.cells) - len(self.present) >= _MOST * len(self.cells)

    @property
    def holds_sentences(self) -> bool:
        """Whether the cells look like sentences: several words each, and not a few values again and again."""
        return (
            bool(self.cells)
            and self.words * len(self.cells) >= _SENTENCE * self.rows
            and not self.holds_numbers
            and 2 * sum(_LETTER.search(cell) is not None for cell in self.cells) >= len(self.cells)
            and sum(_ADDRESS.fullmatch(cell) is not None or cell[:1] in "[{" for cell in self.cells)
            <= len(self.cells) / 2
            and (len(self.cells) < 2 * _FEWEST or len(set(self.cells)) > 2)
        )

    @property
    def holds_no_sentences(self) -> bool:
        """Whether the cells certainly are not sentences: numbers, missing values, or a few names again and again."""
        if len(self.cells) < _FEWEST:
            return False
        repeated = 2 * len(set(self.cells)) <= len(self.cells)
        return self.holds_numbers or not self.present or (self.words <= _WORD and repeated)


def count_words(text: str) -> float:
    """Count the words of a text: those between spaces, and half of the characters of scripts without spaces."""
    if text.isascii():
        return len(text.split())
    unspaced = len(UNSPACED.findall(text))
    return len(UNSPACED.sub(" ", text).split()) + unspaced / 2


def sample_column(column: Sequence[object]) -> ColumnContent:
    """Return the content of a column's first rows."""
    first = column[:SAMPLE_ROWS]
    return ColumnContent(tuple(text for cell in first if (text := as_text(cell)[:_BEGINNING].strip())), len(first))


def sample_contents(table: RawTable) -> dict[str, ColumnContent]:
    """Return the contents of each column's first rows."""
    return {name: sample_column(column) for name, column in zip(table.names, table.columns, strict=True)}


def are_related(left: Sequence[object], right: Sequence[object]) -> bool:
    """Return whether the texts of a row share more than texts of different rows, as paraphrases do."""
    pairs = [(_pieces(as_text(a)), _pieces(as_text(b))) for a, b in zip(left[:SAMPLE_ROWS], right, strict=False)]
    pairs = [(a, b) for a, b in pairs if a and b]
    if len(pairs) < 2:
        return False
    same = sum(_overlap(a, b) for a, b in pairs)
    different = sum(_overlap(a, pairs[at - 1][1]) for at, (a, _) in enumerate(pairs))
    most = same >= _ALIKE * len(pairs) and same >= different  # where all sentences are built alike
    return same > 0.05 * len(pairs) and (same >= _RELATED * different or most)


def _pieces(text: str) -> set[str]:
    text = text[:_BEGINNING].casefold()
    return (
        {text[at : at + 3] for at in range(len(text) - 2)}
        if text.isascii()
        else {text[at : at + 2] for at in range(len(text) - 1)}
    )


def _overlap(one: set[str], two: set[str]) -> float:
    return len(one & two) / min(len(one), len(two))
