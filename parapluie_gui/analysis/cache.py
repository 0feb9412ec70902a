"""A cache of values that take time to compute, valid while their sources stay the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Result = TypeVar("Result")


class StateCache:
    """One value for each key, valid for the state in which it was computed.

    The state is everything that the value depends on: a version of the corpus or of some columns
    (`CorpusWorkspace.version`), a threshold, a size. So no value has to be invalidated when something changes.
    """

    def __init__(self) -> None:
        self._entries: dict[Hashable, tuple[object, Any]] = {}

    def get(self, key: Hashable, state: object, make: Callable[[], Result]) -> Result:
        """Return the value of a key in a state; compute it if it is not cached."""
        if not self.holds(key, state):
            self._entries[key] = state, make()
        value: Result = self._entries[key][1]
        return value

    def holds(self, key: Hashable, state: object) -> bool:
        """Return True if the value of a key is cached for this state."""
        entry = self._entries.get(key)
        return entry is not None and entry[0] == state

    def latest(self, key: Hashable) -> Any:
        """Return the last value of a key, whatever its state; None if it has none."""
        return self._entries.get(key, (None, None))[1]

    def clear(self) -> None:
        self._entries.clear()
