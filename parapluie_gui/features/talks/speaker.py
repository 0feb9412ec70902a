"""The speaker's window on the second screen: the current step, the next one, the note and the clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QDateTime, QEvent, QLocale, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from parapluie_gui.features.talks.outcome import OUTCOME_PAGE, TITLE_PAGE
from parapluie_gui.features.talks.results import ResultPainter, describe_verdict
from parapluie_gui.features.talks.show import Slideshow, SlideshowPair
from parapluie_gui.features.talks.shown import StagePair
from parapluie_gui.features.talks.stage_picture import StagePicture
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, scroll_area, vbox, widget_of
from parapluie_gui.ui.widgets.controls import plain
from parapluie_gui.ui.widgets.text import enlarge, heading, set_type_size, usual_points

#: Type sizes relative to running text.
CLOCK, NOTE, NEXT, FACTS = 2.6, 2.0, 1.5, 1.3

#: Maximum heights of the picture and of the next step as shares of the window's height; a longer text scrolls.
PICTURE_SHARE, NEXT_SHARE = 0.5, 0.35

#: Type size of running text in points per pixel of the window's height.
POINTS = 0.016

_TICK_MS = 500


@dataclass(frozen=True)
class TalkDetour:
    """The pair that the stage shows outside the talk, and the step at which the talk continues.

    Attributes:
        typed: Whether it is a pair typed by the speaker; otherwise the pairs of a filter.
        page: The page at which the talk goes on, "" for a pair.
        number, pairs: The number of the pair at which it goes on, and the number of all pairs.
    """

    typed: bool
    page: str
    number: int
    pairs: int


def format_clock(seconds: float) -> str:
    """Return minutes and seconds: "3:07"."""
    return f"{round(seconds) // 60}:{round(seconds) % 60:02d}"


def format_passed(seconds: float, minutes: int) -> str:
    """Return the time since the start of a talk, with its planned length if it has one: "4:13 of 20:00"."""
    passed = format_clock(int(seconds))
    planned = QCoreApplication.translate("Stage", "{0} of {1}")
    return planned.format(passed, format_clock(minutes * 60)) if minutes else passed


class SpeakerWindow(QWidget):
    """Window for the speaker. Keys pressed here act on the stage.

    Attributes:
        now: Clock in seconds (`time.monotonic`).
        begun: Time on this clock at which the talk began.
        minutes: The planned length of the talk, 0 if it is not planned.
        read_progress: Returns what a typed pair waits for, "" for nothing.

    Signals:
        key_pressed: (QKeyEvent) A key was pressed.
        closed: The window was closed.

    Args:
        show: The slideshow.
        read: Returns the pair of a slideshow item.
        stage: The audience's window, whose picture is shown.
    """

    key_pressed = Signal(QKeyEvent)
    closed = Signal()

    def __init__(
        self,
        show: Slideshow,
        read: Callable[[SlideshowPair], StagePair | None],
        stage: QWidget | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setProperty("manual_page", "presentation")
        self.setProperty("unframed", True)
        self.setWindowTitle(self.tr("Speaker's screen"))
        self.setAccessibleName(self.tr("Speaker's screen"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.now = time.monotonic
        self._slideshow, self._read = show, read
        self.begun, self.minutes = self.now(), 0
        self.read_progress: Callable[[], str] = str
        self._sizing = False
        self._build(stage)
        self._ticking = QTimer(self, interval=_TICK_MS)
        self._ticking.timeout.connect(self._show_clock)

    def refresh(self, cover: str = "", typed: str = "", detour: TalkDetour | None = None, seen: str = "") -> None:
        """Show the current position of the talk.

        Args:
            cover: What the audience sees instead of the step, such as a black screen, in words; "" for the step.
            typed: What the speaker is typing: the room's guess, a pair or a filter; "" for nothing.
            detour: What is shown outside the talk; None for the talk itself.
            seen: What the room sees, in words.
        """
        show, names = self._slideshow, self._names()
        item = show.item
        self._show_clock()
        self.picture.refresh(seen)
        self.typed.setText(typed)
        self.typed.setVisible(bool(typed))
        facts, note, step = "", "", ""
        if item is None:
            self.place.setText(self.tr("No pair"))
        else:
            if not item.page:
                step = self.tr("{0} ({1} of {2})").format(
                    names[show.step], item.steps.index(show.step) + 1, len(item.steps)
                )
                pair = self._read(item)
                facts, note = (
                    "" if pair is None else "\n".join(ResultPainter.describe(pair, "words", show.room)),
                    item.note,
                )
            self.place.setText("  ·  ".join(filter(None, [self._place(detour), step, cover])))
        self.facts.setText(facts)
        self.note.setText(note)
        self._note_heading.setVisible(bool(note))
        self.following.setText("" if item is None else self._next(names, detour))
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ticking.start()
        self._show_clock()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Scale the type with the window, to be readable from where the speaker stands."""
        super().resizeEvent(event)
        self._scale()

    def changeEvent(self, event: QEvent) -> None:
        """Restore the sizes of type, which a new style sheet replaces."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self._scale()

    def _scale(self) -> None:
        if not self._sizing:
            self._sizing = True
            set_type_size(self, max(usual_points(), self.height() * POINTS))
            self._sizing = False
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

    def _build(self, stage: QWidget | None) -> None:
        self.clock, self.passed, self.place = plain(), plain(), plain(wraps=True)
        self.clock.setAccessibleName(self.tr("Time"))
        self.passed.setAccessibleName(self.tr("Time since the start"))
        for part in (self.clock, self.passed):
            enlarge(part, CLOCK)
        self.picture = StagePicture(stage)
        self.facts, self.typed, self.progress, self.following, self.note = (plain(wraps=True) for _ in range(5))
        enlarge(self.following, NEXT, bold=False)
        for part in (self.place, self.typed, self.progress):
            enlarge(part, NEXT)
        enlarge(self.facts, FACTS, bold=False)
        enlarge(self.note, NOTE, bold=False)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        head = hbox(self.clock, (self.place, 1), self.passed, spacing=24)
        self._after = scroll_area(self.following)
        now = vbox(
            self.picture, self.typed, self.progress, (scroll_area(self.facts), 1), spacing=12, margins=NO_MARGINS
        )
        self._note_heading = heading(self.tr("Note"))
        after = vbox(
            heading(self.tr("Next")),
            self._after,
            self._note_heading,
            (scroll_area(self.note), 1),
            margins=NO_MARGINS,
        )
        both = hbox((widget_of(now), 3), (widget_of(after), 2), spacing=24, margins=NO_MARGINS)
        vbox(head, (widget_of(both), 1), within=self, margins=(24, 16, 24, 16))

    def _fit(self) -> None:
        """Set the heights of the picture and of the next step, within their shares of the window."""
        self.picture.fit(round(PICTURE_SHARE * self.height()))
        needs = max(self.following.heightForWidth(self._after.viewport().width()), 0)
        self._after.setFixedHeight(min(needs, round(NEXT_SHARE * self.height())))

    def _place(self, detour: TalkDetour | None) -> str:
        """Describe the current pair or page; outside the talk, also where the talk goes on."""
        show = self._slideshow
        item = show.item
        if item is not None and item.page:
            return self._names()[item.page]
        number, pairs = show.count_pairs()
        if detour is None:
            return self._number(number, pairs)
        if detour.typed:
            return self.tr("Your own pair; then {0}").format(self._goes_on(detour))
        words = self.tr("Pair {0} of {1} of the filter; then {2}")
        return words.format(f"{number:,}", f"{pairs:,}", self._goes_on(detour))

    def _number(self, number: int, pairs: int) -> str:
        return self.tr("Pair {0} of {1}").format(f"{number:,}", f"{pairs:,}")

    def _goes_on(self, detour: TalkDetour) -> str:
        if detour.page == TITLE_PAGE:
            return self.tr("the title")
        if detour.page == OUTCOME_PAGE:
            return self.tr("who was right")
        return self.tr("pair {0} of {1}").format(f"{detour.number:,}", f"{detour.pairs:,}")

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

    def _next(self, names: dict[str, str], detour: TalkDetour | None) -> str:
        """Describe the next step."""
        following = self._slideshow.next_step()
        if following is None and detour is not None and detour.typed:
            return self.tr("Back to the talk: {0}").format(self._goes_on(detour))
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
        self.passed.setText(format_passed(self.now() - self.begun, self.minutes))
        self.progress.setText(self.read_progress())
        self.progress.setVisible(bool(self.progress.text()))
        for part in (self.clock, self.passed):
            part.setAccessibleDescription(part.text())
