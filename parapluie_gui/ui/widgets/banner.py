"""One line above the views for errors and news; it interrupts nobody."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from parapluie_gui.ui.widgets.arrange import hbox, title_button
from parapluie_gui.ui.widgets.theme import Theme

#: Milliseconds until good news is hidden; errors stay until they are closed.
NEWS_MS = 8000


class Banner(QFrame):
    """A sentence with a button that closes it.

    Attributes:
        text: The sentence shown, "" when there is none.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = ""
        self._bad = False
        self.setObjectName("banner")
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        close = title_button("✕", self.tr("Close this message"), self.clear)
        hbox((self._label, 1), (close, 0, Qt.AlignmentFlag.AlignTop), within=self, margins=(10, 5, 6, 5))
        self._timer = QTimer(self, singleShot=True, interval=NEWS_MS)
        self._timer.timeout.connect(self.clear)
        self.apply_theme(theme)
        self.hide()

    def complain(self, text: str) -> None:
        self._say(text, bad=True)

    def tell(self, text: str) -> None:
        """Show good news for a while."""
        self._say(text, bad=False)
        self._timer.start()

    def clear(self) -> None:
        self.text = ""
        self._timer.stop()
        self.hide()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        colour = theme.bad if self._bad else theme.good
        self.setStyleSheet(
            f"#banner {{ background: {theme.raised}; border: none; border-left: 4px solid {colour}; }}"
            f"#banner QLabel {{ color: {theme.text}; }}"
        )

    def _say(self, text: str, *, bad: bool) -> None:
        self.text = text
        self._bad = bad
        self._timer.stop()
        self._label.setText(text)
        self._label.setAccessibleName(text)
        self.apply_theme(self._theme)
        self.show()
