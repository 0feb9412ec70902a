"""The Analysis tab: the papers' evaluations of what is scored, computed off the window's thread as it is looked at."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from parapluie_gui.analysis.measure import is_pluie, measure
from parapluie_gui.analysis.study import DISTANCE
from parapluie_gui.errors import ParapluieError
from parapluie_gui.metrics import catalogue
from parapluie_gui.ui.analysis_balanced import BalancedPage
from parapluie_gui.ui.analysis_buckets import BucketsPage
from parapluie_gui.ui.analysis_choice import AnalysisChoice
from parapluie_gui.ui.analysis_compare import ComparePage
from parapluie_gui.ui.analysis_curves import CurvesPage
from parapluie_gui.ui.analysis_distributions import DistributionsPage
from parapluie_gui.ui.analysis_human import HumanPage
from parapluie_gui.ui.analysis_independence import IndependencePage
from parapluie_gui.ui.analysis_inputs import Facts, Inputs, Studies
from parapluie_gui.ui.analysis_page import Links, Page
from parapluie_gui.ui.analysis_paraphrasus import ParaphrasusPage
from parapluie_gui.ui.analysis_thresholds import ThresholdsPage
from parapluie_gui.ui.task import Task
from parapluie_gui.ui.theme import Theme
from parapluie_gui.ui.type_size import set_type_size
from parapluie_gui.ui.workspace import Workspace

_SOON_MS = 60
#: While scores arrive, a page is computed again at most this often.
_ARRIVING_MS = 2000
#: Work that is over sooner shows no bar.
_PATIENCE_MS = 250

PAGES = (
    DistributionsPage,
    ThresholdsPage,
    CurvesPage,
    IndependencePage,
    ComparePage,
    BucketsPage,
    BalancedPage,
    HumanPage,
    ParaphrasusPage,
)


class AnalysisTab(QWidget):
    """Choices at the left, one page at the right. Only the page in sight is computed, and only when it is out of date.

    Attributes:
        choice: Which scores and pairs.
        pages: In the order of the list.
        links: What clicks do to the window.
        cancel_button: Ends what is being computed.

    Signals:
        settled: What is in sight is up to date.
    """

    settled = Signal()

    def __init__(self, workspace: Workspace, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._theme = theme
        self._studies = Studies()
        self._facts: Facts | None = None
        self._task: Task | None = None
        self._versions: dict[str, int] = {}
        self._scope = 0
        self._only: np.ndarray | None = None
        self._choices = 0
        # What each page shows was computed from: anything that changes, changes this.
        self._stamps: dict[Page, object] = {}
        self._point_size = self.font().pointSizeF()
        self.links = Links(workspace, self)
        self.pages: list[Page] = [kind(self.links, theme) for kind in PAGES]  # type: ignore[call-arg]
        self._build()
        self._soon = QTimer(self, interval=_SOON_MS, singleShot=True)
        self._soon.timeout.connect(self.refresh)
        self._arriving = QTimer(self, interval=_ARRIVING_MS, singleShot=True)
        self._arriving.timeout.connect(self.refresh)
        self._patience = QTimer(self, interval=_PATIENCE_MS, singleShot=True)
        self._patience.timeout.connect(partial(self._show_busy, True))
        self._connect()
        self._take_corpus()
        self.apply_theme(theme)

    # What others ask

    def inputs(self) -> Inputs | None:
        """Return a copy of what is chosen; None before a corpus has been looked into."""
        facts, workspace = self._facts, self._workspace
        if facts is None or facts.corpus is not workspace.corpus:
            return None
        chosen = self.choice.scores.chosen()
        columns = {name: workspace.values(name) for name in chosen}
        measures = [measure(name, values.copy()) for name, values in columns.items() if values is not None]
        ticked = self.choice.corpora.chosen() if len(facts.parts) > 1 else []
        parts = {name: mask for name, mask in facts.parts.items() if not ticked or name in ticked}
        where = None
        if len(parts) < len(facts.parts):
            where = np.any(list(parts.values()), axis=0)
        if self._only is not None:
            parts = {name: mask & self._only for name, mask in parts.items()}
            where = self._only if where is None else where & self._only
        distance = workspace.values(DISTANCE)
        return Inputs(
            facts=facts,
            measures=tuple(each for each in measures if not np.isnan(each.values).all()),
            versions=dict(self._versions),
            labels=workspace.labels(),
            parts=parts,
            where=where,
            scope=self._scope,
            draws=self.choice.draws.value(),
            y=workspace.y,
            threshold=workspace.threshold,
            distance=None if distance is None or np.isnan(distance).any() else distance.copy(),
            signatures={name: str(signature) for name, signature in workspace.table.signatures.items()},
        )

    def show_page(self, page: Page) -> None:
        """Bring a page to the front."""
        self.list.setCurrentRow(self.pages.index(page))

    @property
    def page(self) -> Page:
        """The page in sight."""
        return self.pages[max(self.stack.currentIndex(), 0)]

    @property
    def busy(self) -> bool:
        """Whether something is being computed or about to be."""
        return self._task is not None or self._soon.isActive() or self._arriving.isActive()

    def refresh(self) -> None:
        """Compute the page in sight if it is out of date."""
        if not self.isVisible() or self._task is not None:
            return
        self._arriving.stop()
        workspace = self._workspace
        if workspace.corpus is None:
            self._say(self.tr("Open a corpus (Ctrl+O) and score it (F5); its evaluation appears here."))
            return
        if self._facts is None or self._facts.corpus is not workspace.corpus:
            corpus = workspace.corpus
            self._start(Task(lambda tell: Facts.of(corpus), self), self._take_facts)
            return
        page = self.page
        stamp = self._stamp(page)
        if self._stamps.get(page) == stamp:
            self.settled.emit()
            return
        inputs = self.inputs()
        assert inputs is not None
        reason = self._reason(page, inputs)
        self._say(reason)
        if reason:
            self._stamps[page] = stamp
            self.settled.emit()
            return
        page.settle(inputs)
        work = page.work(inputs, self._studies)

        def run(tell):  # type: ignore[no-untyped-def]
            return work(lambda done, total: tell(1000 * done // max(total, 1)))

        self._start(Task(run, self), partial(self._show, page, stamp, inputs))

    def cancel(self) -> None:
        """Give up what is being computed; it is not begun again until something changes or it is asked for."""
        if self._task is not None:
            self._task.stop()
            self._stamps[self.page] = self._stamp(self.page)
            self.note.setText(self.tr("Cancelled; press Compute again to go on."))
            self.again_button.show()

    def again(self) -> None:
        """Compute the page in sight, also when nothing changed."""
        self._stamps.pop(self.page, None)
        self.refresh()

    def close_work(self) -> None:
        """End what is being computed and wait for it."""
        if self._task is not None:
            self._task.stop()
            self._task.wait()

    def apply_theme(self, theme: Theme) -> None:
        """Take on the colours of a theme."""
        self._theme = theme
        for page in self.pages:
            page.apply_theme(theme)

    def set_scale(self, factor: float) -> None:
        """Enlarge all type."""
        set_type_size(self, self._point_size * factor)

    # Making

    def _build(self) -> None:
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Analyses"))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.addItems([page.title for page in self.pages])
        rows = self.list.sizeHintForRow(0) * self.list.count() + 8
        self.list.setFixedHeight(rows)
        self.choice = AnalysisChoice()
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.list)
        column.addWidget(self.choice, 1)
        left = QScrollArea()
        left.setFrameShape(QFrame.Shape.NoFrame)
        left.setWidgetResizable(True)
        left.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        left.setWidget(side)
        left.setMinimumWidth(150)
        self.stack = QStackedWidget()
        for page in self.pages:
            self.stack.addWidget(page)
        self.note = QLabel()
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.progress = QProgressBar()
        self.progress.setRange(0, 1000)
        self.progress.setMaximumWidth(160)
        self.progress.setAccessibleName(self.tr("Progress of the analysis"))
        self.cancel_button = QPushButton(self.tr("Cancel"))
        self.cancel_button.setAccessibleName(self.tr("Cancel the analysis"))
        self.cancel_button.clicked.connect(self.cancel)
        self.again_button = QPushButton(self.tr("Compute again"))
        self.again_button.setAccessibleName(self.tr("Compute again"))
        self.again_button.clicked.connect(self.again)
        self.again_button.hide()
        self.busy_bar = QWidget()
        line = QHBoxLayout(self.busy_bar)
        line.setContentsMargins(10, 4, 10, 0)
        for widget in (self.note, self.progress, self.cancel_button, self.again_button):
            line.addWidget(widget)
        line.addStretch(1)
        right = QWidget()
        inside = QVBoxLayout(right)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        inside.addWidget(self.busy_bar)
        inside.addWidget(self.stack, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(left)
        split.addWidget(right)
        split.setStretchFactor(0, 0)
        split.setStretchFactor(1, 1)
        split.setSizes([170, 600])
        split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)
        self.setFocusProxy(self.list)
        self._show_busy(False)

    def _connect(self) -> None:
        workspace = self._workspace
        self.list.currentRowChanged.connect(self._turn_page)
        self.list.setCurrentRow(0)
        self.choice.changed.connect(self._choose)
        workspace.corpus_changed.connect(self._take_corpus)
        workspace.columns_changed.connect(self._take_columns)
        workspace.scores_changed.connect(self._take_scores)
        workspace.axes_changed.connect(self._later)
        workspace.threshold_changed.connect(self._later)
        workspace.selection.set_changed.connect(self._take_set)
        for page in self.pages:
            page.changed.connect(partial(self._ask_again, page))

    # What changes

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)
        self._later()

    def hideEvent(self, event: QHideEvent) -> None:
        """Rest while hidden."""
        super().hideEvent(event)
        self._soon.stop()
        self._arriving.stop()

    def _later(self, *_: object) -> None:
        if self.isVisible():
            self._soon.start()

    def _turn_page(self, row: int) -> None:
        self.stack.setCurrentIndex(row)
        self._give_up()
        self._later()

    def _ask_again(self, page: Page) -> None:
        self._stamps.pop(page, None)
        if page is self.page:
            self._give_up()
            self._later()

    def _choose(self) -> None:
        self._choices += 1
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
        scores = list(workspace.table.scores)
        others = [name for name in workspace.numeric_columns() if name not in scores] if workspace.corpus else []
        others = [name for name in others if name not in ("label", "human", "length") and not name.endswith(_EVIDENCE)]
        known = [name for name in others if is_pluie(name) or catalogue.info(name) is not None]
        self.choice.offer_scores([*scores, *others], [*scores, *known])
        self._choices += 1
        self._later()

    def _take_scores(self, columns: frozenset[str]) -> None:
        for column in columns:
            self._versions[column] = self._versions.get(column, 0) + 1
        if self.isVisible() and not self._arriving.isActive():
            self._arriving.start()

    def _take_set(self) -> None:
        selection = self._workspace.selection
        # A click in this tab made the set: were it followed, each click would narrow what is analysed.
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

    def _stamp(self, page: Page) -> object:
        workspace = self._workspace
        followed = (workspace.y, workspace.threshold) if page.follows_threshold else ()
        return (self._scope, self._choices, tuple(sorted(self._versions.items())), followed)

    def _reason(self, page: Page, inputs: Inputs) -> str:
        if not inputs.measures:
            return self.tr("No score has been computed or none is chosen; press Run (F5), or tick scores at the left.")
        if not any(mask.any() for mask in inputs.parts.values()):
            return self.tr("No pair is left to analyse; press Esc to show all pairs, or tick a corpus at the left.")
        return page.missing(inputs)

    def _start(self, task: Task, take: object) -> None:
        self._task = task
        task.told.connect(self.progress.setValue)
        task.done.connect(take)
        task.failed.connect(partial(self._fail, self.page))
        task.finished.connect(self._ended)
        self.note.setText(self.tr("Computing {0} …").format(self.page.title))
        self.progress.setValue(0)
        self.again_button.hide()
        self._patience.start()
        task.start()

    def _give_up(self) -> None:
        """Stop what is being computed because something else is wanted now."""
        if self._task is not None:
            self._task.stop()

    def _take_facts(self, facts: Facts) -> None:
        if facts.corpus is self._workspace.corpus:
            self._facts = facts
            self.choice.offer_corpora(list(facts.parts))

    def _show(self, page: Page, stamp: object, inputs: Inputs, result: object) -> None:
        if inputs.corpus is self._workspace.corpus:
            self._stamps[page] = stamp
            page.show_result(inputs, result)

    def _fail(self, page: Page, error: ParapluieError) -> None:
        self._stamps[page] = self._stamp(page)
        page.say(str(error))

    def _ended(self) -> None:
        self._task = None
        self._patience.stop()
        cancelled = self.again_button.isVisibleTo(self.busy_bar)
        self._show_busy(False)
        if cancelled:
            self.busy_bar.show()
        self._later()

    def _show_busy(self, on: bool) -> None:
        self.busy_bar.setVisible(on)
        self.progress.setVisible(on)
        self.cancel_button.setVisible(on)

    def _say(self, reason: str) -> None:
        self.page.say(reason)


_EVIDENCE = (".p_yes", ".p_no")
