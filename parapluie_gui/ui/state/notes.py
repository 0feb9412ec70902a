"""People's notes and answers on pairs of the corpus shown, and the saved selections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from PySide6.QtCore import QObject, Signal

from parapluie_gui import places
from parapluie_gui.arrays import Rows
from parapluie_gui.judgements.record import NOTE, UNNAMED, Judgement, Key, current_records
from parapluie_gui.judgements.scheme import Scheme, load_schemes, pair_verdict
from parapluie_gui.own_files import BrokenFile
from parapluie_gui.storage.session import Session

#: A function that changes the session; its sentence is shown if that fails, with {0} for the reason.
Write = Callable[[Callable[[Session], object], str], None]


@dataclass(frozen=True)
class AnswerChange:
    """A change of an answer or a note, with its corpus (by number in the session), pair and annotator."""

    number: int
    key: Key
    before: str
    after: str


class CorpusAnnotations(QObject):
    """The notes and answers of all annotators on the corpus shown.

    Attributes:
        annotator: The annotator whose notes and verdicts are written and shown in the Pair panel.
        schemes: The known schemes of questions.
        broken: Files in the user's folder of schemes that cannot be used.

    Signals:
        changed: (row) A note or an answer was written.
        answered: (AnswerChange) Somebody gave an answer or wrote a note; not emitted by `restore_answer`.
        annotator_changed: The annotator changed.
        leaving: A different corpus or annotator is about to be shown; a note being typed belongs to the current one.

    Args:
        write: The function that writes into the session.
    """

    changed = Signal(int)
    answered = Signal(AnswerChange)
    annotator_changed = Signal()
    leaving = Signal()

    def __init__(self, write: Write, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._write = write
        self._number: int | None = None
        self._records: dict[Key, Judgement] = {}
        self._of_row: dict[int, set[Key]] = {}
        self.annotator = UNNAMED
        schemes, broken = load_schemes(places.user_schemes())
        self.schemes: Sequence[Scheme] = schemes
        self.broken: Sequence[BrokenFile] = broken

    def show(self, number: int | None, records: Iterable[Judgement]) -> None:
        """Show the answers on a corpus, by its number in the session."""
        self.leaving.emit()
        self._number = number
        self._records = {record.key: record for record in current_records(records)}
        self._of_row = {}
        for key in self._records:
            self._of_row.setdefault(key[0], set()).add(key)

    def records(self) -> list[Judgement]:
        """Return the answers and notes in force, of all annotators."""
        return list(self._records.values())

    def records_of(self, row: int) -> list[Judgement]:
        """Return the answers and notes in force on one pair, of all annotators."""
        return [self._records[key] for key in self._of_row.get(row, ())]

    def set_annotator(self, name: str) -> None:
        """Change the annotator."""
        if name != self.annotator:
            self.leaving.emit()
            self.annotator = name
            self.annotator_changed.emit()

    def note_and_verdict(self, row: int) -> tuple[str, str]:
        """Return the annotator's note and the id of their verdict on a pair, "" for none."""
        scheme, question = pair_verdict()
        return self.answer(row, *NOTE), self.answer(row, scheme, question.id)

    def texts(self) -> dict[int, str]:
        """Return the notes by row, whoever wrote them; the text is empty for a pair that only has answers."""
        notes: dict[int, str] = {}
        for record in self._records.values():
            text = (record.answer or "") if (record.scheme, record.question) == NOTE else ""
            notes[record.row] = notes.get(record.row, "") or text
        return notes

    def answer(self, row: int, scheme: str, question: str) -> str:
        """Return the annotator's answer to a question on a pair, as its id or the text of a note; "" for none."""
        record = self._records.get((row, self.annotator, scheme, question))
        return "" if record is None else record.answer or ""

    def write(self, row: int, text: str, verdict: str) -> None:
        """Store the annotator's note and the id of their verdict on a pair, "" for none."""
        number, annotator = self._number, self.annotator
        if number is None or (text, verdict) == self.note_and_verdict(row):
            return
        scheme, question = pair_verdict()
        changes = [
            self._set_answer((row, annotator, *NOTE), text),
            self._set_answer((row, annotator, scheme, question.id), verdict),
        ]
        failure = self.tr("The note could not be written: {0}")
        self._write(lambda session: session.set_note(number, row, text, verdict or None, annotator), failure)
        self.changed.emit(row)
        for change in changes:
            if change.before != change.after:
                self.answered.emit(change)

    def judge(self, row: int, scheme: str, question: str, answer: str) -> None:
        """Store the annotator's answer to a question on a pair; "" removes it."""
        number, annotator = self._number, self.annotator
        if number is None or answer == self.answer(row, scheme, question):
            return
        change = self._set_answer((row, annotator, scheme, question), answer)
        self._store(number, change.key, answer)
        self.answered.emit(change)

    def restore_answer(self, number: int, key: Key, answer: str) -> None:
        """Restore an answer of any annotator on any corpus of the session, "" for none."""
        if number == self._number:
            self._set_answer(key, answer)
        self._store(number, key, answer)

    def _store(self, number: int, key: Key, answer: str) -> None:
        failure = self.tr("The answer could not be written: {0}")
        self._write(lambda session: session.judge(number, *key, answer or None), failure)
        if number == self._number:
            self.changed.emit(key[0])

    def _set_answer(self, key: Key, answer: str) -> AnswerChange:
        assert self._number is not None
        before = self._records.get(key)
        if not answer:
            self._records.pop(key, None)
            self._of_row.get(key[0], set()).discard(key)
        elif before is None or before.answer != answer:
            self._records[key] = Judgement(*key, answer, datetime.now(UTC))
            self._of_row.setdefault(key[0], set()).add(key)
        return AnswerChange(self._number, key, "" if before is None else before.answer or "", answer)


class SavedSelections(QObject):
    """The selections that the user saved for the shown corpus.

    Attributes:
        sets: Rows by name, int64 (k,).

    Signals:
        saved: (number of the corpus, name, rows before or None, rows) A selection was saved.

    Args:
        write: The function that writes into the session.
    """

    saved = Signal(int, str, object, object)

    def __init__(self, write: Write, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._write = write
        self._number: int | None = None
        self.sets: Mapping[str, Rows] = {}

    def show(self, number: int | None, sets: Mapping[str, Rows]) -> None:
        """Show the selections of a corpus, by its number in the session."""
        self._number, self.sets = number, sets

    def keep(self, name: str, rows: Rows) -> None:
        """Save rows, int64 (k,), under a name, replacing an older selection of that name."""
        number, before = self._number, self.sets.get(name)
        if number is not None:
            self.put(number, name, rows.copy())
            self.saved.emit(number, name, before, rows.copy())

    def put(self, number: int, name: str, rows: Rows | None) -> None:
        """Set the rows of a selection of any corpus of the session; None removes it."""
        if number == self._number:
            others = {other: stored for other, stored in self.sets.items() if other != name}
            self.sets = dict(sorted({**others, **({} if rows is None else {name: rows})}.items()))
        failure = self.tr("The selection could not be saved: {0}")

        def work(session: Session) -> None:
            if rows is None:
                session.remove_selection(number, name)
            else:
                session.save_selection(number, name, rows)

        self._write(work, failure)
