"""The download of a model from the window: `parapluie models get --json` in a separate process."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from parapluie_gui import children

#: Time for a stopped process to clean up, in milliseconds.
GRACE_MS = 2000


class ModelDownload(QObject):
    """Runs one download at a time; stopping it leaves no file that looks complete.

    Signals:
        progressed: (per cent, current step)
        answered: (dict) The result of a query.
        ended: (error) "" after success, otherwise an error message.
    """

    progressed = Signal(int, str)
    answered = Signal(dict)
    ended = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._given_up = False
        self._process = QProcess(self)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._end)
        self._patience = QTimer(self, singleShot=True, interval=GRACE_MS)
        self._patience.timeout.connect(self._process.kill)

    @property
    def running(self) -> bool:
        """Whether a download is running."""
        return self._process.state() != QProcess.ProcessState.NotRunning

    def start(self, name: str, revision: str = "") -> None:
        """Download a model of the catalogue, or this revision of one of the Hugging Face hub."""
        self.run(["get", "--json", *(["--yes", "--revision", revision] if revision else []), name])

    def run(self, arguments: Sequence[str], secret: str = "") -> None:
        """Run an action of `parapluie models` that reports like a download; the secret is written to its input."""
        if self.running:
            return
        self._given_up = False
        program, *options = children.program("models", *arguments)
        self._process.start(program, options)
        self._process.write(f"{secret}\n".encode())
        self._process.closeWriteChannel()

    def stop(self, *, wait: bool = False) -> None:
        """Stop the process, which keeps the files that the next download can resume; kill it if it does not end.

        Args:
            wait: Return only once it has ended, as when the window closes.
        """
        if not self.running:
            return
        self._given_up = True
        self._process.terminate()
        self._patience.start()
        if wait and not self._process.waitForFinished(GRACE_MS):
            self._process.kill()
            self._process.waitForFinished(GRACE_MS)

    def _read(self) -> None:
        while self._process.canReadLine():
            step = json.loads(bytes(self._process.readLine().data()))
            if "share" in step:
                self.progressed.emit(round(100 * step["share"]), step["text"])
            else:
                self.answered.emit(step)

    def _end(self, code: int) -> None:
        self._read()
        self._patience.stop()
        if self._given_up:
            return
        if code == 0:
            self.ended.emit("")
        else:
            # A command that fails ends with a sentence for the user.
            errors = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace").strip()
            sentence = errors.rpartition("\n")[2].removeprefix("parapluie: ")
            self.ended.emit(sentence or self.tr("The model could not be downloaded. Try again."))
