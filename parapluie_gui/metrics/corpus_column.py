"""A column of the corpus as a metric of its own: published predictions, the scores of other tools."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.base import MetricInfo
from parapluie_gui.metrics.described import said
from parapluie_gui.metrics.spec import Spec
from parapluie_gui.pairs.column import NO_ANSWER, NumberColumn, number
from parapluie_gui.scores.signature import Signature

if TYPE_CHECKING:
    from parapluie_gui.pairs.corpus import Corpus
    from parapluie_gui.scores.table import ScoreTable

INFO = MetricInfo(
    id="external",
    title="Column",
    family="external",
    low=float("-inf"),
    high=float("inf"),
    needs="a column of numbers, or of 0 and 1, in the corpus",
    summary="A column of the corpus, taken as it is; -100 and empty cells are missing values.",
    reference_form=False,
    argument="column of the corpus",
    argument_needed=True,
    options=(("closer", '"lower" where smaller numbers mean closer'),),
)


class External:
    """A column of the corpus.

    It is filled from the corpus, by `fill`, and never computed: two pairs of the same words may differ in it.

    Args:
        argument: The column's name in the file, or "label" or "human".
        closer: "lower" where smaller numbers mean closer.
    """

    def __init__(self, argument: str, closer: str = "higher") -> None:
        if closer not in ("higher", "lower"):
            raise MetricError(f'closer is "higher" or "lower", not "{closer}".')
        self.column = argument
        self.closer = closer
        self.info = INFO

    def signature(self) -> Signature:
        """Return where the numbers come from; `fill` adds the corpus."""
        return Signature.of(INFO.id, {"name": INFO.id, "column": self.column, "closer": self.closer})

    def score(
        self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str | None] | None = None
    ) -> np.ndarray:
        """Refuse: the sentences do not tell what stands in the column."""
        raise MetricError(f"The column {self.column} is read from the corpus, not computed from its sentences.")


def is_external(spec: str) -> bool:
    """Whether a spec names a column of the corpus."""
    return spec.strip().startswith((f"{INFO.id}:", f"{INFO.id},"))


def numbers(corpus: Corpus, column: str) -> np.ndarray:
    """Return a column of the corpus as float64 of shape (n,), NaN where it is empty or -100.

    Raises:
        MetricError: There is no such column, or a value is not a number; the sentence names the pair.
    """
    if column == "human" and corpus.human is not None:
        return np.where(corpus.human == NO_ANSWER, np.nan, corpus.human)
    if column == "label" and corpus.label is not None:
        from parapluie_gui.pairs.corpus import UNLABELLED

        return np.where(corpus.label == UNLABELLED, np.nan, corpus.label.astype(np.float64))
    if column not in corpus.extra:
        there = list(corpus.extra)
        near = difflib.get_close_matches(column, there, n=1)
        hint = (
            f'; did you mean "{near[0]}"?' if near else f"; its own columns are {', '.join(there)}." if there else "."
        )
        raise MetricError(f'{corpus.name} has no column "{column}"{hint}')
    own = corpus.extra[column]
    odd = [] if isinstance(own, NumberColumn) else [row for row, cell in enumerate(own) if number(cell) is None]
    if odd:
        raise MetricError(
            f'The column "{column}" of {corpus.name} holds "{str(own.cell(odd[0]))[:40]}" at the pair '
            f"{corpus.id[odd[0]]}, which is not a number; choose a column of numbers."
        )
    values = corpus.numbers(column)
    if values is None:
        raise MetricError(f'The column "{column}" of {corpus.name} is empty; choose another.')
    return values


def fill(table: ScoreTable, corpus: Corpus, spec: str) -> str:
    """Write a column of the corpus into the table of scores, as the metric that `external:COLUMN` names.

    Args:
        table: The scores of the corpus.
        corpus: The pairs.
        spec: `external:COLUMN`.

    Returns:
        The score column.

    Raises:
        MetricError: There is no such column, or it holds anything but numbers.
    """
    wanted = Spec.parse(spec)
    made = External(wanted.argument, **{name: value for name, value in wanted.options if name != "as"})
    values = numbers(corpus, wanted.argument)
    binary = bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all())
    info = dataclasses.replace(
        INFO,
        title=wanted.argument,
        higher_is_closer=made.closer == "higher",
        low=0.0 if binary else INFO.low,
        high=1.0 if binary else INFO.high,
        threshold=0.5 if binary else None,
    )
    name = wanted.column
    fields = {**dict(made.signature().fields), "corpus": corpus.name, **said(info)}
    table.declare(name, Signature.of(name, fields))
    table.put(np.arange(len(corpus)), {name: values})
    return name


def why_missing(corpus: Corpus, spec: str, row: int) -> str:
    """Return why a pair has no value in the column."""
    column = corpus.extra.get(Spec.parse(spec).argument)
    answered = column is None or column.cell(row) is None
    return "the corpus's cell is empty" if answered else f"the corpus has {NO_ANSWER:g} there"
