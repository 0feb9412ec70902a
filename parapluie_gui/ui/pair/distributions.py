"""The shape of each score over the corpus: counts by label in equal bins, computed again when new scores come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui.analysis.cache import Cache
from parapluie_gui.arrays import Floats, Labels, Rows, Scores
from parapluie_gui.pairs.corpus import UNLABELLED
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.state.workspace import Workspace

BINS = 96
#: Labels in the order of the counts' rows.
LABELS = (1, 0, UNLABELLED)
#: Share of the corpus beyond each end of the strip, counted in its end bins, so that one odd value squeezes nothing.
_BEYOND = 0.001
#: Number of values from which the ends are found.
_SAMPLE = 20_000
#: Bins this many times higher than the mean reach the top; what is above is cut.
_PEAK = 4.0
_REST_MS = 150


@dataclass(frozen=True, eq=False)
class Shape:
    """How the scores of a column are spread.

    Attributes:
        low, high: Ends of the bins; values beyond are in the first and the last one.
        counts: int64 (3, BINS), the pairs labelled 1, 0 and not at all.
        threshold: The natural threshold, or None.
        higher_is_closer: False for distances.
    """

    low: float
    high: float
    counts: Rows
    threshold: float | None
    higher_is_closer: bool

    @property
    def total(self) -> int:
        """The number of scored pairs."""
        return int(self.counts.sum())

    def place(self, value: float) -> float:
        """Return where a value is between the ends, 0 to 1; further right is closer in meaning."""
        share = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return share if self.higher_is_closer else 1.0 - share

    def closer_than(self, value: float) -> float:
        """Return the share of the corpus that this value is closer in meaning than, to about one bin, 0 to 1."""
        at = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low) * BINS
        bins = self.counts.sum(axis=0)
        whole = min(int(at), BINS - 1)
        below = float(bins[:whole].sum() + (at - whole) * bins[whole]) / max(self.total, 1)
        return below if self.higher_is_closer else 1.0 - below

    def densities(self) -> Floats:
        """Return float64 (3, k): each label's share in each of k bins; 1 reaches the top; left to right as drawn.

        Few pairs are counted in fewer, wider bins, or there would be more gaps than shape.
        """
        most = max(12.0, 2 * np.sqrt(self.total))
        step = next(step for step in (1, 2, 3, 4, 6, 8) if most * step >= BINS)
        counts = self.counts.reshape(len(LABELS), BINS // step, step).sum(axis=2)
        shares: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        filled = shares[shares > 0]
        # One value that very many pairs have (a BLEU of 0) would flatten all other bins.
        full = min(float(filled.max()), _PEAK * float(filled.mean())) if len(filled) else 1.0
        shares = np.minimum(shares / full, 1.0)
        return shares if self.higher_is_closer else shares[:, ::-1]


def measure(values: Scores, labels: Labels, threshold: float | None, higher_is_closer: bool) -> Shape | None:
    """Return the shape of a column, or None when nothing is scored.

    Args:
        values: float64 (n,), NaN where there is no score; infinite ones count in the end bins.
        labels: int8 (n,), one of LABELS.
        threshold: The natural threshold; the strip reaches to it.
        higher_is_closer: False for distances.
    """
    step = max(len(values) // _SAMPLE, 1)
    sample = values[::step]
    sample = sample[np.isfinite(sample)]
    if not len(sample):
        sample = values[np.isfinite(values)][:_SAMPLE]
    if not len(sample):
        return None
    low, high = (float(end) for end in np.quantile(sample, (_BEYOND, 1 - _BEYOND)))
    if threshold is not None:
        low, high = min(low, threshold), max(high, threshold)
    if not high > low:
        low, high = low - 0.5, high + 0.5
    # The marks at both ends stay inside.
    low, high = low - 0.02 * (high - low), high + 0.02 * (high - low)
    scored = ~np.isnan(values)
    bins = np.clip((values[scored] - low) * (BINS / (high - low)), 0, BINS - 1).astype(np.int64)
    kind = (1 - labels[scored]).astype(np.int64)  # 1, 0, -1 become 0, 1, 2
    counts = np.bincount(kind * BINS + bins, minlength=3 * BINS).reshape(3, BINS)
    return Shape(low, high, counts, threshold, higher_is_closer)


class Shapes(QObject):
    """The shapes of the workspace's columns, each measured when it is first needed, one at a time.

    Signals:
        measured: (column) A shape was computed.
    """

    measured = Signal(str)

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._made = Cache()
        self._waiting: dict[str, None] = {}
        self._soon = Throttle(self._next, 0, self)
        self._later = Throttle(self._next, _REST_MS, self)
        workspace.corpus_changed.connect(self._forget)

    def of(self, column: str) -> Shape | None:
        """Return a column's latest shape, None before there is one; a stale one is computed again (`measured`)."""
        shape: Shape | None = self._made.latest(column)
        if column not in self._waiting and not self._made.holds(column, self._workspace.version(column)):
            self._waiting[column] = None
            # The old shape stays until the new one is there.
            (self._soon if shape is None else self._later).ask()
        return shape

    def settle(self) -> None:
        while self._waiting:
            self._next()

    def _next(self) -> None:
        """Measure one column; the event loop has its turn before the next."""
        if not self._waiting:
            return
        column = next(iter(self._waiting))
        del self._waiting[column]
        values = self._workspace.values(column)
        if values is not None:
            read = self._workspace.meaning(column)
            labels, version = self._workspace.labels(), self._workspace.version(column)
            self._made.get(column, version, lambda: measure(values, labels, read.threshold, read.higher_is_closer))
            self.measured.emit(column)
        if self._waiting:
            self._soon.ask()

    def _forget(self) -> None:
        self._made.clear()
        self._waiting.clear()
