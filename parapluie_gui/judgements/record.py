"""Records of single answers, as sessions store them, and the selection of the current ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from parapluie_gui.judgements.scheme import pair_verdict

#: The name stored for annotators who have not given theirs.
UNNAMED = ""

#: The scheme and question of notes, which no scheme contains.
NOTE = ("", "note")

#: The scheme and question of corrected kinds of change, one text for each pair (`metrics.changes.corrections` writes
#: them).
CORRECTION = ("change_types", "type_corrected")

#: Identifies an answer, of whose records only the latest counts: row, annotator, scheme, question.
Key = tuple[int, str, str, str]


@dataclass(frozen=True)
class Judgement:
    """One person's answer to one question about one pair.

    Attributes:
        row: The pair, 0-based within its corpus.
        annotator: The person's name, or `UNNAMED`.
        scheme, question: Ids of the scheme and of its question; `NOTE` for a note.
        answer: The id of the answer, or the text of a note; None if it withdraws an earlier answer.
        changed: The time of the answer, with time zone.
    """

    row: int
    annotator: str
    scheme: str
    question: str
    answer: str | None
    changed: datetime

    @property
    def key(self) -> Key:
        """The pair, person and question of the answer."""
        return self.row, self.annotator, self.scheme, self.question


@dataclass(frozen=True)
class PairNote:
    """One person's note on a pair (possibly empty), the id of the verdict, and when it changed (with time zone)."""

    text: str
    verdict: str | None
    changed: datetime


def latest_records(records: Iterable[Judgement]) -> dict[Key, Judgement]:
    """Return the latest record of each key, including withdrawals."""
    newest: dict[Key, Judgement] = {}
    for record in records:
        if (earlier := newest.get(record.key)) is None or earlier.changed <= record.changed:
            newest[record.key] = record
    return newest


def current_records(records: Iterable[Judgement]) -> list[Judgement]:
    """Return the current answers: the latest of each key, without those withdrawn."""
    return [record for record in latest_records(records).values() if record.answer is not None]


def collect_notes(records: Iterable[Judgement], annotator: str) -> dict[int, PairNote]:
    """Return an annotator's notes and verdicts by row, from the current records."""
    scheme, question = pair_verdict()
    parts: dict[int, dict[bool, Judgement]] = {}
    for record in records:
        source = (record.scheme, record.question)
        relevant = source == NOTE or (
            source == (scheme, question.id) and question.answer(record.answer or "") is not None
        )
        if record.annotator == annotator and relevant:
            parts.setdefault(record.row, {})[source == NOTE] = record
    return {
        row: PairNote(
            (part[True].answer or "") if True in part else "",
            part[False].answer if False in part else None,
            max(record.changed for record in part.values()),
        )
        for row, part in sorted(parts.items())
    }
