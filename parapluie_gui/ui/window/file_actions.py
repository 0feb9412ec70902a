"""Actions on files: opening corpora, starting and saving sessions, saving selections, and their dialogs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from parapluie_gui.arrays import Rows
from parapluie_gui.errors import one_line
from parapluie_gui.storage import document
from parapluie_gui.storage.document import ENDING
from parapluie_gui.storage.working_copies import free_name
from parapluie_gui.ui.setup.column_dialog import MapperDialog
from parapluie_gui.ui.state.opening import OpeningQuestion
from parapluie_gui.ui.widgets.file_dialog import ask_to_open, ask_where_to_save, file_dialog, input_dialog, path_of
from parapluie_gui.ui.widgets.list_menu import Entry, call_without_checked
from parapluie_gui.ui.widgets.text import pairs_words
from parapluie_gui.ui.widgets.wheel import scroll_past
from parapluie_gui.ui.window.context import WindowContext, WindowController
from parapluie_gui.ui.window.window_state import MOST_GENERATIONS, WindowState

_CORPORA = "*.csv *.tsv *.txt *.json *.jsonl *.ndjson *.parquet *.xlsx *.xls *.ods"


def tr(text: str) -> str:
    """Return a text in the user's language."""
    return QCoreApplication.translate("Dialogs", text)


def ask_for_files(window: QWidget, take: Callable[[list[Path]], object], title: str = "") -> None:
    """Ask for corpora or a session to open."""
    dialog = file_dialog(window, title or tr("Open corpus"))
    dialog.setProperty("manual_page", "corpora")
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    wanted = tr("Sentence pairs and sessions ({0})").format(f"{_CORPORA} *{ENDING}")
    dialog.setNameFilters([wanted, tr("All files (*)")])
    dialog.filesSelected.connect(lambda names: take([path_of(name) for name in names]))
    scroll_past(dialog)
    dialog.open()


def ask_for_session(window: QWidget, take: Callable[[Path], object], name: str) -> None:
    """Ask for the session's file, proposing a name."""
    formats = [tr("Session (*{0})").format(ENDING)]
    ask_where_to_save(window, tr("Save session as"), formats, lambda path, _: take(path), name=name, page="sessions")


def ask_for_set_name(window: QWidget, name: str, take: Callable[[str], object]) -> None:
    """Ask for the name of a selection."""
    dialog = input_dialog(window, tr("Save selection"), tr("Name of the selection"), "table")
    dialog.setTextValue(name)
    dialog.textValueSelected.connect(lambda text: take(text.strip() or tr("Set")))
    dialog.open()


def ask_for_generations(window: QWidget, count: int, most: int, take: Callable[[int], object]) -> None:
    """Ask how many previous versions of a session file to keep."""
    words = tr("Number of previous versions to keep next to a session file (FILE{0}~, ~2, …)")
    dialog = input_dialog(window, tr("Previous versions"), words.format(ENDING), "sessions")
    dialog.setInputMode(QInputDialog.InputMode.IntInput)
    dialog.setIntRange(0, most)
    dialog.setIntValue(count)
    dialog.intValueSelected.connect(take)
    scroll_past(dialog)
    dialog.open()


def ask_which_version(
    window: QWidget,
    why: str,
    save_as: Callable[[], object],
    replace: Callable[[], object],
    take_other: Callable[[], object] | None,
) -> None:
    """Ask what to do with a session whose file has changed since it was saved."""
    box = QMessageBox(window)
    box.setWindowTitle(tr("Which version?"))
    box.setProperty("manual_page", "sessions")
    box.setIcon(QMessageBox.Icon.Warning)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(why)
    box.setInformativeText(
        tr(
            "Your work is kept in any case. Nothing is written to that file until you choose. Ctrl+S shows this "
            "question again."
        )
    )
    role = QMessageBox.ButtonRole.ActionRole
    for text, act in (
        (tr("Save as another file…"), save_as),
        (tr("Write my version there"), replace),
        (tr("Open that file and keep mine next to it"), take_other),
    ):
        if act is not None:
            box.addButton(text, role).clicked.connect(partial(call_without_checked, act))
    box.addButton(tr("Later"), QMessageBox.ButtonRole.RejectRole)
    box.finished.connect(box.deleteLater)
    box.open()


def ask_to_discard(window: QWidget, act: Callable[[], object]) -> None:
    """Ask before discarding a session that was never saved."""
    box = QMessageBox(window)
    box.setWindowTitle(tr("New session"))
    box.setIcon(QMessageBox.Icon.Question)
    box.setText(tr("This session has not been saved. Start a new one and lose its corpora and notes?"))
    box.setInformativeText(tr("Scores are kept and reused when the corpora are opened again."))
    box.setStandardButtons(QMessageBox.StandardButton.Discard | QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(QMessageBox.StandardButton.Cancel)  # so that Enter discards nothing
    box.button(QMessageBox.StandardButton.Discard).clicked.connect(lambda: act())
    box.finished.connect(box.deleteLater)
    box.open()


class FileActions(WindowController):
    """Actions on files, with their dialogs.

    Signals:
        leaving: The session is about to be saved, or another session or corpus is about to be opened.

    Args:
        context: The window's shared objects.
        remembered: Stores the recent files.
    """

    leaving = Signal()

    def __init__(self, context: WindowContext, remembered: WindowState) -> None:
        super().__init__(context)
        self._selection, self._remembered = context.workspace.selection, remembered
        state = self._state
        state.corpora.asked.connect(self._ask)
        state.session.saved.connect(self._take_saved)
        state.session.asked.connect(self._ask_which)
        state.session.keep_generations(remembered.generations)

    def open(self) -> None:
        """Ask for files and open them."""
        ask_for_files(self._window, self.open_paths)

    def open_folder(self) -> None:
        """Ask for a folder and open it."""
        title = self.tr("Open folder")
        ask_to_open(self._window, title, lambda name: self.open_paths([Path(name)]), folder=True)

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open files and add them to the recent ones."""
        self._flush()
        for path in paths:
            self._remembered.note_file(path)
        self._state.corpora.open_files(list(paths))

    def open_previous_version(self, path: Path) -> None:
        """Copy the previous version of a session file to a new file, and open that."""
        words = self.tr("Opening the previous version …")
        self._open_copy(words, document.previous_version(path), free_name(path))

    def open_copy(self, path: Path) -> None:
        """Copy a session file that is open elsewhere to a new file, and open that."""
        self._open_copy(self.tr("Opening a copy …"), path, free_name(path, self.tr("copy")))

    def _open_copy(self, words: str, path: Path, target: Path) -> None:
        def copy(tell: object) -> Path:
            return document.copy_file(path, target)

        self._state.queue.add(words, copy, lambda new: self.open_paths([new]), can_stop=False)

    def add(self) -> None:
        """Ask for files and add them to the open corpus."""
        ask_for_files(self._window, self._state.corpora.add_files, self.tr("Add corpus"))

    def paste(self) -> None:
        """Open the pairs on the clipboard."""
        self._state.corpora.open_text(QGuiApplication.clipboard().text())

    def open_demo(self) -> None:
        """Open the demo corpus that comes with the program."""
        self._state.corpora.open_demo()

    def reload(self) -> None:
        """Read the files of the open corpus again, for new pairs."""
        self._flush()
        self._state.corpora.reload()

    def ask_how_read(self) -> None:
        """Show how the file of the open corpus was read, to save that as a plan or to read it in another way."""
        self._flush()
        self._state.corpora.ask_again()

    def remove_corpus(self) -> None:
        """Remove the open corpus from the session."""
        self._scoring.stop()
        self._state.corpora.remove_corpus()

    def new_session(self) -> None:
        """Start an empty session; ask first if unsaved work would be lost."""
        state = self._state
        if state.session.path is not None or not (state.corpora.entries or state.settings.bench):
            self._start_session()
        else:
            ask_to_discard(self._window, self._start_session)

    def save_session(self) -> None:
        """Write the session to its file; ask for one if it has none."""
        self._flush()
        if self._state.session.path is None:
            self.save_session_elsewhere()
        else:
            self._state.session.save()

    def save_session_elsewhere(self) -> None:
        """Ask for a file and save the session there from now on."""
        path, (names, shown) = self._state.session.path, self._state.corpora.names()
        proposed = path.stem if path is not None else names[shown] if shown >= 0 else self.tr("session")
        ask_for_session(self._window, self.save_session_as, one_line(proposed).replace("/", "-"))

    def save_session_as(self, path: Path) -> None:
        """Save the session in this file from now on."""
        self._flush()
        self._state.session.save_as(path)

    def ask_generations(self) -> None:
        """Ask how many previous versions of a session file to keep."""
        ask_for_generations(self._window, self._remembered.generations, MOST_GENERATIONS, self._keep_generations)

    def keep_set(self) -> None:
        """Ask for a name and save the selection in the session."""
        if self._state.corpora.number is not None:
            name = "" if self._selection.rule is None else self._selection.rule.name
            ask_for_set_name(self._window, name, partial(self._keep_set, rows=self._selection.order))

    def recent_files(self) -> Iterator[Entry]:
        """Return the entries of the menu of recent files."""
        return ((one_line(name), partial(self.open_paths, [Path(name)])) for name in self._remembered.recent)

    def recent_names(self) -> list[str]:
        """Return the paths of the recent files, latest first."""
        return self._remembered.recent

    def kept_sets(self) -> Iterator[Entry]:
        """Yield the entries of the menu of saved selections."""
        for name, rows in self._state.sets.sets.items():
            yield f"{name} ({len(rows):,})", partial(self._selection.set_rows, name, rows)

    def _flush(self) -> None:
        """Store pending input and views before the session is saved or closed."""
        self._pair.flush()
        self.leaving.emit()

    def _start_session(self) -> None:
        self._scoring.stop()
        self._flush()
        self._state.session.new()

    def _keep_set(self, name: str, rows: Rows) -> None:
        self._state.sets.keep(name, rows)
        self.message.emit(self.tr("{0} saved as “{1}”.").format(pairs_words(len(rows)), name))

    def _keep_generations(self, count: int) -> None:
        self._remembered.generations = count
        self._state.session.keep_generations(count)

    def _take_saved(self, path: Path, new: bool) -> None:
        self._remembered.note_file(path)
        if new:
            self.message.emit(
                self.tr("Saved as {0}. From now on, your work is saved to that file.").format(one_line(path.name))
            )
        else:
            self.message.emit(self.tr("Saved."))

    def _ask_which(self, why: str) -> None:
        session = self._state.session
        exists = session.path is not None and session.path.exists()
        ask_which_version(
            self._window,
            why,
            self.save_session_elsewhere,
            partial(session.save, over=True),
            session.open_changed_file if exists else None,
        )

    def _ask(self, question: OpeningQuestion) -> None:
        dialog = MapperDialog(question, self._window)
        dialog.accepted.connect(lambda: self._state.corpora.answer(question, dialog.options()))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
