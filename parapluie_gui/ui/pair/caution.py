"""What to keep in mind of a number that only the pocket judge has given, with a way to ask a language model."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.models.catalogue import POCKET
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, vbox
from parapluie_gui.ui.widgets.wrapped import WrappedText


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
    """The sentence below the pocket judge's number, hidden below those of other judges.

    Signals:
        model_wanted: The user wants to ask a language model.
    """

    model_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence = WrappedText(self, muted=True)
        self.sentence.setAccessibleName(self.tr("About the judge"))
        tip = self.tr("Choose a language model in Setup; it is downloaded only if you press Download")
        self.link = button(self.tr("Ask a language model"), self.model_wanted.emit, tip)
        self.link.setProperty("link", True)
        self.link.setCursor(Qt.CursorShape.PointingHandCursor)
        vbox(self.sentence, (self.link, 0, Qt.AlignmentFlag.AlignLeft), within=self, margins=NO_MARGINS, spacing=0)
        self.set_judges(())

    def set_judges(self, judges: Iterable[str]) -> None:
        """Show the sentence if the pocket judge is the only one of these judges."""
        words = caution_words(judges)
        self.sentence.say(words)
        self.setVisible(bool(words))
