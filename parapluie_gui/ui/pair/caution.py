"""Cautions about a judge's number: where it was computed, and how far to trust the pocket judge."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.errors import join_words
from parapluie_gui.models.catalogue import POCKET
from parapluie_gui.models.sources import receiving_host
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, vbox
from parapluie_gui.ui.widgets.wrapped import WrappedText


def sent_words(judges: Iterable[str]) -> str:
    """Return a sentence on the other computers that receive what these judges score; "" if there are none."""
    if not (hosts := sorted(filter(None, map(receiving_host, set(judges))))):
        return ""
    words = QCoreApplication.translate("JudgeCaution", "Scored by {0}, which receives the sentences.")
    return words.format(join_words(hosts))


def caution_words(judges: Iterable[str]) -> str:
    """Return the sentence if the pocket judge is the only one of these judges; otherwise ""."""
    if set(judges) != {POCKET.name}:
        return ""
    return QCoreApplication.translate(
        "JudgeCaution",
        "From the pocket judge: a small model trained on labelled pairs, not a large language model; often wrong on "
        "idioms and units.",
    )


class JudgeCaution(QWidget):
    """The sentence below the number of the pocket judge or of a judge on another computer, hidden below the others.

    Signals:
        model_wanted: The user wants to ask a language model.
    """

    model_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._judges: frozenset[str] | None = None
        self.sentence = WrappedText(self, muted=True)
        self.sentence.setAccessibleName(self.tr("About the judge"))
        tip = self.tr("Choose a language model in Setup; it is downloaded only if you press Download")
        self.link = button(self.tr("Ask a language model"), self.model_wanted.emit, tip)
        self.link.setProperty("link", True)
        self.link.setCursor(Qt.CursorShape.PointingHandCursor)
        vbox(self.sentence, (self.link, 0, Qt.AlignmentFlag.AlignLeft), within=self, margins=NO_MARGINS, spacing=0)
        self.set_judges(())

    def set_judges(self, judges: Iterable[str]) -> None:
        """Show where these judges send the sentences, and the caution if the pocket judge is the only one."""
        if (asked := frozenset(judges)) == self._judges:
            return
        self._judges = asked
        words = caution_words(asked)
        self.sentence.say(words or sent_words(asked))
        self.link.setVisible(bool(words))
        self.setVisible(bool(self.sentence.full_text))
