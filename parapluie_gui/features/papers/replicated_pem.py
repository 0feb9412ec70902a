"""Cells of the PEM paper's tables, computed from a table of its judges' scores, which is not published."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isnan

import numpy as np

from parapluie_gui.analysis.statistics.correlation import pearson
from parapluie_gui.arrays import Floats, Mask, Scores
from parapluie_gui.features.papers.printed import PrintedCell, ReplicatedCell
from parapluie_gui.features.papers.replicated_cells import PaperMaterial
from parapluie_gui.features.papers.systems import SYSTEM


def make_filler(work: PaperMaterial) -> Callable[[PrintedCell], list[ReplicatedCell]]:
    """Return a function that computes our cells for a printed cell."""
    columns = _columns(work)

    def fill(cell: PrintedCell) -> list[ReplicatedCell]:
        mask = work.mask(cell.corpus)
        values = [columns.get(_plain(name)) for name in cell.row.of]
        if mask is None or any(value is None for value in values):
            return []
        chosen = mask.copy()
        for name, least in cell.row.least.items():
            criterion = columns.get(_plain(name))
            if criterion is None:
                return []
            chosen &= np.nan_to_num(criterion, nan=-np.inf) >= least
        one, two = (value[chosen] for value in values if value is not None)
        if cell.corpus.key == "systems":
            means = _system_means(work, chosen, one, two)
            if means is None:
                return []
            one, two = means
        correlation = pearson(one, two)
        return [] if isnan(correlation) else [ReplicatedCell(cell, correlation)]

    return fill


def _columns(work: PaperMaterial) -> Mapping[str, Scores]:
    """Return the numeric columns by normalised name: judges, criteria, PEM, and the overall score."""
    corpus = work.material.corpus
    columns = {_plain(name): values for name in corpus.extra if (values := corpus.numbers(name)) is not None}
    if corpus.human is not None:
        columns.setdefault("overall", corpus.human)
    return columns | {_plain(score_column.name): score_column.values for score_column in work.material.score_columns}


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _system_means(work: PaperMaterial, mask: Mask, one: Floats, two: Floats) -> tuple[Floats, Floats] | None:
    """Return each system's mean in two columns; None without a column of systems."""
    column = work.material.corpus.extra.get(SYSTEM)
    if column is None:
        return None
    names = np.array([str(cell) for cell in column.cells()])[mask]
    both = ~(np.isnan(one) | np.isnan(two))
    systems = sorted(set(names[both]))
    means = [[float(values[both & (names == name)].mean()) for name in systems] for values in (one, two)]
    return np.array(means[0]), np.array(means[1])
