"""Values that take time to compute, kept while their sources stay the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Result = TypeVar("Result")


class Cache:
    """One value for each key, valid while the state given now equals the state it was made in.

    The caller says what the value depends on: a version of the corpus or of some columns (`Workspace.version`), a
    threshold, a size. So no value has to be thrown away in time when something changes.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[object, Any]] = {}

    def get(self, key: Hashable, state: object, make: Callable[[], Result]) -> Result:
        """Return the value of a key in a state, made now if there is none."""
        if not self.holds(key, state):
            self._kept[key] = state, make()
        value: Result = self._kept[key][1]
        return value

    def holds(self, key: Hashable, state: object) -> bool:
        """Return True if a value of this state is there."""
        kept = self._kept.get(key)
        return kept is not None and kept[0] == state

    def latest(self, key: Hashable) -> Any:
        """Return the value made last, whatever its state; None if none was made."""
        return self._kept.get(key, (None, None))[1]

    def clear(self) -> None:
        self._kept.clear()
