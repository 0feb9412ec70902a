"""The check of the installation in the window."""

from __future__ import annotations

from PySide6.QtCore import QProcess, QProcessEnvironment, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from parapluie_gui import children
from parapluie_gui.ui.widgets.arrange import button, named, vbox, within_screen
from parapluie_gui.ui.widgets.controls import bar, dialog_buttons, text_box
from parapluie_gui.ui.widgets.wrapped import WrappedText
from parapluie_gui.ui.window.context import Context, Helper

#: Milliseconds in which a process that is killed is gone.
_END_MS = 2000


class CheckDialog(QDialog):
    """Runs the examination in a process of its own; the problems stand above what was found.

    Attributes:
        verdict: The problems with what to do, or that there are none.
        facts: What was found.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "doctor")
        self.setWindowTitle(self.tr("Check of this installation"))
        self.setModal(False)
        self._whole = ""
        self.verdict = named(WrappedText(self), self.tr("Problems"), "")
        self.facts = text_box(self.tr("What was found"), reads=True, as_code=True)
        self.facts.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._bar = bar(self.tr("Work under way"))
        self.again_button = button(self.tr("Check again"), self.check, self.tr("Examine everything once more"))
        self.copy_button = button(self.tr("Copy"), self.copy, self.tr("Copy all of this, to report a problem"))
        buttons = dialog_buttons(self, self.again_button, self.copy_button)
        vbox(self.verdict, self._bar, (self.facts, 1), buttons, within=self)
        self.resize(within_screen(QSize(760, 560), self.screen()))
        self._process = QProcess(self)
        self._process.finished.connect(self._show)
        self._process.errorOccurred.connect(self._fail)
        self.finished.connect(self.stop)
        self.check()

    def check(self) -> None:
        """Begin an examination."""
        self.verdict.say(self.tr("Looking at versions, devices, memory, Qt, folders and models …"))
        self._set_busy(True)
        environment = QProcessEnvironment.systemEnvironment()
        environment.insert("PYTHONUTF8", "1")
        self._process.setProcessEnvironment(environment)
        program, *arguments = children.program("doctor")
        self._process.start(program, arguments)

    def copy(self) -> None:
        """Put everything on the clipboard."""
        QGuiApplication.clipboard().setText(self._whole)

    def stop(self) -> None:
        """End the examination, if it is under way."""
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.blockSignals(True)
            self._process.kill()
            self._process.waitForFinished(_END_MS)

    def _show(self) -> None:
        self._whole = bytes(self._process.readAllStandardOutput().data()).decode("utf-8", "replace").strip()
        if not self._whole:
            self._fail()
            return
        facts, _, verdict = self._whole.rpartition("\n\n")
        self.verdict.say(verdict)
        self.facts.setPlainText(facts)
        self._set_busy(False)

    def _fail(self, _error: object = None) -> None:
        errors = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace").strip()
        self._whole = errors.rpartition("\n")[2] or self._process.errorString()
        self.verdict.say(self.tr("The check could not be made: {0}").format(self._whole))
        self._set_busy(False)

    def _set_busy(self, busy: bool) -> None:
        self._bar.setVisible(busy)
        self.copy_button.setEnabled(not busy)
        self.again_button.setEnabled(not busy)


class InstallationCheck(Helper):
    """Opens the dialog beside the work, once.

    Attributes:
        dialog: None while it is not open.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.dialog: CheckDialog | None = None

    def open(self) -> None:
        """Show the dialog; it begins at once."""
        if self.dialog is None:
            self.dialog = CheckDialog(self._window)
            self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            self.dialog.finished.connect(self._forget)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def close(self) -> None:
        """End the examination and close the dialog."""
        if self.dialog is not None:
            self.dialog.close()

    def _forget(self) -> None:
        self.dialog = None
