"""Recognises texts that a spreadsheet would run as formulas when it opens a CSV or TSV file, and marks them.

The mark is an apostrophe in front of the text. A text that already begins with apostrophes before such a sign gets one
more, so that marks can be removed again. Numbers are not formulas: "-5" stays as it is.
"""

from __future__ import annotations

import re

#: Marks a text so that a spreadsheet does not run it.
MARK = "'"

#: First characters of formulas, for messages; as https://owasp.org/www-community/attacks/CSV_Injection lists them, with
#: the full-width signs of East Asian keyboards.
_SIGNS = "=, +, -, @, a tab or a line break"

_FIRST = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(f"[{_FIRST}]", re.DOTALL)
_MARKED = re.compile(f"'+[{_FIRST}].", re.DOTALL)
_NUMBER = re.compile(r"[+-](\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet may run a text: it begins with a sign, has more characters, and is not a number."""
    return len(text) > 1 and _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None


def mark(text: str) -> str:
    """Mark a text if a spreadsheet would run it or if it looks marked already."""
    return MARK + text if is_formula(text) or _MARKED.match(text) else text


def unmark(text: str) -> str:
    """Undo `mark`."""
    return text[1:] if _MARKED.match(text) else text


def formula_sentence(count: int, marked: bool) -> str:
    """Return a message about cells that are formulas, marked or not."""
    cells = f"1 cell begins with {_SIGNS}" if count == 1 else f"{count:,} cells begin with {_SIGNS}"
    if marked:
        return f"{cells}: an apostrophe stands before {'it' if count == 1 else 'each'} now."
    return (
        f"{cells}, and a spreadsheet may run {'it as a formula' if count == 1 else 'them as formulas'}. "
        "To open the file in a spreadsheet, write it with --no-formulas (in the window: CSV without formulas)."
    )
