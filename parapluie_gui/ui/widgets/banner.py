"""Messages over the bottom of the views, for errors and news, which move nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

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
from parapluie_gui.ui.widgets.controls import fold_button, plain, text_box
from parapluie_gui.ui.widgets.text import announce
from parapluie_gui.ui.widgets.theme import follow_theme, set_rules

#: Milliseconds before good news is hidden; errors stay until they are closed.
NEWS_MS = 8000

_RULES = """
#banner { background: $raised; border: none; border-left: 4px solid $sign; }
#banner QLabel { color: $text; }
"""

#: Height of the details of an error, in pixels.
_DETAILS = 160


@dataclass(frozen=True)
class _BannerMessage:
    """A message with the name and function of its button, and its details."""

    text: str
    action: str = ""
    act: Callable[[], object] | None = None
    details: str = ""
    other: tuple[str, Callable[[], object]] | None = None


class Banner(QFrame):
    """A message with a button that closes it, below the warnings of the start.

    Args:
        standing: Without that button: the message applies until it is cleared.
        word: Words a message for the window.

    Attributes:
        text: The text shown, a line for each message; "" for none.
        action_button: Does something about the message; hidden if there is nothing to do.
        other_button: Triggers the second action; hidden unless there are two ways.
        details_button: Unfolds the details of an error; hidden without any.
        details: The details.
        copy_button: Copies the message and its details.

    Signals:
        changed: The text changed.
    """

    changed = Signal()

    def __init__(
        self, *, standing: bool = False, word: Callable[[str], str] = str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.text = ""
        self._word = word
        self._shown: _BannerMessage | None = None
        self._bad = False
        self._warnings: list[_BannerMessage] = []
        self.setObjectName("banner")
        self._label = plain(wraps=True, selectable=True)
        self._label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.action_button = button("", lambda: self._press(), name=self.tr("Suggested action"))
        self.other_button = button("", lambda: self._press(other=True), name=self.tr("Other suggested action"))
        close = title_button("", self.tr("Close this message"), self._close, "x")
        set_shown(close, not standing)
        self.details_button = fold_button(self.tr("Details…"), self.tr("Show where in the program the error occurred"))
        top = Qt.AlignmentFlag.AlignTop
        buttons = [(control, 0, top) for control in (self.details_button, self.action_button, self.other_button, close)]
        line = hbox((self._label, 1), *buttons, margins=NO_MARGINS)
        vbox(line, self._make_details(), within=self, margins=(10, 5, 6, 5))
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
        if text not in (warning.text for warning in self._warnings):
            self._warnings.append(_BannerMessage(text, action, act, other=other))
            self._show()
            announce(self, self._word(text))

    def show_or_clear(self, text: str) -> None:
        """Show an error while it lasts; "" clears it."""
        self.complain(text) if text else self.clear()

    def complain(self, text: str, action: str = "", act: Callable[[], object] | None = None) -> None:
        """Show an error until it is closed or the next message comes, with a button `action` that calls `act`."""
        self._say(_BannerMessage(text, action, act), bad=True)

    def complain_in_detail(self, text: str, details: str) -> None:
        """Show an error as `complain` does, with details that can be unfolded and copied."""
        if self._shown == (sentence := _BannerMessage(text, details=details)):  # an error may recur at each painting
            return
        if self._shown is not None and self._shown.text == text:  # and may have been shown without its details
            self._shown = sentence
            self._show()
        else:
            self._say(sentence, bad=True)

    def withdraw(self, text: str) -> None:
        """Hide this message: it no longer applies."""
        self._warnings = [warning for warning in self._warnings if warning.text != text]
        if self._shown is not None and self._shown.text == text:
            self._shown = None
        self._show()

    def tell(self, text: str) -> None:
        """Show good news for a while."""
        self._say(_BannerMessage(text), bad=False)
        self._timer.start()

    def clear(self) -> None:
        """Remove the last message; warnings stay."""
        self._say(None, bad=False)

    def _dress(self) -> None:
        set_rules(self, _RULES.replace("$sign", "$bad" if self._bad or self._warnings else "$good"))

    def _make_details(self) -> QWidget:
        self.details = text_box(self.tr("Details of the error"), reads=True, as_code=True)
        self.details.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.details.setFixedHeight(_DETAILS)
        self.copy_button = button(self.tr("Copy"), self._copy, self.tr("Copy the error and its details, to report it"))
        row = hbox((self.details, 1), (self.copy_button, 0, Qt.AlignmentFlag.AlignTop), margins=NO_MARGINS)
        inside = widget_of(row)
        inside.hide()
        self.details_button.toggled.connect(inside.setVisible)
        return inside

    def _copy(self) -> None:
        if self._shown is not None:
            QGuiApplication.clipboard().setText(f"{self._shown.text}\n\n{self._shown.details}")

    def _say(self, sentence: _BannerMessage | None, *, bad: bool) -> None:
        self._shown, self._bad = sentence, bad
        self._timer.stop()
        self._show()
        announce(self, "" if sentence is None else self._word(sentence.text))

    def _close(self) -> None:
        self._warnings.clear()
        self.clear()

    def _press(self, *, other: bool = False) -> None:
        """Call the function of a button, and remove its message."""
        sentence = self._actable()
        if sentence is None or sentence.act is None:
            return
        if sentence is self._shown:
            self.clear()
        else:
            self._warnings.remove(sentence)
            self._show()
        act = sentence.other[1] if other and sentence.other else sentence.act
        act()

    def _all(self) -> list[_BannerMessage]:
        return self._warnings if self._shown is None else [*self._warnings, self._shown]

    def _actable(self) -> _BannerMessage | None:
        """Return the message that the button belongs to: the latest with a function."""
        return next((sentence for sentence in reversed(self._all()) if sentence.act is not None), None)

    def _show_buttons(self) -> None:
        sentence = self._actable()
        if sentence is not None:
            self.action_button.setText(sentence.action)
            name_control(self.action_button, sentence.action)
        self.action_button.setVisible(sentence is not None)
        second = None if sentence is None else sentence.other
        if second is not None:
            self.other_button.setText(second[0])
            name_control(self.other_button, second[0])
        self.other_button.setVisible(second is not None)
        details = "" if self._shown is None else self._shown.details
        if details != self.details.toPlainText():
            self.details.setPlainText(details)
            self.details_button.setChecked(False)
        self.details_button.setVisible(bool(details))

    def _show(self) -> None:
        self.text = "\n".join(self._word(sentence.text) for sentence in self._all() if sentence.text)
        self._show_buttons()
        self._label.setText(self.text)
        self._label.setAccessibleName(self.text)
        self._dress()
        self.setVisible(bool(self.text))
        self.changed.emit()


class MessageOverlay(QWidget):
    """A page with messages that cover its bottom while they are shown: nothing moves under the pointer."""

    def __init__(self, page: QWidget, *lines: QWidget) -> None:
        super().__init__()
        self._lines = lines
        vbox(page, within=self, margins=NO_MARGINS, spacing=0)
        for line in lines:
            line.setParent(self)
            line.installEventFilter(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Place the messages again when one appears, disappears or changes its height."""
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.LayoutRequest):
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        bottom, width = self.height(), self.width()
        for line in reversed(self._lines):
            if line.isHidden():
                continue
            height = line.heightForWidth(width) if line.hasHeightForWidth() else line.sizeHint().height()
            bottom -= height
            line.setGeometry(0, bottom, width, height)
            line.raise_()
