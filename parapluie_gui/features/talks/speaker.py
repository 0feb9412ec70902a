"""The speaker's window on the second screen: the current step, the next one, the note and the clock."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QDateTime, QLocale, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from parapluie_gui.features.talks.results import ResultPainter, describe_verdict
from parapluie_gui.features.talks.show import Slideshow, SlideshowPair
from parapluie_gui.features.talks.shown import StagePair
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, scroll_area, vbox, widget_of
from parapluie_gui.ui.widgets.controls import plain
from parapluie_gui.ui.widgets.text import enlarge, heading, set_type_size, usual_points

#: Type sizes relative to running text.
CLOCK, NOTE, SENTENCE, FACTS = 2.6, 1.8, 1.4, 1.2

#: Maximum heights of the sentences and of the next step, as shares of the window's height; longer texts scroll.
NOW_SHARE, NEXT_SHARE = 0.55, 0.35

#: Type size of running text in points per pixel of the window's height.
POINTS = 0.016

_TICK_MS = 500


class SpeakerWindow(QWidget):
    """Window for the speaker. Keys pressed here act on the stage.

    Attributes:
        now: Clock in seconds (`time.monotonic`).
        begun: Time on this clock at which the talk began.

    Signals:
        key_pressed: (QKeyEvent) A key was pressed.
        closed: The window was closed.
    """

    key_pressed = Signal(QKeyEvent)
    closed = Signal()

    def __init__(
        self, show: Slideshow, read: Callable[[SlideshowPair], StagePair | None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setProperty("manual_page", "presentation")
        self.setWindowTitle(self.tr("Speaker's screen"))
        self.setAccessibleName(self.tr("Speaker's screen"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.now = time.monotonic
        self._slideshow, self._read = show, read
        self.begun = self.now()
        self._build()
        self._ticking = QTimer(self, interval=_TICK_MS)
        self._ticking.timeout.connect(self._show_clock)

    def refresh(self, covered: bool = False, typed: str = "") -> None:
        """Show the current position of the talk.

        Args:
            covered: Whether the audience sees a black or a white screen.
            typed: Characters typed for the room's guess, "" if none.
        """
        show, names = self._slideshow, self._names()
        item = show.item
        if item is None:
            self.place.setText(self.tr("No pair"))
            for part in (self.source, self.hypothesis, self.facts, self.following, self.note):
                part.setText("")
            return
        if item.page:
            self.place.setText(names[show.step])
            for part in (self.source, self.hypothesis, self.facts, self.note):
                part.setText("")
            self.following.setText(self._next(names))
            self._fit()
            return
        place = self.tr("Pair {0} of {1}").format(*(f"{number:,}" for number in show.count_pairs()))
        steps = self.tr("{0} ({1} of {2})").format(names[show.step], item.steps.index(show.step) + 1, len(item.steps))
        parts = [place, steps, self.tr("the screen is blank") if covered else ""]
        self.place.setText("  ·  ".join(filter(None, parts)))
        pair = self._read(item)
        if pair is not None:
            self.source.setText(pair.source)
            self.hypothesis.setText(pair.hypothesis)
            scores = ResultPainter.describe(pair, "baselines", show.room)
            sentence = pair.words.sentence if pair.words is not None else ""
            words = "  ".join(edit for edit, _, _ in pair.words.edits[:4]) if pair.words is not None else ""
            self.facts.setText("\n".join(filter(None, [scores, sentence or words])))
        if typed:
            self.facts.setText(self.tr("The room: {0}").format(typed))
        self.following.setText(self._next(names))
        self.note.setText(item.note)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ticking.start()
        self._show_clock()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Scale the type with the window, to be readable from where the speaker stands."""
        super().resizeEvent(event)
        set_type_size(self, max(usual_points(), self.height() * POINTS))
        self._fit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ticking.stop()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self._ticking.stop()
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.key_pressed.emit(event)

    def _build(self) -> None:
        self.clock, self.passed, self.place = plain(), plain(), plain(wraps=True)
        self.clock.setAccessibleName(self.tr("Time"))
        self.passed.setAccessibleName(self.tr("Time since the start"))
        for part in (self.clock, self.passed):
            enlarge(part, CLOCK)
        self.source, self.hypothesis = plain(wraps=True), plain(wraps=True)
        self.facts, self.following, self.note = plain(wraps=True), plain(wraps=True), plain(wraps=True)
        for part in (self.source, self.hypothesis, self.following):
            enlarge(part, SENTENCE, bold=False)
        enlarge(self.place, SENTENCE)
        enlarge(self.facts, FACTS, bold=False)
        enlarge(self.note, NOTE, bold=False)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        head = hbox(self.clock, 1, self.passed)
        self._texts = widget_of(vbox(self.source, self.hypothesis, spacing=12, margins=NO_MARGINS))
        self._now = scroll_area(self._texts)
        self._after = scroll_area(self.following)
        now = vbox(self.place, self._now, self.facts, 1, spacing=12)
        after = vbox(heading(self.tr("Next")), self._after, heading(self.tr("Note")), (scroll_area(self.note), 1))
        both = hbox((widget_of(now), 1), (widget_of(after), 1), spacing=24)
        vbox(head, (widget_of(both), 1), within=self, margins=(24, 16, 24, 16))

    def _fit(self) -> None:
        """Set the heights of the sentences and of the next step, within their shares of the window."""
        for inside, area, share in ((self._texts, self._now, NOW_SHARE), (self.following, self._after, NEXT_SHARE)):
            needs = max(inside.heightForWidth(area.viewport().width()), 0)
            area.setFixedHeight(min(needs, round(share * self.height())))

    def _names(self) -> dict[str, str]:
        return {
            "sentences": self.tr("Sentences"),
            "guess": self.tr("The room guesses"),
            "judge": self.tr("The judge's verdict"),
            "baselines": self.tr("The other scores"),
            "words": self.tr("Which words decided"),
            "title": self.tr("Title"),
            "outcome": self.tr("Who was right"),
        }

    def _next(self, names: dict[str, str]) -> str:
        """Describe the next step."""
        following = self._slideshow.next_step()
        if following is None:
            return self.tr("The end")
        place, step = following
        if place == self._slideshow.place:
            item = self._slideshow.item
            pair = None if item is None else self._read(item)
            return f"{names[step]}: {describe_verdict(pair)}" if step == "judge" and pair is not None else names[step]
        if self._slideshow.items[place].page:
            return names[step]
        pair = self._read(self._slideshow.items[place])
        return "" if pair is None else f"{pair.source}\n{pair.hypothesis}"

    def _show_clock(self) -> None:
        self.clock.setText(QLocale().toString(QDateTime.currentDateTime().time(), "HH:mm"))
        seconds = int(self.now() - self.begun)
        self.passed.setText(f"{seconds // 60}:{seconds % 60:02d}")
        for part in (self.clock, self.passed):
            part.setAccessibleDescription(part.text())
