"""Asks, before pairs are shared as a page, whether their sentences may be published, and what to include."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QPushButton, QRadioButton, QVBoxLayout, QWidget

from parapluie_gui.ui.widgets.controls import dialog_buttons, line, plain, tick


@dataclass(frozen=True)
class ShareChoice:
    """What goes into a page besides scores and ids.

    Attributes:
        licence: The licence under which the sentences are passed on; "" leaves them out.
        people: What people answered and noted.
        analyses: The tables and figures of the analysis.
        talk: The session's talk, whose pairs are shown with their sentences.
    """

    licence: str
    people: bool
    analyses: bool
    talk: bool = False


class ShareDialog(QDialog):
    """The licence, or scores and ids only; answers and notes; tables and figures; a talk.

    Signals:
        chosen: (ShareChoice) What is to be shared.
    """

    chosen = Signal(ShareChoice)

    def __init__(self, about: str, people: bool, talk: str, parent: QWidget | None = None) -> None:
        """`about` says in a line which pairs it is, `people` whether anybody judged them, `talk` the talk's title."""
        super().__init__(parent)
        self.setProperty("manual_page", "share")
        self.setWindowTitle(self.tr("Share as a page"))
        self.included = QRadioButton(self.tr("These &sentences are included, and may be passed on under this licence:"))
        self.licence = line(self.tr("Licence of the sentences"), self.tr("such as CC BY 4.0, or who permitted it"))
        self.left_out = QRadioButton(self.tr("Scores and &ids only"))
        self.people = tick(self.tr("What people answered and noted, with their names"))
        self.analyses = tick(self.tr("Tables and figures of the analysis"))
        self.talk = tick(self.tr("The talk “{0}”, step by step").format(talk))
        self.people.setVisible(people)
        self.talk.setVisible(bool(talk))
        button = QPushButton(self.tr("Choose a file…"))
        layout = QVBoxLayout(self)
        warning = self.tr("The page is a copy that anybody can read. Many corpora may be used but not passed on.")
        rows = (plain(about), plain(warning, wraps=True), self.included, self.licence, self.left_out)
        for each in (*rows, self.people, self.analyses, self.talk, dialog_buttons(self, ok=button)):
            layout.addWidget(each)
        self.button = button
        for radio in (self.included, self.left_out):
            radio.toggled.connect(self._follow)
        self.licence.textChanged.connect(self._follow)
        self.licence.textEdited.connect(lambda: self.included.setChecked(True))
        self.accepted.connect(lambda: self.chosen.emit(self.choice()))
        self.finished.connect(self.deleteLater)
        self._follow()

    def choice(self) -> ShareChoice:
        """Return the chosen options."""
        licence = self.licence.text().strip() if self.included.isChecked() else ""
        talk = bool(licence) and self.talk.isChecked()
        return ShareChoice(licence, self.people.isChecked(), self.analyses.isChecked(), talk)

    def _follow(self) -> None:
        self.talk.setEnabled(not self.left_out.isChecked())  # it shows sentences
        self.button.setEnabled(
            self.left_out.isChecked() or (self.included.isChecked() and bool(self.licence.text().strip()))
        )
