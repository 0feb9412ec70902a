"""The dialogs in which the window asks for a file or a name; each is open beside the work and blocks nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from parapluie_gui.storage.document import ENDING
from parapluie_gui.ui.widgets.file_dialog import ask_where_to_save, path_of

_CORPORA = "*.csv *.tsv *.txt *.json *.jsonl *.ndjson *.parquet *.xlsx *.xls *.ods"


def tr(text: str) -> str:
    """Return a text in the user's language."""
    return QCoreApplication.translate("Dialogs", text)


def ask_for_files(window: QWidget, take: Callable[[list[Path]], object], title: str = "") -> None:
    """Ask for corpora or a session to open."""
    dialog = QFileDialog(window, title or tr("Open corpus"))
    dialog.setProperty("manual_page", "corpora")
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    wanted = tr("Sentence pairs and sessions ({0})").format(f"{_CORPORA} *{ENDING}")
    dialog.setNameFilters([wanted, tr("All files (*)")])
    dialog.filesSelected.connect(lambda names: take([path_of(name) for name in names]))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def ask_for_session(window: QWidget, take: Callable[[Path], object], name: str) -> None:
    """Ask where to keep the session, proposing a name."""
    formats = [tr("Session (*{0})").format(ENDING)]
    ask_where_to_save(window, tr("Save session as"), formats, lambda path, _: take(path), name=name, page="sessions")


def ask_for_set_name(window: QWidget, name: str, take: Callable[[str], object]) -> None:
    """Ask what to call a set of pairs."""
    dialog = QInputDialog(window)
    dialog.setProperty("manual_page", "table")
    dialog.setWindowTitle(tr("Save selection"))
    dialog.setLabelText(tr("Name of the selection"))
    dialog.setTextValue(name)
    dialog.textValueSelected.connect(lambda text: take(text.strip() or tr("Set")))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def ask_for_generations(window: QWidget, count: int, most: int, take: Callable[[int], object]) -> None:
    """Ask how many previous versions of a session file are to be kept."""
    dialog = QInputDialog(window)
    dialog.setProperty("manual_page", "sessions")
    dialog.setWindowTitle(tr("Previous versions"))
    dialog.setInputMode(QInputDialog.InputMode.IntInput)
    words = tr("Previous versions of a session file that are kept beside it (FILE{0}~, ~2, …)")
    dialog.setLabelText(words.format(ENDING))
    dialog.setIntRange(0, most)
    dialog.setIntValue(count)
    dialog.intValueSelected.connect(take)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def ask_which_version(
    window: QWidget,
    why: str,
    save_as: Callable[[], object],
    replace: Callable[[], object],
    take_other: Callable[[], object] | None,
) -> None:
    """Ask what is to become of a session whose file is not what was saved last."""
    box = QMessageBox(window)
    box.setWindowTitle(tr("Which version?"))
    box.setProperty("manual_page", "sessions")
    box.setIcon(QMessageBox.Icon.Warning)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(why)
    box.setInformativeText(
        tr("Your work is kept in any case. Nothing is written into that file until you choose; Ctrl+S asks again.")
    )
    role = QMessageBox.ButtonRole.ActionRole
    for text, act in (
        (tr("Save as another file…"), save_as),
        (tr("Write my version there"), replace),
        (tr("Open that file, keep mine beside it"), take_other),
    ):
        if act is not None:
            box.addButton(text, role).clicked.connect(partial(_press, act))
    box.addButton(tr("Later"), QMessageBox.ButtonRole.RejectRole)
    box.finished.connect(box.deleteLater)
    box.open()


def _press(act: Callable[[], object], checked: bool = False) -> None:
    act()


def ask_to_discard(window: QWidget, act: Callable[[], object]) -> None:
    """Ask before a session without a file is emptied."""
    box = QMessageBox(window)
    box.setWindowTitle(tr("New session"))
    box.setIcon(QMessageBox.Icon.Question)
    box.setText(tr("This session has not been saved. Start a new one and lose its corpora and notes?"))
    box.setInformativeText(tr("The scores are kept and are reused when the corpora are opened again."))
    box.setStandardButtons(QMessageBox.StandardButton.Discard | QMessageBox.StandardButton.Cancel)
    box.button(QMessageBox.StandardButton.Discard).clicked.connect(lambda: act())
    box.finished.connect(box.deleteLater)
    box.open()
