"""Cells of the PEM paper's tables, computed from a table of its judges' scores, should somebody have it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isnan

import numpy as np

from parapluie_gui.analysis.statistics.correlation import pearson
from parapluie_gui.arrays import Floats, Mask, Scores
from parapluie_gui.features.papers.printed import PrintedCell, ReplicatedCell
from parapluie_gui.features.papers.replicated_cells import Replicating
from parapluie_gui.features.papers.systems import SYSTEM


def filler(work: Replicating) -> Callable[[PrintedCell], list[ReplicatedCell]]:
    """Return a function that gives the cells of ours for a printed one."""
    columns = _columns(work)

    def fill(cell: PrintedCell) -> list[ReplicatedCell]:
        mask = work.mask(cell.corpus)
        values = [columns.get(_plain(name)) for name in cell.row.of]
        if mask is None or any(value is None for value in values):
            return []
        chosen = mask.copy()
        for name, least in cell.row.least.items():
            given = columns.get(_plain(name))
            if given is None:
                return []
            chosen &= np.nan_to_num(given, nan=-np.inf) >= least
        one, two = (value[chosen] for value in values if value is not None)
        if cell.corpus.key == "systems":
            made = _system_means(work, chosen, one, two)
            if made is None:
                return []
            one, two = made
        found = pearson(one, two)
        return [] if isnan(found) else [ReplicatedCell(cell, found)]

    return fill


def _columns(work: Replicating) -> Mapping[str, Scores]:
    """Return the columns of numbers by their names without spaces: judges, criteria, PEM, and the overall score."""
    corpus = work.material.corpus
    found = {_plain(name): values for name in corpus.extra if (values := corpus.numbers(name)) is not None}
    if corpus.human is not None:
        found.setdefault("overall", corpus.human)
    return found | {_plain(each.name): each.values for each in work.material.score_columns}


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _system_means(work: Replicating, mask: Mask, one: Floats, two: Floats) -> tuple[Floats, Floats] | None:
    """Return the mean of each system by two columns; None where no column says who wrote what."""
    column = work.material.corpus.extra.get(SYSTEM)
    if column is None:
        return None
    names = np.array([str(cell) for cell in column.cells()])[mask]
    both = ~(np.isnan(one) | np.isnan(two))
    systems = sorted(set(names[both]))
    means = [[float(values[both & (names == name)].mean()) for name in systems] for values in (one, two)]
    return np.array(means[0]), np.array(means[1])
