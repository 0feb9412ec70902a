"""Scores that come with a corpus, as columns of a table that was scored before."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable


def own_scores(corpus: Corpus, signatures: Collection[str] = ()) -> tuple[str, ...]:
    """Return the columns of numbers that are scores according to their name or their signature."""
    return tuple(
        name
        for name in corpus.extra
        if (identify(name).is_from_judge or name in signatures or catalogue.info(name))
        and corpus.numbers(name) is not None
    )


def put_own_scores(
    table: ScoreTable, corpus: Corpus, names: Iterable[str], signatures: Mapping[str, Signature]
) -> ScoreTable:
    """Add named columns of the corpus, with their probabilities, to its table of scores, and return the table.

    A column that the table already has is not changed. `signatures` are the signatures stored with the corpus.
    """
    rows = np.arange(len(corpus))
    for name in names:
        if name in table or table.place(name, signatures.get(name)) != name:
            continue
        table.declare(name, signatures.get(name))
        for column in (name, *identify(name).evidence):
            values = corpus.numbers(column)
            if values is not None:
                table.put(rows, {column: values})
                table.own.add(column)
    table.own.update(gap for gap in table.gaps if gap in corpus.extra)
    return table
