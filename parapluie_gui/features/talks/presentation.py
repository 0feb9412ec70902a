"""Connects the main window with the stage: chooses the pairs shown and acts on the speaker's keys."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QScreen

from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.talks.joined_points import JoinedPoints, find_point, find_typed_point
from parapluie_gui.features.talks.outcome import OUTCOME_PAGE, TITLE_PAGE, StagePage, outcome_page
from parapluie_gui.features.talks.question import AudienceQuestion
from parapluie_gui.features.talks.room import RoomGuess
from parapluie_gui.features.talks.show import NO_ROW, Position, RowPairs, SlideshowPair, count_pairs
from parapluie_gui.features.talks.shown import DecidingWords, StagePair, find_baseline_columns, find_judge_column
from parapluie_gui.features.talks.speaker import SpeakerWindow, TalkDetour, format_passed
from parapluie_gui.features.talks.staged import StagedPairs
from parapluie_gui.features.talks.state import TalkState
from parapluie_gui.features.talks.view import StageView
from parapluie_gui.scores.identity import ColumnIdentity
from parapluie_gui.ui.scatter.view import ScatterView
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.task import BackgroundTask
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.window.context import WindowContext, WindowController

#: Modes of the stage: the selected pairs, the pairs of a talk, or one pair typed live.
SELECTED, TALK, LIVE = "selected", "talk", "live"


class PresentationController(WindowController):
    """Opens, fills and closes the stage, without changing the main window.

    Attributes:
        stage: The audience's window; None while it is closed.
        speaker: The speaker's window, if there is a second screen.
        leave: Called when the speaker leaves the stage.
        now: Clock in seconds (`time.monotonic`).

    Signals:
        talk_finished: (dict[int, float]) A talk is over: seconds that each pair was on the stage, by its place.
    """

    talk_finished = Signal(object)

    def __init__(self, context: WindowContext, talk: TalkState) -> None:
        super().__init__(context)
        self.stage: StageView | None = None
        self.speaker: SpeakerWindow | None = None
        self.leave: Callable[[], object] = lambda: None
        self.now = time.monotonic
        self._seconds: dict[int, float] = {}
        self._in_sight: tuple[int, float] | None = None
        self._looks, self._filter, self._talk = context.looks, context.filter, talk
        self._mode = SELECTED
        self._begun, self._minutes = 0.0, 0
        self._staged: StagedPairs | None = None
        self._rows: dict[int, int] = {}
        self._asking: BackgroundTask[dict[int, DecidingWords | None]] | None = None
        self._explained: tuple[StagedPairs, int] | None = None
        self._question = AudienceQuestion(context)
        self._home: tuple[str, StagedPairs | None, Position] | None = None
        self._plotted = self._workspace
        self._joined: JoinedPoints | None = None
        selection = self._workspace.selection
        selection.order_changed.connect(self._take_order)
        selection.primary_changed.connect(self._take_primary)
        self._workspace.scores_changed.connect(self._refresh)
        self._workspace.corpus_changed.connect(self._take_corpus)
        self._question.changed.connect(self._show_question)

    @property
    def is_open(self) -> bool:
        return self.stage is not None

    def set_open(self, wanted: bool) -> None:
        """Open the stage with the selected pairs, or close it."""
        if wanted and not self.is_open:
            self._mode = SELECTED
            self._open()
            self._take_corpus()
        elif not wanted and self.is_open:
            self._close()

    def give(self, staged: StagedPairs, items: Sequence[SlideshowPair], place: int = 0) -> None:
        """Present the pairs of a talk, from the pair at `place`."""
        if self.stage is None:
            self._open()
        assert self.stage is not None
        if not place:
            self._talk.begin_room(datetime.now().astimezone().isoformat(timespec="minutes"))
        title = (SlideshowPair.without_pair(TITLE_PAGE),) if self._talk.talk.title else ()
        items = (*title, *items, SlideshowPair.without_pair(OUTCOME_PAGE))
        place = place + len(title) if place else 0
        self._mode, self._staged, self._home = TALK, staged, None
        self._begun, self._minutes = self.now(), self._talk.talk.minutes
        if self.speaker is not None:
            self.speaker.begun, self.speaker.minutes = self._begun, self._minutes
        self._seconds, self._in_sight = {}, None
        self._rows = self._rows_of(staged)
        self._choose_plot(staged)
        guesses = {texts: RoomGuess(*counts) for texts, counts in self._talk.rooms.items()}
        rooms = {
            at: guesses[texts]
            for at, item in enumerate(items)
            if not item.page and (texts := _texts(staged, item)) in guesses
        }
        self.stage.slideshow.begin(items, min(place, max(len(items) - 1, 0)), 0, rooms)

    def close(self) -> None:
        """Close the stage and wait for the thread that reads explanations."""
        self.set_open(False)
        if self._asking is not None:
            self._asking.wait()

    # The two windows

    def _open(self) -> None:
        self._begun = self.now()
        stage = self.stage = StageView(self._read)
        stage.make_plot = self._make_plot
        stage.read_page = self._read_page
        stage.read_note = self._read_note
        stage.leave_asked.connect(self._leave)
        stage.dark_asked.connect(self._change_colours)
        stage.filter_typed.connect(self._filter_pairs)
        stage.pair_typed.connect(self._score_pair)
        stage.live_ended.connect(self._end_detour)
        stage.changed.connect(self._follow)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.screenAdded.connect(self._place)
        app.screenRemoved.connect(self._take_loss)
        self._place()

    def _close(self) -> None:
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.screenAdded.disconnect(self._place)
        app.screenRemoved.disconnect(self._take_loss)
        stage, self.stage = self.stage, None
        self._drop_speaker()
        self._note_time(None)
        if self._seconds:
            self.talk_finished.emit(self._seconds)
            self._seconds = {}
        assert stage is not None
        self._question.end()
        self._staged = self._home = self._joined = None
        self._plotted = self._workspace
        stage.close()
        stage.deleteLater()
        self._window.activateWindow()

    def _place(self, *_: object) -> None:
        """Show the stage on the audience's screen and, if there are two screens, the speaker's window on the other."""
        stage, own = self.stage, self._window.screen()
        if stage is None:
            return
        screen = find_audience_screen(own)
        stage.setGeometry(screen.geometry())
        stage.showFullScreen()
        if screen is not own and self.speaker is None:
            speaker = self.speaker = SpeakerWindow(stage.slideshow, self._read, stage)
            speaker.begun, speaker.minutes = self._begun, self._minutes
            speaker.read_progress = lambda: self._question.progress
            speaker.setFont(self._window.font())
            speaker.key_pressed.connect(self._take_key)
            speaker.closed.connect(self._lose_speaker)
            speaker.setGeometry(own.availableGeometry())
            speaker.showMaximized()
        elif screen is own:
            self._drop_speaker()
        stage.activateWindow()
        stage.setFocus()
        self._follow()

    def _take_loss(self, screen: QScreen) -> None:
        """Move the stage back to the remaining screen when the projector is disconnected."""
        if self._window.screen() is not screen:
            self._place()

    def _drop_speaker(self) -> None:
        speaker, self.speaker = self.speaker, None
        if speaker is not None:
            speaker.close()
            speaker.deleteLater()

    def _lose_speaker(self) -> None:
        """Send the keys to the stage when the speaker's window is closed."""
        speaker, self.speaker = self.speaker, None
        if speaker is not None and self.stage is not None:
            speaker.deleteLater()
            self.stage.activateWindow()
            self.stage.setFocus()

    def _take_key(self, event: QKeyEvent) -> None:
        if self.stage is None:
            return
        if (field := self.stage.open_field()) is not None:
            QGuiApplication.sendEvent(field, event)
        else:
            self.stage.keyPressEvent(event)

    def _leave(self) -> None:
        if self.is_open:
            self.leave()

    def _choose_plot(self, staged: StagedPairs) -> None:
        """Choose what the scatter of a talk shows: the open corpus, or the talk's pairs if none of them is in it."""
        assert self.stage is not None
        self.stage.forget_plot()
        self._joined, self._plotted = None, self._workspace
        if not self._rows:
            own = self._plotted = CorpusWorkspace(self.stage)
            own.show(staged.corpus, staged.table)
            x = next((name for name in staged.baselines if name in staged.table), "")
            own.set_axes(x=x or None, y=staged.judge or None)

    def _make_plot(self) -> ScatterView | None:
        if self._plotted.corpus is None or self.stage is None:
            return None
        plot = ScatterView(self._plotted)
        plot.set_alone(self.stage.plot_scale)
        plot.set_revealed(self.stage.slideshow.is_revealed)
        self._joined = JoinedPoints(plot)
        self._mark_in_plot()
        return plot

    def _mark_in_plot(self) -> None:
        """Show the ring of the pair on the stage, or the typed pair joined to its original, once it is revealed."""
        stage = self.stage
        if stage is None or self._joined is None or not isinstance(stage.plot, ScatterView | None):
            return
        row = self._row_in_sight(stage.slideshow.item)
        if isinstance(stage.plot, ScatterView):
            stage.plot.set_revealed(stage.slideshow.is_revealed and row != NO_PAIR)
        question, typed, before = self._question.staged, None, None
        if self._mode == LIVE and question is not None and stage.slideshow.is_revealed:
            typed = find_typed_point(self._plotted, question.table)
            before = None if (origin := self._row_before()) == NO_PAIR else find_point(self._plotted, origin)
        self._joined.show(before, typed, stage.plot_scale)

    def _row_before(self) -> int:
        """Return the row, in the scatter, of the pair on the stage before the typed one."""
        if self._home is None:
            return NO_PAIR
        mode, _, (items, place, *_) = self._home
        return self._row_of(items[place], mode) if place < len(items) else NO_PAIR

    def _change_colours(self) -> None:
        self._looks.toggle_dark(self._looks.theme.name != themes.DARK.name)
        if self.stage is not None:
            self.stage.refresh()

    # The pairs of the selection

    def _take_corpus(self) -> None:
        """Show the selected pairs of a new corpus."""
        if self.stage is None or self._mode != SELECTED:
            return
        corpus, table = self._workspace.corpus, self._workspace.table
        if corpus is None:
            self._staged = None
            self.stage.slideshow.begin(())
            return
        judge, title = find_judge_column(table, self._workspace.y), self._title
        self._staged = StagedPairs(corpus, table, judge, find_baseline_columns(table), title)
        self._take_order()

    def _title(self, identity: ColumnIdentity) -> str:
        return self._workspace.title(identity.column)

    def _take_order(self) -> None:
        if self.stage is None or self._mode != SELECTED or self._staged is None:
            return
        selection = self._workspace.selection
        at = (selection.order == selection.primary).nonzero()[0]
        self.stage.slideshow.begin(RowPairs(selection.order), int(at[0]) if len(at) else 0)

    def _take_primary(self, row: int) -> None:
        """Show the pair clicked in the window."""
        if self.stage is None or self._mode != SELECTED or row == NO_PAIR:
            return
        at = (self._workspace.selection.order == row).nonzero()[0]
        if len(at):
            self.stage.slideshow.go_to(int(at[0]))

    def _refresh(self) -> None:
        if self.stage is not None and self._staged is not None and self._mode == SELECTED:
            table = self._workspace.table
            self._staged.judge = self._staged.judge or find_judge_column(table, self._workspace.y)
            self._staged.baselines = self._staged.baselines or find_baseline_columns(table)
            self.stage.refresh()

    def _rows_of(self, staged: StagedPairs) -> dict[int, int]:
        """Return the corpus row of each pair of a talk that the open corpus contains."""
        corpus = self._workspace.corpus
        if corpus is None:
            return {}
        places = {
            texts: at for at, texts in enumerate(zip(staged.corpus.source, staged.corpus.hypothesis, strict=True))
        }
        rows = enumerate(zip(corpus.source, corpus.hypothesis, strict=True))
        return {places[texts]: row for row, texts in rows if texts in places}

    def _follow(self) -> None:
        """Make the pair on the stage the window's primary pair; hide its point until the verdict is revealed."""
        stage = self.stage
        if stage is None:
            return
        item = stage.slideshow.item
        in_talk = self._mode == TALK or (self._home is not None and self._home[0] == TALK)
        self._note_time(None if item is None or not in_talk else item.row if self._mode == TALK else NO_ROW)
        if self._mode == TALK and self._staged is not None:
            slideshow, staged = stage.slideshow, self._staged
            counts = {_texts(staged, slideshow.items[at]): (room.yes, room.no) for at, room in slideshow.rooms.items()}
            self._talk.set_rooms(counts)
        row = self._row_in_sight(stage.slideshow.item)
        if row != NO_PAIR:
            self._plotted.selection.set_primary(row)
        self._mark_in_plot()
        if self.speaker is not None:
            self.speaker.refresh(
                stage.describe_cover(), stage.describe_typing(), self._describe_detour(), stage.describe()
            )

    def _describe_detour(self) -> TalkDetour | None:
        """Return the pair shown outside the talk, and the step at which the talk continues; None in the talk itself."""
        if self._home is None:
            return None
        _, _, (items, place, *_) = self._home
        page = items[place].page if place < len(items) else ""
        return TalkDetour(self._mode == LIVE, page, *count_pairs(items, place))

    def _row_in_sight(self, item: SlideshowPair | None) -> int:
        """Return the row, in the scatter, of the pair on the stage; `NO_PAIR` if the scatter does not contain it."""
        return NO_PAIR if item is None or self._mode == LIVE else self._row_of(item, self._mode)

    def _row_of(self, item: SlideshowPair, mode: str) -> int:
        if item.page:
            return NO_PAIR
        if mode == SELECTED:
            return item.row if self._plotted is self._workspace else NO_PAIR
        return self._rows.get(item.row, NO_PAIR) if self._plotted is self._workspace else item.row

    def _note_time(self, place: int | None) -> None:
        """Start timing a pair of the talk, or stop timing (None)."""
        now = self.now()
        if self._in_sight is not None:
            before, since = self._in_sight
            self._seconds[before] = self._seconds.get(before, 0.0) + now - since
        self._in_sight = None if place is None else (place, now)

    def _read(self, item: SlideshowPair) -> StagePair | None:
        staged = self._staged
        if staged is None or item.page:
            return None
        if item.row not in staged.words:
            self._explain(staged, item.row)
        return staged.pair(item.row)

    def _read_note(self) -> str:
        """Return the speaker's note on what is shown, with the time of the talk."""
        item = None if self.stage is None else self.stage.slideshow.item
        note = "" if item is None else item.note
        clock = format_passed(self.now() - self._begun, self._minutes)
        return "\n".join(filter(None, [clock, self._question.progress, note]))

    def _read_page(self, name: str) -> StagePage | None:
        """Return a page of the talk without a pair."""
        staged, stage = self._staged, self.stage
        if staged is None or stage is None:
            return None
        if name == TITLE_PAGE:
            return StagePage(self._talk.talk.title)
        items, rooms = stage.slideshow.items, stage.slideshow.rooms
        guesses = {items[at].row: room for at, room in rooms.items()}
        rows = [item.row for item in items if not item.page]
        numbered = {place: guesses[row] for place, row in enumerate(rows) if row in guesses}
        return outcome_page([staged.pair(row) for row in rows], numbered)

    def _explain(self, staged: StagedPairs, row: int) -> None:
        """Read which words decided, only for the pair on the stage."""
        if self._asking is not None:
            return
        self._explained = staged, row
        self._asking = BackgroundTask(lambda tell: staged.explain(row), self)
        self._asking.begin(self._take_words, self._take_no_words, self._take_end)

    def _take_words(self, words: dict[int, DecidingWords | None]) -> None:
        if self._explained is not None:
            known = self._explained[0].words
            known.update({row: decided for row, decided in words.items() if known.get(row) is None})

    def _take_no_words(self, error: ParapluieError) -> None:
        """Ignore the error: the stage marks the words that differ instead."""

    def _take_end(self) -> None:
        self._asking = None
        if self._explained is not None:
            staged, row = self._explained
            staged.words.setdefault(row, None)
            self._explained = None
        if self.stage is not None:
            self.stage.refresh()

    # What the speaker types

    def _begin_detour(self, mode: str) -> None:
        """Save the position on the stage, for `_end_detour` to return to."""
        if self._home is None and self.stage is not None:
            self._home = self._mode, self._staged, self.stage.slideshow.position()
        self._mode = mode

    def _end_detour(self) -> None:
        self._question.end()
        if self.stage is not None and self._home is not None:
            (self._mode, self._staged, position), self._home = self._home, None
            self.stage.slideshow.begin(*position)

    def _filter_pairs(self, text: str) -> None:
        """Show the pairs that match a filter; "" returns to the pairs before."""
        if self.stage is None:
            return
        if not text:
            self._filter.clear()
            self._end_detour()
            return
        if self._mode == TALK:
            self._begin_detour(SELECTED)
            self._take_corpus()
        self._filter.set_filter(text)
        self.stage.show_message(self._filter.error)
        if not self._filter.error:
            self.stage.setFocus()

    def _score_pair(self, source: str, hypothesis: str) -> None:
        """Score a pair typed on the stage; it is added to the Bench's history."""
        before = self._staged if self._home is None else self._home[1]
        self._begin_detour(LIVE)
        self._staged = self._question.ask(source, hypothesis, before)
        assert self.stage is not None
        self.stage.slideshow.begin((SlideshowPair(0),))

    def _show_question(self) -> None:
        """Show the scores, and the words that decided, of the typed pair."""
        if self._mode == LIVE and self.stage is not None:
            self._staged = self._question.staged
            self.stage.refresh()


def _texts(staged: StagedPairs, item: SlideshowPair) -> tuple[str, str]:
    return staged.corpus.source[item.row], staged.corpus.hypothesis[item.row]


def find_audience_screen(own: QScreen) -> QScreen:
    """Return the audience's screen: one that does not show the main window, if there is one."""
    return next((screen for screen in QGuiApplication.screens() if screen is not own), own)
