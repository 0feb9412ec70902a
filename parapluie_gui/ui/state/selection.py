"""What is picked: the current set of pairs and the one primary pair, shared by every view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

NO_PAIR = -1


@dataclass(frozen=True)
class Rule:
    """How the current set is made.

    Attributes:
        name: What the user sees ("False positives", "Lasso", "pluie.direct > 0").
        mask: Returns the boolean array (n,) of the pairs that belong; asked again whenever scores, threshold or
            labels change, so that a rule stays true while a corpus is being scored.
        filter_text: The filter expression it came from, or "".
    """

    name: str
    mask: Callable[[], np.ndarray]
    filter_text: str = ""


class Selection(QObject):
    """The current set (all pairs, or those of a rule) and the primary pair.

    Signals:
        set_changed: The current set is another one, or its members changed.
        primary_changed: (row) Another pair is primary; NO_PAIR when none is.
        order_changed: The order in which one walks the set changed.
    """

    set_changed = Signal()
    primary_changed = Signal(int)
    order_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows = 0
        self._rule: Rule | None = None
        self._mask = np.zeros(0, dtype=bool)
        self._order = np.zeros(0, dtype=np.int64)
        self._primary = NO_PAIR

    @property
    def rule(self) -> Rule | None:
        """The rule in force, or None when the current set is the whole corpus."""
        return self._rule

    @property
    def mask(self) -> np.ndarray:
        """Boolean array (n,): which pairs are in the current set. Not to be written."""
        return self._mask

    @property
    def order(self) -> np.ndarray:
        """The current set's rows in the order of the table, int64 (k,)."""
        return self._order

    @property
    def primary(self) -> int:
        return self._primary

    def reset(self, rows: int) -> None:
        """Begin with another corpus of so many pairs: all of them, none primary."""
        self._rows = rows
        self._rule = None
        self._mask = np.ones(rows, dtype=bool)
        self._order = np.arange(rows, dtype=np.int64)
        self._primary = NO_PAIR
        self.set_changed.emit()
        self.primary_changed.emit(NO_PAIR)

    def set_rule(self, rule: Rule | None) -> None:
        """Make the pairs of a rule the current set; None means all pairs."""
        self._rule = rule
        self._evaluate()
        self.set_changed.emit()

    def set_rows(self, name: str, rows: np.ndarray) -> None:
        """Make fixed rows (a lasso, a search result) the current set."""
        fixed = np.zeros(self._rows, dtype=bool)
        fixed[rows] = True
        self.set_rule(Rule(name, lambda: fixed))

    def refresh(self) -> None:
        """Ask the rule again; emits `set_changed` only when the members changed."""
        before = self._mask
        self._evaluate()
        if not np.array_equal(before, self._mask):
            self.set_changed.emit()

    def set_order(self, order: np.ndarray) -> None:
        """Tell in which order the table shows the current set."""
        self._order = order
        self.order_changed.emit()

    def set_primary(self, row: int) -> None:
        if row != self._primary and (row == NO_PAIR or 0 <= row < self._rows):
            self._primary = row
            self.primary_changed.emit(row)

    def step(self, by: int) -> None:
        """Walk the current set in the table's order, stopping at its ends."""
        if not len(self._order):
            return
        at = np.flatnonzero(self._order == self._primary)
        place = (0 if by > 0 else len(self._order) - 1) if not len(at) else int(at[0]) + by
        self.set_primary(int(self._order[min(max(place, 0), len(self._order) - 1)]))

    def step_forwards(self) -> None:
        self.step(1)

    def step_backwards(self) -> None:
        self.step(-1)

    def _evaluate(self) -> None:
        self._mask = np.ones(self._rows, dtype=bool) if self._rule is None else self._rule.mask()
