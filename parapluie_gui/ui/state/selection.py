"""The selection of pairs and the one primary pair, shared by every view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject, Signal

from parapluie_gui.arrays import Mask, Rows

NO_PAIR = -1

#: Parts of a selection, which add up: the filter, an outcome at the threshold, a lasso, a ready-made filter.
FILTER, OUTCOME, LASSO, PRESET = "filter", "outcome", "lasso", "preset"


@dataclass(frozen=True)
class SelectionRule:
    """The condition that defines a selection.

    Attributes:
        name: The name shown to the user ("False positives", "Lasso", "pluie.direct > 0").
        mask: The function that returns the matching pairs as a boolean array (n,). It is called again whenever scores,
            threshold or labels change, so that a rule stays true while a corpus is being scored.
        filter_text: The filter expression it came from, or "".
        part: The part of the selection that it forms (one of `FILTER`, `OUTCOME`, `LASSO`, `PRESET`), or "" for a rule
            that replaces the whole selection. Of the rules of one part, the last is in force.
        order: The rows in the order in which an unsorted table shows them, (k,); None for the order of the file.
    """

    name: str
    mask: Callable[[], Mask]
    filter_text: str = ""
    part: str = ""
    order: Rows | None = None


class PairSelection(QObject):
    """All pairs or those that match every rule, and the primary pair. Only its methods may change it.

    Attributes:
        rules: The rules in force, in the order in which they were added; () when all pairs are selected.
        rule: The rule in force, or one that stands for several; None when all pairs are selected.
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
        self.rules: tuple[SelectionRule, ...] = ()
        self.rule: SelectionRule | None = None
        self._masks: list[Mask] = []
        self.mask: Mask = np.zeros(0, dtype=bool)
        self.order: Rows = np.zeros(0, dtype=np.int64)
        self.primary = NO_PAIR

    def reset(self, rows: int) -> None:
        """Select all n = `rows` pairs of a new corpus, with no primary pair."""
        self._rows = rows
        self.rules, self.rule, self._masks = (), None, []
        self.mask = np.ones(rows, dtype=bool)
        self.order = np.arange(rows, dtype=np.int64)
        self.primary = NO_PAIR
        self.set_changed.emit()
        self.primary_changed.emit(NO_PAIR)

    def set_rule(self, rule: SelectionRule | None) -> None:
        """Select the pairs of this rule alone, or all (None)."""
        self._set_rules(() if rule is None else (rule,))

    def add_rule(self, rule: SelectionRule) -> None:
        """Select the pairs that match this rule too; it replaces the rule of the same part."""
        self._set_rules((*(other for other in self.rules if other.part != rule.part), rule))

    def drop_rule(self, rule: SelectionRule) -> None:
        """Remove a rule from the selection."""
        self._set_rules(tuple(other for other in self.rules if other is not rule))

    def rule_of(self, part: str) -> SelectionRule | None:
        """Return the rule of a part, or None."""
        return next((rule for rule in self.rules if rule.part == part), None)

    def mask_without(self, part: str) -> Mask | None:
        """Return the pairs that match the rules of the other parts, boolean (n,); None if there are no others."""
        others = [mask for rule, mask in zip(self.rules, self._masks, strict=True) if rule.part != part]
        return reduce(np.logical_and, others) if others else None

    def _set_rules(self, rules: tuple[SelectionRule, ...]) -> None:
        """Apply rules. If the primary pair does not match, the first that does becomes it."""
        masks = [rule.mask() for rule in rules]  # first: a rule that raises an error changes nothing
        self.rules, self.rule, self._masks = rules, _combine(rules), masks
        self._combine_masks()
        self.set_changed.emit()
        chosen = self.order[self.mask[self.order]]
        if len(chosen) and self.primary != NO_PAIR and not self.mask[self.primary]:
            self.set_primary(int(chosen[0]))

    def set_rows(self, name: str, rows: Rows, part: str = "") -> None:
        """Select fixed rows (a saved selection); as a part (a lasso), those that match the rules of other parts."""
        fixed = np.zeros(self._rows, dtype=bool)
        fixed[rows] = True
        rule = SelectionRule(name, lambda: fixed, part=part)
        (self.add_rule if part else self.set_rule)(rule)

    def refresh(self) -> None:
        """Apply the rule again; emit `set_changed` only if the members changed."""
        before = self.mask
        self._masks = [rule.mask() for rule in self.rules]
        self._combine_masks()
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

    def _combine_masks(self) -> None:
        self.mask = reduce(np.logical_and, self._masks) if self._masks else np.ones(self._rows, dtype=bool)


def _all_of(rules: Sequence[SelectionRule]) -> Mask:
    """Return the pairs that match every rule."""
    first, *others = [rule.mask() for rule in rules]
    return reduce(np.logical_and, others, first)


def _combine(rules: tuple[SelectionRule, ...]) -> SelectionRule | None:
    """Return one rule for several: the pairs that match all of them."""
    if len(rules) < 2:
        return rules[0] if rules else None
    name = QCoreApplication.translate("Selection", " and ").join(rule.name for rule in rules)
    text = next((rule.filter_text for rule in rules if rule.filter_text), "")
    return SelectionRule(name, partial(_all_of, rules), text)
