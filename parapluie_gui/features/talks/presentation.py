"""Between the window and the stage: which pairs are shown to an audience, and what the speaker asks for meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QScreen

from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.talks.room import Room
from parapluie_gui.features.talks.show import Position, RowItems, ShownPair
from parapluie_gui.features.talks.shown import StagePair, Words, baselines_of, judge_of
from parapluie_gui.features.talks.speaker import SpeakerWindow
from parapluie_gui.features.talks.staged import Staged
from parapluie_gui.features.talks.state import TalkState
from parapluie_gui.features.talks.view import StageView
from parapluie_gui.scores.identity import ColumnIdentity
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.scatter.view import ScatterView
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.task import Task
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.window.bench import corpus_of, table_of
from parapluie_gui.ui.window.context import Context, Helper

#: Height of the screen in pixels at which the scatter alone has type of the usual size.
_USUAL_HEIGHT = 420

#: What is on the stage: the pairs of the selection, those of a talk, or one that the room made up.
SELECTED, TALK, LIVE = "selected", "talk", "live"


class Presentation(Helper):
    """Opens the stage and closes it again. The window itself stays as it is.

    Attributes:
        stage: What the audience sees; None while nothing is presented.
        speaker: What the speaker sees where there is a second screen.
        now: Returns the seconds that a clock of any beginning shows.

    Signals:
        given: (seconds) A talk is over: how long each of its pairs was in sight, by its place.
    """

    given = Signal(object)

    def __init__(self, context: Context, talk: TalkState) -> None:
        super().__init__(context)
        self.stage: StageView | None = None
        self.speaker: SpeakerWindow | None = None
        self.left: Callable[[], object] = lambda: None
        self.now = time.monotonic
        self._seconds: dict[int, float] = {}
        self._in_sight: tuple[int, float] | None = None
        self._looks, self._filter, self._talk = context.looks, context.filter, talk
        self._mode = SELECTED
        self._begun = 0.0
        self._staged: Staged | None = None
        self._rows: dict[int, int] = {}
        self._asking: Task[dict[int, Words | None]] | None = None
        self._explained: tuple[Staged, int] | None = None
        self._live = "", ""
        self._home: tuple[str, Staged | None, Position] | None = None
        selection = self._workspace.selection
        selection.order_changed.connect(self._take_order)
        selection.primary_changed.connect(self._take_primary)
        self._workspace.scores_changed.connect(self._refresh)
        self._workspace.corpus_changed.connect(self._take_corpus)
        self._bench.history_changed.connect(self._take_history)

    @property
    def on(self) -> bool:
        """True while presenting."""
        return self.stage is not None

    def set_on(self, on: bool) -> None:
        """Show the selected pairs on the stage, or close it."""
        if on and not self.on:
            self._mode = SELECTED
            self._open()
            self._take_corpus()
        elif not on and self.on:
            self._close()

    def give(self, staged: Staged, items: Sequence[ShownPair], place: int = 0) -> None:
        """Show the pairs of a talk, from a place on."""
        if self.stage is None:
            self._open()
        assert self.stage is not None
        self._mode, self._staged, self._home = TALK, staged, None
        self._seconds, self._in_sight = {}, None
        self._rows = self._rows_of(staged)
        kept = {texts: Room(*counts) for texts, counts in self._talk.rooms.items()}
        rooms = {at: kept[texts] for at, item in enumerate(items) if (texts := _texts(staged, item)) in kept}
        self.stage.plan.begin(items, min(place, max(len(items) - 1, 0)), 0, rooms)

    def close(self) -> None:
        """Close the stage and wait for what is read for it."""
        self.set_on(False)
        if self._asking is not None:
            self._asking.wait()

    # The two windows

    def _open(self) -> None:
        self._begun = self.now()
        stage = self.stage = StageView(self._read)
        stage.make_plot = self._make_plot
        stage.left.connect(self._leave)
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
            self.given.emit(self._seconds)
            self._seconds = {}
        assert stage is not None
        self._staged = self._home = None
        stage.close()
        stage.deleteLater()
        self._window.activateWindow()

    def _place(self, *_: object) -> None:
        """Put the stage on the audience's screen, and the speaker's window on the other one, where there are two."""
        stage, own = self.stage, self._window.screen()
        if stage is None:
            return
        screen = audience_screen(own)
        stage.setGeometry(screen.geometry())
        stage.showFullScreen()
        if screen is not own and self.speaker is None:
            speaker = self.speaker = SpeakerWindow(stage.plan, self._read)
            speaker.begun = self._begun
            speaker.setFont(self._window.font())
            speaker.pressed.connect(self._take_key)
            speaker.left.connect(self._lose_speaker)
            speaker.setGeometry(own.availableGeometry())
            speaker.showMaximized()
        elif screen is own:
            self._drop_speaker()
        stage.activateWindow()
        stage.setFocus()
        self._follow()

    def _take_loss(self, screen: QScreen) -> None:
        """The projector went: the stage comes back to the screen that is left."""
        if self._window.screen() is not screen:
            self._place()

    def _drop_speaker(self) -> None:
        speaker, self.speaker = self.speaker, None
        if speaker is not None:
            speaker.close()
            speaker.deleteLater()

    def _lose_speaker(self) -> None:
        """The speaker closed the speaker's window: the keys go to the stage, and the show goes on."""
        speaker, self.speaker = self.speaker, None
        if speaker is not None and self.stage is not None:
            speaker.deleteLater()
            self.stage.activateWindow()
            self.stage.setFocus()

    def _take_key(self, event: QKeyEvent) -> None:
        if self.stage is not None:
            self.stage.keyPressEvent(event)

    def _leave(self) -> None:
        if self.on:
            self.left()

    def _make_plot(self) -> ScatterView | None:
        if self._workspace.corpus is None or self.stage is None:
            return None
        plot = ScatterView(self._workspace)
        plot.set_alone(max(self.stage.height() / _USUAL_HEIGHT, 1.0))
        plot.set_revealed(self.stage.plan.revealed)
        return plot

    def _change_colours(self) -> None:
        self._looks.toggle_dark(self._looks.theme.name != themes.DARK.name)

    # The pairs of the selection

    def _take_corpus(self) -> None:
        """Show the selected pairs of another corpus."""
        if self.stage is None or self._mode != SELECTED:
            return
        corpus, table = self._workspace.corpus, self._workspace.table
        if corpus is None:
            self._staged = None
            self.stage.plan.begin(())
            return
        judge, title = judge_of(table, self._workspace.y), self._title
        self._staged = Staged(corpus, table, judge, baselines_of(table), title)
        self._take_order()

    def _title(self, identity: ColumnIdentity) -> str:
        """Return what a score of the corpus is called, with its judge where there are several."""
        return self._workspace.title(identity.column)

    def _take_order(self) -> None:
        if self.stage is None or self._mode != SELECTED or self._staged is None:
            return
        selection = self._workspace.selection
        at = (selection.order == selection.primary).nonzero()[0]
        self.stage.plan.begin(RowItems(selection.order), int(at[0]) if len(at) else 0)

    def _take_primary(self, row: int) -> None:
        """Show the pair that is clicked in the window."""
        if self.stage is None or self._mode != SELECTED or row == NO_PAIR:
            return
        at = (self._workspace.selection.order == row).nonzero()[0]
        if len(at):
            self.stage.plan.go_to(int(at[0]))

    def _refresh(self) -> None:
        """Show new scores."""
        if self.stage is not None and self._staged is not None and self._mode == SELECTED:
            table = self._workspace.table
            self._staged.judge = self._staged.judge or judge_of(table, self._workspace.y)
            self._staged.baselines = self._staged.baselines or baselines_of(table)
            self.stage.refresh()

    def _rows_of(self, staged: Staged) -> dict[int, int]:
        """Return where the pairs of a talk are in the corpus that is shown, those that are in it."""
        corpus = self._workspace.corpus
        if corpus is None:
            return {}
        places = {
            texts: at for at, texts in enumerate(zip(staged.corpus.source, staged.corpus.hypothesis, strict=True))
        }
        found = enumerate(zip(corpus.source, corpus.hypothesis, strict=True))
        return {places[texts]: row for row, texts in found if texts in places}

    def _follow(self) -> None:
        """Let the window go along: the pair on the stage is the primary one, its point is a secret until revealed."""
        stage = self.stage
        if stage is None:
            return
        self._note_time(stage.plan.place if self._mode == TALK else None)
        if self._mode == TALK and self._staged is not None:
            plan, staged = stage.plan, self._staged
            counts = {_texts(staged, plan.items[at]): (room.yes, room.no) for at, room in plan.rooms.items()}
            self._talk.set_rooms(counts)
        if self.speaker is not None:
            self.speaker.refresh(stage.covered(), stage.typed)
        row = self._row_in_sight(stage.plan.item)
        if isinstance(stage.plot, ScatterView):
            stage.plot.set_revealed(stage.plan.revealed and row != NO_PAIR)
        if row != NO_PAIR:
            self._workspace.selection.set_primary(row)

    def _row_in_sight(self, item: ShownPair | None) -> int:
        """Return which pair of the corpus is on the stage, `NO_PAIR` where it is none of its pairs."""
        if item is None or self._mode == LIVE:
            return NO_PAIR
        return item.row if self._mode == SELECTED else self._rows.get(item.row, NO_PAIR)

    def _note_time(self, place: int | None) -> None:
        """Note that a pair of the talk is in sight from now on, None for none of it."""
        now = self.now()
        if self._in_sight is not None:
            before, since = self._in_sight
            self._seconds[before] = self._seconds.get(before, 0.0) + now - since
        self._in_sight = None if place is None else (place, now)

    def _read(self, item: ShownPair) -> StagePair | None:
        staged = self._staged
        if staged is None:
            return None
        if item.row not in staged.words:
            self._explain(staged, item.row)
        return staged.pair(item.row)

    def _explain(self, staged: Staged, row: int) -> None:
        """Read which words decided; one pair at a time, the one in sight."""
        if self._asking is not None:
            return
        self._explained = staged, row
        self._asking = Task(lambda tell: staged.explain(row), self)
        self._asking.begin(self._take_words, self._take_no_words, self._take_end)

    def _take_words(self, words: dict[int, Words | None]) -> None:
        if self._explained is not None:
            self._explained[0].words.update(words)

    def _take_no_words(self, error: ParapluieError) -> None:
        """Show the words that differ: why nothing can be read is no matter of the audience's."""

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
        """Leave what is given, to come back to it."""
        if self._home is None and self.stage is not None:
            self._home = self._mode, self._staged, self.stage.plan.position()
        self._mode = mode

    def _end_detour(self) -> None:
        if self.stage is not None and self._home is not None:
            (self._mode, self._staged, position), self._home = self._home, None
            self.stage.plan.begin(*position)

    def _filter_pairs(self, text: str) -> None:
        """Show the pairs of a filter; without one those of before."""
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
        self.stage.say(self._filter.error)
        if not self._filter.error:
            self.stage.setFocus()

    def _score_pair(self, source: str, hypothesis: str) -> None:
        """Score a pair that the room made up; it goes into the Bench's history too."""
        self._begin_detour(LIVE)
        self._live = source, hypothesis
        self._show_entry(BenchEntry(source, hypothesis))
        self._bench.fields.set_texts(source, hypothesis)
        self._bench.score()

    def _take_history(self, entries: list[BenchEntry]) -> None:
        if self._mode != LIVE or self.stage is None:
            return
        found = [entry for entry in entries if (entry.source, entry.hypothesis) == self._live]
        if found and found[-1].values:
            _, _, step, rooms = self.stage.plan.position()
            self._show_entry(found[-1], step, rooms)

    def _show_entry(self, entry: BenchEntry, step: int = 0, rooms: dict[int, Room] | None = None) -> None:
        assert self.stage is not None
        table = table_of([entry])

        def title(identity: ColumnIdentity) -> str:
            return entry.title(identity.column, {identity.column: self._setup.judge.name})

        self._staged = Staged(corpus_of([entry], ""), table, judge_of(table, ""), baselines_of(table), title)
        self.stage.plan.begin((ShownPair(0),), 0, step, rooms)


def _texts(staged: Staged, item: ShownPair) -> tuple[str, str]:
    """Return the sentences of an item."""
    return staged.corpus.source[item.row], staged.corpus.hypothesis[item.row]


def audience_screen(own: QScreen) -> QScreen:
    """Return the screen for the audience: another one than the window's, where there is one."""
    return next((screen for screen in QGuiApplication.screens() if screen is not own), own)
