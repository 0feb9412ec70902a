"""Columns that are worked out from scores, such as `disagreement`: when somebody asks, and anew as scores arrive."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui.analysis.cache import Cache
from parapluie_gui.ui.state.throttle import Throttle

#: While scores arrive, a column is worked out again at most this often, ...
LEAST_MS = 1000
#: ... and so seldom that it takes a twentieth of the time: a million pairs take about a second.
_REST = 20


class Derived(QObject):
    """Keeps what was worked out from scores; as long as nobody asks, nothing is.

    Attributes:
        asked: The columns somebody asked for.

    Signals:
        changed: (frozenset of column names) They have other values now; who shows them asks again.
    """

    changed = Signal(frozenset)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.asked: set[str] = set()
        self._made = Cache()
        self._round = 0
        self._sources: set[str] = set()
        self._renewing = Throttle(self._renew, LEAST_MS, self)

    def values(self, name: str, sources: tuple[str, ...], work: Callable[[], np.ndarray]) -> np.ndarray:
        """Return a column, float64 (n,), worked out if it is not known; while scores arrive, the one of a while ago.

        Args:
            name: The column.
            sources: The scores it is made of.
            work: Makes it.
        """

        def make() -> np.ndarray:
            begun = perf_counter()
            found = work()
            self._renewing.wait = max(LEAST_MS, int(_REST * 1000 * (perf_counter() - begun)))
            return found

        self.asked.add(name)
        self._sources.update(sources)
        return self._made.get(name, self._round, make)

    def reset(self) -> None:
        """Begin with other pairs: nobody asked for anything of them."""
        self._renewing.stop()
        self._round += 1
        self.asked.clear()
        self._sources.clear()
        self._made.clear()

    def forget(self) -> None:
        """Keep nothing, because there are other score columns; who asked hears of it before long."""
        self._round += 1
        self._sources.clear()
        if self.asked:
            self._renewing.ask()

    def take(self, names: frozenset[str]) -> None:
        """Hear that numbers arrived in some columns."""
        if not self._sources.isdisjoint(names):
            self._renewing.ask()

    def _renew(self) -> None:
        names = frozenset(self.asked)
        self.reset()
        self.changed.emit(names)
