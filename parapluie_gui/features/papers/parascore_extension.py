"""ParaScore's corpora: split into tuning and held-out pairs, or extended by sources as candidates, which are bad."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from parapluie_gui.arrays import Mask
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.column import to_column
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.pairs.reading.assemble import unique_ids

#: The column that is true of the added pairs.
EXTENDED = "extended"

#: Every fifth source is added: 20 % (Shen et al., EMNLP 2022, section 5.2; the authors' code takes the 1st, 6th, …).
_EVERY = 5

#: The share of a corpus, from its beginning, that ω is tuned on; metrics are evaluated on the rest.
_TUNING_SHARE = 0.1


def extend(corpus: Corpus) -> Corpus:
    """Return the corpus with every fifth source as a candidate of its own, human score 0, after its other candidates.

    Sources are counted by their first appearance. The column "extended" is true of the added pairs; their reference is
    that of the source's first pair, and all their other columns are missing.

    Raises:
        ParapluieError: The corpus has no human scores, or was extended before.
    """
    if corpus.human is None:
        raise ParapluieError(
            f"{corpus.name} has no human scores, which an extended corpus sets to 0. Name their column."
        )
    if EXTENDED in corpus.extra:
        raise ParapluieError(f'{corpus.name} has a column "{EXTENDED}" already; extend the corpus without it.')
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for row, source in enumerate(corpus.source):
        first.setdefault(source, row)
        last[source] = row
    copies = {last[source]: first[source] for source in list(first)[::_EVERY]}
    order: list[int] = []
    added: list[bool] = []
    for row in range(len(corpus)):
        order.append(row)
        added.append(False)
        if row in copies:
            order.append(copies[row])
            added.append(True)
    new = np.array(added)
    wide = corpus.take(order, name=corpus.name)
    label = wide.label
    return replace(
        wide,
        id=unique_ids([f"{id}#source" if is_new else id for id, is_new in zip(wide.id, added, strict=True)]),
        hypothesis=_where(added, wide.source, wide.hypothesis),
        human=np.where(new, 0.0, corpus.human[order]),
        label=None if label is None else np.where(new, UNLABELLED, label).astype(np.int8),
        extra={
            **{
                name: to_column(_where(added, [None] * len(added), column.cells()))
                for name, column in wide.extra.items()
            },
            EXTENDED: to_column(added),
        },
    )


def added(corpus: Corpus) -> Mask | None:
    """Return which pairs were added by `extend`, also if they were written and read since; None if none."""
    values = corpus.numbers(EXTENDED)
    return None if values is None else values == 1


def held_out(pairs: int) -> Mask:
    """Return the pairs that metrics are evaluated on: all but the first tenth, rounded down."""
    return np.arange(pairs) >= int(pairs * _TUNING_SHARE + 1e-9)


def split(corpus: Corpus) -> tuple[Mask, Mask]:
    """Return the pairs of a corpus that `extend` did not add, and those of them that are held out."""
    new = added(corpus)
    original = np.ones(len(corpus), dtype=bool) if new is None else ~new
    rest = np.zeros(len(corpus), dtype=bool)
    rest[original] = held_out(int(original.sum()))
    return original, rest


def _where(chosen: Sequence[bool], yes: Sequence[Any], no: Sequence[Any]) -> list[Any]:
    return [a if take else b for take, a, b in zip(chosen, yes, no, strict=True)]
