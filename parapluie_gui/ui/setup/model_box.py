"""An editable list of models, in which a folder, a file or a hub id can be typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QComboBox, QWidget

from parapluie_gui.computer import format_bytes
from parapluie_gui.models.catalogue import find_kind
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.ui.widgets.arrange import name_control
from parapluie_gui.ui.widgets.wrapped import NarrowBox


@dataclass(frozen=True)
class ModelChoice:
    """A model that the user can choose.

    Attributes:
        name: Name for the scorer (catalogue name, folder, GGUF file).
        title: Title for the user.
        note: A sentence about this kind of judge.
        ready: Whether it is on this computer.
        kind: CAUSAL or MASKED, which determines its templates.
        built_in: Whether it ships with the program.
        checked: The data it was checked on, "" if unknown.
        card: Page of the manual with its results on these data, "" if there is none.
        download_mb: Size of the download in MB, 0 if unknown.
    """

    name: str
    title: str
    note: str = ""
    ready: bool = True
    kind: str = CAUSAL
    built_in: bool = False
    checked: str = ""
    card: str = ""
    download_mb: int = 0


class ModelBox(NarrowBox):
    """A list of models' titles; other text counts as a model outside the list.

    Attributes:
        choices: The listed models.
    """

    def __init__(self, name: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(8, parent)
        self.choices: tuple[ModelChoice, ...] = ()
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        name_control(self, name, tip)
        self.activated.connect(self._show_title)
        if (line := self.lineEdit()) is not None:
            line.setPlaceholderText(self.tr("Choose a model"))
            line.setAccessibleName(name)
            line.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Open the list if a model's name is clicked, since the arrow is small."""
        if (
            watched is self.lineEdit()
            and isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonRelease
            and event.button() == Qt.MouseButton.LeftButton
            and self.choice is not None
            and not self._selects()
        ):
            self.showPopup()
        return super().eventFilter(watched, event)

    @property
    def choice(self) -> ModelChoice | None:
        """The model chosen from the list, or None if a different name is typed."""
        text = self.currentText().strip()
        return next(
            (listed for listed in self.choices if text in (listed.title, listed.name, self._list_entry(listed))), None
        )

    @property
    def name(self) -> str:
        """The model's name for the scorer, "" if none is chosen."""
        choice = self.choice
        return self.currentText().strip() if choice is None else choice.name

    @property
    def kind(self) -> str:
        """CAUSAL or MASKED, or "" while unknown, as for a half-typed folder."""
        choice = self.choice
        return find_kind(self.name) if choice is None else choice.kind

    def set_choices(self, choices: Sequence[ModelChoice]) -> None:
        """List the models, without a signal; the chosen or typed model is kept."""
        text, name = self.currentText(), self.name
        with QSignalBlocker(self):
            self.choices = tuple(choices)
            self.clear()
            for choice in choices:
                self.addItem(self._list_entry(choice), choice.name)
            self.setCurrentIndex(-1)
            self.setEditText(text)
            if name:
                self.pick(name)

    def pick(self, name: str) -> None:
        """Choose a model by its name, or any folder, file or hub id."""
        choice = next((choice for choice in self.choices if choice.name == name), None)
        if choice is not None:
            self.setCurrentIndex(self.choices.index(choice))
        self.setEditText(name if choice is None else choice.title)
        if (line := self.lineEdit()) is not None:
            line.setCursorPosition(0)  # show the start of a long name

    def _selects(self) -> bool:
        return (line := self.lineEdit()) is not None and line.hasSelectedText()

    def _list_entry(self, choice: ModelChoice) -> str:
        """Return a model's entry in the list: its title, and its download if it is missing."""
        if choice.ready:
            return choice.title
        if choice.download_mb:
            return self.tr("{0} · download {1}").format(choice.title, format_bytes(choice.download_mb * 1e6))
        return self.tr("{0} · to download").format(choice.title)

    def _show_title(self, at: int) -> None:
        self.pick(self.choices[at].name)
