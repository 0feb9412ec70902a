"""Writes corpora into a session file, as columns of bytes, and reads them back without loss."""

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

#: Number of values in a piece. Packing a piece holds the GIL for a few milliseconds, too short to be noticed in the
#: window.
PIECE = 20_000

_TEXTS, _JSON = b"T", b"J"


def pack(values: Sequence[object]) -> Iterator[bytes]:
    """Yield the pieces of a column in order."""
    for start in range(0, len(values), PIECE):
        yield _pack_piece(values[start : start + PIECE])


def unpack(n: int, piece: Callable[[int], bytes]) -> list[Any]:
    """Return the n values of a column; `piece` returns the bytes of a piece by its number."""
    values: list[Any] = []
    for place in range(-(-n // PIECE)):
        raw = piece(place)
        text = str(memoryview(raw)[1:], "utf-8", "surrogatepass")
        values += text.split("\0") if raw[:1] == _TEXTS else parse_json(text)
    return values


def _pack_piece(values: Sequence[object]) -> bytes:
    try:
        text = "\0".join(values)  # type: ignore[arg-type]
    except TypeError:
        text = ""
    else:
        if text.count("\0") == len(values) - 1:
            return _TEXTS + text.encode("utf-8", "surrogatepass")
    # `default` converts numpy scalars to Python numbers.
    text = json.dumps(list(values), default=lambda scalar: scalar.item(), ensure_ascii=False)
    return _JSON + text.encode("utf-8", "surrogatepass")


#: A text in SQLite: bytes where it has lone surrogates (half characters), which UTF-8 cannot encode.
StoredText = str | bytes | None


@dataclass(frozen=True)
class CorpusEntry:
    """A corpus of a session without its pairs: `pairs` is their number; an `id` is never reused within the session."""

    id: int
    name: str
    layout: str
    path: Path | None
    pairs: int


def entries(database: Database) -> list[CorpusEntry]:
    """Return the open corpora of a session in the user's order."""
    rows = database.rows("SELECT id, name, layout, path, pairs FROM corpus WHERE position >= 0 ORDER BY position, id")
    return [
        CorpusEntry(number, decode_text(name), layout, None if path is None else Path(decode_text(path)), pairs)
        for number, name, layout, path, pairs in rows
    ]


def write(run: Callable[[str, Sequence[object]], int], corpus: Corpus, position: int, number: int | None = None) -> int:
    """Write a corpus within the caller's transaction, and return its number.

    Args:
        run: The function that runs an SQL statement and returns the id of the inserted row.
        corpus: The corpus.
        position: Its place in the user's order.
        number: Its number; None for a new one.
    """
    number = run(
        """INSERT INTO corpus (id, name, path, layout, position, pairs, columns, extra, aside, keys, reference_keys,
                               label, human)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            number,
            encode_text(corpus.name),
            None if corpus.path is None else encode_text(str(corpus.path)),
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
    """Return a corpus as it was added.

    Raises:
        SessionError: The session has no corpus with that number.
    """
    head = database.row(
        "SELECT name, path, layout, pairs, columns, extra, aside, label, human FROM corpus WHERE id = ?", (number,)
    )
    if head is None:
        raise SessionError(f"{database.display_name} has no corpus number {number}; it may have been removed.")
    try:
        return _decode(database, number, *head)
    except UNEXPECTED_VALUE as error:
        raise DamagedError(
            f"{database.display_name} is damaged: a corpus in it cannot be read. Open a backup."
        ) from error


def _decode(
    database: Database,
    number: int,
    name: StoredText,
    path: StoredText,
    layout: str,
    pairs: int,
    optional: str,
    extra: str,
    skipped: str,
    label: bytes | None,
    human: bytes | None,
) -> Corpus:
    """Return a corpus from its row; raises any of `UNEXPECTED_VALUE` if `write` did not write it."""

    def column(name: str) -> list[Any]:
        return unpack(pairs, partial(_piece, database, number, name))

    def texts(name: str) -> list[str]:
        values = column(name)
        if len(values) != pairs or not all(isinstance(value, str) for value in values):
            raise ValueError(f"column {name} of corpus {number}")
        return values

    present, extras = set(parse_json(optional)), parse_json(extra)
    if not all(isinstance(text, str) for text in (layout, *extras)):
        raise ValueError(f"names in corpus {number}")
    labels = None if label is None else np.frombuffer(label, dtype=np.int8).copy()
    if labels is not None and not np.isin(labels, (0, 1, UNLABELLED)).all():
        raise ValueError(f"labels of corpus {number}")
    return Corpus(
        name=decode_text(name),
        id=texts("id"),
        source=texts("source"),
        hypothesis=texts("hypothesis"),
        reference=column("reference") if "reference" in present else None,
        group=column("group") if "group" in present else None,
        label=labels,
        human=None if human is None else np.frombuffer(human, dtype="<f8").astype(np.float64),
        extra={key: to_column(column(f"extra {place}")) for place, key in enumerate(extras)},
        skipped=tuple(SkippedRow(**row) for row in parse_json(skipped)),
        path=None if path is None else Path(decode_text(path)),
        layout=layout,
        annotators=_annotators(present, extras),
    )


def set_annotators(database: Database, number: int, annotators: Mapping[str, float]) -> None:
    """Choose the columns of a corpus that hold annotators' answers."""
    corpus = read(database, number).with_annotators(annotators)
    database.write("UPDATE corpus SET columns = ? WHERE id = ?", (json.dumps(_optional(corpus)), number))


#: Prefix of an entry for an annotator's column: it is followed by the column's index among the extra columns and, if
#: there is one, the lowest grade that counts as "paraphrase".
_ANNOTATOR = "annotator "


def _optional(corpus: Corpus) -> list[str]:
    """Return the names of a corpus's optional columns, and an entry for each annotator's column."""
    places = {name: place for place, name in enumerate(corpus.extra)}
    people = [
        f"{_ANNOTATOR}{places[name]}{'' if isnan(least) else f' {least!r}'}"
        for name, least in corpus.annotators.items()
    ]
    return [*(name for name in ("reference", "group") if getattr(corpus, name) is not None), *people]


def _annotators(optional: Iterable[str], extras: Sequence[str]) -> dict[str, float]:
    least_grades = {}
    for text in optional:
        place, _, least = text.removeprefix(_ANNOTATOR).partition(" ")
        if text.startswith(_ANNOTATOR) and place.isdecimal() and int(place) < len(extras):
            least_grades[int(place)] = float(least) if least else nan
    return {extras[place]: least_grades[place] for place in sorted(least_grades)}


def set_role(database: Database, number: int, role: str, values: Labels | Scores | None) -> None:
    """Replace the labels or human scores of a corpus, within a transaction; the file's own become a column.

    Args:
        database: The session.
        number: The corpus.
        role: "label" or "human".
        values: Labels or human scores, (n,); None if the corpus should have none, like its file.
    """
    corpus = read(database, number)
    before: Labels | Scores | None = getattr(corpus, role)
    name = file_column(role)
    if before is not None and values is not None and name not in corpus.extra:
        missing = np.isnan(before) if role == "human" else before == UNLABELLED
        cells = [None if gap else value for gap, value in zip(missing.tolist(), before.tolist(), strict=True)]
        place = len(corpus.extra)
        database.write("UPDATE corpus SET extra = ? WHERE id = ?", (json.dumps([*corpus.extra, name]), number))
        for index, piece in enumerate(pack(to_column(cells).cells())):
            database.write(
                "INSERT INTO piece (corpus, name, place, texts) VALUES (?, ?, ?, ?)",
                (number, f"extra {place}", index, piece),
            )
    kind = np.dtype(np.int8) if role == "label" else np.dtype("<f8")
    stored = None if values is None else values.astype(kind).tobytes()
    database.write(f"UPDATE corpus SET {role} = ? WHERE id = ?", (stored, number))
    _drop_file_columns(database, number)


def _drop_file_columns(database: Database, number: int) -> None:
    """Remove the columns with the file's own labels or human scores if these are in use again."""
    corpus = read(database, number)
    names = list(corpus.extra)
    while names and (role := {file_column(role): role for role in ("label", "human")}.get(names[-1])):
        column, used = corpus.extra[names[-1]], getattr(corpus, role)
        missing = np.nan if role == "human" else UNLABELLED
        if names[-1] in corpus.annotators or not isinstance(column, NumberColumn) or used is None:
            return
        if not np.array_equal(np.where(np.isnan(column.written), missing, column.written), used, equal_nan=True):
            return
        del names[-1]
        database.write("UPDATE corpus SET extra = ? WHERE id = ?", (json.dumps(names), number))
        database.write("DELETE FROM piece WHERE corpus = ? AND name = ?", (number, f"extra {len(names)}"))


def file_column(role: str) -> str:
    """Return the name of the column that holds the file's labels or human scores once others are in use."""
    return f"{role} (file)"


def keys(database: Database, number: int) -> tuple[bytes, bytes | None]:
    """Return the concatenated `pair_key` values of a corpus's pairs, without and with the reference."""
    row = database.row("SELECT keys, reference_keys FROM corpus WHERE id = ?", (number,))
    return row if row is not None else (b"", None)


def keys_with_columns(database: Database, number: int, columns: Sequence[str]) -> bytes | None:
    """Return the concatenated `pair_key` values of a corpus's pairs with these columns; None if one is missing."""
    corpus = read(database, number)
    texts = [column for name in columns if (column := corpus.texts(name)) is not None]
    if len(texts) < len(columns):
        return None
    return b"".join(map(pair_key, corpus.source, corpus.hypothesis, *texts))


def renew_keys(database: Database, number: int) -> None:
    """Recompute the keys of a corpus's pairs from their texts."""
    joined = _joined_keys(read(database, number))
    database.write("UPDATE corpus SET keys = ?, reference_keys = ? WHERE id = ?", (*joined, number))


def _joined_keys(corpus: Corpus) -> tuple[bytes, bytes | None]:
    plain = b"".join(map(pair_key, corpus.source, corpus.hypothesis))
    references = corpus.reference
    if references is None:
        return plain, None
    return plain, b"".join(map(_reference_key, corpus.source, corpus.hypothesis, references))


def encode_text(text: str) -> str | bytes:
    """Return a text as SQLite can store it; the inverse of `decode_text`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _piece(database: Database, number: int, name: str, place: int) -> bytes:
    row = database.row("SELECT texts FROM piece WHERE corpus = ? AND name = ? AND place = ?", (number, name, place))
    if row is None:
        raise DamagedError(f"{database.display_name} is damaged: part of a corpus is missing. Open a backup.")
    return bytes(row[0])


def _reference_key(source: str, hypothesis: str, reference: str | None) -> bytes:
    return bytes(16) if reference is None else pair_key(source, hypothesis, reference)


def decode_text(value: StoredText) -> str:
    """Return a text that `encode_text` encoded; "" for None."""
    if not isinstance(value, bytes):
        return value or ""
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # such a text was not written by `encode_text`
        return value.decode("utf-8", "replace")
