"""Non-modal questions for a file or a text, deleted once answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QInputDialog, QWidget

from parapluie_gui.errors import one_line
from parapluie_gui.ui.widgets.wheel import scroll_past

#: Folder of the file opened or written last, where the next dialog starts.
_last_folder: list[Path] = []


def file_dialog(parent: QWidget, title: str) -> QFileDialog:
    """Return a dialog that starts in the last folder, and is deleted once answered."""
    dialog = QFileDialog(parent, title)
    dialog.finished.connect(dialog.deleteLater)
    if _last_folder and _last_folder[0].is_dir():
        dialog.setDirectory(str(_last_folder[0]))

    def keep(names: Sequence[str]) -> None:
        if names:
            _last_folder[:] = [path_of(names[0]).parent]

    dialog.filesSelected.connect(keep)
    return dialog


def ask_to_open(
    parent: QWidget, title: str, take: Callable[[str], object], *, folder: bool = False, filters: Sequence[str] = ()
) -> None:
    """Ask for an existing file, or for a folder; `take` gets its path."""
    dialog = file_dialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.Directory if folder else QFileDialog.FileMode.ExistingFile)
    if filters:
        dialog.setNameFilters(list(filters))
    dialog.fileSelected.connect(lambda name: take(str(path_of(name))))
    scroll_past(dialog)
    dialog.open()


def ask_where_to_save(
    parent: QWidget,
    title: str,
    filters: Sequence[str],
    take: Callable[[Path, str], object],
    *,
    name: str = "",
    page: str = "",
    folder: str = "",
) -> None:
    """Ask for a file to write.

    Args:
        parent: The window or dialog that asks.
        title: The dialog's title.
        filters: One format each, such as "PNG picture (*.png)"; a name without an ending gets that of its format.
        take: Gets the path and the chosen format.
        name: Suggested name.
        page: Page of the manual, if it is not the parent's.
        folder: Where it starts, if that is a folder, instead of the last one.
    """
    dialog = file_dialog(parent, title)
    if folder and Path(folder).is_dir():
        dialog.setDirectory(folder)
    if page:
        dialog.setProperty("manual_page", page)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters(list(filters))
    dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(_ending(chosen)))
    dialog.setDefaultSuffix(_ending(filters[0]))
    if name:
        dialog.selectFile(name)
    dialog.fileSelected.connect(lambda name: take(path_of(name), dialog.selectedNameFilter()))
    scroll_past(dialog)
    dialog.open()


def input_dialog(parent: QWidget, title: str, label: str, page: str) -> QInputDialog:
    """Return a dialog that asks for a text or a number, and is deleted once answered; `page` is its manual page."""
    dialog = QInputDialog(parent)
    dialog.setProperty("manual_page", page)
    dialog.setWindowTitle(title)
    dialog.setLabelText(label)
    dialog.finished.connect(dialog.deleteLater)
    return dialog


def path_of(name: str) -> Path:
    """Return the path of a file name from Qt, which replaces bytes that are not UTF-8 by �.

    If no file, or more than one, has such a name, the path is the name as it is.
    """
    path = Path(name)
    if "\ufffd" not in name or path.exists():
        return path
    folder = path_of(str(path.parent))
    try:
        matches = [file for file in folder.iterdir() if one_line(file.name) == path.name]
    except OSError:
        matches = []
    return matches[0] if len(matches) == 1 else folder / path.name


def _ending(name_filter: str) -> str:
    """Return "csv" for "Comma-separated values (*.csv)"."""
    return name_filter.rsplit("*.", 1)[-1].rstrip(")")
