"""The page of one or several analyses: form, tables, figures and their links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QWidget

from parapluie_gui.analysis.base import Analysis, AnalysisRemark, Block, Run
from parapluie_gui.analysis.figure import BarList, Chart, HeatMap
from parapluie_gui.analysis.link import Link, OptionsLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.table import Table
from parapluie_gui.options import resolve_options
from parapluie_gui.ui.analysis.figure_card import FigureCard, HeatMapCard
from parapluie_gui.ui.analysis.form import OptionForm, translate_text
from parapluie_gui.ui.analysis.links import AnalysisLinks
from parapluie_gui.ui.analysis.plot import PlotCard
from parapluie_gui.ui.state.reading_controls import options_to_controls
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, vbox
from parapluie_gui.ui.widgets.empty import EmptyState
from parapluie_gui.ui.widgets.grid_table import GridTable
from parapluie_gui.ui.widgets.text import heading
from parapluie_gui.ui.widgets.theme import follow_theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Runs of analyses.
Runs = dict[Analysis[Any, Any], Run[Any, Any]]

#: Number of charts per line, unless a chart needs a full line.
_ACROSS = 2
#: Pause between creating two charts, in milliseconds.
_GROW_MS = 15


#: Modules with which findings and figures are computed.
_LIBRARIES = ("scipy.stats", "scipy.cluster.hierarchy", "scipy.special")


class AnalysisPage(QScrollArea):
    """Page of one or several related analyses, with their form and their results.

    Attributes:
        analysis: The definition of the first analysis.
        analyses: All analyses of the page.
        title: Title in the list of pages.
        about: Description of the page in a sentence.
        form: The form for the options.
        empty, reason: The widget shown without results, and its sentence.
        trouble: Why nothing could be computed with these options.

    Signals:
        changed: The user chose options that need a new computation.
    """

    changed = Signal()

    def __init__(
        self, links: AnalysisLinks, analysis: Analysis[Any, Any], *more: Analysis[Any, Any], title: str = ""
    ) -> None:
        super().__init__()
        self.analysis, self.analyses, self.links = analysis, (analysis, *more), links
        follow_theme(self.redraw)
        self.title = translate_text(title or analysis.title)
        self.setAccessibleName(self.title)
        self.setProperty("manual_page", analysis.manual)
        self._runs: Runs = {}
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside, self.body = QWidget(), QWidget()
        self.empty = EmptyState()
        self.reason = self.empty.label
        self.flow = vbox(within=self.body, margins=NO_MARGINS, spacing=12)
        vbox(self.empty, self.body, 1, within=inside, margins=(10, 8, 10, 12), spacing=10)
        self.setWidget(inside)
        self.about = WrappedText(muted=True)
        self.about.say(" ".join(f"{translate_text(analysis.about).rstrip('.')}." for analysis in self.analyses))
        self.flow.addLayout(vbox(heading(self.title), self.about, margins=NO_MARGINS, spacing=2))
        self.form = OptionForm(*(analysis.options for analysis in self.analyses))
        self.form.changed.connect(self._choose)
        self.flow.addWidget(self.form)
        self.trouble = WrappedText(bad=True)
        self.flow.addWidget(self.trouble)
        self.trouble.hide()
        self.blocks = vbox(margins=NO_MARGINS, spacing=12)
        self.flow.addLayout(self.blocks)
        self._kinds: list[tuple[object, ...]] = []
        self._shown_blocks: Sequence[Block] = ()
        self._widgets: list[QWidget] = []
        self._grids: list[QGridLayout] = []
        self._growing = CallThrottle(self._grow, _GROW_MS, self)

    # Interface for the tab

    def why_empty(self, inputs: AnalysisMaterial) -> str:
        """Return the missing requirement, "" if there is none."""
        return why_empty(self.analyses, inputs)

    def remedy(self, inputs: AnalysisMaterial) -> str:
        """Return the action that provides the missing requirement."""
        need = self.analysis.missing(inputs)
        return "" if need is None else need.remedy

    def settle(self, inputs: AnalysisMaterial) -> None:
        """List the available choices."""
        self.form.offer(inputs)

    def work(self, inputs: AnalysisMaterial, only: Sequence[Analysis[Any, Any]] = ()) -> Callable[[Tick], Runs]:
        """Return a function that computes some or all analyses in a thread, with a copy of the user's choices."""
        able = [analysis for analysis in only or self.analyses if analysis.missing(inputs) is None]
        options = {analysis: resolve_options(self.form.options(analysis.options), inputs) for analysis in able}

        def run(tick: Tick) -> Runs:
            # Drawing the results in the window's thread needs them too, and the first import takes seconds.
            for name in _LIBRARIES:
                import_module(name)
            runs = {}
            for at, analysis in enumerate(able):

                def share(done: int, total: int, at: int = at) -> None:
                    tick(at * max(total, 1) + done, len(able) * max(total, 1))

                runs[analysis] = Run(inputs, options[analysis], analysis.compute(inputs, options[analysis], share))
            return runs

        return run

    def take(self, *runs: Run[Any, Any]) -> None:
        """Show the runs of the analyses, one for each, in order."""
        self.take_runs(dict(zip(self.analyses, runs, strict=True)), ())

    def take_runs(self, runs: Runs, unchanged: Sequence[Analysis[Any, Any]]) -> None:
        """Show new results together with those of the other analyses."""
        every = {analysis: self._runs[analysis] for analysis in unchanged if analysis in self._runs} | runs
        self._runs = {analysis: every[analysis] for analysis in self.analyses if analysis in every}
        self.draw()

    @property
    def run(self) -> Run[Any, Any]:
        """The run of the first analysis with results; there must be one."""
        return next(iter(self._runs.values()))

    def run_of(self, name: str) -> Run[Any, Any]:
        """Return the run of an analysis."""
        return next(run for analysis, run in self._runs.items() if analysis.name == name)

    def say(self, reason: str, action: str = "") -> None:
        """Show a reason instead of the tables, and an action that helps; "" shows the tables."""
        self.empty.say(reason, action)
        self.body.setVisible(not reason)
        self.trouble.say("")

    def complain(self, sentence: str) -> None:
        """Show below the options the reason why nothing could be computed."""
        self.say("")
        self._runs = {}
        self.draw()
        self.trouble.say(sentence)

    def redraw(self) -> None:
        """Redraw the blocks, if there are any."""
        if self._runs:
            self.draw()

    def draw(self) -> None:
        """Show the blocks of the result with the current options."""
        blocks: list[Block] = []
        for analysis, run in self._runs.items():
            run = replace(run, options=resolve_options(self.form.options(analysis.options), run.material))
            finding = analysis.finding(run)
            blocks += [*([AnalysisRemark(finding, result=True)] if finding else []), *analysis.blocks(run)]
        self._shown_blocks = _order_blocks(blocks)
        kinds = [_kind(block) for block in self._shown_blocks]
        if kinds[: len(self._kinds)] != self._kinds:
            self._clear()
        for widget, block in zip(self._widgets, self._shown_blocks, strict=False):
            self._fill(widget, block)
        self._grow()

    # Blocks

    def _clear(self) -> None:
        for widget in self._widgets:
            widget.setParent(None)
            widget.deleteLater()
        while self.blocks.takeAt(0) is not None:
            pass
        self._widgets, self._kinds, self._grids = [], [], []

    def _grow(self) -> None:
        """Create the missing blocks: tables at once, charts one at a time to keep the window responsive."""
        while len(self._widgets) < len(self._shown_blocks):
            block = self._shown_blocks[len(self._widgets)]
            widget = self._create_widget(block)
            self._place(widget, block)
            self._widgets.append(widget)
            self._kinds.append(_kind(block))
            self._fill(widget, block)
            if isinstance(block, Chart) and len(self._widgets) < len(self._shown_blocks):
                self._growing.ask()
                return

    def finish_growing(self) -> None:
        """Create all blocks now."""
        while len(self._widgets) < len(self._shown_blocks):
            self._grow()

    def _place(self, widget: QWidget, block: Block) -> None:
        """Add a widget below the others, or next to the last if both are narrow."""
        if not isinstance(block, Chart) or block.wide:
            self.blocks.addWidget(widget)
            return
        previous = self._shown_blocks[len(self._widgets) - 1] if self._widgets else None
        if not (isinstance(previous, Chart) and not previous.wide):
            grid = QGridLayout()
            grid.setSpacing(12)
            for column in range(_ACROSS):
                grid.setColumnStretch(column, 1)
            self._grids.append(grid)
            self.blocks.addLayout(grid)
        grid = self._grids[-1]
        grid.addWidget(widget, grid.count() // _ACROSS, grid.count() % _ACROSS)

    def _create_widget(self, block: Block) -> QWidget:
        place = len(self._widgets)
        if isinstance(block, Table):
            table = self.table()
            table.clicked.connect(partial(self._cell_clicked, place))
            table.all_wanted.connect(partial(self._follow_all, place))
            return table
        if isinstance(block, AnalysisRemark):
            return WrappedText(muted=not block.result)
        if isinstance(block, Chart):
            card = PlotCard(block.title)
            self._report(card)
            card.picked.connect(partial(self._point_clicked, place))
            return card
        heat = HeatMapCard(block.title)
        self._report(heat)
        heat.linked.connect(self.follow)
        return heat

    def table(self) -> GridTable:
        """Create the widget of a table and connect its messages."""
        table = GridTable()
        self._report(table)
        return table

    def _report(self, part: FigureCard | GridTable) -> None:
        """Pass on the messages of a figure or a table to the window."""
        part.message.connect(self.links.message)
        part.written.connect(self.links.written)
        part.failed.connect(self.links.failed)

    def _fill(self, widget: QWidget, block: Block) -> None:
        widget.setVisible(True)
        if isinstance(block, AnalysisRemark):
            assert isinstance(widget, WrappedText)
            widget.say(options_to_controls(block.text))
            widget.setVisible(bool(block.text))
            return
        lines = self.run.material.signature_lines(block.scores)
        if isinstance(block, Table):
            assert isinstance(widget, GridTable)
            widget.show_grid(block, lines)
        elif isinstance(block, Chart):
            assert isinstance(widget, PlotCard)
            widget.show_chart(block, lines)
            widget.setVisible(bool(block.marks))
        else:
            assert isinstance(widget, HeatMapCard)
            widget.signatures = lines
            widget.show_figure(block)

    # Clicks

    def follow(self, link: Link | None) -> None:
        """Follow a link."""
        if isinstance(link, OptionsLink):
            self.form.choose(link.options)
        elif link is not None:
            self.links.follow(link)

    def _cell_clicked(self, place: int, row: int, column: int) -> None:
        block = self._shown_blocks[place]
        if isinstance(block, Table) and block.link is not None:
            self.follow(block.link(row, column))

    def _follow_all(self, place: int) -> None:
        block = self._shown_blocks[place]
        if isinstance(block, Table):
            self.follow(block.pairs)

    def _point_clicked(self, place: int, mark: int, point: int) -> None:
        block = self._shown_blocks[place]
        if isinstance(block, Chart) and (link := block.marks[mark].link) is not None:
            self.follow(link(point))

    def _choose(self, anew: bool) -> None:
        if anew:
            self.changed.emit()
        else:
            self.redraw()

    # Access to the page's contents

    @property
    def notes(self) -> str:
        """The sentences shown."""
        return " ".join(block.text for block in self._shown_blocks if isinstance(block, AnalysisRemark))

    def table_named(self, name: str) -> GridTable:
        """Return the widget of the table with a name."""
        self.finish_growing()
        return next(
            widget
            for widget, block in zip(self._widgets, self._shown_blocks, strict=True)
            if isinstance(widget, GridTable) and isinstance(block, Table) and block.name == name
        )

    def figure_named(self, name: str) -> PlotCard | HeatMapCard:
        """Return the widget of the figure with a name."""
        self.finish_growing()
        return next(
            widget
            for widget, block in zip(self._widgets, self._shown_blocks, strict=True)
            if isinstance(widget, (PlotCard, HeatMapCard))
            and isinstance(block, (Chart, HeatMap, BarList))
            and block.name == name
        )


def why_empty(wanted: Sequence[Analysis[Any, Any]], inputs: AnalysisMaterial) -> str:
    """Return the missing requirement of the first analysis, "" if any of them can run."""
    needs = [analysis.missing(inputs) for analysis in wanted]
    first = needs[0]
    return "" if first is None or not all(needs) else translate_text(first.sentence)


def _order_blocks(blocks: Sequence[Block]) -> list[Block]:
    """Return the results in the order of a page: sentences, figures, tables."""

    def place(block: Block) -> int:
        if isinstance(block, AnalysisRemark):
            return 0 if block.result else 2
        return 1 if isinstance(block, (Chart, HeatMap, BarList)) else 2

    return sorted(blocks, key=place)


def _kind(block: Block) -> tuple[object, ...]:
    """Return a key of the blocks that one widget can show."""
    return type(block), getattr(block, "wide", True), getattr(block, "result", False)
