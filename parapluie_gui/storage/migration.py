"""Bringing files of older versions to the present one.

Version 1000 had a row for each pair and for each score, version 2000 no checksums, and sessions up to version 3000 a
table of notes and verdicts of one person.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui.judgements.record import NOTE
from parapluie_gui.pairs.column import typed
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus, SkippedRow
from parapluie_gui.storage import corpora

_BATCH = 10_000


def pack_scores(connection: sqlite3.Connection, tables: str) -> None:
    """Turn version 1000's table `score` into batches, within a transaction; `tables` is SQL that makes the new ones."""
    _make(connection, tables, "batch")
    for (signature,) in connection.execute("SELECT id FROM signature").fetchall():
        rows = connection.execute(
            "SELECT pair, value, p_yes, p_no, evidence FROM score WHERE signature = ?", (signature,)
        )
        while part := rows.fetchmany(_BATCH):
            keys, *numbers, evidence = zip(*part, strict=True)
            lines = np.array(numbers, dtype="<f8")  # None becomes NaN
            kept = lines if not np.isnan(lines[1:]).all() else lines[:1]
            texts = json.dumps(evidence, ensure_ascii=False) if any(text is not None for text in evidence) else None
            connection.execute(
                "INSERT INTO batch (signature, pairs, keys, numbers, evidence) VALUES (?, ?, ?, ?, ?)",
                (signature, len(part), b"".join(keys), kept.tobytes(), texts),
            )
    connection.execute("DROP TABLE score")
    _renew(connection, tables, "signature")


def pack_session(connection: sqlite3.Connection, score_tables: str, session_tables: str) -> None:
    """Turn version 1000's tables `score`, `corpus` and `pair` into batches and pieces; arguments as above."""
    pack_scores(connection, score_tables)
    heads = connection.execute(
        "SELECT id, name, path, layout, columns, extra, aside, position FROM corpus ORDER BY id"
    ).fetchall()
    connection.execute("ALTER TABLE corpus RENAME TO old_corpus")
    connection.execute("ALTER TABLE pair RENAME TO old_pair")
    _make(connection, session_tables, "corpus")
    _make(connection, session_tables, "piece")

    def run(sql: str, values: object) -> int:
        return connection.execute(sql, values).lastrowid or 0  # type: ignore[arg-type]

    for number, name, path, layout, optional, extra, skipped, position in heads:
        rows = connection.execute(
            """SELECT id, source, hypothesis, reference, label, human, "group", extra
               FROM old_pair WHERE corpus = ? ORDER BY row""",
            (number,),
        ).fetchall()
        columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(8)]
        ids, sources, hypotheses, references, labels, humans, groups, extras = columns
        has = set(json.loads(optional))
        own = [json.loads(text) for text in extras if text is not None]
        corpus = Corpus(
            name=corpora.restored(name),
            id=[corpora.restored(text) for text in ids],
            source=[corpora.restored(text) for text in sources],
            hypothesis=[corpora.restored(text) for text in hypotheses],
            reference=_optional(references) if "reference" in has else None,
            label=np.array([UNLABELLED if n is None else n for n in labels], dtype=np.int8) if "label" in has else None,
            human=np.array(humans, dtype=np.float64) if "human" in has else None,
            group=_optional(groups) if "group" in has else None,
            extra={key: typed([values[place] for values in own]) for place, key in enumerate(json.loads(extra))},
            skipped=tuple(SkippedRow(**row) for row in json.loads(skipped)),
            path=None if path is None else Path(corpora.restored(path)),
            layout=layout,
        )
        corpora.write(run, corpus, position, number)
    for table in ("selection", "setting", "bench"):
        _renew(connection, session_tables, table)
    turn_notes(connection, session_tables)
    connection.execute("DROP TABLE old_pair")
    connection.execute("DROP TABLE old_corpus")


def renew(connection: sqlite3.Connection, tables: str) -> None:
    """Give every table the columns that it has by now, within a transaction; `tables` is SQL that makes them all."""
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for name in names:
        if f"TABLE {name} " in tables:
            _renew(connection, tables, name)
    if "note" in names:
        turn_notes(connection, tables)


def turn_notes(connection: sqlite3.Connection, tables: str) -> None:
    """Turn notes and verdicts into judgements of somebody without a name, within a transaction; `tables` as above."""
    _make(connection, tables, "judgement")
    for values in judgements_of_notes(connection.execute("SELECT corpus, row, text, verdict, changed FROM note")):
        connection.execute(
            "INSERT INTO judgement (corpus, row, annotator, scheme, question, answer, changed) "
            "VALUES (?, ?, '', ?, ?, ?, ?)",
            values,
        )
    connection.execute("DROP TABLE note")


def judgements_of_notes(notes: Iterable[Sequence[Any]]) -> Iterator[tuple[object, ...]]:
    """Yield corpus, row, scheme, question, answer and time of the judgements that a row of `note` stands for."""
    for corpus, row, text, verdict, changed in notes:
        if text:
            yield corpus, row, *NOTE, text, changed
        if verdict is not None:
            yield corpus, row, "parapluie", "verdict", verdict, changed


def _renew(connection: sqlite3.Connection, tables: str, name: str) -> None:
    """Recreate a table and fill it with the old one's rows, in the columns that both have."""
    columns = ", ".join(f'"{row[1]}"' for row in connection.execute(f"PRAGMA table_info({name})"))
    connection.execute(f"ALTER TABLE {name} RENAME TO old_{name}")
    for (index,) in connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL", (f"old_{name}",)
    ).fetchall():
        connection.execute(f"DROP INDEX {index}")
    _make(connection, tables, name)
    connection.execute(f"INSERT INTO {name} ({columns}) SELECT {columns} FROM old_{name}")
    connection.execute(f"DROP TABLE old_{name}")


def _optional(texts: list[corpora.Stored]) -> list[str | None]:
    return [None if text is None else corpora.restored(text) for text in texts]


def _make(connection: sqlite3.Connection, tables: str, name: str) -> None:
    """Run the statements of a schema that make a table or its index."""
    for statement in tables.split(";"):
        if f"TABLE {name} " in statement or f" ON {name} " in statement:
            connection.execute(statement)
