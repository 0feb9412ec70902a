"""The user's folder of templates, read again soon after a file in it changes."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal

from parapluie_gui import places
from parapluie_gui.own_files import BrokenFile
from parapluie_gui.pluie.templates import Template, load_templates
from parapluie_gui.ui.state.throttle import CallThrottle

#: Delay after the last change of a file before it is read, in milliseconds: editors write a file in several steps.
REST_MS = 200


class TemplateFolder(QObject):
    """The built-in templates and those in the user's folder, read again whenever a file of the folder changes.

    Attributes:
        templates: The built-in and the user's templates, with unique names.
        broken: The user's files that cannot be used.

    Signals:
        changed: The templates or the broken files changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.templates: list[Template] = []
        self.broken: list[BrokenFile] = []
        self._watcher = QFileSystemWatcher(self)
        self._soon = CallThrottle(self.read, REST_MS, self, rest=True)
        self._watcher.directoryChanged.connect(self._soon.ask)
        self._watcher.fileChanged.connect(self._soon.ask)
        self.read()

    @property
    def path(self) -> Path:
        """The folder, which need not exist."""
        return places.user_templates()

    def make(self) -> None:
        """Create the folder, and watch it.

        Raises:
            OSError: It cannot be created.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        self._watch()

    def read(self) -> None:
        """Read all templates."""
        self._watch()
        before = self.templates, self.broken
        self.templates, self.broken = load_templates(self.path)
        if (self.templates, self.broken) != before:
            self.changed.emit()

    def _watch(self) -> None:
        """Watch the folder and its files; a file that an editor replaced must be added again."""
        wanted = {str(self.path), *map(str, self.path.glob("*.toml"))} if self.path.is_dir() else set()
        watched = {*self._watcher.directories(), *self._watcher.files()}
        if gone := sorted(watched - wanted):
            self._watcher.removePaths(gone)
        if new := sorted(wanted - watched):
            self._watcher.addPaths(new)
