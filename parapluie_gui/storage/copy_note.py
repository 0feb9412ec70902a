"""The note next to a working copy, in JSON, that names the session file it belongs to."""

from __future__ import annotations

import json
import os
from pathlib import Path

from parapluie_gui.errors import UnwritableError
from parapluie_gui.files import write_text
from parapluie_gui.own_files import read_json_or_none, skipping_damage

#: The folder of working copies within the user's data folder.
FOLDER = "sessions"


def note_path(database: Path) -> Path:
    """Return the path of a working copy's note."""
    return database.with_suffix(".json")


def read(database: Path) -> tuple[Path | None, tuple[str, ...]]:
    """Return the document of a working copy, and the `save` values that this copy wrote to or read from its trailer."""
    with skipping_damage():
        content = read_json_or_none(note_path(database), errors="surrogateescape")
        document = content["document"]
        return None if document is None else Path(document), tuple(map(str, content["saves"]))
    return None, ()


def write(database: Path, document: Path | None, saves: tuple[str, ...]) -> None:
    """Write a note from which `read` returns these values.

    Raises:
        UnwritableError: The data folder cannot be written.
    """
    text = json.dumps({"document": None if document is None else os.fsdecode(document), "saves": saves})
    try:
        write_text(note_path(database), text, private=True, errors="surrogateescape")
    except OSError as error:
        raise UnwritableError(f"{database.parent} cannot be written ({error.strerror}).") from error


def display_name(database: Path) -> str:
    """Return the name of a database for a message: users know their session file, not its working copy."""
    document, _ = read(database)
    if document is not None:
        return document.name
    return "The unsaved session" if database.parent.name == FOLDER else database.name
