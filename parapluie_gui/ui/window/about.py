"""About the program: its versions and licence, and the examination of its installation."""

from __future__ import annotations

import platform
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import QCoreApplication, QObject, QProcess, QProcessEnvironment, QSize, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QWidget

from parapluie_gui import children, places
from parapluie_gui.errors import one_line
from parapluie_gui.ui.widgets.arrange import button, named, vbox, within_screen
from parapluie_gui.ui.widgets.controls import bar, dialog_buttons, plain, text_box
from parapluie_gui.ui.widgets.text import heading
from parapluie_gui.ui.widgets.theme import TITLE
from parapluie_gui.ui.widgets.wrapped import WrappedText
from parapluie_gui.version import __version__

#: Letters' widths that a line of text has.
_WIDTH = 64

#: Packages whose versions decide on what is computed and seen.
_PACKAGES = ("torch", "transformers", "numpy", "PySide6-Essentials", "pyqtgraph")

_PAPER = "https://aclanthology.org/2025.coling-main.538/"
_LICENCE = "https://www.apache.org/licenses/LICENSE-2.0"


def tr(text: str) -> str:
    """Return a text in the user's language."""
    return QCoreApplication.translate("About", text)


def versions() -> list[str]:
    """Return each thing with its version, fit for a report of a problem; nothing is imported for it."""
    lines = [f"ParaPLUIE Inspector {__version__}", f"Python {platform.python_version()}", f"Qt {qVersion()}"]
    for package in _PACKAGES:
        try:
            lines.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            lines.append(tr("{0} is not installed").format(package))
    return [*lines, platform.platform()]


class AboutDialog(QDialog):
    """Text that can be selected, and a button that copies the versions."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("About ParaPLUIE Inspector"))
        self.setProperty("manual_page", "index")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        what, data = WrappedText(), WrappedText(muted=True)
        what.say(tr("See how language models and the classic metrics judge paraphrases."))
        data.say(tr("Your sessions, scores and models are in {0}.").format(one_line(places.user_data())))
        links = named(QLabel(), tr("Licence and paper"), "")
        links.setText(
            tr("Free software under the {0}. ParaPLUIE is the metric of {1}.").format(
                f'<a href="{_LICENCE}">Apache License 2.0</a>',
                f'<a href="{_PAPER}">Lemesle et al., COLING 2025</a>',
            )
        )
        links.setTextFormat(Qt.TextFormat.RichText)
        links.setWordWrap(True)
        links.setOpenExternalLinks(True)
        links.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        shown = named(plain("\n".join(versions()[1:]), selectable=True), tr("Versions"), "")
        buttons = dialog_buttons(self, button(tr("Copy versions"), partial(_copy, "\n".join(versions()))))
        title = heading(tr("ParaPLUIE Inspector {0}").format(__version__), TITLE)
        vbox(title, what, links, data, shown, buttons, within=self, margins=(20, 16, 20, 14), spacing=12)
        self.setMinimumWidth(_WIDTH * self.fontMetrics().averageCharWidth())


def _copy(text: str, checked: bool = False) -> None:
    QGuiApplication.clipboard().setText(text)


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


class InstallationCheck(QObject):
    """Opens the dialog beside the work, once.

    Attributes:
        dialog: None while it is not open.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
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
