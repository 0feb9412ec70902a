"""A list of models of which one judges, and in which a folder, a file or a hub id can be typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QComboBox, QWidget

from parapluie_gui.models.catalogue import kind_of
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.ui.widgets.arrange import named
from parapluie_gui.ui.widgets.wrapped import NarrowBox


@dataclass(frozen=True)
class ModelChoice:
    """A model the user can pick.

    Attributes:
        name: For the scorer (catalogue name, folder, GGUF file).
        title: For the user.
        note: A sentence on the sort of judge.
        ready: It is on this computer.
        kind: CAUSAL or MASKED, which decides on its templates.
        built_in: It came with the program.
        checked: What it was checked on, "" where nothing is known.
        card: The manual's page that says how it did there, "" where there is none.
        download_mb: How much is to be downloaded, 0 where that is not known.
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
    """Titles of models; what is typed counts as one that is not in the list.

    Attributes:
        choices: The models of the list.
    """

    def __init__(self, name: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(8, parent)
        self.choices: tuple[ModelChoice, ...] = ()
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        named(self, name, tip)
        self.activated.connect(self._show_title)
        if (line := self.lineEdit()) is not None:
            line.setPlaceholderText(self.tr("Choose a model"))
            line.setAccessibleName(name)
            line.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Open the list where a model's name is clicked: it is shown like a list, and the arrow is small."""
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
        """The model picked from the list, or None when another name is typed."""
        text = self.currentText().strip()
        return next((each for each in self.choices if text in (each.title, each.name, self._listed(each))), None)

    @property
    def name(self) -> str:
        """The name of the model for the scorer; "" when nothing is picked."""
        choice = self.choice
        return self.currentText().strip() if choice is None else choice.name

    @property
    def kind(self) -> str:
        """CAUSAL or MASKED; "" while that is unknown, such as for a folder half typed."""
        choice = self.choice
        return kind_of(self.name) if choice is None else choice.kind

    def set_choices(self, choices: Sequence[ModelChoice]) -> None:
        """List the models, without a signal; what is picked or typed stays."""
        text, name = self.currentText(), self.name
        with QSignalBlocker(self):
            self.choices = tuple(choices)
            self.clear()
            for choice in choices:
                self.addItem(self._listed(choice), choice.name)
            self.setCurrentIndex(-1)
            self.setEditText(text)
            if name:
                self.pick(name)

    def pick(self, name: str) -> None:
        """Pick a model by its name, or any folder, file or hub id."""
        choice = next((choice for choice in self.choices if choice.name == name), None)
        if choice is not None:
            self.setCurrentIndex(self.choices.index(choice))
        self.setEditText(name if choice is None else choice.title)
        if (line := self.lineEdit()) is not None:
            line.setCursorPosition(0)  # a name that is too long is cut at its end

    def _selects(self) -> bool:
        return (line := self.lineEdit()) is not None and line.hasSelectedText()

    def _listed(self, choice: ModelChoice) -> str:
        """Return a model's line in the list: its title, and the download that it needs first."""
        if choice.ready:
            return choice.title
        if choice.download_mb:
            return self.tr("{0} · download {1} MB").format(choice.title, f"{choice.download_mb:,}")
        return self.tr("{0} · to download").format(choice.title)

    def _show_title(self, at: int) -> None:
        self.pick(self.choices[at].name)
