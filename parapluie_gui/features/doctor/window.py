"""The dialog that checks the installation."""

from __future__ import annotations

from PySide6.QtCore import QProcess, QProcessEnvironment, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from parapluie_gui import children
from parapluie_gui.ui.widgets.arrange import button, name_control, vbox, within_screen
from parapluie_gui.ui.widgets.controls import bar, dialog_buttons, text_box
from parapluie_gui.ui.widgets.wrapped import WrappedText
from parapluie_gui.ui.window.context import WindowContext, WindowController

#: Maximum wait for a killed process to end, in milliseconds.
_END_MS = 2000


class CheckDialog(QDialog):
    """Dialog that runs the examination in a child process and shows the problems above the facts.

    Attributes:
        verdict: The problems with their solutions, or a sentence that there are none.
        facts: The facts.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "doctor")
        self.setWindowTitle(self.tr("Check of this installation"))
        self.setModal(False)
        self._report = ""
        self.verdict = name_control(WrappedText(self), self.tr("Problems"), "")
        self.facts = text_box(self.tr("Facts"), reads=True, as_code=True)
        self.facts.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._bar = bar(self.tr("Checking"))
        self.again_button = button(self.tr("Check again"), self.check, self.tr("Repeat the check"))
        self.copy_button = button(self.tr("Copy"), self.copy, self.tr("Copy everything, to report a problem"))
        buttons = dialog_buttons(self, self.again_button, self.copy_button)
        vbox(self.verdict, self._bar, (self.facts, 1), buttons, within=self)
        self.resize(within_screen(QSize(760, 560), self.screen()))
        self._process = QProcess(self)
        self._process.finished.connect(self._show)
        self._process.errorOccurred.connect(self._fail)
        self.finished.connect(self.stop)
        self.check()

    def check(self) -> None:
        """Start the examination."""
        self.verdict.say(self.tr("Checking versions, devices, memory, Qt, folders and models …"))
        self._set_busy(True)
        environment = QProcessEnvironment.systemEnvironment()
        environment.insert("PYTHONUTF8", "1")
        self._process.setProcessEnvironment(environment)
        program, *arguments = children.program("doctor")
        self._process.start(program, arguments)

    def copy(self) -> None:
        """Copy everything to the clipboard."""
        QGuiApplication.clipboard().setText(self._report)

    def stop(self) -> None:
        """Kill a running examination."""
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.blockSignals(True)
            self._process.kill()
            self._process.waitForFinished(_END_MS)

    def _show(self) -> None:
        self._report = bytes(self._process.readAllStandardOutput().data()).decode("utf-8", "replace").strip()
        if not self._report:
            self._fail()
            return
        facts, _, verdict = self._report.rpartition("\n\n")
        self.verdict.say(verdict)
        self.facts.setPlainText(facts)
        self._set_busy(False)

    def _fail(self, _error: object = None) -> None:
        errors = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace").strip()
        self._report = errors.rpartition("\n")[2] or self._process.errorString()
        self.verdict.say(self.tr("The check failed: {0}").format(self._report))
        self._set_busy(False)

    def _set_busy(self, busy: bool) -> None:
        self._bar.setVisible(busy)
        self.copy_button.setEnabled(not busy)
        self.again_button.setEnabled(not busy)


class InstallationCheck(WindowController):
    """Opener of the dialog.

    Attributes:
        dialog: The dialog; None while it is closed.
    """

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.dialog: CheckDialog | None = None

    def open(self) -> None:
        """Show the dialog; it starts checking at once."""
        if self.dialog is None:
            self.dialog = CheckDialog(self._window)
            self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            self.dialog.finished.connect(self._forget)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def close(self) -> None:
        """Close the dialog and stop its check."""
        if self.dialog is not None:
            self.dialog.close()

    def _forget(self) -> None:
        self.dialog = None
