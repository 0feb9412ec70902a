"""Columns derived from scores, such as `disagreement`: computed on demand, and again as scores arrive."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from PySide6.QtCore import QObject, Signal

from parapluie_gui.analysis.cache import StateCache
from parapluie_gui.arrays import Floats
from parapluie_gui.ui.state.throttle import CallThrottle

#: Minimum time between two computations of a column while scores arrive, in milliseconds.
LEAST_MS = 1000
#: Waiting time as a multiple of the computing time, since a million pairs take about a second.
_REST = 20


class DerivedColumns(QObject):
    """A cache of the derived columns that were requested.

    Attributes:
        asked: The requested columns.

    Signals:
        changed: (frozenset of column names) Their values changed; views request them again.
    """

    changed = Signal(frozenset)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.asked: set[str] = set()
        self._cache = StateCache()
        self._round = 0
        self._sources: set[str] = set()
        self._renewing = CallThrottle(self._renew, LEAST_MS, self)

    def values(self, name: str, sources: tuple[str, ...], work: Callable[[], Floats]) -> Floats:
        """Return a column, float64 (n,), from the cache or from `work`; while scores arrive, it may be outdated.

        Args:
            name: The column.
            sources: The scores it is derived from.
            work: The function that computes it.
        """

        def make() -> Floats:
            begun = perf_counter()
            result = work()
            self._renewing.wait = max(LEAST_MS, int(_REST * 1000 * (perf_counter() - begun)))
            return result

        self.asked.add(name)
        self._sources.update(sources)
        return self._cache.get(name, self._round, make)

    def reset(self) -> None:
        """Forget every request, for another corpus."""
        self._renewing.stop()
        self._round += 1
        self.asked.clear()
        self._sources.clear()
        self._cache.clear()

    def forget(self) -> None:
        """Empty the cache because the score columns changed; `changed` follows soon."""
        self._round += 1
        self._sources.clear()
        if self.asked:
            self._renewing.ask()

    def take(self, names: frozenset[str]) -> None:
        """Note that numbers arrived in some columns."""
        if not self._sources.isdisjoint(names):
            self._renewing.ask()

    def _renew(self) -> None:
        names = frozenset(self.asked)
        self.reset()
        self.changed.emit(names)
