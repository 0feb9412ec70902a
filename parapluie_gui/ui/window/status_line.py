"""The line at the window's lower edge: the work under way, with a button that cancels it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

from parapluie_gui.ui.widgets.arrange import button, hbox


class StatusLine(QWidget):
    """A sentence; while something is under way also a moving bar and Cancel.

    Attributes:
        text: The sentence shown.
        cancel_button: Ends what is under way.
    """

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
        self.show_work(text, None, under_way=False)

    def show_work(self, text: str, cancel: Callable[[], object] | None, *, under_way: bool = True) -> None:
        """Show the work under way, with the button if `cancel` ends it."""
        self._label.setText(text)
        self._cancel = cancel
        self._bar.setVisible(under_way)
        self.cancel_button.setVisible(cancel is not None)

    def _press(self) -> None:
        if self._cancel is not None:
            self._cancel()
