"""Cautions about a judge's number: where it was computed, and how far to trust it."""

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
    """The sentences below the number of a judge that is small, one-sided or on another computer; hidden for others.

    Signals:
        model_wanted: The user wants to ask a language model.
    """

    model_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[frozenset[str], str] | None = None
        self.sentence = WrappedText(self, muted=True)
        self.sentence.setAccessibleName(self.tr("About the judge"))
        tip = self.tr("Choose a language model in Setup; it is downloaded only if you press Download")
        self.link = button(self.tr("Ask a language model"), self.model_wanted.emit, tip)
        self.link.setProperty("link", True)
        self.link.setCursor(Qt.CursorShape.PointingHandCursor)
        vbox(self.sentence, (self.link, 0, Qt.AlignmentFlag.AlignLeft), within=self, margins=NO_MARGINS, spacing=0)
        self.set_judges(())

    def set_judges(self, judges: Iterable[str], one_sided: str = "") -> None:
        """Show where these judges send the sentences, and the caution if the pocket judge is the only one.

        `one_sided` has the sentences on those of them that give nearly all pairs of the open corpus the same answer.
        """
        asked = frozenset(judges)
        if (asked, one_sided) == self._shown:
            return
        self._shown = asked, one_sided
        words = caution_words(asked)
        here = self.tr("In the open corpus, {0}").format(one_sided) if one_sided else ""
        self.sentence.say(" ".join(filter(None, (here, words or sent_words(asked)))))
        self.link.setVisible(bool(words))
        self.setVisible(bool(self.sentence.full_text))
