"""One answer of one person, as sessions keep it, and which answers count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from parapluie_gui.judgements.scheme import pair_verdict

#: The annotator who has given no name.
UNNAMED = ""

#: A note is an answer to this question, which belongs to no scheme.
NOTE = ("", "note")

#: So are the kinds of change that somebody corrected, one text a pair (`metrics.changes.corrections` writes them).
CORRECTION = ("change_types", "type_corrected")

#: What identifies the answers of which only the latest counts: row, annotator, scheme, question.
Key = tuple[int, str, str, str]


@dataclass(frozen=True)
class Judgement:
    """What somebody said of one pair.

    Attributes:
        row: The pair, 0-based within its corpus.
        annotator: The person's name, `UNNAMED` where none was given.
        scheme, question: Ids of the scheme and of its question; `NOTE` for a note.
        answer: The id of the answer, or the text of a note; None where an earlier answer was taken back.
        changed: When, with the time zone.
    """

    row: int
    annotator: str
    scheme: str
    question: str
    answer: str | None
    changed: datetime

    @property
    def key(self) -> Key:
        """What was asked of whom."""
        return self.row, self.annotator, self.scheme, self.question


@dataclass(frozen=True)
class Note:
    """What one person wrote of one pair: a text, possibly empty, the id of the verdict, and when (with time zone)."""

    text: str
    verdict: str | None
    changed: datetime


def latest(records: Iterable[Judgement]) -> dict[Key, Judgement]:
    """Return the last record of each question, also where it takes an answer back."""
    found: dict[Key, Judgement] = {}
    for record in records:
        if (before := found.get(record.key)) is None or before.changed <= record.changed:
            found[record.key] = record
    return found


def in_force(records: Iterable[Judgement]) -> list[Judgement]:
    """Return the answers that count: the latest of each question, without those taken back."""
    return [record for record in latest(records).values() if record.answer is not None]


def notes_of(records: Iterable[Judgement], annotator: str) -> dict[int, Note]:
    """Return somebody's notes and verdicts, out of the answers that count, by row."""
    scheme, question = pair_verdict()
    parts: dict[int, dict[bool, Judgement]] = {}
    for record in records:
        asked = (record.scheme, record.question)
        known = asked == NOTE or (asked == (scheme, question.id) and question.answer(record.answer or "") is not None)
        if record.annotator == annotator and known:
            parts.setdefault(record.row, {})[asked == NOTE] = record
    return {
        row: Note(
            (part[True].answer or "") if True in part else "",
            part[False].answer if False in part else None,
            max(record.changed for record in part.values()),
        )
        for row, part in sorted(parts.items())
    }
