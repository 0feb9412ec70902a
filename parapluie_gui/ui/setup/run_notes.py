"""What is said about scoring at the foot of the Setup panel: what is missing, the judge in use, notices, an error."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from parapluie_gui.ui.widgets.arrange import vbox
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Most notices shown at a time; the latest stay.
MOST_NOTICES = 6


class RunNotes(QWidget):
    """Sentences, each hidden while there is nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._idle = True
        self._lacks = self._known = self._described = ""
        self._shown_notices: list[str] = []
        self._why = WrappedText(self, muted=True)
        self._error = WrappedText(self, bad=True)
        self._judge = WrappedText(self)
        self._notices = WrappedText(self, muted=True)
        for label, name in (
            (self._why, self.tr("Whether there is something to score")),
            (self._error, self.tr("Error")),
            (self._judge, self.tr("Judge in use")),
            (self._notices, self.tr("Notices")),
        ):
            label.setAccessibleName(name)
            label.hide()
        vbox(self._why, self._error, self._judge, self._notices, within=self, margins=(8, 6, 8, 8), spacing=5)
        self._show()

    def set_idle(self, idle: bool) -> None:
        """Say what is missing while nothing is scored; a run that begins takes away what the last one said."""
        if self._idle and not idle:
            self._shown_notices = []
            for label in (self._error, self._notices, self._judge):
                label.say("")
        self._idle = idle
        self._show()

    def set_lacks(self, text: str) -> None:
        """Show what is missing before Run works; "" when nothing is."""
        self._lacks = text
        self._show()

    def set_known(self, text: str) -> None:
        """Show that there is nothing to compute; "" when there is."""
        self._known = text
        self._show()

    def show_judge(self, description: str, notices: Sequence[str] = ()) -> None:
        """Show which judge was loaded, and its notices."""
        self._described = description
        self._judge.say(description)
        for notice in notices:
            self.show_notice(notice)
        self._show()

    def show_spent(self, text: str) -> None:
        """Show what the judge's server was asked, after what the judge is; "" where there is no server."""
        if text:
            self._judge.say(f"{self._described} · {text}" if self._described else text)
            self._show()

    def show_notice(self, text: str) -> None:
        """Show one more sentence the user should know; the same sentence is shown once."""
        if text and text not in self._shown_notices:
            self._shown_notices = [*self._shown_notices, text][-MOST_NOTICES:]
        self._notices.say("\n".join(self._shown_notices))
        self._show()

    def show_error(self, text: str) -> None:
        """Show what went wrong, until the next run; "" takes it away."""
        self._error.say(text)
        self._show()

    def _show(self) -> None:
        self._why.say((self._lacks or self._known) if self._idle else "")
        labels = (self._why, self._error, self._judge, self._notices)
        self.setVisible(any(label.full_text for label in labels))
