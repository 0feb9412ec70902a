"""The user's folder of templates, watched: what is written into it is in the list a moment later."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal

from parapluie_gui import places
from parapluie_gui.own_files import BrokenFile
from parapluie_gui.pluie.templates import Template, load_templates
from parapluie_gui.ui.state.throttle import Throttle

#: Editors write a file in several steps; it is read once they have rested for these milliseconds.
REST_MS = 200


class TemplateFolder(QObject):
    """Reads the templates, again whenever a file of the folder changes.

    Attributes:
        templates: The built-in ones and the user's, names unique.
        broken: The user's files that cannot be used.

    Signals:
        changed: Other templates were read.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.templates: list[Template] = []
        self.broken: list[BrokenFile] = []
        self._watcher = QFileSystemWatcher(self)
        self._soon = Throttle(self.read, REST_MS, self, rest=True)
        self._watcher.directoryChanged.connect(self._soon.ask)
        self._watcher.fileChanged.connect(self._soon.ask)
        self.read()

    @property
    def path(self) -> Path:
        """The folder; it need not be there."""
        return places.user_templates()

    def make(self) -> None:
        """Make the folder, which is watched from now on.

        Raises:
            OSError: It cannot be made.
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
        """Watch the folder and its files; one that an editor replaced is another one to the system."""
        wanted = {str(self.path), *map(str, self.path.glob("*.toml"))} if self.path.is_dir() else set()
        watched = {*self._watcher.directories(), *self._watcher.files()}
        if gone := sorted(watched - wanted):
            self._watcher.removePaths(gone)
        if new := sorted(wanted - watched):
            self._watcher.addPaths(new)
