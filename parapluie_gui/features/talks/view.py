"""The stage: a window that shows an audience one thing at a time, led by the keys of a presenter's remote."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QWidget

from parapluie_gui.features.talks.keys import action_of
from parapluie_gui.features.talks.page import PairPage
from parapluie_gui.features.talks.room import Room
from parapluie_gui.features.talks.show import Show, ShownPair
from parapluie_gui.features.talks.shown import StagePair
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, named, vbox, widget_of

#: Seconds within which a second Esc leaves the stage.
TWICE = 1.0

#: A step of the type size, and its limits beside the usual size.
STEP, SMALLEST, LARGEST = 1.1, 0.7, 1.5

#: Size of what is typed on the stage, as a share of its height.
TYPED = 0.042


class Blank(QWidget):
    """One colour over everything."""

    def __init__(self, colour: str, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._colour = QColor(colour)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._colour)


class StageView(QWidget):
    """Shows the items of a talk; its owner provides the pairs and acts on the speaker's requests.

    Attributes:
        plan: Which pair and which step are in sight.
        read: Returns the pair of a row.
        make_plot: Returns the scatter alone, made when it is first wanted; None where there is none.
        typed: What the speaker is typing as the room's guess.
        live: A pair that is no part of the show is typed or in sight.

    Signals:
        left: The speaker leaves.
        dark_asked: Light instead of dark, or dark instead of light.
        filter_typed: (text) A filter; "" ends it.
        pair_typed: (source, hypothesis) A pair to be scored and shown.
        live_ended: What was typed is not wanted any more.
        changed: Something else is in sight.
    """

    left = Signal()
    dark_asked = Signal()
    filter_typed = Signal(str)
    pair_typed = Signal(str, str)
    live_ended = Signal()
    changed = Signal()

    def __init__(self, read: Callable[[ShownPair], StagePair | None], parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setProperty("manual_page", "presentation")
        self.setWindowTitle(self.tr("Stage"))
        self.setAccessibleName(self.tr("Stage"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.read = read
        self.make_plot: Callable[[], QWidget | None] = lambda: None
        self.plan = Show(self)
        self.typed = ""
        self.live = False
        self.clock = time.monotonic
        self._escaped: float | None = None
        self._factor = 1.0
        self._build()
        self._actions: dict[str, Callable[[], object]] = {
            "forwards": self.forwards,
            "backwards": self.backwards,
            "black": lambda: self._blank(self.black),
            "white": lambda: self._blank(self.white),
            "escape": self._escape,
            "leave": self.left.emit,
            "first": self.plan.first,
            "last": self.plan.last,
            "reveal": self.plan.reveal,
            "one more": lambda: self._count(Room(1, 0)),
            "one less": lambda: self._count(Room(0, 1)),
            "forget": self._forget,
            "plot": self._toggle_plot,
            "live": self._begin_live,
            "filter": self._begin_filter,
            "dark": self.dark_asked.emit,
            "larger": lambda: self._resize_type(self._factor * STEP),
            "smaller": lambda: self._resize_type(self._factor / STEP),
            "usual": lambda: self._resize_type(1.0),
        }
        self.plan.moved.connect(self.refresh)

    # What is in sight

    def refresh(self) -> None:
        """Show the item and the step of the show."""
        item = self.plan.item
        pair = None if item is None else self.read(item)
        self.page.show_pair(pair, self.plan.step, self.plan.room)
        self.changed.emit()

    def covered(self) -> bool:
        """Return whether the screen is black or white."""
        return self.stack.currentWidget() in (self.black, self.white)

    def forwards(self) -> None:
        """Go one step on; what was typed of the room counts, and what is too long is scrolled first."""
        self._take_count()
        if self._back_to_pair() or self.page.scroll_on(1):
            return
        self.plan.forwards()

    def backwards(self) -> None:
        self._take_count()
        if self._back_to_pair() or self.page.scroll_on(-1):
            return
        self.plan.backwards()

    def say(self, text: str) -> None:
        """Show what a filter or a typed pair leads to, in the line where it is typed."""
        self._line.setToolTip(text)
        self._hint.setText(text)
        self._hint.setVisible(bool(text))

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        does = action_of(event)
        if does != "escape":
            self._escaped = None
        if does == "count" or (event.text() == " " and self.typed and " " not in self.typed):
            self._type_count(event.text())
        elif does in self._actions:
            self._actions[does]()
        elif does != "nothing":
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Esc and the steps of a remote act in the lines too, where they do nothing of their own."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self._escape()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(watched, QLineEdit):
                watched.returnPressed.emit()  # by itself the line would leave the key to the stage as well
                return True
            if event.key() in (Qt.Key.Key_F5, Qt.Key.Key_F11):
                self.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave as by F11: the owner of the window puts everything back."""
        super().closeEvent(event)
        self.left.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        font = self.font()
        font.setPixelSize(max(round(TYPED * self.height()), 12))
        for part in (self._line, self._source, self._hypothesis, self._hint):
            part.setFont(font)

    # Building

    def _build(self) -> None:
        self.page = PairPage()
        self.black = Blank("#000000", self.tr("Black screen"))
        self.white = Blank("#ffffff", self.tr("White screen"))
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
        self._hint = named(QLineEdit(), self.tr("What was found"), "")
        self._hint.setReadOnly(True)
        self._hint.setFrame(False)
        self._hint.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._typing = widget_of(vbox(self._source, self._hypothesis, spacing=8))
        for part in (self._line, self._typing, self._hint):
            part.hide()
        vbox((self.stack, 1), self._typing, self._line, self._hint, within=self, margins=NO_MARGINS, spacing=0)

    def _field(self, name: str, hint: str) -> QLineEdit:
        field = named(QLineEdit(), name, "")
        field.setPlaceholderText(hint)
        field.installEventFilter(self)
        return field

    # What keys do

    def _blank(self, page: QWidget) -> None:
        self.stack.setCurrentWidget(self.page if self.stack.currentWidget() is page else page)
        self.changed.emit()

    def _back_to_pair(self) -> bool:
        """Uncover the pair if something covers it; returns whether it did."""
        if self.stack.currentWidget() is self.page:
            return False
        self.stack.setCurrentWidget(self.page)
        self.changed.emit()
        return True

    def _escape(self) -> None:
        """End what is over the pair; where nothing is, leave at the second time."""
        before, self._escaped = self._escaped, None
        if self._line.isVisible():
            self._line.hide()
            self.say("")
            self.setFocus()
            self.filter_typed.emit("")
        elif self.live:
            self._end_live()
        elif self.typed:
            self.typed = ""
            self.changed.emit()
        elif not self._back_to_pair():
            now = self.clock()
            if before is not None and now - before <= TWICE:
                self.left.emit()
            else:
                self._escaped = now

    def _toggle_plot(self) -> None:
        if self.plot is None and (plot := self.make_plot()) is not None:
            self.plot = plot
            self.stack.addWidget(plot)
            self._keep_focus(plot)
        if self.plot is not None:
            self._blank(self.plot)

    def _keep_focus(self, plot: QWidget) -> None:
        """The keys stay the stage's, whatever is clicked in the plot."""
        for part in (plot, *plot.findChildren(QWidget)):
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _begin_filter(self) -> None:
        if self.live:
            self._end_live()
        self._line.show()
        self._line.setFocus()
        self._line.selectAll()

    def _begin_live(self) -> None:
        self.live = True
        self._back_to_pair()
        self.say("")
        self._typing.show()
        self._source.clear()
        self._hypothesis.clear()
        self._source.setFocus()

    def _send_live(self) -> None:
        texts = self._source.text().strip(), self._hypothesis.text().strip()
        if all(texts):
            self._typing.hide()
            self.setFocus()
            self.pair_typed.emit(*texts)

    def _end_live(self) -> None:
        self.live = False
        self._typing.hide()
        self.say("")
        self.setFocus()
        self.live_ended.emit()

    # The room's guess

    def _type_count(self, sign: str) -> None:
        self.typed = (self.typed + sign)[:12]
        if (room := Room.typed(self.typed)) is not None:
            self.plan.set_room(room)

    def _take_count(self) -> None:
        self.typed = ""

    def _count(self, more: Room) -> None:
        self._take_count()
        room = self.plan.room or Room()
        self.plan.set_room(Room(room.yes + more.yes, room.no + more.no))

    def _forget(self) -> None:
        self.typed = self.typed[:-1]
        self.plan.set_room(Room.typed(self.typed) if self.typed else None)

    def _resize_type(self, factor: float) -> None:
        self._factor = min(max(factor, SMALLEST), LARGEST)
        self.page.set_factor(self._factor)
