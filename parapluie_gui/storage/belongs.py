"""Which session file a working copy belongs to: a note of JSON beside the database says so."""

from __future__ import annotations

import json
import os
from pathlib import Path

from parapluie_gui.errors import UnwritableError
from parapluie_gui.files import write_text
from parapluie_gui.own_files import read_json_or_none, skipping_damage

#: The folder of working copies within the user's data folder.
FOLDER = "sessions"


def note(database: Path) -> Path:
    """Return where the note of a working copy is."""
    return database.with_suffix(".json")


def read(database: Path) -> tuple[Path | None, tuple[str, ...]]:
    """Return the document a working copy belongs to, and the `save`s in the document's trailer that are its own."""
    with skipping_damage():
        content = read_json_or_none(note(database), errors="surrogateescape")
        document = content["document"]
        return None if document is None else Path(document), tuple(map(str, content["saves"]))
    return None, ()


def write(database: Path, document: Path | None, saves: tuple[str, ...]) -> None:
    """Keep what `read` returns.

    Raises:
        UnwritableError: The data folder cannot be written.
    """
    text = json.dumps({"document": None if document is None else os.fsdecode(document), "saves": saves})
    try:
        write_text(note(database), text, private=True, errors="surrogateescape")
    except OSError as error:
        raise UnwritableError(f"{database.parent} cannot be written ({error.strerror}).") from error


def shown_name(database: Path) -> str:
    """Return what a database is called in a sentence for the user, who knows no working copy by its name."""
    document, _ = read(database)
    if document is not None:
        return document.name
    return "The unsaved session" if database.parent.name == FOLDER else database.name
