"""The distribution of each score over the corpus: counts by label in equal bins, updated when new scores arrive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui.analysis.cache import StateCache
from parapluie_gui.arrays import Floats, Labels, Rows, Scores
from parapluie_gui.pairs.corpus import UNLABELLED
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.state.workspace import CorpusWorkspace

BINS = 96
#: Labels in the order of the rows of the counts.
LABELS = (1, 0, UNLABELLED)
#: Share of the corpus beyond each end of the strip, counted in the end bins, so that outliers do not compress the rest.
_BEYOND = 0.001
#: Size of the sample from which the ends are estimated.
_SAMPLE = 20_000
#: Height at which bins are cut, as a multiple of the mean.
_PEAK = 4.0
_REST_MS = 150


@dataclass(frozen=True, eq=False)
class ScoreDistribution:
    """The distribution of the scores of a column.

    Attributes:
        low, high: Ends of the bins; values beyond them are in the first or last bin.
        counts: int64 (3, BINS), the pairs labelled 1, labelled 0 and unlabelled.
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
        """Return the position of a value between the ends, 0 to 1; positions further right mean closer in meaning."""
        share = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return share if self.higher_is_closer else 1.0 - share

    def closer_than(self, value: float) -> float:
        """Return the share of the corpus that is less close in meaning than this value, to about one bin, 0 to 1."""
        at = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low) * BINS
        bins = self.counts.sum(axis=0)
        index = min(int(at), BINS - 1)
        below = float(bins[:index].sum() + (at - index) * bins[index]) / max(self.total, 1)
        return below if self.higher_is_closer else 1.0 - below

    def densities(self) -> Floats:
        """Return the share of each label in each of k bins, float64 (3, k), from left to right; 1 is the full height.

        Few pairs are counted in fewer, wider bins; otherwise there would be more gaps than bars.
        """
        most = max(12.0, 2 * np.sqrt(self.total))
        step = next(step for step in (1, 2, 3, 4, 6, 8) if most * step >= BINS)
        counts = self.counts.reshape(len(LABELS), BINS // step, step).sum(axis=2)
        shares: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        filled = shares[shares > 0]
        # A value that very many pairs share (a BLEU of 0) would flatten all other bins.
        full = min(float(filled.max()), _PEAK * float(filled.mean())) if len(filled) else 1.0
        shares = np.minimum(shares / full, 1.0)
        return shares if self.higher_is_closer else shares[:, ::-1]


def measure(
    values: Scores, labels: Labels, threshold: float | None, higher_is_closer: bool
) -> ScoreDistribution | None:
    """Return the distribution of a column, or None if nothing is scored.

    Args:
        values: float64 (n,), NaN for a missing score; infinite ones count in the end bins.
        labels: int8 (n,), one of LABELS.
        threshold: The natural threshold, which the range includes.
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
    # Leave space for the marks at both ends.
    low, high = low - 0.02 * (high - low), high + 0.02 * (high - low)
    scored = ~np.isnan(values)
    bins = np.clip((values[scored] - low) * (BINS / (high - low)), 0, BINS - 1).astype(np.int64)
    kind = (1 - labels[scored]).astype(np.int64)  # 1, 0, -1 become 0, 1, 2
    counts = np.bincount(kind * BINS + bins, minlength=3 * BINS).reshape(3, BINS)
    return ScoreDistribution(low, high, counts, threshold, higher_is_closer)


class ScoreDistributions(QObject):
    """The distributions of the workspace's columns, each computed when first needed, one at a time.

    Signals:
        measured: (column) A distribution was computed.
    """

    measured = Signal(str)

    def __init__(self, workspace: CorpusWorkspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._cache = StateCache()
        self._waiting: dict[str, None] = {}
        self._soon = CallThrottle(self._next, 0, self)
        self._later = CallThrottle(self._next, _REST_MS, self)
        workspace.corpus_changed.connect(self._forget)

    def find_shape(self, column: str) -> ScoreDistribution | None:
        """Return the latest distribution of a column, or None; an outdated one is computed again (see `measured`)."""
        shape: ScoreDistribution | None = self._cache.latest(column)
        if column not in self._waiting and not self._cache.holds(column, self._workspace.version(column)):
            self._waiting[column] = None
            # The old distribution is shown until the new one is computed.
            (self._soon if shape is None else self._later).ask()
        return shape

    def settle(self) -> None:
        while self._waiting:
            self._next()

    def _next(self) -> None:
        """Compute one column, then return to the event loop before the next."""
        if not self._waiting:
            return
        column = next(iter(self._waiting))
        del self._waiting[column]
        values = self._workspace.values(column)
        if values is not None:
            read = self._workspace.meaning(column)
            labels, version = self._workspace.labels(), self._workspace.version(column)
            self._cache.get(column, version, lambda: measure(values, labels, read.threshold, read.higher_is_closer))
            self.measured.emit(column)
        if self._waiting:
            self._soon.ask()

    def _forget(self) -> None:
        self._cache.clear()
        self._waiting.clear()
