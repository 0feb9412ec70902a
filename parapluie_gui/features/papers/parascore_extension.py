"""ParaScore's corpora: split into tuning and held-out pairs, or extended with sources as bad candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from parapluie_gui.arrays import Mask
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.column import to_column
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.pairs.ids import unique_ids

#: Column that is true for the added pairs.
EXTENDED = "extended"

#: Every fifth source is added: 20 % (Shen et al., EMNLP 2022, section 5.2; the authors' code takes the 1st, 6th, …).
_EVERY = 5

#: Share of a corpus, from the beginning, on which ω is tuned; metrics are evaluated on the rest.
_TUNING_SHARE = 0.1


def extend(corpus: Corpus) -> Corpus:
    """Return the corpus with every fifth source added as its own candidate, human score 0, after the other candidates.

    Sources are counted by first appearance. The column "extended" is true for the added pairs; they have the reference
    of the source's first pair, and no values in other columns.

    Raises:
        ParapluieError: The corpus has no human scores, or is already extended.
    """
    if corpus.human is None:
        raise ParapluieError(f"{corpus.name} has no human scores, which are needed to extend it. Name their column.")
    if EXTENDED in corpus.extra:
        raise ParapluieError(f'{corpus.name} already has a column "{EXTENDED}". Extend the corpus without it.')
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


def added_pairs(corpus: Corpus) -> Mask | None:
    """Return the pairs that `extend` added, (n,), even after saving and reading; None if the corpus is not extended."""
    values = corpus.numbers(EXTENDED)
    return None if values is None else values == 1


def held_out_pairs(pairs: int) -> Mask:
    """Return the mask of pairs on which metrics are evaluated: all but the first tenth, rounded down."""
    return np.arange(pairs) >= int(pairs * _TUNING_SHARE + 1e-9)


def split_corpus(corpus: Corpus) -> tuple[Mask, Mask]:
    """Return masks of a corpus's original pairs (not added by `extend`), and of the held-out pairs among them."""
    new = added_pairs(corpus)
    original = np.ones(len(corpus), dtype=bool) if new is None else ~new
    rest = np.zeros(len(corpus), dtype=bool)
    rest[original] = held_out_pairs(int(original.sum()))
    return original, rest


def _where(chosen: Sequence[bool], yes: Sequence[Any], no: Sequence[Any]) -> list[Any]:
    return [a if take else b for take, a, b in zip(chosen, yes, no, strict=True)]
