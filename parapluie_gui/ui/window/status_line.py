"""The line at the window's lower edge: the work under way, with a button that cancels it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

from parapluie_gui.ui.widgets.arrange import button, hbox
from parapluie_gui.ui.widgets.spoken import announce


class StatusLine(QWidget):
    """A sentence; while work is under way also a moving bar and Cancel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cancel: Callable[[], object] | None = None
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._bar = QProgressBar(self)
        self._bar.setRange(0, 0)
        self._bar.setMaximumWidth(140)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Work under way"))
        self.cancel_button = button(self.tr("Cancel"), self._press, name=self.tr("Cancel this work"))
        hbox(self._label, self._bar, self.cancel_button, 1, within=self, margins=(4, 0, 4, 0))
        self.say("")

    @property
    def text(self) -> str:
        return self._label.text()

    def say(self, text: str) -> None:
        """Show a sentence; nothing is under way."""
        self.show_work("", None)
        self._label.setText(text)
        announce(self, text)

    def show_work(self, text: str, cancel: Callable[[], object] | None) -> None:
        """Show the work under way, with the button if `cancel` ends it; "" when nothing is."""
        self._label.setText(text)
        self._cancel = cancel if text else None
        self._bar.setVisible(bool(text))
        self.cancel_button.setVisible(self._cancel is not None)

    def _press(self) -> None:
        if self._cancel is not None:
            self._cancel()
