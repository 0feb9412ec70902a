"""Lines above the views for errors and news; they interrupt nobody."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from parapluie_gui.ui.widgets.arrange import button, hbox, named, title_button
from parapluie_gui.ui.widgets.spoken import announce
from parapluie_gui.ui.widgets.theme import Theme

#: Milliseconds until good news is hidden; errors stay until they are closed.
NEWS_MS = 8000


class Banner(QFrame):
    """A sentence with a button that closes it, below the warnings of the start.

    Args:
        theme: Its colours.
        standing: It has no such button: what it says holds until it is cleared.

    Attributes:
        text: What is shown, a line for each sentence; "" when there is nothing.
        action_button: Does what can be done about the sentence; hidden where that is nothing.

    Signals:
        changed: Something else is said.
    """

    changed = Signal()

    def __init__(self, theme: Theme, *, standing: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = ""
        self._said = ""
        self._bad = self._quiet = False
        self._warnings: list[str] = []
        self.setObjectName("banner")
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._act: Callable[[], object] | None = None
        self.action_button = button("", self._press, name=self.tr("Do something about it"))
        close = title_button("", self.tr("Close this message"), self._close, "x")
        close.setVisible(not standing)
        top = Qt.AlignmentFlag.AlignTop
        hbox((self._label, 1), (self.action_button, 0, top), (close, 0, top), within=self, margins=(10, 5, 6, 5))
        self._timer = QTimer(self, singleShot=True, interval=NEWS_MS)
        self._timer.timeout.connect(self.clear)
        self.apply_theme(theme)
        self.action_button.hide()
        self.hide()

    def warn(self, text: str) -> None:
        """Show a sentence that stays until it is closed, whatever else is said meanwhile."""
        if text not in self._warnings:
            self._warnings.append(text)
            self._show()
            announce(self, text)

    def show_or_clear(self, text: str) -> None:
        """Show what is wrong for as long as it is, "" when it is mended."""
        self.complain(text) if text else self.clear()

    def complain(self, text: str, action: str = "", act: Callable[[], object] | None = None) -> None:
        """Show what is wrong until it is closed or something else is said, with a button `action` that does `act`."""
        self._say(text, bad=True)
        if act is not None:
            self._act = act
            self.action_button.setText(action)
            named(self.action_button, action)
            self.action_button.show()

    def set_quiet(self, quiet: bool) -> None:
        """Leave it to somebody else to show what is said, or show it again."""
        self._quiet = quiet
        self._show()

    def withdraw(self, text: str) -> None:
        """Hide this sentence, if it is the one shown: it is no longer true."""
        if self._said == text:
            self.clear()

    def tell(self, text: str) -> None:
        """Show good news for a while."""
        self._say(text, bad=False)
        self._timer.start()

    def clear(self) -> None:
        """Take the last sentence away; warnings stay."""
        self._say("", bad=False)

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        colour = theme.bad if self._bad or self._warnings else theme.good
        self.setStyleSheet(
            f"#banner {{ background: {theme.raised}; border: none; border-left: 4px solid {colour}; }}"
            f"#banner QLabel {{ color: {theme.text}; }}"
        )

    def _say(self, text: str, *, bad: bool) -> None:
        self._said, self._bad = text, bad
        self._timer.stop()
        self.action_button.hide()
        self._show()
        announce(self, text)

    def _close(self) -> None:
        self._warnings.clear()
        self.clear()

    def _press(self) -> None:
        if self._act is not None:
            self._act()

    def _show(self) -> None:
        self.text = "\n".join([*self._warnings, *([self._said] if self._said else [])])
        self._label.setText(self.text)
        self._label.setAccessibleName(self.text)
        self.apply_theme(self._theme)
        self.setVisible(bool(self.text) and not self._quiet)
        self.changed.emit()
