"""The About dialog: versions, licence and paper."""

from __future__ import annotations

import platform
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import QCoreApplication, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QLabel, QWidget

from parapluie_gui import places
from parapluie_gui.errors import one_line
from parapluie_gui.ui.widgets.arrange import button, vbox
from parapluie_gui.ui.widgets.controls import dialog_buttons, plain
from parapluie_gui.ui.widgets.text import heading
from parapluie_gui.ui.widgets.theme import TITLE
from parapluie_gui.ui.widgets.wrapped import WrappedText
from parapluie_gui.version import __version__

#: Width of a line of text, in average characters.
_WIDTH = 64

#: Packages whose versions affect scores or the window.
_PACKAGES = ("torch", "transformers", "numpy", "PySide6-Essentials", "pyqtgraph")

_PAPER = "https://aclanthology.org/2025.coling-main.538/"
_LICENCE = "https://www.apache.org/licenses/LICENSE-2.0"


def tr(text: str) -> str:
    """Return a text in the user's language."""
    return QCoreApplication.translate("About", text)


def list_versions() -> list[str]:
    """Return the program, Python, Qt, packages and platform with their versions; imports no package."""
    lines = [f"ParaPLUIE Inspector {__version__}", f"Python {platform.python_version()}", f"Qt {qVersion()}"]
    for package in _PACKAGES:
        try:
            lines.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            lines.append(tr("{0} is not installed").format(package))
    return [*lines, platform.platform()]


class AboutDialog(QDialog):
    """Dialog with selectable text and a button that copies the versions."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("About ParaPLUIE Inspector"))
        self.setProperty("manual_page", "index")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        summary, data = WrappedText(), WrappedText(muted=True)
        summary.say(tr("See how language models and the classic metrics judge paraphrases."))
        data.say(tr("Your sessions, scores and models are in {0}.").format(one_line(places.user_data())))
        links = QLabel()
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
        shown = plain("\n".join(list_versions()[1:]), selectable=True)
        buttons = dialog_buttons(self, button(tr("Copy versions"), partial(_copy, "\n".join(list_versions()))))
        title = heading(tr("ParaPLUIE Inspector {0}").format(__version__), TITLE)
        vbox(title, summary, links, data, shown, buttons, within=self, margins=(20, 16, 20, 14), spacing=12)
        self.setMinimumWidth(_WIDTH * self.fontMetrics().averageCharWidth())


def _copy(text: str, checked: bool = False) -> None:
    QGuiApplication.clipboard().setText(text)
