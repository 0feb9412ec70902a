"""The stage: the audience's window, controlled by the keys of a presenter's remote."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QColor, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QWidget

from parapluie_gui.features.talks.keys import find_key_action
from parapluie_gui.features.talks.outcome import StagePage
from parapluie_gui.features.talks.page import PairPage
from parapluie_gui.features.talks.question import find_word_to_change
from parapluie_gui.features.talks.room import RoomGuess
from parapluie_gui.features.talks.show import Slideshow, SlideshowPair
from parapluie_gui.features.talks.shown import StagePair
from parapluie_gui.ui.pair.sentences import utf16_places
from parapluie_gui.ui.scatter.view import ScatterView
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, name_control, vbox, widget_of
from parapluie_gui.ui.widgets.controls import plain
from parapluie_gui.ui.widgets.growing_text import displayable
from parapluie_gui.ui.widgets.text import plain_tip

#: Maximum time between two Esc that leave the stage, in seconds.
TWICE = 1.0

#: Factor of one step in type size, and the limits relative to the default size.
STEP, SMALLEST, LARGEST = 1.1, 0.7, 1.5

#: Type size of the text fields, as a share of the stage's height.
TYPED = 0.042

#: Screen height in pixels at which the scatter on the stage has type of the default size.
_USUAL_HEIGHT = 420


class BlankScreen(QWidget):
    """Screen of one colour."""

    def __init__(self, colour: str, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._colour = QColor(colour)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._colour)


class StageView(QWidget):
    """The audience's window; its owner provides the pairs and acts on the signals.

    Attributes:
        slideshow: The pairs and the current position.
        read: Returns the pair of a slideshow item.
        read_page: Returns a page without a pair by its name.
        read_note: Returns the speaker's note on what is shown, with the clock.
        make_plot: Creates the scatter when it is first shown; returns None without a corpus.
        typed: Characters typed for the room's guess.
        live: Whether a pair outside the slideshow is being typed or shown.

    Signals:
        leave_asked: The speaker leaves the stage.
        dark_asked: The speaker switches between light and dark colours.
        filter_typed: (text) A filter; "" ends it.
        pair_typed: (source, hypothesis) A pair to score and show.
        live_ended: The typed pair was closed.
        changed: The visible content changed.
    """

    leave_asked = Signal()
    dark_asked = Signal()
    filter_typed = Signal(str)
    pair_typed = Signal(str, str)
    live_ended = Signal()
    changed = Signal()

    def __init__(self, read: Callable[[SlideshowPair], StagePair | None], parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setProperty("manual_page", "presentation")
        self.setProperty("unframed", True)
        self.setWindowTitle(self.tr("Stage"))
        self.setAccessibleName(self.tr("Stage"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.read = read
        self.read_page: Callable[[str], StagePage | None] = lambda page: None
        self.read_note: Callable[[], str] = str
        self.make_plot: Callable[[], QWidget | None] = lambda: None
        self.slideshow = Slideshow(self)
        self.typed = ""
        self.live = False
        self.clock = time.monotonic
        self._escaped: float | None = None
        self._leaving = QTimer(self, interval=round(TWICE * 1000), singleShot=True)
        self._leaving.timeout.connect(lambda: self.show_message(""))
        self._factor = 1.0
        self._build()
        self._actions: dict[str, Callable[[], object]] = {
            "forwards": self.forwards,
            "backwards": self.backwards,
            "black": lambda: self._blank(self.black),
            "white": lambda: self._blank(self.white),
            "escape": self._escape,
            "leave": self.leave_asked.emit,
            "first": self.slideshow.first,
            "last": self.slideshow.last,
            "reveal": self.slideshow.reveal,
            "one more": lambda: self._count(RoomGuess(1, 0)),
            "one less": lambda: self._count(RoomGuess(0, 1)),
            "forget": self._forget,
            "plot": self._toggle_plot,
            "note": self._toggle_note,
            "live": self._begin_live,
            "filter": self._begin_filter,
            "dark": self.dark_asked.emit,
            "larger": lambda: self._resize_type(self._factor * STEP),
            "smaller": lambda: self._resize_type(self._factor / STEP),
            "usual": lambda: self._resize_type(1.0),
        }
        self.slideshow.moved.connect(self.refresh)

    # What is in sight

    def refresh(self) -> None:
        """Show the current step of the slideshow."""
        item = self.slideshow.item
        pair = None if item is None or item.page else self.read(item)
        self.page.show_leaf(self.read_page(item.page) if item is not None and item.page else None)
        self.page.show_pair(pair, self.slideshow.step, self.slideshow.room)
        self.changed.emit()

    def is_covered(self) -> bool:
        """Return whether the screen is black or white."""
        return self.stack.currentWidget() in (self.black, self.white)

    def describe_cover(self) -> str:
        """Return what the audience sees instead of the step; "" for the step."""
        if self.is_covered():
            return self.tr("the screen is blank")
        return self.tr("the scatter is shown") if self.stack.currentWidget() is self.plot else ""

    def forwards(self) -> None:
        """Go to the next step; scroll sentences that are too long first, and go back to the talk after a typed pair."""
        self._leave_step()
        if self._back_to_pair() or self.page.scroll_on(1):
            return
        if self.live and (self._typing.isVisible() or self.slideshow.next_step() is None):
            self._end_live()
        else:
            self.slideshow.forwards()

    def backwards(self) -> None:
        """Go to the previous step, from the first step of a typed pair back to the talk."""
        self._leave_step()
        if self._back_to_pair() or self.page.scroll_on(-1):
            return
        if self.live and (self._typing.isVisible() or self.slideshow.is_first()):
            self._end_live()
        else:
            self.slideshow.backwards()

    def open_field(self) -> QLineEdit | None:
        """Return the field that takes what the speaker types, even on the other screen; None without an open field."""
        if self._line.isVisible():
            return self._line
        if not self._typing.isVisible():
            return None
        return self._source if self.focusWidget() is self._source else self._hypothesis

    def describe_typing(self) -> str:
        """Return what the speaker is typing, "" for nothing."""
        if self._typing.isVisible():
            return f"{self._source.text()}\n{self._hypothesis.text()}"
        if self._line.isVisible():
            return "\n".join(filter(None, [self._line.text(), self._hint.text()]))
        return self.tr("The room: {0}").format(self.typed) if self.typed else ""

    def describe(self) -> str:
        """Return what the room sees, in words."""
        part = self.stack.currentWidget()
        if part is self.plot and isinstance(part, ScatterView):
            part = part.canvas
        words = [] if part is None else [part.accessibleName(), part.accessibleDescription()]
        words += [self.plot.accessibleDescription()] if self.plot is not None and self.plot.isVisible() else []
        words += [self._note.text()] if self._note.isVisible() else []
        return "\n".join(filter(None, [*words, self.describe_typing()]))

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = find_key_action(event)
        if action != "escape":
            self._escaped = None
        if action == "count" or (event.text() == " " and self.typed and " " not in self.typed):
            self._type_count(event.text())
        elif action in self._actions:
            self._actions[action]()
        elif action != "nothing":
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the keys of a remote in the text fields as on the stage; the arrows go from field to field."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self._escape()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(watched, QLineEdit):
                watched.returnPressed.emit()  # the field would pass the key on to the stage
                return True
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and watched in (self._source, self._hypothesis):
                (self._source if event.key() == Qt.Key.Key_Up else self._hypothesis).setFocus()
                return True
            if event.key() in (Qt.Key.Key_F5, Qt.Key.Key_F11, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
                self.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave the stage as with F11."""
        super().closeEvent(event)
        self.leave_asked.emit()

    @property
    def plot_scale(self) -> float:
        """Factor of the type and the marks of the scatter."""
        return max(self.height() / _USUAL_HEIGHT, 1.0) * self._factor

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_fonts()

    def _set_fonts(self) -> None:
        font = self.font()
        font.setPixelSize(max(round(TYPED * self._factor * self.height()), 12))
        for part in (self._line, self._source, self._hypothesis, self._hint, self._note):
            part.setFont(font)

    # Building

    def _build(self) -> None:
        self.page = PairPage()
        self.black = BlankScreen("#000000", self.tr("Black screen"))
        self.white = BlankScreen("#ffffff", self.tr("White screen"))
        self.plot: QWidget | None = None
        self.stack = QStackedWidget()
        for page in (self.page, self.black, self.white):
            self.stack.addWidget(page)
        self._line = self._field(self.tr("Filter"), self.tr("A word, or a condition such as label == 0"))
        self._line.returnPressed.connect(lambda: self.filter_typed.emit(self._line.text().strip()))
        self._source = self._field(self.tr("Source"), self.tr("Source"))
        self._hypothesis = self._field(self.tr("Hypothesis"), self.tr("Hypothesis"))
        self._source.returnPressed.connect(self._hypothesis.setFocus)
        self._hypothesis.returnPressed.connect(self._send_live)
        self._hint = name_control(QLineEdit(), self.tr("Message"), "")
        self._hint.setReadOnly(True)
        self._hint.setFrame(False)
        self._hint.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._typing = widget_of(vbox(self._source, self._hypothesis, spacing=8))
        self._note = plain(wraps=True)
        self._note.setMargin(12)
        for part in (self._line, self._typing, self._hint, self._note):
            part.hide()
        vbox(
            (self.stack, 1),
            self._typing,
            self._line,
            self._hint,
            self._note,
            within=self,
            margins=NO_MARGINS,
            spacing=0,
        )

    def _field(self, name: str, hint: str) -> QLineEdit:
        field = name_control(QLineEdit(), name, "")
        field.setPlaceholderText(hint)
        field.textChanged.connect(self.changed)
        field.installEventFilter(self)
        return field

    # The effects of keys

    def _blank(self, page: QWidget) -> None:
        self.stack.setCurrentWidget(self.page if self.stack.currentWidget() is page else page)
        self.changed.emit()

    def _back_to_pair(self) -> bool:
        """Show the pair if something else is shown; return whether something else was shown."""
        if self.stack.currentWidget() is self.page:
            return False
        self.stack.setCurrentWidget(self.page)
        self.changed.emit()
        return True

    def _escape(self) -> None:
        """Close whatever covers the pair; if nothing does, leave the stage at the second Esc."""
        before, self._escaped = self._escaped, None
        if self._line.isVisible():
            self._line.hide()
            self.show_message("")
            self.setFocus()
            self.filter_typed.emit("")
        elif self.live:
            self._end_live()
        elif self._note.isVisible():
            self._note.hide()
        elif self.typed:
            self.typed = ""
            self.changed.emit()
        elif not self._back_to_pair():
            now = self.clock()
            if before is not None and now - before <= TWICE:
                self.leave_asked.emit()
            else:
                self._escaped = now
                self.show_message(self.tr("Press Esc again to leave."))
                self._leaving.start()

    def _toggle_plot(self) -> None:
        if self.plot is None and (plot := self.make_plot()) is not None:
            self.plot = plot
            self.stack.addWidget(plot)
            self._keep_focus(plot)
        if self.plot is not None:
            self._blank(self.plot)

    def forget_plot(self) -> None:
        """Delete the scatter; the next one may show other pairs."""
        if self.plot is not None:
            self._back_to_pair()
            self.stack.removeWidget(self.plot)
            self.plot.deleteLater()
        self.plot = None

    def show_message(self, text: str) -> None:
        """Show a message below the text field."""
        self._line.setToolTip(plain_tip(text))
        self._hint.setText(text)
        self._hint.setVisible(bool(text))

    def _toggle_note(self) -> None:
        """Show or hide the speaker's note and the clock."""
        self._note.setText(self.read_note())
        self._note.setVisible(not self._note.isVisible())

    def _keep_focus(self, plot: QWidget) -> None:
        """Keep the keyboard focus on the stage when the plot is clicked."""
        for part in (plot, *plot.findChildren(QWidget)):
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _begin_filter(self) -> None:
        if self.live:
            self._end_live()
        self._line.show()
        self.activateWindow()
        self._line.setFocus()
        self._line.selectAll()

    def _begin_live(self) -> None:
        """Open fields with the pair in sight, to change a word of it; empty ones on a page without a pair."""
        pair = self.page.pair
        self.live = True
        self._back_to_pair()
        self.show_message("")
        self._typing.show()
        self._source.setText("" if pair is None else displayable(pair.source))
        self._hypothesis.setText("" if pair is None else displayable(pair.hypothesis))
        self.activateWindow()
        if pair is None:
            self._source.setFocus()
        else:
            self._hypothesis.setFocus()
            start, end = find_word_to_change(pair, self.slideshow.step == "words")
            places = utf16_places(pair.hypothesis)
            self._hypothesis.setSelection(places[start], places[end] - places[start])
        self.changed.emit()

    def _send_live(self) -> None:
        texts = self._source.text().strip(), self._hypothesis.text().strip()
        if all(texts):
            self._typing.hide()
            self.setFocus()
            self.pair_typed.emit(*texts)

    def _end_live(self) -> None:
        self.live = False
        self._typing.hide()
        self.show_message("")
        self.setFocus()
        self.live_ended.emit()
        self.changed.emit()

    # The room's guess

    def _may_count(self) -> bool:
        """Return whether the room may still guess: a pair is shown, and its verdict is not."""
        item = self.slideshow.item
        return item is not None and not item.page and not self.slideshow.is_revealed

    def _type_count(self, sign: str) -> None:
        if not self._may_count():
            return
        self.typed = (self.typed + sign)[:12]
        if (room := RoomGuess.parse(self.typed)) is not None:
            self.slideshow.set_room(room)
        self.changed.emit()

    def _leave_step(self) -> None:
        """End what belongs to the step: the digits typed, and the note."""
        self.typed = ""
        self._note.hide()

    def _count(self, more: RoomGuess) -> None:
        """Count a hand, while the room is asked."""
        if self.slideshow.step != "guess":
            return
        self.typed = ""
        room = self.slideshow.room or RoomGuess()
        self.slideshow.set_room(RoomGuess(room.yes + more.yes, room.no + more.no))

    def _forget(self) -> None:
        if not self._may_count():
            return
        self.typed = self.typed[:-1]
        self.slideshow.set_room(RoomGuess.parse(self.typed) if self.typed else None)

    def _resize_type(self, factor: float) -> None:
        self._factor = min(max(factor, SMALLEST), LARGEST)
        self.page.set_factor(self._factor)
        self._set_fonts()
        if isinstance(self.plot, ScatterView):
            self.plot.set_scale(self.plot_scale)
        self.changed.emit()
