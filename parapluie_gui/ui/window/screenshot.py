"""A picture of the window, taken when its corpus is loaded or scored."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from parapluie_gui.files import atomic_write
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.window.main import MainWindow

#: Time for the views to take in the last scores (every 100 ms) and to lay themselves out.
SETTLE_MS = 600


class Camera(QObject):
    """Waits for the corpus, or for its scores, saves the window as PNG and leaves.

    Attributes:
        error: Why there is no picture, or "".
    """

    def __init__(self, window: MainWindow, path: Path, when: str) -> None:
        super().__init__(window)
        self.error = ""
        window.questions.asks = False  # nobody sees a question
        self._window = window
        self._path = path
        self._when = when
        self._shooting = Throttle(self._take, SETTLE_MS, self, rest=True)
        for part in (window.state.session, window.state.queue, window.state.corpora):
            part.failed.connect(self._give_up)
        window.state.queue.working.connect(self._look)
        window.state.corpora.asked.connect(
            lambda _: self._give_up(self.tr("The roles of the file's columns must be chosen by hand."))
        )
        if when == "scored":
            window.scoring.ended.connect(self._shooting.ask)
            window.scoring.failed.connect(self._give_up)
        else:
            window.workspace.corpus_changed.connect(self._loaded)

    def _look(self) -> None:
        """Take the window as it is if no corpus is on its way."""
        if self._window.workspace.corpus is None and not self._window.state.queue.busy and not self.error:
            if self._when == "scored":
                self._give_up(self.tr("This session has no corpus to score. Choose another session."))
            else:
                self._shooting.ask()

    def _loaded(self) -> None:
        if self._window.workspace.corpus is not None:
            self._shooting.ask()

    def _take(self) -> None:
        try:
            with atomic_write(self._path) as part:
                if not self._window.grab().save(str(part), "PNG"):
                    raise OSError("the image could not be saved")
        except OSError:
            self.error = self.tr("{0} cannot be written. Choose another folder or name.").format(self._path)
        self._leave()

    def _give_up(self, why: str) -> None:
        self.error = why
        self._leave()

    def _leave(self) -> None:
        self._window.close()
        QApplication.quit()
