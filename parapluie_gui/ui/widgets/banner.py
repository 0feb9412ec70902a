"""Messages in the window's lowest row, for errors and news, which cover and move nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from parapluie_gui.ui.widgets.arrange import (
    NO_MARGINS,
    button,
    hbox,
    name_control,
    set_shown,
    title_button,
    vbox,
    widget_of,
)
from parapluie_gui.ui.widgets.controls import fold_button, text_box
from parapluie_gui.ui.widgets.text import announce
from parapluie_gui.ui.widgets.theme import follow_theme, set_rules
from parapluie_gui.ui.widgets.wrapped import ElidedText, NarrowButton

#: Milliseconds before good news is hidden; errors stay until they are closed.
NEWS_MS = 8000

_RULES = """
#banner { background: $raised; border: none; border-left: 4px solid $sign; }
#banner QLabel { color: $text; }
"""

#: Largest height of the unfolded messages, in pixels.
_UNFOLDED = 160

#: Minimum numbers of letters shown of a button's text and of the message.
_LETTERS, _TEXT_LETTERS = 6, 24

#: Distance between the parts of the line, in pixels.
_GAP = 6


@dataclass(frozen=True)
class _BannerMessage:
    """A message with the name and function of its button, and its details.

    Attributes:
        stays: Whether later messages leave it.
        ends: Whether the user can close it; otherwise it applies until it is withdrawn.
    """

    text: str
    action: str = ""
    act: Callable[[], object] | None = None
    details: str = ""
    other: tuple[str, Callable[[], object]] | None = None
    bad: bool = True
    stays: bool = False
    ends: bool = True


class Banner(QFrame):
    """The latest message on one line with its buttons; the whole messages, with details, unfold above it.

    Args:
        word: Words a message for the window.

    Attributes:
        text: The texts of all messages that wait, a line for each; "" for none.
        action_button: Does something about the message; hidden if there is nothing to do.
        other_button: Triggers the second action; hidden unless there are two ways.
        details_button: Unfolds the messages; hidden if the line has all there is to read.
        details: The whole messages, and the details of an error.
        copy_button: Copies the messages and the details.

    Signals:
        changed: The text changed.
    """

    changed = Signal()

    def __init__(self, *, word: Callable[[str], str] = str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = ""
        self._word = word
        self._messages: list[_BannerMessage] = []
        self.setObjectName("banner")
        self._label = ElidedText(muted=False, letters=_TEXT_LETTERS)
        self._label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.action_button = name_control(NarrowButton("", _LETTERS), self.tr("Suggested action"))
        self.other_button = name_control(NarrowButton("", _LETTERS), self.tr("Other suggested action"))
        self.action_button.clicked.connect(lambda: self._press())
        self.other_button.clicked.connect(lambda: self._press(other=True))
        self._close_button = title_button("", self.tr("Close this message"), self._close, "x")
        self._next_button = title_button("", self.tr("Show the previous message"), self._turn, "chevron-left")
        self.details_button = fold_button("", self.tr("Show the whole message"))
        self._buttons = (self.action_button, self.other_button, self._next_button, self._close_button)
        line = hbox((self._label, 1), self.details_button, *self._buttons, margins=(_GAP, 0, 0, 0), spacing=_GAP)
        vbox(self._make_details(), line, within=self, margins=NO_MARGINS, spacing=0)
        self._timer = QTimer(self, singleShot=True, interval=NEWS_MS)
        self._timer.timeout.connect(self.clear)
        self._show()
        follow_theme(self._dress)

    def warn(
        self,
        text: str,
        action: str = "",
        act: Callable[[], object] | None = None,
        other: tuple[str, Callable[[], object]] | None = None,
    ) -> None:
        """Show a warning that stays until it is closed, whatever other messages come; see `complain`.

        `other` is the text and the function of a second button.
        """
        if text not in (message.text for message in self._messages if message.stays):
            self._add(_BannerMessage(text, action, act, other=other, stays=True))

    def show_or_clear(self, text: str) -> None:
        """Show an error that applies until it is cleared by ""; it cannot be closed."""
        self._messages = [message for message in self._messages if message.ends]
        self._add(_BannerMessage(text, stays=True, ends=False))

    def complain(self, text: str, action: str = "", act: Callable[[], object] | None = None) -> None:
        """Show an error until it is closed or the next message comes, with a button `action` that calls `act`."""
        self._say(_BannerMessage(text, action, act))

    def complain_in_detail(self, text: str, details: str) -> None:
        """Show an error as `complain` does, with details that can be unfolded and copied."""
        message = _BannerMessage(text, details=details)
        if message in self._messages:  # an error may recur at each painting
            return
        if any(shown.text == text for shown in self._messages if not shown.stays):  # without its details
            self._messages = [message if shown.text == text else shown for shown in self._messages]
            self._show()
        else:
            self._say(message)

    def withdraw(self, text: str) -> None:
        """Hide this message: it no longer applies."""
        self._messages = [message for message in self._messages if message.text != text]
        self._show()

    def tell(
        self,
        text: str,
        action: str = "",
        act: Callable[[], object] | None = None,
        other: tuple[str, Callable[[], object]] | None = None,
    ) -> None:
        """Show good news for a while, or with a button until it is closed or the next message comes; see `warn`."""
        self._say(_BannerMessage(text, action, act, other=other, bad=False))
        if not action:
            self._timer.start()

    def tell_written(self, text: str, path: Path) -> None:
        """Show that a file was written, with buttons that open it and its folder."""
        file, folder = (QUrl.fromLocalFile(str(place)) for place in (path, path.parent))
        act = QDesktopServices.openUrl
        self.tell(text, self.tr("Open"), partial(act, file), (self.tr("Show in folder"), partial(act, folder)))

    def clear(self) -> None:
        """Remove the last message; warnings stay."""
        self._timer.stop()
        self._messages = [message for message in self._messages if message.stays]
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_folded()

    def _dress(self) -> None:
        bad = bool(self._messages) and self._messages[-1].bad
        set_rules(self, _RULES.replace("$sign", "$bad" if bad else "$good"))

    def _make_details(self) -> QWidget:
        self.details = text_box(self.tr("Details of the message"), reads=True)
        self.details.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.copy_button = button(
            self.tr("Copy"), self._copy, self.tr("Copy the messages and their details, to report an error")
        )
        row = hbox((self.details, 1), (self.copy_button, 0, Qt.AlignmentFlag.AlignTop), margins=(0, 4, 0, 4))
        inside = widget_of(row)
        inside.hide()
        self.details_button.toggled.connect(inside.setVisible)
        return inside

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.details.toPlainText())

    def _say(self, message: _BannerMessage) -> None:
        """Show a message instead of the last one that does not stay."""
        self._timer.stop()
        self._messages = [shown for shown in self._messages if shown.stays]
        self._add(message)

    def _add(self, message: _BannerMessage) -> None:
        if not message.text:
            self._show()
            return
        self._messages.append(message)
        self._show()
        announce(self, self._word(message.text))

    def _close(self) -> None:
        self._messages = self._messages[:-1]
        self._show()

    def _turn(self) -> None:
        """Show the message before the one shown, which becomes the first."""
        self._messages = [*self._messages[-1:], *self._messages[:-1]]
        self._show()

    def _press(self, *, other: bool = False) -> None:
        """Call the function of a button, and remove its message."""
        message = self._messages.pop()
        self._show()
        act = message.other[1] if other and message.other else message.act
        if act is not None:
            act()

    def _show(self) -> None:
        texts = [self._word(message.text) for message in self._messages]
        self.text = "\n".join(texts)
        message = self._messages[-1] if texts else _BannerMessage("")
        self._label.say(" ".join(texts[-1].split()) if texts else "")
        for control, words in ((self.action_button, message.action), (self.other_button, (message.other or ("",))[0])):
            control.setText(words)
            name_control(control, words or control.accessibleName())
            set_shown(control, bool(words))
        set_shown(self._close_button, message.ends)
        set_shown(self._next_button, len(texts) > 1)
        details = "\n\n".join(filter(None, ("\n".join(texts), message.details)))
        if details != self.details.toPlainText():
            self.details.setPlainText(details)
            self.details_button.setChecked(False)
        one = self.tr("Details…") if message.details else self.tr("Show all")
        words = self.tr("{0} messages").format(len(texts)) if len(texts) > 1 else one
        self.details_button.setText(words)
        self.details_button.setAccessibleName(words)
        self._dress()
        set_shown(self, bool(texts))
        self._show_folded()
        self.changed.emit()

    def _show_folded(self) -> None:
        """Show the button that unfolds the messages if the line cannot have all of them."""
        taken = sum(control.sizeHint().width() + _GAP for control in self._buttons if not control.isHidden())
        cut = self._label.sizeHint().width() > self.contentsRect().width() - taken - _GAP
        needed = cut or len(self._messages) > 1 or any(message.details for message in self._messages)
        set_shown(self.details_button, needed)
        if not needed:
            self.details_button.setChecked(False)

    def _fit(self) -> None:
        """Give the unfolded messages the height of their text, up to a limit."""
        box, lines = self.details, self.details.document().size().height()
        around = 2 * (box.frameWidth() + int(box.document().documentMargin()))
        box.setFixedHeight(min(int((lines + 0.5) * box.fontMetrics().lineSpacing()) + around, _UNFOLDED))
