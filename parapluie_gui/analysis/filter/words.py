"""The tokens of the filter language: names, numbers, quoted texts and signs."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from parapluie_gui.errors import FilterError, with_advice
from parapluie_gui.scores.identity import describe_ambiguity

#: Keywords; a column with such a name needs backticks.
KEYWORDS = frozenset({"and", "or", "not", "in", "contains"})
#: Functions with the number of values that each takes.
FUNCTIONS = {"abs": 1, "missing": 1, "length": 1, "words": 1, "contains": 2, "zscore": 1}
#: Functions of any number of values.
COMBINING = ("min", "max", "mean")
#: Functions of any number of scores; without arguments, they use the judges' scores.
ABOUT_SCORES = ("wrong_by_all", "wrong_by_any")
#: The column of outcomes, and its values, which need no quotes.
OUTCOME = "outcome"
OUTCOMES = ("TP", "FP", "FN", "TN")

_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])", re.ASCII)
_SIGN = re.compile(r"<=|>=|==|!=|[<>=()+\-*/,]")
#: A regular expression in place of a value; after a value, the slash is a division.
_EXPRESSION = re.compile(r"/((?:\\.|[^/\\])+)/([a-z]*)")
_NAME = re.compile(r"[^\W\d][\w.@]*(?:-[\w.@]+)*|\w+")
#: A complete token of a filter that is being typed; after a value, the slash is a division.
_PART = re.compile(
    r"""(?P<value>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|[\w.@]+(?:-[\w.@]+)*|\))|\s+|.""", re.DOTALL
)


@dataclass(frozen=True)
class FilterToken:
    """A token of a filter.

    Attributes:
        kind: "column", "name" (not a column), "keyword", "number", "text", "expression", "sign" or "end".
        value: The name of the column, the number, the text between quotes, or the token itself.
        start, end: Its position in the filter, 0-based, end exclusive.
    """

    kind: str
    value: str
    start: int
    end: int


def tokenize(text: str, columns: Sequence[str], titles: Mapping[str, str]) -> list[FilterToken]:
    """Cut a filter into tokens, ending with one of kind "end"; a shown name in backticks becomes its column.

    Raises:
        FilterError: A closing quotation mark is missing, a column in backticks is unknown, or a sign has no meaning.
    """
    known = set(columns)
    tokens: list[FilterToken] = []
    at = 0
    while True:
        if space := _SPACE.match(text, at):
            at = space.end()
        if at >= len(text):
            return [*tokens, FilterToken("end", "", len(text), len(text))]
        divides = bool(tokens) and (tokens[-1].kind in ("column", "number", "text", "name") or tokens[-1].value == ")")
        expression = None if divides else _EXPRESSION.match(text, at)
        if expression is not None:
            token = FilterToken("expression", expression[0], at, expression.end())
        else:
            token = _read_token(text, at, known, titles)
        tokens.append(token)
        at = token.end


def ends_in_text(typed: str) -> bool:
    """Return True if a filter that is being typed ends in a quoted text, a regular expression or the flags of one."""
    at, value = 0, False
    while at < len(typed):
        if typed[at] == "/" and not value:
            expression = _EXPRESSION.match(typed, at)
            if expression is None or expression.end() == len(typed):
                return True
            at, value = expression.end(), True
            continue
        part = _PART.match(typed, at)
        assert part is not None  # every character matches
        if part[0] in ("'", '"'):
            return True
        value = value if part[0].isspace() else part.lastgroup == "value" and part[0] not in KEYWORDS
        at = part.end()
    return False


def unknown_column(
    name: str, start: int, columns: Sequence[str], titles: Iterable[str], *, is_text: bool = False
) -> FilterError:
    """Return the error for a name that is not a column, with the most similar columns.

    With `is_text`, the name is probably a text without quotes, unless it resembles a column's name.
    """
    if ambiguity := describe_ambiguity(name, columns):
        return filter_error(ambiguity, start, "write one of these names")
    offered = [*columns, *(title for title in titles if "@" not in title)]
    lowered = {column.lower(): column for column in offered}
    similar = [
        lowered[match]
        for match in difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.7 if is_text else 0.5)
    ]
    if is_text and not similar:
        return filter_error(f'There is no column "{name}"', start, f'write "{name}" in quotes if it is a text')
    hint = (
        f"did you mean {' or '.join(quote_column(column) for column in similar)}?"
        if similar
        else _list_columns(offered)
    )
    return filter_error(f'There is no column "{name}"', start, hint)


def find_title(title: str, titles: Mapping[str, str]) -> str:
    """Return the column with a shown name, in any case if no other has it; "" if there is none."""
    if title in titles:
        return titles[title]
    folded = [column for name, column in titles.items() if name.casefold() == title.casefold()]
    return folded[0] if len(folded) == 1 else ""


def filter_error(what: str, start: int, todo: str) -> FilterError:
    """Return an error with a sentence that tells what is wrong, where (counted from 1), and what to do."""
    return FilterError(with_advice(f"{what} (at character {start + 1})", todo))


def quote_column(column: str) -> str:
    """Return a column's name as it is written in a filter, in backticks if necessary."""
    name = _NAME.fullmatch(column)
    return column if name and column not in KEYWORDS else f"`{column}`"


def _read_token(text: str, at: int, known: set[str], titles: Mapping[str, str]) -> FilterToken:
    first = text[at]
    if first in "\"'":
        return _read_text(text, at)
    if first == "`":
        end = text.find("`", at + 1)
        if end < 0:
            raise filter_error("A closing backtick is missing", at, "add one after the column's name")
        column = text[at + 1 : end]
        named = column if column in known else find_title(column, titles)
        if named not in known:
            raise unknown_column(column, at, sorted(known), titles)
        return FilterToken("column", named, at, end + 1)
    if number := _NUMBER.match(text, at):
        return FilterToken("number", number[0], at, number.end())
    if name := _NAME.match(text, at):
        return _read_name(text, at, name.end(), known)
    if sign := _SIGN.match(text, at):
        return FilterToken("sign", sign[0], at, sign.end())
    raise filter_error(f'"{first}" has no meaning in a filter', at, "put quotes around text to search for it")


def _read_text(text: str, at: int) -> FilterToken:
    """Read a text between quotes, in which a backslash escapes quotes and backslashes."""
    characters: list[str] = []
    place = at + 1
    while place < len(text):
        character = text[place]
        if character == text[at]:
            return FilterToken("text", "".join(characters), at, place + 1)
        if character == "\\" and text[place + 1 : place + 2] in {"\\", '"', "'"}:
            place += 1
            character = text[place]
        characters.append(character)
        place += 1
    raise filter_error("A closing quotation mark is missing", at, f"put a {text[at]} after the text")


def _read_name(text: str, start: int, end: int, known: set[str]) -> FilterToken:
    """Read a name; if "a-b" is not a column but "a" is, the hyphen is a minus."""
    name = text[start:end]
    if name in known and name not in KEYWORDS:
        return FilterToken("column", name, start, end)
    if name in KEYWORDS:
        return FilterToken("keyword", name, start, end)
    shorter = name
    while "-" in shorter:
        shorter = shorter.rpartition("-")[0]
        if shorter in known and shorter not in KEYWORDS:
            return FilterToken("column", shorter, start, start + len(shorter))
    return FilterToken("name", name, start, end)


def _list_columns(columns: Sequence[str]) -> str:
    names = ", ".join(columns[:8])
    return f"the columns are {names}{', ...' if len(columns) > 8 else ''}" if columns else "there are no columns yet"
