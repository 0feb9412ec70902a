"""The Concordance tab: every occurrence of words in a corpus, in context, with counts and collocates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QSplitter, QTableView, QWidget

from parapluie_gui.analysis.cache import StateCache
from parapluie_gui.analysis.pattern import SearchPattern, looks_like_expression
from parapluie_gui.analysis.table import Table, formula_warning, table_csv
from parapluie_gui.arrays import Mask
from parapluie_gui.errors import FilterError, ParapluieError
from parapluie_gui.features.concordance.analysis import classes_grid, collocates_grid, lines_grid
from parapluie_gui.features.concordance.choice import SearchChoice
from parapluie_gui.features.concordance.lines import HitDelegate, LinesModel
from parapluie_gui.features.concordance.search import (
    ClassCount,
    Collocate,
    Concordance,
    Side,
    count_by_class,
    count_words,
    find_collocates,
    find_lines,
    sort_lines,
)
from parapluie_gui.files import write_text
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.state.columns import OUTCOMES, outcomes
from parapluie_gui.ui.state.selection import SelectionRule
from parapluie_gui.ui.state.task import BackgroundTask, Result, stop_tasks
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, FlowLayout, button, hbox, scroll_area, vbox, widget_of
from parapluie_gui.ui.widgets.busy_bar import BusyBar
from parapluie_gui.ui.widgets.empty import EmptyState
from parapluie_gui.ui.widgets.file_dialog import ask_where_to_save
from parapluie_gui.ui.widgets.grid_table import GridTable
from parapluie_gui.ui.widgets.tab_view import TabView
from parapluie_gui.ui.widgets.text import pairs_words, set_type_size
from parapluie_gui.ui.widgets.theme import CLOSE, NEAR
from parapluie_gui.ui.widgets.wrapped import WrappedText
from parapluie_gui.ui.window.context import WindowContext

#: Words on each side of a hit that count as collocates, and the maximum number of collocates listed.
SPAN, _LISTED = 5, 200
_COUNTING_MS = 200


class ConcordanceTab(TabView):
    """The Concordance tab, which searches in a thread. Clicking a line makes its pair the primary one.

    Attributes:
        choice: The controls of the search.
        lines: The model of the lines shown.

    Signals:
        settled: The last search and count ended.
    """

    settled = Signal()

    def __init__(self, workspace: CorpusWorkspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "concordance")
        self._workspace = workspace
        self._task: BackgroundTask[Any] | None = None
        self._running: set[BackgroundTask[Any]] = set()
        self._due = False
        self._result: Concordance | None = None
        self._where: Mask | None = None
        self._pattern: SearchPattern | None = None
        self._own_rule: SelectionRule | None = None
        self._totals = StateCache()
        self._scope = 0
        self._point_size = self.font().pointSizeF()
        self.choice = SearchChoice(self)
        self.lines = LinesModel(self)
        self._build()
        self._counting = CallThrottle(self._update_counts, _COUNTING_MS, self)
        self.choice.changed.connect(self.search)
        self.choice.sorted.connect(self._sort_lines)
        workspace.corpus_changed.connect(self._on_corpus_changed)
        workspace.selection.set_changed.connect(self._on_set_changed)
        for signal in (workspace.scores_changed, workspace.axes_changed, workspace.threshold_changed):
            signal.connect(self._schedule_counts)
        self._on_corpus_changed()

    def set_scale(self, factor: float) -> None:
        set_type_size(self, self._point_size * factor)
        self._fit_rows()

    def close_work(self) -> None:
        """Stop the search and wait for its end."""
        stop_tasks(*self._running)

    # Searching

    def search(self) -> None:
        """Search for the pattern in the box; show the error if it is invalid."""
        self._stop_search()
        corpus = self._workspace.corpus
        try:
            self._pattern = pattern = self.choice.pattern()
        except FilterError as error:
            self._pattern = None
            self._show_message(str(error), bad=True)
            return
        if pattern is None or corpus is None:
            self._show_message("")
            return
        mask = self._workspace.selection.mask
        self._where = mask.copy() if self.choice.only_set.isChecked() else None
        side, order, where = self.choice.side, self.choice.order, self._where
        total = 2 * (len(corpus) if where is None else int(where.sum()))

        def work(tell: Callable[[int], None]) -> tuple[Concordance, Concordance]:
            lines = find_lines(corpus, pattern, side, where, lambda done: tell(1000 * done // max(total, 1)))
            return lines, sort_lines(lines, order, lambda done: tell(1000))

        self._start(BackgroundTask(work), partial(self._show, corpus))

    def _sort_lines(self) -> None:
        lines, order, corpus = self._result, self.choice.order, self._workspace.corpus
        if lines is not None and corpus is not None:
            self._stop_search()
            self._start(
                BackgroundTask(
                    lambda tell: (lines, sort_lines(lines, order, lambda done: tell(1000 * done // (len(lines) or 1))))
                ),
                partial(self._show, corpus),
            )

    def _show(self, corpus: Corpus, result: tuple[Concordance, Concordance]) -> None:
        if corpus is not self._workspace.corpus or self._pattern is None:
            return
        self._result, shown = result
        self.lines.show(shown)
        self.table.scrollToTop()
        hits, pairs = f"{shown.hits:,}", f"{len(shown.pairs):,}"
        searched = len(corpus) if self._where is None else int(self._where.sum())
        self._problem.say("")
        text = self.tr("{0} hits in {1} of {2} pairs") if shown.hits != 1 else self.tr("{0} hit in {1} of {2} pairs")
        hint = self.tr("To search for a regular expression, write it between slashes: {0}.").format(
            f"/{self._pattern.text.strip('/')}/"
        )
        wanted = not shown.hits and looks_like_expression(self._pattern.text)
        self._summary.say(". ".join([text.format(hits, pairs, f"{searched:,}"), *([hint] if wanted else [])]))
        for action in (self._select, self._export):
            action.setEnabled(bool(len(shown)))
        self._results.setVisible(bool(len(shown)))
        self._examples.hide()
        self._update_counts()
        self._update_collocates(corpus, shown)

    def _update_collocates(self, corpus: Corpus, lines: Concordance) -> None:
        """Find the collocates after the lines are shown; the words of the corpus are counted once."""
        if not len(lines):
            self.near.show_grid(Table("collocates", "", (), ()))
            return
        where = self._where
        state = self._scope, None if where is None else where.tobytes()
        rows = None if where is None else np.flatnonzero(where).tolist()
        texts = [
            text
            for side in (corpus.source, corpus.hypothesis)
            for text in (side if rows is None else map(side.__getitem__, rows))
        ]

        def work(tell: Callable[[int], None]) -> tuple[Collocate, ...]:
            def step(done: int) -> None:
                tell(900 * done // len(texts))

            totals: Counter[str] = self._totals.get("words", state, lambda: count_words(texts, step))
            return find_collocates(lines, totals, SPAN, lambda done: tell(900 + 100 * done // len(lines)))

        def show_collocates(words: tuple[Collocate, ...]) -> None:
            if self._pattern is not None:
                title = self.tr("Collocates of {0}").format(self._pattern.text)
                self.near.show_grid(collocates_grid(words[:_LISTED], SPAN, title), digits=1)

        self._start(BackgroundTask(work), show_collocates)

    def _start(self, task: BackgroundTask[Result], take: Callable[[Result], None]) -> None:
        # One search at a time; a stopped one ends by itself without a message.
        self._task = task
        self._running.add(task)
        task.reported.connect(self._busy.progress.setValue)
        self._busy.begin(self.tr("the concordance"))
        task.begin(take, self._show_error, partial(self._finish, task))

    def _stop_search(self) -> None:
        if self._task is not None:
            self._task.stop()

    def _cancel(self) -> None:
        self._stop_search()
        self._busy.show_cancelled()
        self._task = None

    def _show_error(self, error: ParapluieError) -> None:
        self._show_message(str(error), bad=True)

    def _finish(self, task: BackgroundTask[Any]) -> None:
        self._running.discard(task)
        if task is self._task:
            self._task = None
            self._busy.end()
            self.settled.emit()

    # Showing

    def _update_counts(self) -> None:
        """Count the pairs of each label and outcome."""
        lines, workspace = self._result, self._workspace
        corpus, pattern = workspace.corpus, self._pattern
        if lines is None or corpus is None or pattern is None:
            return
        names = {1: self.tr("paraphrase"), 0: self.tr("not a paraphrase"), -1: self.tr("unlabelled")}
        labels, results = workspace.labels(), outcomes(workspace)
        self.lines.set_classes((labels, names), (results, dict(enumerate(OUTCOMES))))
        for column, there in ((2, corpus.has_labels), (3, bool(results.any()))):
            self.table.setColumnHidden(column, not there)
        title = self.tr("Pairs with “{0}”, by label").format(pattern.text)
        _show_classes(self.by_label, count_by_class(lines, labels, names, self._where), "label", title)
        kinds = dict(enumerate(OUTCOMES)) | {0: self.tr("none")}
        title = self.tr("Pairs with “{0}”, by outcome").format(pattern.text)
        counts = count_by_class(lines, results, kinds, self._where) if results.any() else ()
        _show_classes(self.by_outcome, counts, "outcome", title)

    def _schedule_counts(self, *_: object) -> None:
        if self.isVisible() and self._result is not None:
            self._counting.ask()

    def _show_message(self, sentence: str, bad: bool = False) -> None:
        """Hide the lines and show a sentence or a hint."""
        self._result = None
        self.lines.show(None)
        self._results.hide()
        for table in (self.by_label, self.by_outcome, self.near):
            table.show_grid(Table("", "", (), ()))
        self._busy.end()
        for action in (self._select, self._export):
            action.setEnabled(False)
        hint = self.tr("Type a word to see every place where it occurs, in sources and hypotheses.")
        if self._workspace.corpus is None:
            hint = ""
            self.empty.say(self.tr("Open a corpus to search its sentences."), "files.open")
        else:
            self.empty.say("")
        self._examples.setVisible(bool(hint) and not sentence)
        self._summary.say(sentence if sentence and not bad else "" if bad else hint)
        self._problem.say(sentence if bad else "")
        self.settled.emit()

    def _on_corpus_changed(self) -> None:
        self._scope += 1
        self._totals.clear()
        self._stop_search()
        self._show_message("")
        self._search_when_visible()

    def _on_set_changed(self) -> None:
        rule = self._workspace.selection.rule
        # If the tab followed a selection of its own lines, the search would narrow to them.
        if self.choice.only_set.isChecked() and (rule is None or rule is not self._own_rule):
            self._search_when_visible()

    def _search_when_visible(self) -> None:
        """Search now, or when the tab becomes visible."""
        self._due = not self.isVisible()
        if not self._due:
            self.search()

    def _select_line(self, index: QModelIndex, _before: QModelIndex | None = None) -> None:
        if index.isValid() and self.lines.lines is not None:
            self._workspace.selection.set_primary(int(self.lines.lines.rows[index.row()]))

    def select(self) -> None:
        """Select the pairs of the lines in all views."""
        if self._result is None or self._pattern is None:
            return
        mask = np.zeros(self._workspace.table.rows, dtype=bool)
        mask[self._result.pairs] = True
        self._own_rule = SelectionRule(self.tr("Concordance: {0}").format(self._pattern.text), lambda: mask)
        self._workspace.selection.set_rule(self._own_rule)
        self.message.emit(self.tr("Selected: {0}. Press Esc to show all pairs.").format(pairs_words(int(mask.sum()))))

    # Writing

    def ask_for_file(self) -> None:
        excel = self.tr("Comma-separated values for Excel (*.csv)")
        formats = [self.tr("Comma-separated values (*.csv)"), excel]
        ask_where_to_save(
            self,
            self.tr("Export lines"),
            formats,
            lambda path, chosen: self.write(path, for_excel=chosen == excel),
            name="concordance",
        )

    def write(self, path: Path, *, for_excel: bool = False) -> None:
        """Write all lines as CSV."""
        corpus, lines = self._workspace.corpus, self.lines.lines
        if corpus is None or lines is None:
            return
        grid = lines_grid(corpus, lines, "")
        try:
            write_text(path, table_csv(grid, for_excel=for_excel), errors="replace")
        except OSError as error:
            reason = error.strerror or str(error)
            sentence = self.tr("{0} could not be written ({1}). Choose another folder or name.")
            self.failed.emit(sentence.format(path, reason))
        else:
            warning = formula_warning(grid, marked=for_excel)
            text = self.tr("{0} lines written to {1}.").format(f"{len(lines):,}", path)
            self.written.emit(f"{text} {warning}".rstrip(), path)

    # Making

    def _build(self) -> None:
        self.empty = EmptyState(self)
        self._summary = WrappedText(self, muted=True)
        self._summary.setAccessibleName(self.tr("Result of the search"))
        self._problem = WrappedText(self, bad=True)
        self._problem.setAccessibleName(self.tr("Problem with the search"))
        self._busy = BusyBar(self)
        self._busy.cancelled.connect(self._cancel)
        self._busy.again.connect(self.search)
        self._examples = self._make_examples()
        tip = self.tr("Show the pairs of these lines in every view")
        self._select = button(self.tr("Select these pairs"), self.select, tip)
        self._export = button(self.tr("Export lines…"), self.ask_for_file, self.tr("Write all lines as a table"))
        self.table = QTableView(self)
        self.table.setAccessibleName(self.tr("Lines of the concordance"))
        self.table.setModel(self.lines)
        for column in (0, 1):
            self.table.setItemDelegateForColumn(column, HitDelegate(self.table))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setTabKeyNavigation(False)
        self.table.setWordWrap(False)
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        for column in (0, 1):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        for column in (2, 3):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
        self.table.selectionModel().currentRowChanged.connect(self._select_line)
        self.by_label, self.by_outcome, self.near = GridTable(self), GridTable(self), GridTable(self)
        for table in (self.by_label, self.by_outcome, self.near):
            table.message.connect(self.message)
            table.written.connect(self.written)
            table.failed.connect(self.failed)
        counts = vbox(self.by_label, self.by_outcome, 1, margins=NO_MARGINS, spacing=NEAR)
        below = widget_of(hbox((counts, 3), (vbox(self.near, 1, margins=NO_MARGINS), 2), spacing=NEAR))
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.table)
        split.addWidget(scroll_area(below, sideways=True))
        split.setSizes([300, 250])
        split.setChildrenCollapsible(False)
        summary_row = hbox((self._summary, 1), self._select, self._export, spacing=NEAR)
        # Hidden without lines, so that only the sentence with the reason is shown.
        self._results = split
        parts = (self.choice, self._problem, summary_row, self._examples, self.empty, self._busy, (split, 1), 0)
        vbox(*parts, within=self, margins=(NEAR, NEAR, NEAR, NEAR), spacing=CLOSE)
        self._fit_rows()

    def _make_examples(self) -> QWidget:
        """Return a button for each search to begin with, shown while the box is empty."""
        one_side, flow = self.tr("{0} on one side only"), FlowLayout(gap=NEAR)
        searches: tuple[tuple[str, str, Side], ...] = (
            (one_side.format(self.tr("“not”")), "not", "one"),
            (one_side.format(self.tr("Numbers")), r"/\d+/", "one"),
            (self.tr("Words that end in -ly"), "*ly", "either"),
        )
        for title, text, side in searches:
            search = partial(self.choice.choose, side, None, text)
            flow.addWidget(button(title, search, self.tr("Search for {0}").format(text)))
        return widget_of(flow)

    def _fit_rows(self) -> None:
        metrics = self.table.fontMetrics()
        self.table.verticalHeader().setDefaultSectionSize(metrics.height() + NEAR)
        for column, letters in ((2, 21), (3, 13)):
            self.table.setColumnWidth(column, letters * metrics.averageCharWidth())

    def showEvent(self, event: QShowEvent) -> None:
        """Update results that changed while hidden, and focus the box."""
        super().showEvent(event)
        if self._due:
            self._search_when_visible()
        self._update_counts()
        self.choice.edit.setFocus(Qt.FocusReason.TabFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._counting.stop()


def _show_classes(grid: GridTable, counts: Sequence[ClassCount], name: str, title: str) -> None:
    """Show the counts by class; a single class has nothing to be compared with and is not shown."""
    grid.show_grid(classes_grid(counts if len(counts) > 1 else (), name, title), digits=1)


def make_tab(context: WindowContext) -> ConcordanceTab:
    """Return the tab for a window."""
    return ConcordanceTab(context.workspace)
