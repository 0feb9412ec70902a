"""The user's notes and verdicts on pairs of the shown corpus, and the saved selections."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication, QObject, Signal

from parapluie_gui.arrays import Rows
from parapluie_gui.scores.session import Session
from parapluie_gui.scores.verdict import Note

#: Changes something in the session; the sentence is for the case that it fails, {0} stands for the reason.
Write = Callable[[Callable[[Session], object], str], None]


class Notes(QObject):
    """The notes and verdicts of the shown corpus.

    Signals:
        changed: (row) A note or verdict was written.
        leaving: Another corpus is about to be shown; a note being typed belongs to this one.

    Args:
        write: Writes into the session.
    """

    changed = Signal(int)
    leaving = Signal()

    def __init__(self, write: Write, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._write = write
        self._number: int | None = None
        self._notes: dict[int, tuple[str, str]] = {}

    def show(self, number: int | None, notes: Mapping[int, Note]) -> None:
        """Show the notes of another corpus, by its number in the session and by row."""
        self.leaving.emit()
        self._number = number
        self._notes = {row: (note.text, note.verdict or "") for row, note in notes.items()}

    def of(self, row: int) -> tuple[str, str]:
        """Return the note and the verdict's id of a pair, "" for none."""
        return self._notes.get(row, ("", ""))

    def texts(self) -> dict[int, str]:
        """Return the notes by row; one with a verdict alone has an empty text."""
        return {row: text for row, (text, _) in self._notes.items()}

    def write(self, row: int, text: str, verdict: str) -> None:
        """Keep the note and the verdict's id of a pair, "" for none."""
        number = self._number
        if number is None or (text, verdict) == self.of(row):
            return
        if text or verdict:
            self._notes[row] = (text, verdict)
        else:
            del self._notes[row]
        failure = self.tr("The note could not be written: {0}")
        self._write(lambda session: session.set_note(number, row, text, verdict or None), failure)
        self.changed.emit(row)


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
