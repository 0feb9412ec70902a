"""The selection of pairs and the one primary pair, shared by every view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui.arrays import Mask, Rows

NO_PAIR = -1


@dataclass(frozen=True)
class SelectionRule:
    """The condition that defines a selection.

    Attributes:
        name: What the user sees ("False positives", "Lasso", "pluie.direct > 0").
        mask: Returns the boolean array (n,) of the pairs that match. It is called again whenever scores, threshold or
            labels change, so that a rule stays true while a corpus is being scored.
        filter_text: The filter expression it came from, or "".
    """

    name: str
    mask: Callable[[], Mask]
    filter_text: str = ""


class PairSelection(QObject):
    """All pairs or those of a rule, and the primary pair. Change it by its methods only.

    Attributes:
        rule: The rule in force, or None when all pairs are selected.
        mask: The selected pairs, boolean (n,).
        order: The selected rows in the order of the table, int64 (k,).
        primary: The row of the primary pair, or NO_PAIR.

    Signals:
        set_changed: Different pairs are selected.
        primary_changed: (row) A different pair is primary; NO_PAIR if none is.
        order_changed: The order of the selected rows changed.
    """

    set_changed = Signal()
    primary_changed = Signal(int)
    order_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows = 0
        self.rule: SelectionRule | None = None
        self.mask: Mask = np.zeros(0, dtype=bool)
        self.order: Rows = np.zeros(0, dtype=np.int64)
        self.primary = NO_PAIR

    def reset(self, rows: int) -> None:
        """Select all n = `rows` pairs of a new corpus, with no primary pair."""
        self._rows = rows
        self.rule = None
        self.mask = np.ones(rows, dtype=bool)
        self.order = np.arange(rows, dtype=np.int64)
        self.primary = NO_PAIR
        self.set_changed.emit()
        self.primary_changed.emit(NO_PAIR)

    def set_rule(self, rule: SelectionRule | None) -> None:
        """Select the pairs of a rule, or all (None). If the primary pair is not one of them, the first becomes it."""
        self.rule = rule
        self._evaluate()
        self.set_changed.emit()
        chosen = self.order[self.mask[self.order]]
        if len(chosen) and self.primary != NO_PAIR and not self.mask[self.primary]:
            self.set_primary(int(chosen[0]))

    def set_rows(self, name: str, rows: Rows) -> None:
        """Select fixed rows (a lasso, a search result)."""
        fixed = np.zeros(self._rows, dtype=bool)
        fixed[rows] = True
        self.set_rule(SelectionRule(name, lambda: fixed))

    def refresh(self) -> None:
        """Apply the rule again; emit `set_changed` only if the members changed."""
        before = self.mask
        self._evaluate()
        if not np.array_equal(before, self.mask):
            self.set_changed.emit()

    def set_order(self, order: Rows) -> None:
        self.order = order
        self.order_changed.emit()

    def set_primary(self, row: int) -> None:
        if row != self.primary and (row == NO_PAIR or 0 <= row < self._rows):
            self.primary = row
            self.primary_changed.emit(row)

    def step(self, by: int) -> None:
        """Move the primary pair through the selection in the table's order, stopping at its ends."""
        if not len(self.order):
            return
        at = np.flatnonzero(self.order == self.primary)
        place = (0 if by > 0 else len(self.order) - 1) if not len(at) else int(at[0]) + by
        self.set_primary(int(self.order[min(max(place, 0), len(self.order) - 1)]))

    def step_forwards(self) -> None:
        self.step(1)

    def step_backwards(self) -> None:
        self.step(-1)

    def _evaluate(self) -> None:
        self.mask = np.ones(self._rows, dtype=bool) if self.rule is None else self.rule.mask()
