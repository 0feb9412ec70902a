"""Values of a JSON file that may be damaged: values of the wrong type are ignored, and their names are recorded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TypeVar

Value = TypeVar("Value")

#: Largest whole number accepted, which fits into every integer type of Qt and numpy.
_LARGEST = 2**31 - 1


class StoredValues(Mapping[str, object]):
    """A JSON object whose values are read by type. A missing value, or null, is not an error.

    Attributes:
        skipped: Names of the values that were read and have a different type ("judge.exact"). The list is shared with
            the parts.

    Args:
        values: The values of the file.
        place: Prefix of the names in `skipped`.
        skipped: The list to add to.
    """

    def __init__(self, values: Mapping[str, object], place: str = "", skipped: list[str] | None = None) -> None:
        self._values = values
        self._place = place
        self.skipped = [] if skipped is None else skipped

    @classmethod
    def wrap(cls, values: Mapping[str, object]) -> StoredValues:
        """Return the values as StoredValues; StoredValues are returned unchanged."""
        return values if isinstance(values, cls) else cls(values)

    def __getitem__(self, key: str) -> object:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def skip(self, key: str) -> None:
        """Record that a value is unusable, for a reason that only its reader knows."""
        if (name := self._place + key) not in self.skipped:
            self.skipped.append(name)

    def text(self, key: str) -> str:
        """Return a text, "" if it is missing."""
        return self._read_typed(key, str, "")

    def flag(self, key: str) -> bool:
        """Return a boolean, False if it is missing."""
        return self._read_typed(key, bool, False)

    def number(self, key: str) -> float | None:
        """Return a finite number, None if it is missing."""
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
        """Return a whole number from 0 on (an index or a row), None if it is missing."""
        value = self._values.get(key)
        if value is None or (type(value) is int and 0 <= value <= _LARGEST):
            return value
        self.skip(key)
        return None

    def texts(self, key: str) -> list[str]:
        """Return the texts of a list; other members are ignored."""
        members: list[object] = self._read_typed(key, list, [])
        texts = [member for member in members if isinstance(member, str)]
        if len(texts) < len(members):
            self.skip(key)
        return texts

    def flags(self, key: str) -> dict[str, bool]:
        """Return the boolean members of an object."""
        members: dict[str, object] = self._read_typed(key, dict, {})
        flags = {name: member for name, member in members.items() if isinstance(member, bool)}
        if len(flags) < len(members):
            self.skip(key)
        return flags

    def part(self, key: str) -> StoredValues:
        """Return the values of a nested object; empty if it is missing."""
        members: dict[str, object] = self._read_typed(key, dict, {})
        return StoredValues(members, f"{self._place}{key}.", self.skipped)

    def _read_typed(self, key: str, kind: type[Value], default: Value) -> Value:
        value = self._values.get(key)
        if isinstance(value, kind):
            return value
        if value is not None:
            self.skip(key)
        return default
