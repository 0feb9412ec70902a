"""The dialog before pairs are shared as a page: the licence of the sentences, and what to include."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QPushButton, QRadioButton, QWidget

from parapluie_gui.ui.widgets.arrange import vbox
from parapluie_gui.ui.widgets.controls import dialog_buttons, line, plain, tick


@dataclass(frozen=True)
class ShareChoice:
    """The contents of a page in addition to scores and ids.

    Attributes:
        licence: The licence under which the sentences are passed on; "" leaves them out.
        people: Whether to include people's answers and notes.
        analyses: Whether to include the tables and figures of the analysis.
        talk: Whether to include the session's talk, which shows sentences.
    """

    licence: str
    people: bool
    analyses: bool
    talk: bool = False


class ShareDialog(QDialog):
    """The choice between sentences with a licence and scores only, and of further contents of the page.

    Signals:
        chosen: (ShareChoice) The user accepted the dialog.
    """

    chosen = Signal(ShareChoice)

    def __init__(self, about: str, people: bool, talk: str, parent: QWidget | None = None) -> None:
        """Create the dialog.

        Args:
            about: A line that names the pairs.
            people: Whether anyone judged them.
            talk: The title of the session's talk; "" if there is none.
            parent: The parent window.
        """
        super().__init__(parent)
        self.setProperty("manual_page", "share")
        self.setWindowTitle(self.tr("Share as a page"))
        self.included = QRadioButton(self.tr("These &sentences are included, and may be shared under this licence:"))
        self.licence = line(self.tr("Licence of the sentences"), self.tr("such as CC BY 4.0, or who gave permission"))
        self.left_out = QRadioButton(self.tr("Scores and &ids only"))
        self.people = tick(self.tr("People's answers and notes, with their names"))
        self.analyses = tick(self.tr("Tables and figures of the analysis"))
        self.talk = tick(self.tr("The talk “{0}”, step by step").format(talk))
        self.people.setVisible(people)
        self.talk.setVisible(bool(talk))
        button = QPushButton(self.tr("Choose a file…"))
        warning = self.tr("Anybody can read the page. Many corpora may be used but not redistributed.")
        rows = (plain(about, wraps=True), plain(warning, wraps=True), self.included, self.licence, self.left_out)
        vbox(*rows, self.people, self.analyses, self.talk, dialog_buttons(self, ok=button), within=self)
        self.button = button
        for radio in (self.included, self.left_out):
            radio.toggled.connect(self._enable_controls)
        self.licence.textChanged.connect(self._enable_controls)
        self.licence.textEdited.connect(lambda: self.included.setChecked(True))
        self.accepted.connect(lambda: self.chosen.emit(self.choice()))
        self.finished.connect(self.deleteLater)
        self._enable_controls()

    def choice(self) -> ShareChoice:
        """Return the chosen options."""
        licence = self.licence.text().strip() if self.included.isChecked() else ""
        talk = bool(licence) and self.talk.isChecked()
        return ShareChoice(licence, self.people.isChecked(), self.analyses.isChecked(), talk)

    def _enable_controls(self) -> None:
        self.talk.setEnabled(not self.left_out.isChecked())  # it shows sentences
        self.button.setEnabled(
            self.left_out.isChecked() or (self.included.isChecked() and bool(self.licence.text().strip()))
        )
