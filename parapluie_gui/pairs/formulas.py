"""Recognises texts that a spreadsheet would run as formulas when it opens a CSV or TSV file, and marks and quotes them.

The mark is an apostrophe before the sign with which a formula begins. A sign that already has apostrophes gets one
more, so that marks can be removed again. Numbers are not formulas: "-5" stays as it is. A formula may also follow a
semicolon, a tab or a line break, where a spreadsheet with another separator begins a cell ("a;=1+1"); quotes alone do
not prevent that, since they count only at the beginning of a cell.

resources/share/cells.js has the same rules.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from typing import TextIO

#: Marks a text so that a spreadsheet does not run it.
MARK = "'"

#: First characters of formulas, for messages; as https://owasp.org/www-community/attacks/CSV_Injection lists them, with
#: the full-width signs of East Asian keyboards.
_SIGNS = "=, +, -, @, a tab or a line break"

_SIGN, _BREAK = "=+\\-@\uff1d\uff0b\uff0d\uff20", ";\t\r\n"
_FORMULA = re.compile(f"[{_SIGN}\t\r\n]")
_MARKED = re.compile(f"'+[{_SIGN}\t\r\n].", re.DOTALL)
_NUMBER = re.compile(r"[+-](\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
#: A cell that begins with a sign, marked or not, after a separator within a text.
_INNER = re.compile(f"(?<=[{_BREAK}])'*[{_SIGN}][^{_BREAK}]+")


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet may run a text or a part of it.

    Such a part begins with a sign, at the start or after a separator, has more characters, and is not a number.
    """
    return _begins_formula(text) or any(
        part[0][0] != MARK and _NUMBER.fullmatch(part[0]) is None for part in _INNER.finditer(text)
    )


def mark(text: str) -> str:
    """Mark the formulas in a text, including texts that already look marked."""
    first = MARK if _begins_formula(text) or _MARKED.match(text) else ""
    return first + _INNER.sub(lambda part: part[0] if _NUMBER.fullmatch(part[0]) else MARK + part[0], text)


def unmark(text: str) -> str:
    """Undo `mark`."""
    text = _INNER.sub(lambda part: part[0].removeprefix(MARK), text)
    return text[1:] if _MARKED.match(text) else text


def _begins_formula(text: str) -> bool:
    return len(text) > 1 and _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None


class CellWriter:
    """Writes rows of CSV or TSV (RFC 4180); texts with a semicolon or a tab are quoted, whatever the separator.

    Args:
        file: A text file that leaves line ends as they are.
        separator: The character between cells.
    """

    def __init__(self, file: TextIO, separator: str = ",") -> None:
        self._file, self._separator = file, separator
        # The terminator \r\n also makes the writer quote texts that hold a lone \r or \n.
        self._writer = csv.writer(file, delimiter=separator, lineterminator="\r\n")

    def write(self, rows: Iterable[Sequence[object]]) -> None:
        """Write rows of texts, numbers and None."""
        for row in rows:
            if any(isinstance(cell, str) and (";" in cell or "\t" in cell) for cell in row):
                self._file.write(f"{self._separator.join(map(self._quote_cell, row))}\r\n")
            else:
                self._writer.writerow(row)

    def _quote_cell(self, cell: object) -> str:
        text = "" if cell is None else str(cell)
        if not any(sign in text for sign in (self._separator, *';\t"\r\n')):
            return text
        return '"{}"'.format(text.replace('"', '""'))


def formula_sentence(count: int, marked: bool) -> str:
    """Return a message about cells that are formulas, marked or not."""
    begins = "1 cell begins" if count == 1 else f"{count:,} cells begin"
    cells = f"{begins} with {_SIGNS}, or {'has' if count == 1 else 'have'} one of these characters after a semicolon"
    if marked:
        return f"{cells}; an apostrophe was put before {'it' if count == 1 else 'each'}."
    return (
        f"{cells}, and a spreadsheet may run {'it as a formula' if count == 1 else 'them as formulas'}. "
        "To open the file in a spreadsheet, write it with --no-formulas."
    )
