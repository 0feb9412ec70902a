"""File dialogs that block nothing: they are open beside the work, and are gone once they are answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget


def ask_to_open(
    parent: QWidget, title: str, take: Callable[[str], object], *, folder: bool = False, filters: Sequence[str] = ()
) -> None:
    """Ask for one file that exists, or for a folder; `take` gets its path."""
    dialog = QFileDialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.Directory if folder else QFileDialog.FileMode.ExistingFile)
    if filters:
        dialog.setNameFilters(list(filters))
    dialog.fileSelected.connect(take)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def ask_where_to_save(
    parent: QWidget,
    title: str,
    filters: Sequence[str],
    take: Callable[[Path], object],
    *,
    name: str = "",
    page: str = "",
) -> None:
    """Ask for a file to write.

    Args:
        parent: The window or dialog that asks.
        title: The dialog's title.
        filters: One format each, such as "PNG picture (*.png)"; a name without an ending gets that of its format.
        take: Gets the path.
        name: The name to begin with.
        page: The manual's page, if it is not the parent's.
    """
    dialog = QFileDialog(parent, title)
    if page:
        dialog.setProperty("manual_page", page)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters(list(filters))
    dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(_ending(chosen)))
    dialog.setDefaultSuffix(_ending(filters[0]))
    if name:
        dialog.selectFile(name)
    dialog.fileSelected.connect(lambda path: take(Path(path)))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _ending(name_filter: str) -> str:
    """Return "csv" for "Comma-separated values (*.csv)"."""
    return name_filter.rsplit("*.", 1)[-1].rstrip(")")
