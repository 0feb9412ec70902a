"""The settings of the session: the view of each corpus, the history of the Bench, and other values by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from parapluie_gui.ui.state.session_file import SessionFile
from parapluie_gui.ui.state.stored_values import StoredValues

#: The setting with the number of the corpus that was shown last.
SHOWN = "shown"


class SessionSettings(QObject):
    """The settings of the open session. They are read when it is opened, and changes are written in its thread.

    Attributes:
        values: The settings other than the Bench's history, by key.
        bench: The Bench's history, oldest first.

    Signals:
        opened: The settings of a session were read.
        skipped: (str) A sentence that names the invalid settings.
    """

    opened = Signal()
    skipped = Signal(str)

    def __init__(self, session: SessionFile, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._values: dict[str, Any] = {}
        self._reported = 0
        self.values = StoredValues(self._values)
        self.bench: tuple[Mapping[str, object], ...] = ()
        session.opened.connect(self._take)

    def keep(self, key: str, value: object) -> None:
        """Store a value that JSON can represent; nothing is stored before a session is open."""
        if self._session.copy is not None and self._values.get(key) != value:
            self._values[key] = value
            failure = self.tr("The session's settings could not be written: {0}")
            self._session.write(lambda session: session.set_setting(key, value), failure)

    def drop(self, key: str) -> None:
        """Remove a value."""
        if self._values.pop(key, None) is not None:
            failure = self.tr("The session's settings could not be written: {0}")
            self._session.write(lambda session: session.drop_setting(key), failure)

    def check(self) -> None:
        """Report the values read since the last call that are invalid and were ignored."""
        new = self.values.skipped[self._reported :]
        self._reported += len(new)
        if new:
            what = self.tr("Some settings of this session are invalid and were ignored: {0}.")
            self.skipped.emit(what.format(", ".join(new)))

    def view(self, number: int | None) -> StoredValues:
        """Return the last view of a corpus: axes, threshold, filter, primary pair."""
        return self.values.part(f"view.{number}")

    def keep_view(self, number: int | None, view: Mapping[str, Any]) -> None:
        if number is not None:
            self.keep(f"view.{number}", dict(view))

    def keep_bench(self, entries: Sequence[Mapping[str, object]]) -> None:
        self.bench = tuple(entries)
        failure = self.tr("The Bench's history could not be written: {0}")
        self._session.write(lambda session: session.set_bench(entries), failure)

    def _take(self) -> None:
        self._values = dict(self._session.contents.settings)
        self.values, self._reported = StoredValues(self._values), 0
        self.bench = self._session.contents.bench
        self.opened.emit()
