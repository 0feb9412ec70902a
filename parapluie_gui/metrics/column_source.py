"""A column of the corpus used as a score, such as published predictions or another tool's scores."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.base import MetricInfo, meaning_fields
from parapluie_gui.metrics.spec import MetricSpec
from parapluie_gui.options import choice, keys_as_titles
from parapluie_gui.pairs.column import NO_ANSWER, NumberColumn, number
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable


@dataclass(frozen=True)
class ColumnOptions:
    """Options of a column used as a score."""

    closer: str = choice(
        "Closer", keys_as_titles(("higher", "lower")), "whether higher or lower numbers mean closer", default="higher"
    )


INFO = MetricInfo(
    id="external",
    title="Column",
    family="external",
    low=float("-inf"),
    high=float("inf"),
    needs="a column of numbers, or of 0 and 1, in the corpus",
    summary="A column of the corpus, used as it is; -100 and empty cells are missing values.",
    reference_form=False,
    argument="column of the corpus",
    argument_needed=True,
    options=ColumnOptions,
)


@dataclass(frozen=True)
class ColumnSource:
    """A column of the corpus, named by `external[,closer=lower][,as=NAME]:COLUMN`.

    It is never computed: two pairs with the same sentences may have different values.

    Attributes:
        score: The score column that it fills.
        column: The column's name in the file, or "label" or "human".
        closer: "higher" or "lower": the numbers that mean a closer pair.
    """

    info: ClassVar[MetricInfo] = INFO

    score: str
    column: str
    closer: str = ColumnOptions.closer

    @classmethod
    def from_spec(cls, spec: MetricSpec) -> ColumnSource:
        """Return the source that a spec names.

        Raises:
            MetricError: An option is unknown or has a wrong value.
        """
        return cls(spec.column, spec.argument, **spec.values(INFO.title, INFO.options))

    def values(self, corpus: Corpus) -> Scores:
        """Return the column's values, float64 (n,); NaN for empty cells and missing values.

        Raises:
            MetricError: The column is missing, or a value is not a number; the sentence names the pair.
        """
        if self.column == "human" and corpus.human is not None:
            return np.where(corpus.human == NO_ANSWER, np.nan, corpus.human)
        if self.column == "label" and corpus.label is not None:
            return np.where(corpus.label == UNLABELLED, np.nan, corpus.label.astype(np.float64))
        if self.column not in corpus.extra:
            near = difflib.get_close_matches(self.column, corpus.extra, n=1)
            there = f"; its own columns are {', '.join(corpus.extra)}." if corpus.extra else "."
            hint = f'; did you mean "{near[0]}"?' if near else there
            raise MetricError(f'{corpus.name} has no column "{self.column}"{hint}')
        column = corpus.extra[self.column]
        if not isinstance(column, NumberColumn) and (
            invalid := [row for row, cell in enumerate(column) if number(cell) is None]
        ):
            raise MetricError(
                f'The column "{self.column}" of {corpus.name} contains "{str(column.cell(invalid[0]))[:40]}" for the '
                f"pair {corpus.id[invalid[0]]}, which is not a number. Choose a column of numbers."
            )
        values = corpus.numbers(self.column)
        if values is None:
            raise MetricError(f'The column "{self.column}" of {corpus.name} is empty. Choose a different column.')
        return values

    def put(self, table: ScoreTable, corpus: Corpus) -> None:
        """Write the column's values and their signature into the table of the corpus's scores.

        Raises:
            MetricError: The column is missing, or a value is not a number.
        """
        values = self.values(corpus)
        binary = bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all())
        info = dataclasses.replace(
            INFO,
            title=self.column,
            higher_is_closer=self.closer == "higher",
            low=0.0 if binary else INFO.low,
            high=1.0 if binary else INFO.high,
            threshold=0.5 if binary else None,
        )
        fields = {
            "name": INFO.id,
            "column": self.column,
            "closer": self.closer,
            "corpus": corpus.name,
            **meaning_fields(info),
        }
        table.declare(self.score, Signature.from_fields(self.score, fields))
        table.put(np.arange(len(corpus)), {self.score: values})


def split(specs: Iterable[str]) -> tuple[list[ColumnSource], tuple[str, ...]]:
    """Separate the column sources among specs from the specs of metrics to compute.

    Raises:
        MetricError: A spec is malformed.
    """
    parsed = {spec: MetricSpec.parse(spec) for spec in specs}
    sources = [ColumnSource.from_spec(spec) for spec in parsed.values() if spec.id == INFO.id]
    return sources, tuple(text for text, spec in parsed.items() if spec.id != INFO.id)


def why_missing(corpus: Corpus, signature: Signature | None, row: int) -> str:
    """Return why a pair has no score in a column read from the corpus; "" for any other score column."""
    fields = {} if signature is None else dict(signature.fields)
    if fields.get("name") != INFO.id:
        return ""
    column = corpus.extra.get(fields["column"])
    empty = column is None or column.cell(row) is None
    return "the corpus's cell is empty" if empty else f"the corpus has {NO_ANSWER:g} for this pair"
