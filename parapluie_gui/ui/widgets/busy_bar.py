"""The line above an analysis while it is computed, with its progress and a button that cancels it."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.ui.widgets.arrange import button, hbox
from parapluie_gui.ui.widgets.controls import bar
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Delay before the bar appears, in milliseconds.
_PATIENCE_MS = 250


class BusyBar(QWidget):
    """Progress of an analysis, in thousandths; hidden while idle."""

    cancelled = Signal()
    again = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.note = WrappedText()
        self.progress = bar(self.tr("Progress of the analysis"), 1000, width=160)
        self.progress.setTextVisible(True)
        self.cancel_button = button(self.tr("Cancel"), self.cancelled.emit, name=self.tr("Cancel the analysis"))
        self.again_button = button(self.tr("Compute again"), self.again.emit)
        hbox(self.note, self.progress, self.cancel_button, self.again_button, 1, within=self, margins=(10, 4, 10, 0))
        self._patience = QTimer(self, interval=_PATIENCE_MS, singleShot=True)
        self._patience.timeout.connect(self._appear)
        self.end()

    def begin(self, title: str) -> None:
        """Show the bar after a moment, unless the work ends before."""
        self.note.say(self.tr("Computing {0} …").format(title))
        self.progress.setValue(0)
        self._patience.start()

    def end(self) -> None:
        self._patience.stop()
        self.hide()

    def show_cancelled(self) -> None:
        self._patience.stop()
        self.note.say(self.tr("Cancelled. The results shown may be out of date."))
        self._show(running=False)

    def _appear(self) -> None:
        self._show(running=True)

    def _show(self, running: bool) -> None:
        self.progress.setVisible(running)
        self.cancel_button.setVisible(running)
        self.again_button.setVisible(not running)
        self.show()
