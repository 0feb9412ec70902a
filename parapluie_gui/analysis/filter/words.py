"""The words of the filter language: a text cut into names, numbers, quoted texts and signs."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from parapluie_gui.errors import FilterError, with_advice
from parapluie_gui.scores.identity import describe_ambiguity

#: Words with a meaning of their own; a column of such a name needs backticks.
KEYWORDS = frozenset({"and", "or", "not", "in", "contains"})
#: Functions, and how many values each takes.
FUNCTIONS = {"abs": 1, "missing": 1, "length": 1, "words": 1, "contains": 2, "zscore": 1}
#: Functions of any number of values.
COMBINING = ("min", "max", "mean")
#: Functions of any number of scores; without any, of the templates.
ABOUT_SCORES = ("wrong_by_all", "wrong_by_any")

_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])", re.ASCII)
_SIGN = re.compile(r"<=|>=|==|!=|[<>=()+\-*/,]")
#: A regular expression, where a value may stand: elsewhere the slash divides.
_EXPRESSION = re.compile(r"/((?:\\.|[^/\\])+)/([a-z]*)")
_NAME = re.compile(r"[^\W\d][\w.@]*(?:-[\w.@]+)*|\w+")
#: What is whole of a filter that is being typed; behind a value the slash divides.
_PART = re.compile(
    r"""(?P<value>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|[\w.@]+(?:-[\w.@]+)*|\))|\s+|.""", re.DOTALL
)


@dataclass(frozen=True)
class Token:
    """One word of a filter.

    Attributes:
        kind: "column", "name" (no column of that name), "keyword", "number", "text", "expression", "sign" or "end".
        value: The column's name, the number, the text between quotes, or the word itself.
        start, end: Where it stands in the filter, 0-based, end exclusive.
    """

    kind: str
    value: str
    start: int
    end: int


def cut_words(text: str, columns: Sequence[str], titles: Mapping[str, str]) -> list[Token]:
    """Cut a filter into words, ended by one of kind "end"; a shown name in backticks is the column that it names.

    Raises:
        FilterError: A closing quotation mark is missing, an unknown column in backticks, or a sign without a meaning.
    """
    known = set(columns)
    words: list[Token] = []
    at = 0
    while True:
        if space := _SPACE.match(text, at):
            at = space.end()
        if at >= len(text):
            return [*words, Token("end", "", len(text), len(text))]
        divides = bool(words) and (words[-1].kind in ("column", "number", "text", "name") or words[-1].value == ")")
        expression = None if divides else _EXPRESSION.match(text, at)
        if expression is not None:
            word = Token("expression", expression[0], at, expression.end())
        else:
            word = _word(text, at, known, titles)
        words.append(word)
        at = word.end


def ends_in_text(typed: str) -> bool:
    """Return whether a filter that is being typed ends inside quotation marks, an expression or the flags of one."""
    at, value = 0, False
    while at < len(typed):
        if typed[at] == "/" and not value:
            expression = _EXPRESSION.match(typed, at)
            if expression is None or expression.end() == len(typed):
                return True
            at, value = expression.end(), True
            continue
        part = _PART.match(typed, at)
        assert part is not None  # any character is one
        if part[0] in ("'", '"'):
            return True
        value = value if part[0].isspace() else part.lastgroup == "value" and part[0] not in KEYWORDS
        at = part.end()
    return False


def unknown_column(name: str, start: int, columns: Sequence[str], titles: Iterable[str]) -> FilterError:
    """Return the error for a name that is no column, with the nearest ones that are."""
    if several := describe_ambiguity(name, columns):
        return filter_error(several, start, "write one of these names")
    offered = [*columns, *(title for title in titles if "@" not in title)]
    lowered = {column.lower(): column for column in offered}
    near = [lowered[match] for match in difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(quote_column(column) for column in near)}?" if near else _listed(offered)
    return filter_error(f'There is no column "{name}"', start, hint)


def filter_error(what: str, start: int, todo: str) -> FilterError:
    """Return an error that says what is wrong, where (counted from 1), and what to do."""
    return FilterError(with_advice(f"{what} (at character {start + 1})", todo))


def quote_column(column: str) -> str:
    """Return a column's name as it has to be written in a filter."""
    name = _NAME.fullmatch(column)
    return column if name and column not in KEYWORDS else f"`{column}`"


def _word(text: str, at: int, known: set[str], titles: Mapping[str, str]) -> Token:
    first = text[at]
    if first in "\"'":
        return _quoted_text(text, at)
    if first == "`":
        end = text.find("`", at + 1)
        if end < 0:
            raise filter_error("A closing backtick is missing", at, "add one after the column's name")
        column = text[at + 1 : end]
        column = titles.get(column, column)
        if column not in known:
            raise unknown_column(column, at, sorted(known), titles)
        return Token("column", column, at, end + 1)
    if number := _NUMBER.match(text, at):
        return Token("number", number[0], at, number.end())
    if name := _NAME.match(text, at):
        return _name(text, at, name.end(), known)
    if sign := _SIGN.match(text, at):
        return Token("sign", sign[0], at, sign.end())
    raise filter_error(f'"{first}" has no meaning in a filter', at, "put quotes round a text to search for it")


def _quoted_text(text: str, at: int) -> Token:
    """Read a text between quotes; a backslash stands before a quote or a backslash that belongs to the text."""
    characters: list[str] = []
    place = at + 1
    while place < len(text):
        character = text[place]
        if character == text[at]:
            return Token("text", "".join(characters), at, place + 1)
        if character == "\\" and text[place + 1 : place + 2] in {"\\", '"', "'"}:
            place += 1
            character = text[place]
        characters.append(character)
        place += 1
    raise filter_error("A closing quotation mark is missing", at, f"put another {text[at]} after the text")


def _name(text: str, start: int, end: int, known: set[str]) -> Token:
    """Read a name; where "a-b" is no column but "a" is, the hyphen is a minus."""
    name = text[start:end]
    if name in known and name not in KEYWORDS:
        return Token("column", name, start, end)
    if name in KEYWORDS:
        return Token("keyword", name, start, end)
    shorter = name
    while "-" in shorter:
        shorter = shorter.rpartition("-")[0]
        if shorter in known and shorter not in KEYWORDS:
            return Token("column", shorter, start, start + len(shorter))
    return Token("name", name, start, end)


def _listed(columns: Sequence[str]) -> str:
    names = ", ".join(columns[:8])
    return f"the columns are {names}{', ...' if len(columns) > 8 else ''}" if columns else "there are no columns yet"
