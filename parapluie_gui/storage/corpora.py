"""Corpora in a session file: columns to bytes of the database, and back without a loss."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui.arrays import Labels, Scores
from parapluie_gui.errors import DamagedError, SessionError
from parapluie_gui.own_files import UNEXPECTED_VALUE, parse_json
from parapluie_gui.pairs.column import NumberColumn, to_column
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus, SkippedRow
from parapluie_gui.scores.signature import pair_key
from parapluie_gui.storage.database import Database

#: Values in a piece. Packing one holds Python's lock for a few milliseconds, which the window does not feel.
PIECE = 20_000

_TEXTS, _JSON = b"T", b"J"


def pack(values: Sequence[object]) -> Iterator[bytes]:
    """Yield a column's pieces in order."""
    for start in range(0, len(values), PIECE):
        yield _packed(values[start : start + PIECE])


def unpack(n: int, piece: Callable[[int], bytes]) -> list[Any]:
    """Return a column of n values; `piece` returns the bytes of a piece by its number."""
    values: list[Any] = []
    for place in range(-(-n // PIECE)):
        raw = piece(place)
        text = str(memoryview(raw)[1:], "utf-8", "surrogatepass")
        values += text.split("\0") if raw[:1] == _TEXTS else parse_json(text)
    return values


def _packed(values: Sequence[object]) -> bytes:
    try:
        text = "\0".join(values)  # type: ignore[arg-type]
    except TypeError:
        text = ""
    else:
        if text.count("\0") == len(values) - 1:
            return _TEXTS + text.encode("utf-8", "surrogatepass")
    # `default` is met by numpy's scalars, which become Python's own.
    text = json.dumps(list(values), default=lambda scalar: scalar.item(), ensure_ascii=False)
    return _JSON + text.encode("utf-8", "surrogatepass")


#: A text as SQLite takes it: bytes where it holds lone surrogates (half characters), which UTF-8 has no place for.
Stored = str | bytes | None


@dataclass(frozen=True)
class CorpusEntry:
    """A corpus in a session, before its n `pairs` are read; its `id` within the session is never given again."""

    id: int
    name: str
    layout: str
    path: Path | None
    pairs: int


def entries(database: Database) -> list[CorpusEntry]:
    """Return the corpora of a session in the user's order, without those that were closed."""
    rows = database.rows("SELECT id, name, layout, path, pairs FROM corpus WHERE position >= 0 ORDER BY position, id")
    return [
        CorpusEntry(number, restored(name), layout, None if path is None else Path(restored(path)), pairs)
        for number, name, layout, path, pairs in rows
    ]


def write(run: Callable[[str, Sequence[object]], int], corpus: Corpus, position: int, number: int | None = None) -> int:
    """Write a corpus, within a transaction of the caller's, and return its number.

    Args:
        run: Runs an SQL statement and returns the id of the row it inserted.
        corpus: What to write.
        position: Its place in the user's order.
        number: The number it is to have; None for a new one.
    """
    number = run(
        """INSERT INTO corpus (id, name, path, layout, position, pairs, columns, extra, aside, keys, reference_keys,
                               label, human)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            number,
            stored(corpus.name),
            None if corpus.path is None else stored(str(corpus.path)),
            corpus.layout,
            position,
            len(corpus),
            json.dumps(_optional(corpus)),
            json.dumps(list(corpus.extra)),
            json.dumps([asdict(row) for row in corpus.skipped]),
            *_joined_keys(corpus),
            None if corpus.label is None else corpus.label.astype(np.int8).tobytes(),
            None if corpus.human is None else corpus.human.astype("<f8").tobytes(),
        ),
    )
    columns = {name: getattr(corpus, name) for name in ("id", "source", "hypothesis", "reference", "group")}
    columns |= {f"extra {place}": column.cells() for place, column in enumerate(corpus.extra.values())}
    for name, values in columns.items():
        if values is not None:
            for place, piece in enumerate(pack(values)):
                run("INSERT INTO piece (corpus, name, place, texts) VALUES (?, ?, ?, ?)", (number, name, place, piece))
    return number


def read(database: Database, number: int) -> Corpus:
    """Read a corpus back as it was added.

    Raises:
        SessionError: The session has no corpus of that number.
    """
    head = database.row(
        "SELECT name, path, layout, pairs, columns, extra, aside, label, human FROM corpus WHERE id = ?", (number,)
    )
    if head is None:
        raise SessionError(f"{database.called} has no corpus number {number}; it may have been removed.")
    try:
        return _decoded(database, number, *head)
    except UNEXPECTED_VALUE as error:
        raise DamagedError(
            f"{database.called} is damaged: a corpus in it cannot be understood. Open a backup of it."
        ) from error


def _decoded(
    database: Database,
    number: int,
    name: Stored,
    path: Stored,
    layout: str,
    pairs: int,
    optional: str,
    extra: str,
    skipped: str,
    label: bytes | None,
    human: bytes | None,
) -> Corpus:
    """Return a corpus out of its row; raises all kinds of errors where that is not what `write` wrote."""

    def column(name: str) -> list[Any]:
        return unpack(pairs, partial(_piece, database, number, name))

    def texts(name: str) -> list[str]:
        values = column(name)
        if len(values) != pairs or not all(isinstance(value, str) for value in values):
            raise ValueError(f"column {name} of corpus {number}")
        return values

    present, extras = set(parse_json(optional)), parse_json(extra)
    if not all(isinstance(each, str) for each in (layout, *extras)):
        raise ValueError(f"names in corpus {number}")
    labels = None if label is None else np.frombuffer(label, dtype=np.int8).copy()
    if labels is not None and not np.isin(labels, (0, 1, UNLABELLED)).all():
        raise ValueError(f"labels of corpus {number}")
    return Corpus(
        name=restored(name),
        id=texts("id"),
        source=texts("source"),
        hypothesis=texts("hypothesis"),
        reference=column("reference") if "reference" in present else None,
        group=column("group") if "group" in present else None,
        label=labels,
        human=None if human is None else np.frombuffer(human, dtype="<f8").astype(np.float64),
        extra={key: to_column(column(f"extra {place}")) for place, key in enumerate(extras)},
        skipped=tuple(SkippedRow(**row) for row in parse_json(skipped)),
        path=None if path is None else Path(restored(path)),
        layout=layout,
        annotators=_annotators(present, extras),
    )


def set_annotators(database: Database, number: int, annotators: Mapping[str, float]) -> None:
    """Let other columns of a corpus be those of annotators."""
    corpus = read(database, number).with_annotators(annotators)
    database.write("UPDATE corpus SET columns = ? WHERE id = ?", (json.dumps(_optional(corpus)), number))


#: Stands before the place of an annotator's column among the further ones, which the least grade that says
#: "paraphrase" may follow.
_ANNOTATOR = "annotator "


def _optional(corpus: Corpus) -> list[str]:
    """Return which optional columns a corpus has, and which of its further ones are annotators'."""
    places = {name: place for place, name in enumerate(corpus.extra)}
    people = [
        f"{_ANNOTATOR}{places[name]}{'' if isnan(least) else f' {least!r}'}"
        for name, least in corpus.annotators.items()
    ]
    return [*(name for name in ("reference", "group") if getattr(corpus, name) is not None), *people]


def _annotators(optional: Iterable[str], extras: Sequence[str]) -> dict[str, float]:
    found = {}
    for text in optional:
        place, _, least = text.removeprefix(_ANNOTATOR).partition(" ")
        if text.startswith(_ANNOTATOR) and place.isdecimal() and int(place) < len(extras):
            found[int(place)] = float(least) if least else nan
    return {extras[place]: found[place] for place in sorted(found)}


def set_role(database: Database, number: int, role: str, values: Labels | Scores | None) -> None:
    """Give a corpus other labels or human scores, within a transaction; those of its file become a column.

    Args:
        database: The session.
        number: The corpus.
        role: "label" or "human".
        values: Labels or human scores, (n,); None where the file has none, as at first.
    """
    corpus = read(database, number)
    before: Labels | Scores | None = getattr(corpus, role)
    name = filed(role)
    if before is not None and values is not None and name not in corpus.extra:
        missing = np.isnan(before) if role == "human" else before == UNLABELLED
        cells = [None if gone else value for gone, value in zip(missing.tolist(), before.tolist(), strict=True)]
        place = len(corpus.extra)
        database.write("UPDATE corpus SET extra = ? WHERE id = ?", (json.dumps([*corpus.extra, name]), number))
        for at, piece in enumerate(pack(to_column(cells).cells())):
            database.write(
                "INSERT INTO piece (corpus, name, place, texts) VALUES (?, ?, ?, ?)",
                (number, f"extra {place}", at, piece),
            )
    kind = np.dtype(np.int8) if role == "label" else np.dtype("<f8")
    stored = None if values is None else values.astype(kind).tobytes()
    database.write(f"UPDATE corpus SET {role} = ? WHERE id = ?", (stored, number))
    _drop_filed(database, number)


def _drop_filed(database: Database, number: int) -> None:
    """Remove the columns that hold the file's own labels or human scores where these are in use again."""
    corpus = read(database, number)
    names = list(corpus.extra)
    while names and (role := {filed(each): each for each in ("label", "human")}.get(names[-1])):
        column, used = corpus.extra[names[-1]], getattr(corpus, role)
        missing = np.nan if role == "human" else UNLABELLED
        if names[-1] in corpus.annotators or not isinstance(column, NumberColumn) or used is None:
            return
        if not np.array_equal(np.where(np.isnan(column.written), missing, column.written), used, equal_nan=True):
            return
        del names[-1]
        database.write("UPDATE corpus SET extra = ? WHERE id = ?", (json.dumps(names), number))
        database.write("DELETE FROM piece WHERE corpus = ? AND name = ?", (number, f"extra {len(names)}"))


def filed(role: str) -> str:
    """Return the column that holds a corpus's own labels or human scores once people's took their place."""
    return f"{role} (file)"


def keys(database: Database, number: int) -> tuple[bytes, bytes | None]:
    """Return the joined `pair_key`s of a corpus's pairs, without and with the reference."""
    row = database.row("SELECT keys, reference_keys FROM corpus WHERE id = ?", (number,))
    return row if row is not None else (b"", None)


def keys_with(database: Database, number: int, columns: Sequence[str]) -> bytes | None:
    """Return the joined `pair_key`s of a corpus's pairs with these columns; None where it lacks one of them."""
    corpus = read(database, number)
    texts = [found for name in columns if (found := corpus.texts(name)) is not None]
    if len(texts) < len(columns):
        return None
    return b"".join(map(pair_key, corpus.source, corpus.hypothesis, *texts))


def renew_keys(database: Database, number: int) -> None:
    """Make the keys of a corpus's pairs again, out of their texts."""
    joined = _joined_keys(read(database, number))
    database.write("UPDATE corpus SET keys = ?, reference_keys = ? WHERE id = ?", (*joined, number))


def _joined_keys(corpus: Corpus) -> tuple[bytes, bytes | None]:
    plain = b"".join(map(pair_key, corpus.source, corpus.hypothesis))
    references = corpus.reference
    if references is None:
        return plain, None
    return plain, b"".join(map(_reference_key, corpus.source, corpus.hypothesis, references))


def stored(text: str) -> str | bytes:
    """Return a text as SQLite can hold it; `read` undoes it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _piece(database: Database, number: int, name: str, place: int) -> bytes:
    row = database.row("SELECT texts FROM piece WHERE corpus = ? AND name = ? AND place = ?", (number, name, place))
    if row is None:
        raise DamagedError(f"{database.called} is damaged: a part of a corpus is missing. Open a backup of it.")
    return bytes(row[0])


def _reference_key(source: str, hypothesis: str, reference: str | None) -> bytes:
    return bytes(16) if reference is None else pair_key(source, hypothesis, reference)


def restored(value: Stored) -> str:
    """Return the text that was `stored`."""
    if not isinstance(value, bytes):
        return value or ""
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # nothing that was `stored`
        return value.decode("utf-8", "replace")
