"""Texts that a spreadsheet takes for formulas when it opens a CSV or TSV file: which they are, and how to stop it.

A text is marked by an apostrophe before it, and one that begins with apostrophes before such a sign by one more; so the
marks can be taken off again. Numbers stay numbers: "-5" is none.
"""

from __future__ import annotations

import re

#: The mark.
MARK = "'"

#: What the texts begin with, for a sentence; as https://owasp.org/www-community/attacks/CSV_Injection lists them, with
#: the full-width signs of East Asian keyboards.
_SIGNS = "=, +, -, @, a tab or a line break"

_FIRST = "=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(f"[{_FIRST}]", re.DOTALL)
_MARKED = re.compile(f"'+[{_FIRST}].", re.DOTALL)
_NUMBER = re.compile(r"[+-](\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet may run a text: it begins with a sign, is longer than that, and no number."""
    return len(text) > 1 and _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None


def mark(text: str) -> str:
    """Return a text as no spreadsheet runs it."""
    return MARK + text if is_formula(text) or _MARKED.match(text) else text


def unmark(text: str) -> str:
    """Return what `mark` was given."""
    return text[1:] if _MARKED.match(text) else text


def formula_sentence(count: int, marked: bool) -> str:
    """Return the message about this many cells that are formulas, marked or not."""
    cells = f"1 cell begins with {_SIGNS}" if count == 1 else f"{count:,} cells begin with {_SIGNS}"
    if marked:
        return f"{cells}: an apostrophe stands before {'it' if count == 1 else 'each'} now."
    return (
        f"{cells}, and a spreadsheet may run {'it as a formula' if count == 1 else 'them as formulas'}. "
        "To open the file in a spreadsheet, write it with --no-formulas (in the window: CSV without formulas)."
    )
