"""Judgements in a session: every answer is stored with its time, and the latest answer to each question counts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from parapluie_gui.judgements.record import Judgement, Key
from parapluie_gui.storage import corpora
from parapluie_gui.storage.database import Database

#: An answer or note that is changed within this time is replaced, not kept in the history.
CORRECTION = timedelta(seconds=60)

_INSERT = """INSERT OR IGNORE INTO judgement (corpus, row, annotator, scheme, question, answer, changed)
             VALUES (?, ?, ?, ?, ?, ?, ?)"""
_WHERE = "corpus = ? AND row = ? AND annotator = ? AND scheme = ? AND question = ?"


def read(database: Database, number: int) -> list[Judgement]:
    """Return all records of a corpus, oldest first."""
    rows = database.rows(
        "SELECT row, annotator, scheme, question, answer, changed FROM judgement WHERE corpus = ?", (number,)
    )
    records = [
        Judgement(
            row,
            corpora.decode_text(annotator),
            corpora.decode_text(scheme),
            corpora.decode_text(question),
            None if answer is None else corpora.decode_text(answer),
            parse_time(changed),
        )
        for row, annotator, scheme, question, answer, changed in rows
        if isinstance(row, int)
    ]
    return sorted(records, key=lambda record: (record.changed, record.key))


def write(database: Database, number: int, key: Key, answer: str | None) -> None:
    """Store an answer with the present time, unless it equals the current one; None retracts the current answer."""
    row, annotator, scheme, question = key
    where = (number, row, corpora.encode_text(annotator), scheme, question)
    now = datetime.now(UTC)
    with database.transaction():
        before = database.rows(f"SELECT answer, changed FROM judgement WHERE {_WHERE} ORDER BY changed DESC", where)
        stored = None if answer is None else corpora.encode_text(answer)
        if (before[0][0] if before else None) == stored:
            return
        since = now - parse_time(before[0][1]) if before else CORRECTION
        if timedelta(0) <= since < CORRECTION:
            database.write(f"DELETE FROM judgement WHERE {_WHERE} AND changed = ?", (*where, before[0][1]))
            del before[0]
            if (before[0][0] if before else None) == stored:
                return
        if before:
            # Makes the new answer count even if the clock was set back in between.
            now = max(now, parse_time(before[0][1]) + timedelta(microseconds=1))
        database.write(_INSERT, (*where, stored, now.isoformat()))


def add(database: Database, number: int, records: Iterable[Judgement]) -> int:
    """Add records unchanged; return the number of new ones."""
    with database.transaction():
        counting = "SELECT count(*) FROM judgement WHERE corpus = ?"
        ((before,),) = database.rows(counting, (number,))
        database.write_many(
            _INSERT,
            (
                (
                    number,
                    record.row,
                    corpora.encode_text(record.annotator),
                    corpora.encode_text(record.scheme),
                    corpora.encode_text(record.question),
                    None if record.answer is None else corpora.encode_text(record.answer),
                    record.changed.astimezone(UTC).isoformat(),
                )
                for record in records
            ),
        )
        ((after,),) = database.rows(counting, (number,))
    return int(after - before)


def parse_time(text: object) -> datetime:
    """Return a stored time in UTC; the beginning of 1970 if it cannot be read."""
    try:
        time = datetime.fromisoformat(str(text))
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(0, UTC)
