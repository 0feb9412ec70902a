"""Ids of pairs: completing and distinguishing those of a file, and finding the pairs that an id names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_INTEGER_AS_FLOAT = re.compile(r"-?\d+\.0")
_TEXT_AS_FORMULA = re.compile(r'="([^"]*)"')


@dataclass(frozen=True)
class PairIds:
    """The ids of a corpus's pairs.

    Attributes:
        ids: A unique id for each pair.
        invented: Number of pairs without an id in the file.
        repeated: Number of pairs whose id another pair had before.
        example: The first id that is not as in the file; "" if all are.
    """

    ids: list[str]
    invented: int = 0
    repeated: int = 0
    example: str = ""

    def describe(self) -> Iterator[str]:
        """Yield short descriptions of the ids that are not as in the file."""
        if self.invented:
            rows = "1 row" if self.invented == 1 else f"{self.invented:,} rows"
            yield f"{rows} without an id" + (f" (called “{self.example}”)" if not self.repeated else "")
        if self.repeated:
            rows = "1 repeated id" if self.repeated == 1 else f"{self.repeated:,} repeated ids"
            yield rows + (f" (the first is called “{self.example}”)" if not self.invented else "")


def complete_ids(ids: Sequence[str], rows: Iterable[int]) -> PairIds:
    """Return unique ids: an empty one becomes "row 3" by the row's number, and the second "7" becomes "7#2".

    An invented id never equals an id of the file.

    Args:
        ids: The ids in the file, "" for an empty one.
        rows: The number of each row in the file, from 1.
    """
    if len(set(ids)) == len(ids) and "" not in ids:
        return PairIds(list(ids))
    real = Counter(ids)
    completed = [text or _first_free(f"row {row}", real) for text, row in zip(ids, rows, strict=True)]
    unique = unique_ids(completed)
    repeated = sum(before != after for before, after in zip(completed, unique, strict=True))
    changed = (after for before, after in zip(ids, unique, strict=True) if before != after)
    return PairIds(unique, real[""], repeated, next(changed, ""))


def _first_free(name: str, taken: Counter[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}#{number}"
    return free


def unique_ids(ids: list[str]) -> list[str]:
    """Make ids unique: the second "7" becomes "7#2" (or the next free number)."""
    taken = set(ids)
    if len(taken) == len(ids):
        return ids
    copies: dict[str, int] = {}
    result: list[str] = []
    for text in ids:
        if text not in copies:
            copies[text] = 1
            result.append(text)
            continue
        name = text
        while name in taken:
            copies[text] += 1
            name = f"{text}#{copies[text]}"
        taken.add(name)
        result.append(name)
    return result


def plain_ids(ids: Sequence[str]) -> list[str]:
    """Return ids as spreadsheets show them: 007 for ="007", and 1 for 1.0 if all are like it.

    Spreadsheets keep leading zeros by such formulas; pandas writes integers with a gap among them as 1.0, 2.0.
    """
    if "\n=" in "\n".join(("", *ids)):
        ids = [_TEXT_AS_FORMULA.sub(r"\1", text) if _TEXT_AS_FORMULA.fullmatch(text) else text for text in ids]
    if any(ids) and all(_INTEGER_AS_FLOAT.fullmatch(text) for text in ids if text):
        return [text.removesuffix(".0") for text in ids]
    return list(ids)


class PairFinder:
    """Finds the pairs that an id names: several if the id was repeated in their file."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._rows = {id: row for row, id in enumerate(ids)}

    def rows(self, id: str) -> list[int]:
        """Return the rows (0-based) of the pairs with an id, and of its repetitions "ID#2", "ID#3" and so on."""
        if id not in self._rows:
            return self.rows(id.removesuffix(".0")) if _INTEGER_AS_FLOAT.fullmatch(id) else []
        rows, number = [self._rows[id]], 2
        while (row := self._rows.get(f"{id}#{number}")) is not None:
            rows.append(row)
            number += 1
        return rows
