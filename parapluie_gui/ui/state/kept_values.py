"""Values read back from a file that anything may have happened to: what has the wrong shape is left out, and named."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TypeVar

Value = TypeVar("Value")

#: Whole numbers up to here fit wherever Qt or numpy take one.
_LARGEST = 2**31 - 1


class KeptValues(Mapping[str, object]):
    """A mapping as JSON has it, whose values are asked for by their type. One that is missing, or null, is no mistake.

    Attributes:
        skipped: Names of the values that were asked for and are of another type ("judge.exact"). Its parts share it.

    Args:
        values: As they were read.
        place: What the names in `skipped` begin with.
        skipped: The list to add to.
    """

    def __init__(self, values: Mapping[str, object], place: str = "", skipped: list[str] | None = None) -> None:
        self._values = values
        self._place = place
        self.skipped = [] if skipped is None else skipped

    @classmethod
    def of(cls, values: Mapping[str, object]) -> KeptValues:
        """Return the values with these questions; those that have them already stay the same object."""
        return values if isinstance(values, cls) else cls(values)

    def __getitem__(self, key: str) -> object:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def skip(self, key: str) -> None:
        """Note that a value is of no use, for a reason that only its reader can know."""
        if (name := self._place + key) not in self.skipped:
            self.skipped.append(name)

    def text(self, key: str) -> str:
        """Return a text, "" where there is none."""
        return self._of_type(key, str, "")

    def flag(self, key: str) -> bool:
        """Return True or False, False where there is none."""
        return self._of_type(key, bool, False)

    def number(self, key: str) -> float | None:
        """Return a finite number."""
        value = self._values.get(key)
        if value is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                number = float(value)
            except OverflowError:
                number = math.inf
            if math.isfinite(number):
                return number
        self.skip(key)
        return None

    def place(self, key: str) -> int | None:
        """Return a whole number from 0 on: a place in a list, or a row."""
        value = self._values.get(key)
        if value is None or (type(value) is int and 0 <= value <= _LARGEST):
            return value
        self.skip(key)
        return None

    def texts(self, key: str) -> list[str]:
        """Return the texts of a list; its other members are left out."""
        members: list[object] = self._of_type(key, list, [])
        texts = [each for each in members if isinstance(each, str)]
        if len(texts) < len(members):
            self.skip(key)
        return texts

    def flags(self, key: str) -> dict[str, bool]:
        """Return the members of a mapping that are True or False."""
        members: dict[str, object] = self._of_type(key, dict, {})
        flags = {name: each for name, each in members.items() if isinstance(each, bool)}
        if len(flags) < len(members):
            self.skip(key)
        return flags

    def part(self, key: str) -> KeptValues:
        """Return the values inside a value, none where there is none."""
        members: dict[str, object] = self._of_type(key, dict, {})
        return KeptValues(members, f"{self._place}{key}.", self.skipped)

    def _of_type(self, key: str, kind: type[Value], default: Value) -> Value:
        value = self._values.get(key)
        if isinstance(value, kind):
            return value
        if value is not None:
            self.skip(key)
        return default
