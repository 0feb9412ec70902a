"""Pools several corpora into one, as for the papers' "Global" figures, and splits them again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from parapluie_gui.arrays import Numbers
from parapluie_gui.pairs.column import TextColumn, to_column
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.pairs.ids import unique_ids

#: The extra column with the name of each pair's original corpus.
ORIGIN = "corpus"

#: The layout of a pooled corpus.
POOLED = "pooled"


def pool(corpora: Sequence[Corpus]) -> Corpus:
    """Concatenate corpora, adding the column "corpus" with their names; a single corpus is returned unchanged.

    Labels, references and extra columns that only some corpora have are missing for the other pairs. A column that is
    already called "corpus" becomes "corpus (corpus)".

    Raises:
        ValueError: There is no corpus.
    """
    if not corpora:
        raise ValueError("nothing to pool")
    if len(corpora) == 1:
        return corpora[0]
    extras = list(dict.fromkeys(name for corpus in corpora for name in corpus.extra))
    origins = _unique_origins(corpora)

    def join(get: Callable[[Corpus], Sequence[Any] | Numbers | None], missing: object) -> list[Any] | None:
        parts = [get(corpus) for corpus in corpora]
        if all(part is None for part in parts):
            return None
        filled = (
            [missing] * len(corpus) if part is None else part for part, corpus in zip(parts, corpora, strict=True)
        )
        return [value for part in filled for value in part]

    labels = join(lambda corpus: corpus.label, UNLABELLED)
    humans = join(lambda corpus: corpus.human, float("nan"))
    return Corpus(
        name=" + ".join(corpus.name for corpus in corpora),
        id=unique_ids([id for corpus in corpora for id in corpus.id]),
        source=[text for corpus in corpora for text in corpus.source],
        hypothesis=[text for corpus in corpora for text in corpus.hypothesis],
        reference=join(lambda corpus: corpus.reference, None),
        label=None if labels is None else np.array(labels, dtype=np.int8),
        human=None if humans is None else np.array(humans, dtype=np.float64),
        group=join(lambda corpus: corpus.group, None),
        extra={
            ORIGIN: TextColumn(
                origin for origin, corpus in zip(origins, corpora, strict=True) for _ in range(len(corpus))
            ),
            **{
                _avoid_reserved_name(name, extras): to_column(join(partial(_cells, name), None) or [])
                for name in extras
            },
        },
        skipped=tuple(row for corpus in corpora for row in corpus.skipped),
        mixed=tuple(column for corpus in corpora for column in corpus.mixed),
        layout=POOLED,
        annotators={
            _avoid_reserved_name(name, extras): least for corpus in corpora for name, least in corpus.annotators.items()
        },
    )


def append_pairs(present: Corpus, new: Corpus) -> Corpus:
    """Append the pairs of a new corpus; columns that only one of the two has are missing for the other pairs."""
    if ORIGIN in present.extra:
        new = replace(new, extra={ORIGIN: TextColumn([new.name] * len(new)), **new.extra})
    names = list(dict.fromkeys([*present.extra, *new.extra]))
    pooled = pool([present, new])
    return replace(
        present,
        **{
            name: getattr(pooled, name)
            for name in ("id", "source", "hypothesis", "reference", "label", "human", "group")
        },
        extra={name: pooled.extra[_avoid_reserved_name(name, names)] for name in names},
    )


def split_pool(corpus: Corpus) -> list[Corpus]:
    """Split a pooled corpus into the original corpora, in the order of their first pair; any other is kept as one.

    Columns that only some corpora had are kept in all of them, with missing values.
    """
    if corpus.layout != POOLED or ORIGIN not in corpus.extra:
        return [corpus]
    rows: dict[str, list[int]] = {}
    for row, origin in enumerate(corpus.extra[ORIGIN].cells()):
        rows.setdefault(str(origin), []).append(row)
    parts = (corpus.take(chosen, name=name) for name, chosen in rows.items())
    return [
        replace(part, extra={name: values for name, values in part.extra.items() if name != ORIGIN}) for part in parts
    ]


def _unique_origins(corpora: Sequence[Corpus]) -> list[str]:
    """Return a unique name for each corpus, with its folder if necessary (2023/train, 2024/train)."""
    names = [corpus.name for corpus in corpora]
    if len(set(names)) < len(names):
        names = [
            corpus.name if corpus.path is None else f"{corpus.path.resolve().parent.name}/{corpus.name}"
            for corpus in corpora
        ]
    return unique_ids(names)


def _avoid_reserved_name(name: str, names: Iterable[str]) -> str:
    """Return a column's name, changed if necessary to differ from ORIGIN and from the other columns."""
    if name != ORIGIN:
        return name
    while name == ORIGIN or name in names:
        name += f" ({ORIGIN})"
    return name


def _cells(name: str, corpus: Corpus) -> Sequence[Any] | None:
    return corpus.extra[name].cells() if name in corpus.extra else None
