"""A corpus of sentence pairs, stored as columns, and a single pair."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui.arrays import Labels, Rows, Scores
from parapluie_gui.pairs.column import Column, NumberColumn, to_column
from parapluie_gui.pairs.plan import ReadingPlan

#: Roles that a column of a file can play, in the order exports write them.
ROLES = ("id", "source", "hypothesis", "reference", "label", "human", "group")

UNLABELLED = -1


@dataclass(frozen=True)
class Pair:
    """A source sentence and a hypothesis, with their label, human score and other columns."""

    id: str
    source: str
    hypothesis: str
    reference: str | None = None
    label: int | None = None
    human: float | None = None
    group: str | None = None
    extra: Mapping[str, object] = field(default_factory=dict)


def list_references(columns: Container[str]) -> Iterator[str]:
    """Yield the names of the references' columns: "reference", then "reference 2" and so on, as far as they exist."""
    yield "reference"
    yield from takewhile(columns.__contains__, map("reference {}".format, count(2)))


def name_references(number: int) -> tuple[str, ...]:
    """Return the names of the columns of this number of references: "reference", "reference 2" and so on."""
    return tuple("reference" if at == 1 else f"reference {at}" for at in range(1, number + 1))


@dataclass(frozen=True)
class SkippedRow:
    """A row without a usable pair: its 1-based line or record, the reason ("no hypothesis"), and its beginning."""

    line: int
    reason: str
    text: str


@dataclass(frozen=True)
class MixedColumn:
    """A column read as text because some `cells` are not numbers; the first is `text` in the 1-based `line`."""

    name: str
    cells: int
    line: int
    text: str

    def __str__(self) -> str:
        some = "1 cell is not a number" if self.cells == 1 else f"{self.cells:,} cells are not numbers"
        which = "" if self.cells == 1 else "the first is "
        return f'Column "{self.name}" is read as text: {some} ({which}"{self.text}" in line {self.line:,}).'


@dataclass(frozen=True, eq=False)
class Corpus:
    """Sentence pairs as columns of equal length n. Immutable; rows are numbered from 0.

    Attributes:
        name: The name shown to the user (by default the file's name without its ending).
        id: n identifiers as text, unique within the corpus.
        source, hypothesis: n sentences each, never empty.
        reference: n sentences (None where missing), or None if the corpus has no references. Further references of a
            pair are extra columns, "reference 2" and so on; see `reference_columns`.
        label: int8 (n,), or None.
        human: Human scores (n,), NaN for missing ones; or None.
        group: n group names, or None.
        extra: The file's other columns, under their own names, as numbers or as texts.
        skipped: Rows without a usable pair.
        mixed: Columns that are text only because of a few cells, determined when the file was read.
        path: The file it was read from, if any.
        layout: Name of the recognised layout ("MRPC", "custom", ...).
        guessed: Guesses about the file, for the user ("Windows-1252, a header row"), or "".
        annotators: The extra columns that each hold one person's answers, with the lowest grade that means a
            paraphrase; NaN if the answers are labels themselves. See `pairs.annotators`.
        plan: How the file was read, if it was just read from one.
    """

    name: str
    id: Sequence[str]
    source: Sequence[str]
    hypothesis: Sequence[str]
    reference: Sequence[str | None] | None = None
    label: Labels | None = None
    human: Scores | None = None
    group: Sequence[str | None] | None = None
    extra: Mapping[str, Column] = field(default_factory=dict)
    skipped: tuple[SkippedRow, ...] = ()
    mixed: tuple[MixedColumn, ...] = ()
    path: Path | None = None
    layout: str = "custom"
    guessed: str = ""
    annotators: Mapping[str, float] = field(default_factory=dict)
    plan: ReadingPlan | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "extra", {name: to_column(values) for name, values in self.extra.items()})
        present = {name: least for name, least in self.annotators.items() if name in self.extra}
        object.__setattr__(self, "annotators", present)

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        """Return name, number of pairs and reading plan, without the sentences, which may be millions."""
        pairs = "1 pair" if len(self) == 1 else f"{len(self):,} pairs"
        return f"<Corpus {self.name!r}, {pairs}{f': {self.plan}' if self.plan else ''}>"

    def numbers(self, name: str) -> Scores | None:
        """Return an extra column as float64 (n,), NaN for missing cells; None if it is text, empty or absent."""
        column = self.extra.get(name)
        return column.values if isinstance(column, NumberColumn) and not np.isnan(column.values).all() else None

    def texts(self, name: str) -> Sequence[str | None] | None:
        """Return an extra column as n texts, None for an empty cell; None if there is no such column.

        The roles reference, group and id take precedence over columns of these names.
        """
        role = {"reference": self.reference, "group": self.group, "id": self.id}.get(name)
        if role is not None or name not in self.extra:
            return role
        return [None if cell is None else str(cell) for cell in self.extra[name].cells()]

    @property
    def reference_columns(self) -> tuple[str, ...]:
        """The columns of the references: "reference", "reference 2" …; () if the corpus has none."""
        return () if self.reference is None else tuple(list_references(self.extra))

    def references(self, row: int) -> tuple[str, ...]:
        """Return the references of a pair."""
        columns = (self.texts(name) or () for name in self.reference_columns)
        return tuple(text for texts in columns if (text := texts[row]) is not None)

    def pair(self, row: int) -> Pair:
        """Return one row (0-based) as a Pair."""
        label = None if self.label is None or self.label[row] == UNLABELLED else int(self.label[row])
        human = None if self.human is None or np.isnan(self.human[row]) else float(self.human[row])
        return Pair(
            id=self.id[row],
            source=self.source[row],
            hypothesis=self.hypothesis[row],
            reference=None if self.reference is None else self.reference[row],
            label=label,
            human=human,
            group=None if self.group is None else self.group[row],
            extra={name: column.cell(row) for name, column in self.extra.items()},
        )

    def take(self, rows: Sequence[int] | Rows, name: str | None = None) -> Corpus:
        """Return the corpus of the given rows, in their order."""
        index = np.asarray(rows, dtype=np.int64)
        chosen = index.tolist()

        def pick(values: Sequence[Any]) -> list[Any]:
            return [values[row] for row in chosen]

        return Corpus(
            name=name or self.name,
            id=pick(self.id),
            source=pick(self.source),
            hypothesis=pick(self.hypothesis),
            reference=None if self.reference is None else pick(self.reference),
            label=None if self.label is None else self.label[index],
            human=None if self.human is None else self.human[index],
            group=None if self.group is None else pick(self.group),
            extra={key: column.take(index) for key, column in self.extra.items()},
            path=self.path,
            layout=self.layout,
            annotators=self.annotators,
        )

    def with_annotators(self, annotators: Mapping[str, float]) -> Corpus:
        """Return the corpus with `annotators` replaced."""
        return replace(self, annotators=annotators)

    @property
    def labels(self) -> Labels:
        """The labels, int8 (n,): 1, 0, or UNLABELLED."""
        return np.full(len(self), UNLABELLED, dtype=np.int8) if self.label is None else self.label

    @property
    def has_labels(self) -> bool:
        """Whether at least one pair has a label."""
        return self.label is not None and bool((self.label != UNLABELLED).any())

    #: The earlier name.
    labelled = has_labels
