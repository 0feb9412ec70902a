"""The density of all pairs of sampled files, counted in a thread for the two axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui.analysis.cache import StateCache
from parapluie_gui.arrays import Floats, Labels
from parapluie_gui.errors import CorpusError, ParapluieError
from parapluie_gui.pairs.reading.blocks import parquet_files
from parapluie_gui.pairs.reading.large import SampleOrigin, read_numbers
from parapluie_gui.ui.scatter.cloud import PairDensity, PointCloud, Range
from parapluie_gui.ui.scatter.colouring import KIND_OF_LABEL, label_colours
from parapluie_gui.ui.scatter.density import count_cells
from parapluie_gui.ui.state.growing import growing_at
from parapluie_gui.ui.state.task import BackgroundTask, stop_tasks
from parapluie_gui.ui.state.workspace import CorpusWorkspace

#: Number of cells across and up; fine enough for some zooming.
FINE = (1000, 700)

#: The kinds of labels.
_KINDS = 3

Counted = PairDensity | ParapluieError


class WholeDensity(QObject):
    """Counts all pairs by cell, for one pair of axes at a time.

    Signals:
        changed: A count is ready or has failed.
    """

    changed = Signal()

    def __init__(self, workspace: CorpusWorkspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._cache = StateCache()
        self._task: BackgroundTask[Counted] | None = None
        workspace.corpus_changed.connect(self._forget)

    def add_density(self, cloud: PointCloud) -> PointCloud:
        """Return the points of a sample with the density of all pairs if they are counted; otherwise start counting."""
        density = self._count()
        return replace(cloud, density=density) if isinstance(density, PairDensity) and self._applies(cloud) else cloud

    def note(self, cloud: PointCloud, dense: bool) -> str:
        """Return a note about the sample; "" for a complete corpus."""
        origin = self._workspace.sample_origin
        if origin is None:
            return ""
        density, pairs, sample = self._count(), f"{origin.pairs:,}", f"{self._workspace.table.rows:,}"
        if dense and cloud.density is not None and not cloud.ruled:
            words = self.tr("· density of {0} pairs; histograms and table show a uniform sample of {1}")
            return words.format(f"{cloud.density.pairs:,}", sample)
        if density is None and self._applies(cloud):
            return self.tr("· a uniform sample of {0}; all {1} pairs are being counted …").format(sample, pairs)
        return self.tr("· a uniform sample of {0} of {1} pairs").format(sample, pairs)

    def close(self) -> None:
        """Stop counting and wait for the thread."""
        stop_tasks(self._task)

    def _applies(self, cloud: PointCloud) -> bool:
        """Return whether all pairs can be coloured as the points are."""
        return cloud.colours is label_colours

    def _axes(self) -> tuple[str, str]:
        return self._workspace.x, self._workspace.y

    def _count(self) -> Counted | None:
        """Return the count for the axes; None while counting."""
        origin, axes = self._workspace.sample_origin, self._axes()
        if origin is None:
            return None
        if self._cache.holds(axes, origin):
            density: Counted = self._cache.latest(axes)
            return density
        if self._task is None:
            self._begin(origin, axes)
        return None

    def _begin(self, origin: SampleOrigin, axes: tuple[str, str]) -> None:
        columns = [{"label": origin.label, "human": origin.human}.get(axis, axis) for axis in axes]

        def work(tell: Callable[[int], None]) -> Counted:
            try:
                return count_all(files_of(origin.path), columns[0], columns[1], origin.label, tell)
            except ParapluieError as error:  # an axis that the files do not have
                return error

        def take(counted: Counted) -> None:
            self._cache.get(axes, origin, lambda: counted)

        self._task = BackgroundTask(work, self)
        self._task.begin(take, lambda error: take(error), self._end)

    def _end(self) -> None:
        self._task = None
        self.changed.emit()  # then count the current axes, if they changed

    def _forget(self) -> None:
        if self._task is not None:
            self._task.stop()


def files_of(path: Path) -> Sequence[Path]:
    """Return the Parquet files of a file, a folder of them, or a corpus that grows.

    Raises:
        ParapluieError: There are no such files.
    """
    kind = growing_at(path)
    return parquet_files(path) if kind is None else kind.files(path)


def count_all(files: Sequence[Path], x: str, y: str, label: str, tell: Callable[[int], None]) -> PairDensity:
    """Count all rows with two finite numbers by cell and label; reads the files twice.

    Raises:
        ParapluieError: A file is damaged or lacks a column of numbers.
    """
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    for across, up in read_numbers(files, (x, y)):
        good = np.isfinite(across) & np.isfinite(up)
        if good.any():
            both = np.stack([across[good], up[good]])
            low, high = np.minimum(low, both.min(axis=1)), np.maximum(high, both.max(axis=1))
        tell(len(across))
    if not np.isfinite(low).all():
        raise CorpusError("no row has a number on both axes", "choose other axes")
    ranges = _range(low[0], high[0]), _range(low[1], high[1])
    counts = np.zeros((_KINDS, FINE[1], FINE[0]), dtype=np.int64)
    for across, up, *labels in read_numbers(files, (x, y, label) if label else (x, y)):
        good = np.isfinite(across) & np.isfinite(up)
        kinds = _kinds(labels[0]) if labels else np.full(len(across), KIND_OF_LABEL[-1], dtype=np.int8)
        counts += count_cells(across[good], up[good], kinds[good], _KINDS, ranges, FINE)
        tell(len(across))
    return PairDensity(counts, *ranges, int(counts.sum()))


def _kinds(labels: Floats) -> Labels:
    """Return the kinds of labels 0, 1 and none."""
    known = np.where(np.isin(labels, (0.0, 1.0)), labels, -1.0).astype(np.int8)
    return KIND_OF_LABEL[known]


def _range(low: float, high: float) -> Range:
    return (float(low), float(high)) if high > low else (float(low) - 0.5, float(high) + 0.5)
