"""Shared objects of the window's parts: the session, the views, the worker and the message banner."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.pair_panel.view import PairView
from parapluie_gui.ui.setup.setup import SetupView
from parapluie_gui.ui.state.client import WorkerClient
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.ui.state.reading_controls import options_to_controls
from parapluie_gui.ui.state.scoring import CorpusScoring
from parapluie_gui.ui.state.session_state import SessionState
from parapluie_gui.ui.state.watched_templates import TemplateFolder
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.table.filter_bar import FilterBar
from parapluie_gui.ui.table.view import PairsTable
from parapluie_gui.ui.widgets.arrange import stack_widgets
from parapluie_gui.ui.widgets.banner import Banner
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.window.arrangements import PanelArrangements, PanelDocks
from parapluie_gui.ui.window.looks import AppearanceController
from parapluie_gui.ui.window.report_writing import ReportWriting
from parapluie_gui.ui.window.scoring_bars import ScoringBar, StatusLine
from parapluie_gui.ui.window.tabs import CentreTabs
from parapluie_gui.ui.window.typed_pairs import TypedPairs


class WindowContext:
    """Creates the shared objects and passes them to the window's parts.

    Attributes:
        window: Parent of all objects and dialogs.
        client: Sends requests to the worker.
        workspace, scoring, state: The session: the open corpus, its scoring, and the stored state.
        templates: The built-in templates and the user's.
        setup, tabs, pair, filter, table: The views; `scatter`, `bench` and `analysis` are in tabs.
        typed_pairs: Scores pairs that are not in a corpus.
        banner: The messages.
        docks, arrangements: The panels, and their arrangement for each tab.
        tools, status: The tool bar with the judge and the scoring buttons, and the status line.
        looks: Theme and type size.
        reports: Writes reports and other documents of the analysis.
        actions: The menu's actions by their slots, once the menus are filled.
    """

    def __init__(self, window: QMainWindow, copies: WorkingCopies, driver: WorkerDriver, theme: Theme) -> None:
        self.window = window
        self.workspace = workspace = CorpusWorkspace(window)
        self.client = WorkerClient(driver, window)
        self.scoring = CorpusScoring(workspace, self.client, window)
        self.state = SessionState(workspace, self.scoring, copies, window)
        self.banner = Banner(word=options_to_controls)
        self.templates = TemplateFolder(window)
        self.setup = SetupView(workspace)
        self.tabs = CentreTabs(workspace)
        self.scatter, self.bench, self.analysis = self.tabs.scatter, self.tabs.bench, self.tabs.analysis
        self.pair = PairView(workspace, self.state.notes, self.state.evidence)
        self.typed_pairs = TypedPairs(self.setup, self.client, self.state.evidence)
        self.filter = FilterBar(workspace, self.state.notes)
        self.table = PairsTable(workspace)
        self.tools = ScoringBar(self.setup, self.choose_judge)
        window.addToolBar(self.tools)
        self.docks = PanelDocks(window, self.setup, self.tabs, stack_widgets(self.filter, self.table), self.pair)
        self.arrangements = PanelArrangements(window, self.docks, self.tabs, workspace.selection)
        self.status = StatusLine()
        window.statusBar().addWidget(self.status)
        window.statusBar().addWidget(self.banner, 1)
        scaled = (self.scatter, self.pair, self.bench, self.analysis)
        self.looks = AppearanceController(window, theme, scaled)
        self.reports = ReportWriting(self.analysis, window)
        self.reports.failed.connect(self.banner.complain)
        self.reports.working.connect(partial(self.status.show_work, cancel=self.reports.cancel))
        self.actions: dict[str, QAction] = {}

    def choose_judge(self) -> None:
        """Show Setup with the focus on the list of models."""
        self.docks.setup.show()
        self.setup.show_judge_choice()


class WindowController(QObject):
    """Base class of the parts that connect the views; the banner shows their messages.

    Signals:
        message: (str) A sentence about something done.
        written: (str, Path) A sentence about a file that was written.
        failed: (str) An error message.
    """

    message = Signal(str)
    written = Signal(str, object)
    failed = Signal(str)

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.window)
        self._context = context
        self._window, self._workspace, self._client = context.window, context.workspace, context.client
        self._setup, self._state, self._tabs, self._bench = context.setup, context.state, context.tabs, context.bench
        self._pair, self._scoring = context.pair, context.scoring
        self.message.connect(context.banner.tell)
        self.written.connect(context.banner.tell_written)
        self.failed.connect(context.banner.complain)

    def _require_corpus(self) -> Corpus | None:
        """Return the open corpus; if there is none, show a message and return None."""
        if self._workspace.corpus is None:
            # `tr` would look the words up in the class that inherits them.
            self.failed.emit(
                QCoreApplication.translate("WindowController", "There are no pairs yet. Open a corpus first (Ctrl+O).")
            )
        return self._workspace.corpus

    def close(self) -> None:
        """Stop all computation when the window closes."""

    def settings(self) -> dict[str, object]:
        """Return the settings to store between runs, as JSON values."""
        return {}

    def restore(self, settings: Mapping[str, object]) -> None:
        """Apply the settings that `settings` returned in an earlier run; skip invalid ones."""

    def take_page(self, page: AnalysisPage) -> None:
        """Connect a new page of the Analysis tab that shows an analysis of the same feature."""
