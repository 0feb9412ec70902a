"""What people say of pairs of the shown corpus: notes and answers, and the saved selections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from PySide6.QtCore import QCoreApplication, QObject, Signal

from parapluie_gui import places
from parapluie_gui.arrays import Rows
from parapluie_gui.judgements.record import NOTE, UNNAMED, Judgement, Key, in_force
from parapluie_gui.judgements.scheme import BrokenScheme, Scheme, load_schemes, pair_verdict
from parapluie_gui.scores.session import Session

#: Changes something in the session; the sentence is for the case that it fails, {0} stands for the reason.
Write = Callable[[Callable[[Session], object], str], None]


class Notes(QObject):
    """The notes and answers on the shown corpus, of all annotators.

    Attributes:
        annotator: Whose notes and verdicts are written and shown in the Pair panel.
        schemes: What is known of questions.
        broken: Files of the user's folder of schemes that cannot be used.

    Signals:
        changed: (row) A note or an answer was written.
        annotator_changed: Somebody else annotates.
        leaving: Another corpus or annotator is about to be shown; a note being typed belongs to this one.

    Args:
        write: Writes into the session.
    """

    changed = Signal(int)
    annotator_changed = Signal()
    leaving = Signal()

    def __init__(self, write: Write, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._write = write
        self._number: int | None = None
        self._records: dict[Key, Judgement] = {}
        self.annotator = UNNAMED
        found, broken = load_schemes(places.user_schemes())
        self.schemes: Sequence[Scheme] = found
        self.broken: Sequence[BrokenScheme] = broken

    def show(self, number: int | None, records: Iterable[Judgement]) -> None:
        """Show what was said of another corpus, by its number in the session."""
        self.leaving.emit()
        self._number = number
        self._records = {record.key: record for record in in_force(records)}

    def records(self) -> list[Judgement]:
        """Return the answers and notes that count, of all annotators."""
        return list(self._records.values())

    def set_annotator(self, name: str) -> None:
        """Let somebody else annotate."""
        if name != self.annotator:
            self.leaving.emit()
            self.annotator = name
            self.annotator_changed.emit()

    def of(self, row: int) -> tuple[str, str]:
        """Return the annotator's note and the verdict's id of a pair, "" for none."""
        scheme, question = pair_verdict()
        return self.answer(row, *NOTE), self.answer(row, scheme, question.id)

    def texts(self) -> dict[int, str]:
        """Return the notes by row, of whom ever; a pair with another answer alone has an empty text."""
        found: dict[int, str] = {}
        for record in self._records.values():
            text = (record.answer or "") if (record.scheme, record.question) == NOTE else ""
            found[record.row] = found.get(record.row, "") or text
        return found

    def answer(self, row: int, scheme: str, question: str) -> str:
        """Return the annotator's answer to a question on a pair: its id or the text of a note, "" for none."""
        record = self._records.get((row, self.annotator, scheme, question))
        return "" if record is None else record.answer or ""

    def write(self, row: int, text: str, verdict: str) -> None:
        """Keep the annotator's note and the verdict's id of a pair, "" for none."""
        number, annotator = self._number, self.annotator
        if number is None or (text, verdict) == self.of(row):
            return
        scheme, question = pair_verdict()
        self._put(row, *NOTE, text)
        self._put(row, scheme, question.id, verdict)
        failure = self.tr("The note could not be written: {0}")
        self._write(lambda session: session.set_note(number, row, text, verdict or None, annotator), failure)
        self.changed.emit(row)

    def judge(self, row: int, scheme: str, question: str, answer: str) -> None:
        """Keep the annotator's answer to a question on a pair, "" to take it back."""
        number, annotator = self._number, self.annotator
        if number is None or answer == self.answer(row, scheme, question):
            return
        self._put(row, scheme, question, answer)
        failure = self.tr("The answer could not be written: {0}")
        self._write(lambda session: session.judge(number, row, annotator, scheme, question, answer or None), failure)
        self.changed.emit(row)

    def _put(self, row: int, scheme: str, question: str, answer: str) -> None:
        key = (row, self.annotator, scheme, question)
        if not answer:
            self._records.pop(key, None)
        elif key not in self._records or self._records[key].answer != answer:
            self._records[key] = Judgement(*key, answer, datetime.now(UTC))


class KeptSets:
    """The selections that the user saved for the shown corpus.

    Attributes:
        sets: Name to rows, int64 (k,).

    Args:
        write: Writes into the session.
    """

    def __init__(self, write: Write) -> None:
        self._write = write
        self._number: int | None = None
        self.sets: Mapping[str, Rows] = {}

    def show(self, number: int | None, sets: Mapping[str, Rows]) -> None:
        """Show the sets of another corpus, by its number in the session."""
        self._number, self.sets = number, sets

    def keep(self, name: str, rows: Rows) -> None:
        """Save rows, int64 (k,), under a name; an older set of that name is replaced."""
        number, kept = self._number, rows.copy()
        if number is not None:
            self.sets = dict(sorted({**self.sets, name: kept}.items()))
            failure = QCoreApplication.translate("KeptSets", "The selection could not be saved: {0}")
            self._write(lambda session: session.save_selection(number, name, kept), failure)
