"""Recognises columns of numbers in other notations: decimal commas, thousands separators, percentages, minus signs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from parapluie_gui.pairs.column import number
from parapluie_gui.pairs.reading.raw_table import RawTable
from parapluie_gui.pairs.reading.values import read_number

#: Number of cells tested before all of them are.
_SAMPLE = 50
#: A character that plain numbers do not have.
_UNUSUAL = re.compile(r"[^0-9A-Za-z.+\-\n]")
_MINUS = str.maketrans({"\N{MINUS SIGN}": "-"})
_EXPONENT = r"(e[+-]?\d+)?"


@dataclass(frozen=True)
class NumberNotation:
    """A way to write numbers.

    Attributes:
        description: What its columns have, for the user.
        pattern: Matches the whole of each number that is not written in the usual way.
        convert: Writes such a number in the usual way.
        ambiguous: Matches numbers that the notation shares with others; alone, they are not evidence for it.
    """

    description: str
    pattern: re.Pattern[str]
    convert: Callable[[str], str]
    ambiguous: re.Pattern[str] | None = None


def _share(text: str) -> str:
    return repr(float(text.rstrip("%").rstrip().replace(",", ".")) / 100)


#: The notations, the most certain first.
_NOTATIONS = (
    NumberNotation(
        "typographic minus signs", re.compile(r"(?!)"), str
    ),  # the typographic sign, which each notation may have
    NumberNotation("percentages", re.compile(r"[+-]?\d+([.,]\d+)?\s*%"), _share),
    NumberNotation(
        "thousands separators",
        re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?"),
        lambda text: text.replace(",", ""),
        re.compile(r"[+-]?[1-9]\d{0,2},\d{3}"),
    ),
    NumberNotation(
        "decimal commas",
        re.compile(rf"[+-]?(\d+|\d{{1,3}}(\.\d{{3}})+),\d+{_EXPONENT}"),
        lambda text: text.replace(".", "").replace(",", "."),
        re.compile(r"[+-]?([1-9]\d{0,2},\d{3}|\d,\d)"),
    ),
)
_DECIMAL_COMMAS = _NOTATIONS[-1]


def read_any_number(text: str) -> float | None:
    """Return a finite number in any of the notations, or None; 1,234 and 3,5 have a decimal comma."""
    plain = _plain(text)
    if (value := read_number(plain)) is not None:
        return value
    for notation in (_DECIMAL_COMMAS, *_NOTATIONS):
        if notation.pattern.fullmatch(plain):
            return read_number(notation.convert(plain))
    return None


def read_notations(table: RawTable, texts: Collection[str]) -> tuple[RawTable, tuple[str, ...]]:
    """Rewrite the numbers of columns that consistently use one other notation.

    A number such as 1,234 or 3,5 alone does not make its column numeric, unless the file is separated by semicolons or
    different columns have decimal commas.

    Args:
        table: The table.
        texts: Names of the columns that hold texts or ids, which stay as they are.

    Returns:
        The table, and short descriptions of the columns that were read in this way.
    """
    notations = {}
    for place, name in enumerate(table.names):
        if name not in texts and (notation := _find_notation(table.columns[place])) is not None:
            notations[name] = notation
    with_commas = table.origin.delimiter == ";" or any(
        notation is _DECIMAL_COMMAS and _is_evident(table.column(name), notation)
        for name, notation in notations.items()
    )
    read: dict[str, NumberNotation] = {}
    for name, notation in notations.items():
        if _is_evident(table.column(name), notation):
            read[name] = notation
        elif with_commas and _fits(table.column(name), _DECIMAL_COMMAS):
            read[name] = _DECIMAL_COMMAS
    if not read:
        return table, ()
    columns = [
        _convert(column, read[name]) if name in read else column
        for name, column in zip(table.names, table.columns, strict=True)
    ]
    descriptions = dict.fromkeys(notation.description for notation in read.values())
    shown = tuple(
        f"{description} in " + ", ".join(f'"{name}"' for name in read if read[name].description == description)
        for description in descriptions
    )
    return replace(table, columns=columns), shown


def _find_notation(cells: Sequence[object]) -> NumberNotation | None:
    # most columns end here, ten times as fast as cell by cell
    if _are_plain(cells):
        return None
    return next((notation for notation in _NOTATIONS if _fits(cells, notation)), None)


def _are_plain(cells: Sequence[object]) -> bool:
    """Return whether all cells are texts of letters, digits, points and signs, so that no notation is needed."""
    return set(map(type, cells)) == {str} and not _UNUSUAL.search("\n".join(cells))  # type: ignore[arg-type]


def _fits(cells: Sequence[object], notation: NumberNotation) -> bool:
    """Return whether all cells are numbers, some of them in this notation; tests a sample first."""
    sample = cells[:: max(1, len(cells) // _SAMPLE)]
    return all(_is_number(cell, notation) for cell in sample) and _fits_all(cells, notation)


def _fits_all(cells: Sequence[object], notation: NumberNotation) -> bool:
    kinds = set(cells)
    return any(_is_written(cell, notation) for cell in kinds) and all(_is_number(cell, notation) for cell in kinds)


def _is_number(cell: object, notation: NumberNotation) -> bool:
    return number(cell) is not None or _is_written(cell, notation)


def _is_written(cell: object, notation: NumberNotation) -> bool:
    """Return whether a cell is a number that only this notation makes one."""
    if not isinstance(cell, str) or number(cell) is not None:
        return False
    text = _plain(cell)
    return number(text) is not None or notation.pattern.fullmatch(text) is not None


def _is_evident(cells: Sequence[object], notation: NumberNotation) -> bool:
    if notation.ambiguous is None:
        return True
    written = [_plain(cell) for cell in set(cells) if isinstance(cell, str) and _is_written(cell, notation)]
    return any(notation.ambiguous.fullmatch(text) is None for text in written)


def _convert(cells: list[object], notation: NumberNotation) -> list[object]:
    def convert(cell: object) -> object:
        if not isinstance(cell, str) or not _is_written(cell, notation):
            return cell
        text = _plain(cell)
        return text if number(text) is not None else notation.convert(text)

    written = {cell: convert(cell) for cell in set(cells)}
    return [written[cell] for cell in cells]


def _plain(text: str) -> str:
    """Return a cell without blanks at its ends, in lower case and with a hyphen as minus sign."""
    return text.strip().translate(_MINUS).casefold()
