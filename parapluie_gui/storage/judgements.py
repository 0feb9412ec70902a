"""Judgements in a session: every answer is kept with its time, and the latest one of each question counts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from parapluie_gui.judgements.record import Judgement, Key
from parapluie_gui.storage import corpora
from parapluie_gui.storage.database import Database

#: An answer that is changed within this time, or a note that is typed on, was never given.
CORRECTION = timedelta(seconds=60)

_INSERT = """INSERT OR IGNORE INTO judgement (corpus, row, annotator, scheme, question, answer, changed)
             VALUES (?, ?, ?, ?, ?, ?, ?)"""
_WHERE = "corpus = ? AND row = ? AND annotator = ? AND scheme = ? AND question = ?"


def read(database: Database, number: int) -> list[Judgement]:
    """Return all records of a corpus, the oldest first."""
    rows = database.rows(
        "SELECT row, annotator, scheme, question, answer, changed FROM judgement WHERE corpus = ?", (number,)
    )
    found = [
        Judgement(
            row,
            corpora.restored(annotator),
            corpora.restored(scheme),
            corpora.restored(question),
            None if answer is None else corpora.restored(answer),
            time_of(changed),
        )
        for row, annotator, scheme, question, answer, changed in rows
        if isinstance(row, int)
    ]
    return sorted(found, key=lambda record: (record.changed, record.key))


def write(database: Database, number: int, key: Key, answer: str | None) -> None:
    """Keep an answer given now, unless it is the one in force; None takes that one back."""
    row, annotator, scheme, question = key
    where = (number, row, corpora.stored(annotator), scheme, question)
    now = datetime.now(UTC)
    with database.transaction():
        before = database.rows(f"SELECT answer, changed FROM judgement WHERE {_WHERE} ORDER BY changed DESC", where)
        stored = None if answer is None else corpora.stored(answer)
        if (before[0][0] if before else None) == stored:
            return
        since = now - time_of(before[0][1]) if before else CORRECTION
        if timedelta(0) <= since < CORRECTION:
            database.write(f"DELETE FROM judgement WHERE {_WHERE} AND changed = ?", (*where, before[0][1]))
            del before[0]
            if (before[0][0] if before else None) == stored:
                return
        if before:
            # A clock that was put back must not make the older answer the one that counts.
            now = max(now, time_of(before[0][1]) + timedelta(microseconds=1))
        database.write(_INSERT, (*where, stored, now.isoformat()))


def add(database: Database, number: int, records: Iterable[Judgement]) -> int:
    """Add records as they are; returns how many were not there already."""
    with database.transaction():
        counting = "SELECT count(*) FROM judgement WHERE corpus = ?"
        ((before,),) = database.rows(counting, (number,))
        database.write_many(
            _INSERT,
            (
                (
                    number,
                    record.row,
                    corpora.stored(record.annotator),
                    corpora.stored(record.scheme),
                    corpora.stored(record.question),
                    None if record.answer is None else corpora.stored(record.answer),
                    record.changed.astimezone(UTC).isoformat(),
                )
                for record in records
            ),
        )
        ((after,),) = database.rows(counting, (number,))
    return int(after - before)


def time_of(text: object) -> datetime:
    """Return when something was written, in UTC; the beginning of all time where nothing that can be read says so."""
    try:
        found = datetime.fromisoformat(str(text))
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(0, UTC)
