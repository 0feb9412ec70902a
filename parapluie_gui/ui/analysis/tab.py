"""The Analysis tab: the papers' evaluations of the scores, computed in a thread when they are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from parapluie_gui.analysis.base import Analysis
from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts, StudyCache
from parapluie_gui.analysis.study import DISTANCE
from parapluie_gui.arrays import Mask
from parapluie_gui.errors import ParapluieError
from parapluie_gui.ui.analysis.choice import AnalysisChoice, collect, offered_scores
from parapluie_gui.ui.analysis.links import AnalysisLinks
from parapluie_gui.ui.analysis.page import AnalysisPage, Runs, why_empty
from parapluie_gui.ui.analysis.pages import PageList, pages
from parapluie_gui.ui.state.task import BackgroundTask, Result, stop_tasks
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, scroll_area, vbox, widget_of
from parapluie_gui.ui.widgets.busy_bar import BusyBar
from parapluie_gui.ui.widgets.text import set_type_size, usual_points

Kind = TypeVar("Kind", bound=AnalysisPage)

#: State in which the results of each analysis of a page were computed.
Stamp = dict[Analysis[Any, Any], object]

_SOON_MS = 60
#: Minimum time between two computations of a page while scores arrive.
_ARRIVING_MS = 2000


class AnalysisTab(QWidget):
    """Tab with the choices at the left and a page at the right. Only the visible page is computed, when out of date.

    Attributes:
        choice: The choice of scores and pairs.
        pages: The pages shown so far, by their number in the list; creating all would take most of a second.
        links: The effects of clicks on the window.

    Signals:
        settled: The visible page is up to date.
        page_made: (AnalysisPage) A page was created.
    """

    settled = Signal()
    page_made = Signal(object)

    def __init__(self, workspace: CorpusWorkspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "analysis")
        self._workspace = workspace
        self._studies = StudyCache()
        self._corpus_parts: CorpusParts | None = None
        self._task: BackgroundTask[Any] | None = None
        self._asked: BackgroundTask[CorpusParts] | None = None
        self._cancelled = False
        self._pairs: object = None
        self._scope = 0
        self._only: Mask | None = None
        self._choices = 0
        # The state contains everything that the results depend on.
        self._stamps: dict[AnalysisPage, Stamp] = {}
        self._point_size = usual_points()
        self.links = AnalysisLinks(workspace, self)
        self.links.material = self._material
        self.links.page_wanted.connect(self.open_page)
        self._factor = 1.0
        self._listed = False
        self.pages: dict[int, AnalysisPage] = {}
        self._build()
        self._soon = CallThrottle(self.refresh, _SOON_MS, self, rest=True)
        self._arriving = CallThrottle(self.refresh, _ARRIVING_MS, self)
        self._connect()
        self._take_corpus()

    # Interface for other parts

    def inputs(self) -> AnalysisMaterial | None:
        """Return a copy of the chosen scores and pairs; None before the parts of the corpus are known."""
        corpus_parts, workspace = self._corpus_parts, self._workspace
        if corpus_parts is None or corpus_parts.corpus is not workspace.corpus:
            return None
        material = collect(workspace, corpus_parts, self.choice, self._only, self._scope, self.links.full_title)
        return replace(material, studies=self._studies)

    def _material(self) -> AnalysisMaterial | None:
        """Return the current material; without scores before the parts of the corpus are known."""
        corpus, material = self._workspace.corpus, self.inputs()
        if material is not None or corpus is None:
            return material
        parts = {corpus.name: np.ones(len(corpus), dtype=bool)}
        return AnalysisMaterial(CorpusParts(corpus, parts), (), self._workspace.labels(), parts)

    def when_ready(self, then: Callable[[], object]) -> None:
        """Call a function once `inputs` is available, after finding the parts of the corpus if necessary."""
        corpus = self._workspace.corpus
        if corpus is None or self.inputs() is not None:
            then()
            return
        if self._asked is not None:
            return

        def take(corpus_parts: CorpusParts) -> None:
            self._set_corpus_parts(corpus_parts)
            then()

        self._asked = BackgroundTask(lambda tell: CorpusParts.from_corpus(corpus), self)
        self._asked.begin(take, lambda error: self.links.failed.emit(str(error)), self._forget_asked)

    def set_words(self) -> str:
        """Return the name of the selection if only it is analysed; "" for all pairs."""
        return self.choice.set_name.full_text

    def page_options(self) -> dict[str, dict[str, Any]]:
        """Return the options of the analyses whose pages were created."""
        shown = (page for page in self.pages.values() if page is not None and page.analysis.as_on_page)
        return {page.analysis.name: vars(page.form.options()) for page in shown}

    def show_page(self, page: AnalysisPage) -> None:
        self.list.show_page(next(number for number, created in self.pages.items() if created is page))

    def show_named(self, name: str) -> None:
        """Show the page of an analysis by its name."""
        self._list_pages()
        self.list.show_page(_number(name))

    def open_page(self, name: str, options: Mapping[str, object]) -> None:
        """Show the page of an analysis with some of its options chosen."""
        page, material = self.page_named(name), self.inputs()
        if material is not None:  # a page that was never shown has no choices yet
            page.form.offer(material)
        page.form.choose(options)
        self.show_page(page)

    def page_of(self, kind: type[Kind]) -> Kind:
        """Return the page of a kind; create it if necessary."""
        return next(
            page for at, entry in enumerate(pages()) if entry.make is kind and isinstance(page := self._page(at), kind)
        )

    def page_named(self, name: str) -> AnalysisPage:
        """Return the page of an analysis by its name; create it if necessary."""
        return self._page(_number(name))

    @property
    def page(self) -> AnalysisPage:
        """The visible page."""
        return self._page(self.list.page())

    def _page(self, number: int) -> AnalysisPage:
        self._list_pages()
        if number not in self.pages:
            page = self.pages[number] = pages()[number].make(self.links)
            self.stack.addWidget(page)
            page.changed.connect(partial(self._ask_again, page))
            self.page_made.emit(page)
            if self._factor != 1.0:
                set_type_size(page, self._point_size * self._factor)
        return self.pages[number]

    @property
    def busy(self) -> bool:
        """Whether a computation is running or scheduled."""
        return self._task is not None or self._soon.isActive() or self._arriving.isActive()

    def refresh(self) -> None:
        """Compute the visible page if it is out of date."""
        if not self.isVisible() or self._task is not None:
            return
        self._arriving.stop()
        workspace = self._workspace
        if self.page.analysis.standalone:
            self.page.say("")
            self.settled.emit()
            return
        if workspace.corpus is None:
            self.page.say(
                self.tr("Open a corpus (Ctrl+O), score it (F5), and see here how good the scores are."), "files.open"
            )
            return
        if self._corpus_parts is None or self._corpus_parts.corpus is not workspace.corpus:
            corpus = workspace.corpus
            self._start(BackgroundTask(lambda tell: CorpusParts.from_corpus(corpus), self), self._set_corpus_parts)
            return
        page = self.page
        stamp = self._stamp(page)
        if self._stamps.get(page) == stamp:
            self.settled.emit()
            return
        inputs = self.inputs()
        assert inputs is not None
        self._list_missing(inputs)
        before = self._stamps.get(page, {})
        unchanged = [analysis for analysis in page.analyses if before.get(analysis) == stamp[analysis]]
        reason = page.why_empty(inputs)
        self.page.say(reason, page.remedy(inputs))
        if reason:
            self._stamps[page] = stamp
            self.settled.emit()
            return
        page.settle(inputs)
        work = page.work(inputs, [analysis for analysis in page.analyses if analysis not in unchanged])

        def run(tell: Callable[[int], None]) -> Runs:
            return work(lambda done, total: tell(1000 * done // max(total, 1)))

        self._start(BackgroundTask(run, self), partial(self._show, page, stamp, inputs, unchanged))

    def _list_missing(self, inputs: AnalysisMaterial) -> None:
        """Move the empty pages to the end of the list."""
        reasons = {
            at: why_empty(entry.analyses, inputs)
            for at, entry in enumerate(pages())
            if not entry.analyses[0].standalone
        }
        self.list.set_missing({at: reason for at, reason in reasons.items() if reason})

    def cancel(self) -> None:
        """Stop the computation, until something changes or the user restarts it."""
        if self._task is not None:
            self._task.stop()
            self._stamps[self.page] = self._stamp(self.page)
            self._cancelled = True

    def again(self) -> None:
        """Compute the visible page even if nothing changed."""
        self._stamps.pop(self.page, None)
        self.refresh()

    def renew(self) -> None:
        """Mark every page out of date, after a change other than of scores."""
        self._choices += 1
        self._later()

    def close_work(self) -> None:
        """Stop the computation and wait for its end."""
        stop_tasks(self._task, self._asked)

    def set_scale(self, factor: float) -> None:
        self._factor = factor
        set_type_size(self, self._point_size * factor)
        self._fit()

    # Building

    def _build(self) -> None:
        self.list = PageList()
        self.choice = AnalysisChoice()
        inside = widget_of(vbox(self.list, (self.choice, 1), margins=NO_MARGINS, spacing=0))
        self._inside, self._left = inside, scroll_area(inside)
        self.stack = QStackedWidget()
        self.busy_bar = BusyBar()
        self.busy_bar.cancelled.connect(self.cancel)
        self.busy_bar.again.connect(self.again)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self._left)
        split.addWidget(widget_of(vbox(self.busy_bar, (self.stack, 1), margins=NO_MARGINS, spacing=0)))
        split.setStretchFactor(0, 0)
        split.setStretchFactor(1, 1)
        split.setSizes([230, 600])
        split.setChildrenCollapsible(False)
        vbox(split, within=self, margins=NO_MARGINS)
        self.setFocusProxy(self.list)
        self._fit()

    def _list_pages(self) -> None:
        """List the pages when they are first needed, because this imports every analysis."""
        if not self._listed:
            self._listed = True
            self.list.set_titles([(entry.title, entry.group) for entry in pages()])
            self._fit()

    def _fit(self) -> None:
        """Give the left side the width that it needs, since it scrolls only vertically."""
        self.list.fit()
        bar = self._left.verticalScrollBar().sizeHint().width()
        self._left.setMinimumWidth(self._inside.minimumSizeHint().width() + bar)

    def _connect(self) -> None:
        workspace = self._workspace
        self.list.turned.connect(self._turn_page)
        self.choice.changed.connect(self._choose)
        workspace.corpus_changed.connect(self._take_corpus)
        workspace.columns_changed.connect(self._take_columns)
        workspace.scores_changed.connect(self._take_scores)
        workspace.axes_changed.connect(self._take_axes)
        workspace.threshold_changed.connect(self._later)
        workspace.selection.set_changed.connect(self._take_set)

    # Changes

    def showEvent(self, event: QShowEvent) -> None:
        """Apply the changes made while hidden."""
        super().showEvent(event)
        self._list_pages()
        self.stack.setCurrentWidget(self.page)
        self._later()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._soon.stop()
        self._arriving.stop()

    def _later(self, *_: object) -> None:
        if self.isVisible():
            self._soon.ask()

    def _turn_page(self, number: int) -> None:
        self.stack.setCurrentWidget(self._page(number))
        # A page with its own run ignores these.
        self.choice.setVisible(not self.page.analysis.standalone)
        self._give_up()
        if self._task is not None:  # the task ends later, and its result does not belong to the visible page
            self.busy_bar.end()
        self._later()

    def _ask_again(self, page: AnalysisPage) -> None:
        self._stamps.pop(page, None)
        if page is self.page:
            self._give_up()
            self._later()

    def _choose(self) -> None:
        self._choices += 1
        pairs = (self.choice.corpora.checked_keys(), self.choice.only_set.isChecked())
        if pairs != self._pairs:
            self._pairs = pairs
            self._scope += 1
            self._set_only()
        self._give_up()
        self._later()

    def _take_corpus(self) -> None:
        self._scope += 1
        self._stamps.clear()
        self._set_only()
        self._give_up()
        self._take_columns()

    def _take_columns(self) -> None:
        workspace = self._workspace
        self.choice.offer_scores(*offered_scores(workspace), workspace.title, (workspace.y, workspace.x))
        self._choices += 1
        self._later()

    def _take_axes(self) -> None:
        """Analyse the scores that the scatter shows."""
        axes = (self._workspace.y, self._workspace.x)
        self.choice.scores.choose({name: True for name in self.choice.left_out() if name in axes})
        self._later()

    def choose_scores(self, ticks: Mapping[str, bool]) -> None:
        """Tick the scores as in a session; scores unknown to it are ticked as by default."""
        self.choice.scores.forget()
        self.choice.scores.choose(ticks)
        self._take_columns()

    def _take_scores(self, columns: frozenset[str]) -> None:
        if self.isVisible():
            self._arriving.ask()

    def _take_set(self) -> None:
        selection = self._workspace.selection
        # Otherwise each click in the analysis would narrow the selection.
        if selection.rule is not None and selection.rule is self.links.own:
            return
        if self.choice.only_set.isChecked():
            self._scope += 1
            self._set_only()
            self._later()

    def _set_only(self) -> None:
        selection = self._workspace.selection
        if not self.choice.only_set.isChecked() or self._workspace.corpus is None:
            self._only = None
            self.choice.set_name.say("")
            return
        if self._only is None or len(self._only) != len(selection.mask) or selection.rule is not self.links.own:
            self._only = selection.mask.copy()
            name = self.tr("all pairs") if selection.rule is None else selection.rule.name
            count = int(np.count_nonzero(self._only))
            self.choice.set_name.say(self.tr("{0}: {1} pairs").format(name, f"{count:,}"))

    # Computing

    def _stamp(self, page: AnalysisPage) -> Stamp:
        workspace = self._workspace
        numbers = workspace.version(DISTANCE, *self.choice.scores.checked_keys())

        def stamp(analysis: Analysis[Any, Any]) -> object:
            followed: tuple[object, ...] = (workspace.y, workspace.threshold) if analysis.follows_threshold else ()
            followed += (workspace.judgements,) if analysis.follows_people else ()
            return self._scope, self._choices, numbers, followed, workspace.kinds.corrected

        return {analysis: stamp(analysis) for analysis in page.analyses}

    def _start(self, task: BackgroundTask[Result], take: Callable[[Result], None]) -> None:
        self._task = task
        self._cancelled = False
        task.reported.connect(self.busy_bar.progress.setValue)
        self.busy_bar.begin(self.page.title)
        task.begin(take, partial(self._fail, self.page), self._end_task)

    def _give_up(self) -> None:
        """Stop the computation, because a new one is needed."""
        if self._task is not None:
            self._task.stop()

    def _set_corpus_parts(self, corpus_parts: CorpusParts) -> None:
        if corpus_parts.corpus is self._workspace.corpus:
            self._corpus_parts = corpus_parts
            self.choice.offer_corpora(list(corpus_parts.parts))

    def _forget_asked(self) -> None:
        self._asked = None

    def _show(
        self,
        page: AnalysisPage,
        stamp: Stamp,
        inputs: AnalysisMaterial,
        unchanged: Sequence[Analysis[Any, Any]],
        runs: Runs,
    ) -> None:
        if inputs.corpus is self._workspace.corpus:
            self._stamps[page] = stamp
            page.take_runs(runs, unchanged)

    def _fail(self, page: AnalysisPage, error: ParapluieError) -> None:
        self._stamps[page] = self._stamp(page)
        page.complain(str(error))

    def _end_task(self) -> None:
        self._task = None
        if self._cancelled:
            self.busy_bar.show_cancelled()
        else:
            self.busy_bar.end()
        self._later()


def _number(name: str) -> int:
    """Return the number of an analysis's page."""
    return next(at for at, entry in enumerate(pages()) if name in [analysis.name for analysis in entry.analyses])
