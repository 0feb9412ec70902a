"""Lists of pairs to walk through, as grids."""

from __future__ import annotations

import numpy as np

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.grid import Cell, Grid

#: Letters of a sentence that are shown; the pair itself is one click away.
_LETTERS = 60


def walk_grid(
    name: str,
    title: str,
    corpus: Corpus,
    labels: np.ndarray,
    rows: np.ndarray,
    heading: str,
    values: np.ndarray,
    note: str,
) -> Grid:
    """Return pairs with a number each.

    Args:
        name: A word for files.
        title: What they are.
        corpus: Where they are from.
        labels: n labels.
        rows: Which, int64 (k,).
        heading: What the number is.
        values: At least k numbers.
        note: How to read it.
    """
    words = {1: "paraphrase", 0: "not"}
    found: list[tuple[Cell, ...]] = [
        (value, words.get(int(labels[row])), _short(corpus.source[row]), _short(corpus.hypothesis[row]), corpus.id[row])
        for row, value in zip(rows.tolist(), values.tolist(), strict=False)
    ]
    return Grid(name, title, (heading, "label", "source", "hypothesis", "id"), tuple(found), note)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"
