"""Corpora in a session file: columns to rows of the database, and back without a loss."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from parapluie_gui.errors import SessionError
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus, SetAside
from parapluie_gui.scores.database import Database
from parapluie_gui.scores.signature import pair_key

#: A text as SQLite takes it: bytes where it holds lone surrogates (half characters), which UTF-8 has no place for.
Stored = str | bytes | None


@dataclass(frozen=True)
class CorpusEntry:
    """A corpus in a session, before its pairs are read.

    Attributes:
        id: Its number within the session, never given again.
        name: What the user calls it.
        layout: Name of the layout it was recognised as.
        path: The file it was read from, if any.
        pairs: Number of pairs.
    """

    id: int
    name: str
    layout: str
    path: Path | None
    pairs: int


def entries(database: Database) -> list[CorpusEntry]:
    """Return the corpora of a session in the user's order."""
    rows = database.rows(
        """SELECT id, name, layout, path, (SELECT count(*) FROM pair WHERE corpus = corpus.id)
           FROM corpus ORDER BY position, id"""
    )
    return [
        CorpusEntry(number, restored(name), layout, None if path is None else Path(restored(path)), pairs)
        for number, name, layout, path, pairs in rows
    ]


def add(database: Database, corpus: Corpus) -> int:
    """Write a corpus, all of it or nothing, and return its number."""
    optional = [name for name in ("reference", "label", "human", "group") if getattr(corpus, name) is not None]
    with database.transaction():
        number = database.write(
            """INSERT INTO corpus (name, path, layout, columns, extra, aside, position)
               VALUES (?, ?, ?, ?, ?, ?, (SELECT ifnull(max(position), -1) + 1 FROM corpus))""",
            (
                stored(corpus.name),
                None if corpus.path is None else stored(str(corpus.path)),
                corpus.layout,
                json.dumps(optional),
                json.dumps(list(corpus.extra)),
                json.dumps([asdict(row) for row in corpus.aside]),
            ),
        )
        database.write_many("INSERT INTO pair VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _rows(number, corpus))
    return number


def read(database: Database, number: int) -> Corpus:
    """Read a corpus back as it was added.

    Raises:
        SessionError: The session has no corpus of that number.
    """
    head = database.row("SELECT name, path, layout, columns, extra, aside FROM corpus WHERE id = ?", (number,))
    if head is None:
        raise SessionError(f"{database.path.name} has no corpus number {number}; it may have been removed.")
    name, path, layout, optional_json, names, aside = head
    optional = set(json.loads(optional_json))
    rows = database.rows(
        """SELECT id, source, hypothesis, reference, label, human, "group", extra
           FROM pair WHERE corpus = ? ORDER BY row""",
        (number,),
    )
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(8)]
    ids, sources, hypotheses, references, labels, humans, groups, extras = columns
    values = [json.loads(text) for text in extras if text is not None]
    return Corpus(
        name=restored(name),
        id=_texts(ids),
        source=_texts(sources),
        hypothesis=_texts(hypotheses),
        reference=_texts(references) if "reference" in optional else None,
        label=(
            np.array([UNLABELLED if label is None else label for label in labels], dtype=np.int8)
            if "label" in optional
            else None
        ),
        human=np.array(humans, dtype=np.float64) if "human" in optional else None,  # None becomes NaN
        group=_texts(groups) if "group" in optional else None,
        extra={key: [row[place] for row in values] for place, key in enumerate(json.loads(names))},
        aside=tuple(SetAside(**row) for row in json.loads(aside)),
        path=None if path is None else Path(restored(path)),
        layout=layout,
    )


def stored(text: str) -> str | bytes:
    """Return a text as SQLite can hold it; `read` undoes it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _rows(number: int, corpus: Corpus) -> Iterator[tuple]:
    count = len(corpus)
    nothing: Sequence[None] = [None] * count
    references = nothing if corpus.reference is None else corpus.reference
    groups = nothing if corpus.group is None else corpus.group
    labels = nothing if corpus.label is None else [None if x == UNLABELLED else x for x in corpus.label.tolist()]
    humans = nothing if corpus.human is None else [None if x != x else x for x in corpus.human.tolist()]
    for row in range(count):
        source, hypothesis, reference, group = corpus.source[row], corpus.hypothesis[row], references[row], groups[row]
        yield (
            number,
            row,
            pair_key(source, hypothesis),
            None if reference is None else pair_key(source, hypothesis, reference),
            stored(corpus.id[row]),
            stored(source),
            stored(hypothesis),
            None if reference is None else stored(reference),
            labels[row],
            humans[row],
            None if group is None else stored(group),
            _json(corpus.extra, row) if corpus.extra else None,
        )


def _json(extra: Mapping[str, Sequence[object]], row: int) -> str:
    # `default` is met by numpy's scalars, which become Python's own.
    return json.dumps([values[row] for values in extra.values()], default=lambda scalar: scalar.item())


def restored(value: Stored) -> str:
    """Return the text that was `stored`."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value or ""


def _texts(values: Sequence[Stored]) -> list:
    return [value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value for value in values]
