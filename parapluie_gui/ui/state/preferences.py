"""What the window remembers between two runs, in a versioned file in the user's data folder."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from parapluie_gui import files, places

VERSION = 1


class Preferences:
    """A small dictionary on disk.

    A file of a newer version is left alone: this run then remembers nothing.

    Args:
        path: Another file than the user's, for tests.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or places.user_data() / "window.json"
        self._values: dict[str, Any] = {}
        self._writable = True
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return
        if isinstance(kept, dict) and kept.get("version") == VERSION:
            self._values = kept
        elif isinstance(kept, dict) and isinstance(kept.get("version"), int) and kept["version"] > VERSION:
            self._writable = False

    def get(self, key: str, default: Any = None) -> Any:
        """Return what was remembered; a value of another type than the default's does not count."""
        value = self._values.get(key, default)
        return value if default is None or isinstance(value, type(default)) else default

    def set(self, key: str, value: Any) -> None:
        self._values[key] = value

    def save(self) -> None:
        """Write the file; a disk that cannot be written costs the memory, not the work."""
        if not self._writable:
            return
        text = json.dumps({**self._values, "version": VERSION}, ensure_ascii=False, indent=1)
        with contextlib.suppress(OSError):
            files.write_text(self._path, text, private=True)
