"""The content of an empty view: one sentence, and one button for what to do about it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets.arrange import name_control, vbox
from parapluie_gui.ui.widgets.theme import APART, NEAR
from parapluie_gui.ui.widgets.wrapped import WrappedText


class EmptyState(QWidget):
    """A centred sentence and, under it, one of the window's actions; hidden without a sentence.

    Attributes:
        label: The sentence.
        button: Triggers the action; hidden without one.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._action = ""
        self.label = WrappedText(self, muted=True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.button = name_control(QPushButton(self), self.tr("Suggested action"))
        self.button.clicked.connect(self._press)
        self.button.hide()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        middle = Qt.AlignmentFlag.AlignHCenter
        vbox(1, self.label, (self.button, 0, middle), 1, within=self, margins=(APART, NEAR, APART, NEAR), spacing=NEAR)
        self.hide()

    def say(self, text: str, action: str = "") -> None:
        """Show a sentence and the action of this name; "" hides both."""
        self._action = action
        self.label.say(text)
        self._show_action()
        self.setVisible(bool(text))

    def text(self) -> str:
        return self.label.full_text

    def showEvent(self, event: QShowEvent) -> None:
        """Find the action, since the window exists now."""
        super().showEvent(event)
        self._show_action()

    def _find_action(self) -> QAction | None:
        return self.window().findChild(QAction, self._action) if self._action else None

    def _show_action(self) -> None:
        action = self._find_action()
        self.button.setVisible(action is not None)
        if action is not None:
            words = action.text().replace("&", "")
            self.button.setText(words)
            self.button.setAccessibleName(words.rstrip("…"))
            self.button.setToolTip(action.statusTip())
            icons.put(self.button, icons.name_of(action))

    def _press(self) -> None:
        if (action := self._find_action()) is not None:
            action.trigger()
