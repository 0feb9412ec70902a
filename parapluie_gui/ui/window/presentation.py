"""Between the window and the stage: which pairs are shown to an audience, and what the speaker asks for meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtGui import QGuiApplication, QScreen

from parapluie_gui import places
from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.explained import known_explanations
from parapluie_gui.scores.identity import Identity
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.scatter.view import ScatterView
from parapluie_gui.ui.stage.show import Item, Position, RowItems
from parapluie_gui.ui.stage.shown import StagePair, Words, baselines_of, judge_of, stage_pair
from parapluie_gui.ui.stage.view import StageView
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.task import Task
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.window.bench import corpus_of, table_of
from parapluie_gui.ui.window.context import Context, Helper

#: Height of the screen in pixels at which the scatter alone has type of the usual size.
_USUAL_HEIGHT = 420


@dataclass(eq=False)
class Staged:
    """Pairs with their scores, as the stage shows them.

    Attributes:
        judge, baselines: The columns that are shown.
        title: Names a score.
        words: What is known of which words decided, by the row.
    """

    corpus: Corpus
    table: ScoreTable
    judge: str
    baselines: tuple[str, ...]
    title: Callable[[Identity], str] = shown_name
    words: dict[int, Words | None] = field(default_factory=dict)

    def pair(self, row: int) -> StagePair:
        found = stage_pair(self.corpus, self.table, row, self.judge, self.baselines, self.title)
        return found.with_words(self.words.get(row))

    def explain(self, row: int) -> Words | None:
        """Return which words decided, None where that is not kept; for a thread."""
        name = self.judge or next(iter(self.baselines), "")
        if not name:
            return None
        signature = self.table.signatures.get(name)
        column = score_column(name, self.table[name], signature=signature)
        with known_explanations(self.corpus, self.table.signatures, places.score_cache()) as explain:
            found = explain(column, row, 0.0 if column.threshold is None else column.threshold)
        whole = found is not None and not any(value != value for value in found.values)
        return Words.of(found, column.higher_is_closer) if found is not None and whole else None


class Presentation(Helper):
    """Opens the stage on the selected pairs, and closes it again. The window itself stays as it is.

    Attributes:
        stage: What the audience sees; None while nothing is presented.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.stage: StageView | None = None
        self._looks, self._filter = context.looks, context.filter
        self._staged: Staged | None = None
        self._asking: Task[Words | None] | None = None
        self._live: tuple[str, str] | None = None
        self._before_live: tuple[Staged | None, Position] | None = None
        self._leave: Callable[[], None] = lambda: None
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

    def set_on(self, on: bool, leave: Callable[[], None] = lambda: None) -> None:
        """Open the stage or close it; `leave` is called when the speaker leaves it."""
        if on == self.on:
            return
        if on:
            self._leave = leave
            self._open()
        else:
            self._close()

    def close(self) -> None:
        """Close the stage and wait for what is read for it."""
        if self.on:
            self._close()
        if self._asking is not None:
            self._asking.wait()

    # The stage

    def _open(self) -> None:
        stage = self.stage = StageView(self._read)
        stage.make_plot = self._make_plot
        stage.left.connect(self._left)
        stage.dark_asked.connect(self._change_colours)
        stage.filter_typed.connect(self._filter_pairs)
        stage.pair_typed.connect(self._score_pair)
        stage.live_ended.connect(self._end_live)
        stage.changed.connect(self._follow)
        self._take_corpus()
        stage.setGeometry(audience_screen(self._window.screen()).geometry())
        stage.showFullScreen()
        stage.activateWindow()
        stage.setFocus()

    def _close(self) -> None:
        stage, self.stage = self.stage, None
        assert stage is not None
        self._staged = self._live = self._before_live = None
        stage.close()
        stage.deleteLater()
        self._window.activateWindow()

    def _left(self) -> None:
        if self.on:
            self._leave()

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
        if self.stage is None:
            return
        corpus, table = self._workspace.corpus, self._workspace.table
        if corpus is None:
            self._staged = None
            self.stage.plan.begin(())
            return
        judge = judge_of(table, self._workspace.y)
        self._staged = Staged(corpus, table, judge, baselines_of(table))
        self._take_order()

    def _take_order(self) -> None:
        if self.stage is None or self._live is not None or self._staged is None:
            return
        selection = self._workspace.selection
        at = (selection.order == selection.primary).nonzero()[0]
        self.stage.plan.begin(RowItems(selection.order), int(at[0]) if len(at) else 0)

    def _take_primary(self, row: int) -> None:
        """Show the pair that is clicked in the window."""
        if self.stage is None or self._live is not None or row == NO_PAIR:
            return
        at = (self._workspace.selection.order == row).nonzero()[0]
        if len(at):
            self.stage.plan.go_to(int(at[0]))

    def _refresh(self) -> None:
        """Show new scores."""
        if self.stage is not None and self._staged is not None and self._live is None:
            table = self._workspace.table
            self._staged.judge = self._staged.judge or judge_of(table, self._workspace.y)
            self._staged.baselines = self._staged.baselines or baselines_of(table)
            self.stage.refresh()

    def _follow(self) -> None:
        """Let the window go along: the pair on the stage is the primary one, its point is a secret until revealed."""
        stage = self.stage
        item = None if stage is None else stage.plan.item
        if stage is None or item is None or self._live is not None:
            return
        if isinstance(stage.plot, ScatterView):
            stage.plot.set_revealed(stage.plan.revealed)
        self._workspace.selection.set_primary(item.row)

    def _read(self, item: Item) -> StagePair | None:
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
        task = self._asking = Task(lambda tell: staged.explain(row), self)

        def take(words: Words | None) -> None:
            staged.words[row] = words

        def ended() -> None:
            self._asking = None
            staged.words.setdefault(row, None)
            if self.stage is not None:
                self.stage.refresh()

        task.begin(take, lambda error: None, ended)

    # What the speaker types

    def _filter_pairs(self, text: str) -> None:
        if self.stage is None:
            return
        if not text:
            self._filter.clear()
            return
        self._filter.set_filter(text)
        self.stage.say(self._filter.error)
        if not self._filter.error:
            self.stage.setFocus()

    def _score_pair(self, source: str, hypothesis: str) -> None:
        """Score a pair that the room made up; it goes into the Bench's history too."""
        if self.stage is None:
            return
        if self._before_live is None:
            self._before_live = self._staged, self.stage.plan.position()
        self._live = source, hypothesis
        self._show_entry(BenchEntry(source, hypothesis))
        self._bench.fields.set_texts(source, hypothesis)
        self._bench.score()

    def _take_history(self, entries: list[BenchEntry]) -> None:
        if self._live is None or self.stage is None:
            return
        found = [entry for entry in entries if (entry.source, entry.hypothesis) == self._live]
        if found and found[-1].values:
            _, _, step = self.stage.plan.position()
            self._show_entry(found[-1], step)

    def _show_entry(self, entry: BenchEntry, step: int = 0) -> None:
        assert self.stage is not None
        table = table_of([entry])
        judge = judge_of(table, "")

        def title(identity: Identity) -> str:
            return entry.title(identity.column, self._setup.judge.name)

        self._staged = Staged(corpus_of([entry], ""), table, judge, baselines_of(table), title)
        room = self.stage.plan.room
        self.stage.plan.begin((Item(0),), 0, step)
        if room is not None and step:
            self.stage.plan.set_room(room)

    def _end_live(self) -> None:
        if self.stage is None or self._before_live is None:
            return
        self._live = None
        self._staged, (items, place, step) = self._before_live
        self._before_live = None
        self.stage.plan.begin(items, place, step)


def audience_screen(own: QScreen) -> QScreen:
    """Return the screen for the audience: another one than the window's, where there is one."""
    return next((screen for screen in QGuiApplication.screens() if screen is not own), own)
