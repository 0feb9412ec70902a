"""The actions on files: opening corpora, beginning and saving sessions, saving selections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from parapluie_gui.arrays import Rows
from parapluie_gui.errors import one_line
from parapluie_gui.storage import document
from parapluie_gui.storage.working_copies import free_name
from parapluie_gui.ui.setup.column_dialog import MapperDialog
from parapluie_gui.ui.state.opening import Question
from parapluie_gui.ui.widgets.file_dialog import ask_to_open
from parapluie_gui.ui.widgets.list_menu import Entry
from parapluie_gui.ui.widgets.text import pairs_words
from parapluie_gui.ui.window import dialogs
from parapluie_gui.ui.window.context import Context
from parapluie_gui.ui.window.window_state import MOST_GENERATIONS, WindowState


class FileActions(QObject):
    """Asks for files and names, and opens or saves them.

    Signals:
        said: (str) A sentence: something was done.

    Args:
        context: What it opens into.
        remembered: Holds the recent files.
    """

    said = Signal(str)

    def __init__(self, context: Context, remembered: WindowState) -> None:
        super().__init__(context.window)
        self._window, self._state, self._selection = context.window, context.state, context.workspace.selection
        self._scoring, self._pair, self._remembered = context.scoring, context.pair, remembered
        state = self._state
        state.corpora.asked.connect(self._ask)
        state.session.saved.connect(self._take_saved)
        state.session.asked.connect(self._ask_which)
        state.session.keep_generations(remembered.generations)

    def open(self) -> None:
        """Ask for files and open them."""
        dialogs.ask_for_files(self._window, self.open_paths)

    def open_folder(self) -> None:
        """Ask for a folder and open what is in it."""
        title = self.tr("Open folder")
        ask_to_open(self._window, title, lambda name: self.open_paths([Path(name)]), folder=True)

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open files and remember them as recent."""
        self._pair.flush()
        for path in paths:
            self._remembered.note_file(path)
        self._state.corpora.open_files(list(paths))

    def open_version_before(self, path: Path) -> None:
        """Copy the version before of a session file to a file of its own, and open that."""

        def copy(tell: object) -> Path:
            return document.copy_version_before(path, free_name(path))

        words = self.tr("Opening the previous version …")
        self._state.queue.add(words, copy, lambda made: self.open_paths([made]), can_stop=False)

    def add(self) -> None:
        """Ask for files and pool them with the shown corpus."""
        dialogs.ask_for_files(self._window, self._state.corpora.add_files, self.tr("Add corpus"))

    def paste(self) -> None:
        """Open the pairs on the clipboard."""
        self._state.corpora.open_text(QGuiApplication.clipboard().text())

    def open_demo(self) -> None:
        """Open the demo corpus that comes with the program."""
        self._state.corpora.open_demo()

    def reload(self) -> None:
        """Read the shown folder of parts again, or what the shown pairs are a sample of."""
        self._pair.flush()
        self._state.corpora.reload()

    def remove_corpus(self) -> None:
        """Remove the shown corpus from the session."""
        self._scoring.stop()
        self._state.corpora.remove_corpus()

    def new_session(self) -> None:
        """Begin an empty session, after asking when something would be lost."""
        state = self._state
        if state.session.path is not None or not (state.corpora.entries or state.settings.bench):
            self._begin_anew()
        else:
            dialogs.ask_to_discard(self._window, self._begin_anew)

    def save_session(self) -> None:
        """Write the session to its file; without one, ask for it."""
        self._pair.flush()
        if self._state.session.path is None:
            self.save_session_elsewhere()
        else:
            self._state.session.save()

    def save_session_elsewhere(self) -> None:
        """Ask for a file and keep the session there from now on."""
        path, (names, shown) = self._state.session.path, self._state.corpora.names()
        proposed = path.stem if path is not None else names[shown] if shown >= 0 else self.tr("session")
        dialogs.ask_for_session(self._window, self.save_session_as, one_line(proposed).replace("/", "-"))

    def save_session_as(self, path: Path) -> None:
        """Keep the session in this file from now on."""
        self._pair.flush()
        self._state.session.save_as(path)

    def ask_generations(self) -> None:
        """Ask how many previous versions of a session file are to be kept."""
        dialogs.ask_for_generations(
            self._window, self._remembered.generations, MOST_GENERATIONS, self._keep_generations
        )

    def keep_set(self) -> None:
        """Ask for a name and keep the selection in the session."""
        if self._state.corpora.number is not None:
            name = "" if self._selection.rule is None else self._selection.rule.name
            dialogs.ask_for_set_name(self._window, name, partial(self._keep_set, rows=self._selection.order))

    def recent_files(self) -> Iterator[Entry]:
        """Return the entries of the menu of recent files."""
        return ((one_line(name), partial(self.open_paths, [Path(name)])) for name in self._remembered.recent)

    def recent_names(self) -> list[str]:
        """Return the paths of the recent files, the latest first."""
        return self._remembered.recent

    def kept_sets(self) -> Iterator[Entry]:
        """Yield the entries of the menu of saved selections."""
        for name, rows in self._state.sets.sets.items():
            yield f"{name} ({len(rows):,})", partial(self._selection.set_rows, name, rows)

    def _begin_anew(self) -> None:
        self._scoring.stop()
        self._pair.flush()
        self._state.session.new()

    def _keep_set(self, name: str, rows: Rows) -> None:
        self._state.sets.keep(name, rows)
        self.said.emit(self.tr("{0} saved as “{1}”.").format(pairs_words(len(rows)), name))

    def _keep_generations(self, count: int) -> None:
        self._remembered.generations = count
        self._state.session.keep_generations(count)

    def _take_saved(self, path: Path, new: bool) -> None:
        self._remembered.note_file(path)
        if new:
            self.said.emit(
                self.tr("Saved as {0}. From now on that file follows your work.").format(one_line(path.name))
            )
        else:
            self.said.emit(self.tr("Saved."))

    def _ask_which(self, why: str) -> None:
        session = self._state.session
        there = session.path is not None and session.path.exists()
        dialogs.ask_which_version(
            self._window,
            why,
            self.save_session_elsewhere,
            partial(session.save, over=True),
            session.take_other if there else None,
        )

    def _ask(self, question: Question) -> None:
        dialog = MapperDialog(question.opened, question.name, self._window)
        dialog.accepted.connect(lambda: self._state.corpora.answer(question, dialog.options()))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
