"""The window's settings that are kept between two runs, in a versioned file in the user's data folder."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication

from parapluie_gui import files, places
from parapluie_gui.errors import OwnFileError
from parapluie_gui.files import put_aside
from parapluie_gui.own_files import read_json
from parapluie_gui.ui.state.stored_values import StoredValues

VERSION = 1

#: Maximum size of the file in bytes; the window itself writes a few thousand.
_LARGEST = 2**24


def tr(text: str) -> str:
    """Return a text in the user's language."""
    return QCoreApplication.translate("Preferences", text)


class UserPreferences:
    """A small dictionary on disk. Problems with the file never prevent the window from starting.

    A file that cannot be parsed is renamed and kept. A file of a newer version is left alone, and nothing is stored in
    this run.

    Attributes:
        values: The stored values.
        troubles: Sentences about problems with the file.

    Args:
        path: The file; by default the user's preferences file.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or places.user_data() / "window.json"
        self._writable = True
        self._new: dict[str, Any] = {}
        self.troubles: list[str] = []
        self.values = StoredValues(self._read())

    def set(self, key: str, value: Any) -> None:
        self._new[key] = value

    def check(self) -> None:
        """Rename the file if some of the values read so far are invalid; the valid ones stay in use."""
        if skipped := self.values.skipped:
            what = tr("Some of the window's settings are invalid and were ignored: {0}.")
            self._set_aside(what.format(", ".join(skipped)))

    def save(self) -> None:
        """Write the file, if the disk can be written; otherwise the settings are lost."""
        if not self._writable:
            return
        # ASCII: a file name that is not UTF-8 has characters that UTF-8 cannot hold.
        text = json.dumps({**self.values, **self._new, "version": VERSION}, indent=1)
        with contextlib.suppress(OSError):
            files.write_text(self._path, text, private=True)

    def _read(self) -> dict[str, Any]:
        """Return the contents of the file; empty if it cannot be used."""
        damaged = tr("The file of the window's settings, {0}, is damaged. The window starts with the default settings.")
        try:
            if not os.path.lexists(self._path):
                return {}
            values = read_json(self._path, _LARGEST)
        except OSError as error:
            self._writable = False
            unreadable = tr("The file of the window's settings, {0}, cannot be read ({1}). Settings are not saved.")
            self.troubles.append(unreadable.format(self._path, error.strerror))
            return {}
        except OwnFileError:
            values = None
        version = values.get("version") if isinstance(values, dict) else None
        if type(version) is not int or version < VERSION:
            self._set_aside(damaged.format(self._path.name))
            return {}
        if version > VERSION:
            self._writable = False
            newer = tr("The window's settings were written by a newer version of the program, so they are not used.")
            self.troubles.append(f"{newer} {tr('Update this program.')}")
            return {}
        assert isinstance(values, dict)
        return values

    def _set_aside(self, what: str) -> None:
        try:
            other = put_aside(self._path)
        except OSError as error:
            self._writable = False
            left = tr("It could not be renamed ({0}). Remove {1} yourself.").format(error.strerror, self._path)
            self.troubles.append(f"{what} {left}")
        else:
            self.troubles.append(f"{what} {tr('The file is kept as {0}.').format(other.name)}")
