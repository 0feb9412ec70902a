"""The core's parts that connect the window's views, created together and in order."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QMenu

from parapluie_gui.ui.setup.corpus_columns import MetricKeeper
from parapluie_gui.ui.setup.judge_keeper import JudgeKeeper
from parapluie_gui.ui.setup.model_list import ModelList
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.ui.state.kind_search import KindSearch
from parapluie_gui.ui.state.preferences import UserPreferences
from parapluie_gui.ui.widgets.figure_choices import MEMORY
from parapluie_gui.ui.widgets.list_menu import ListMenu
from parapluie_gui.ui.window.actions import actions
from parapluie_gui.ui.window.bench import BenchCollecting, BenchScoring
from parapluie_gui.ui.window.context import WindowContext
from parapluie_gui.ui.window.exporting import ExportController, ReportController
from parapluie_gui.ui.window.file_actions import FileActions
from parapluie_gui.ui.window.finding import CommandFinder
from parapluie_gui.ui.window.grade_offer import GradeOffer
from parapluie_gui.ui.window.internal_errors import InternalErrors
from parapluie_gui.ui.window.language_model import LanguageModelOffer
from parapluie_gui.ui.window.languages import CorpusLanguage
from parapluie_gui.ui.window.manual import ManualHelp
from parapluie_gui.ui.window.one_sided import OneSidedJudges
from parapluie_gui.ui.window.pair_actions import PairActions
from parapluie_gui.ui.window.role_actions import RoleActions
from parapluie_gui.ui.window.running import RunActions
from parapluie_gui.ui.window.scoring_news import ScoringStatus
from parapluie_gui.ui.window.session_view import SessionView
from parapluie_gui.ui.window.single_keys import SingleKeys
from parapluie_gui.ui.window.starting import StartPageActions
from parapluie_gui.ui.window.threshold_actions import ThresholdActions
from parapluie_gui.ui.window.undoing import UndoRecorder
from parapluie_gui.ui.window.verdict_actions import AnnotatorName, VerdictActions
from parapluie_gui.ui.window.window_state import RememberedView, ViewMemory, WindowState


class CoreParts:
    """Creates the core's parts and connects them with the views; the window's actions are their methods.

    Attributes:
        memory: The window's geometry and settings, stored between runs.
        outlook: The view of each corpus, stored with the session.
    """

    def __init__(self, context: WindowContext, preferences: UserPreferences, driver: WorkerDriver) -> None:
        window, state, workspace, setup = context.window, context.state, context.workspace, context.setup
        self.context = context
        self.annotator, self.roles, self.single_keys = AnnotatorName(context), RoleActions(context), SingleKeys(context)
        self.grades = GradeOffer(context, self.roles)
        remembered: dict[str, RememberedView] = {
            "setup": setup,
            "table": context.table,
            "filter": context.filter,
            "people": self.annotator,
            "single keys": self.single_keys,
            "type": context.looks,
            "speeds": setup.speeds,
            "figures": MEMORY,
        }
        self.memory = WindowState(window, context.arrangements, preferences, remembered)
        self.files = FileActions(context, self.memory)
        self.starting = StartPageActions(context, self.files)
        # Before the metrics, since restoring them changes Setup.
        self.judge_keeper = JudgeKeeper(setup, state.settings, window)
        self.judge_keeper.refused.connect(context.banner.warn)
        # Before the session's view, which names the settings that the two keepers could not read.
        self.metric_keeper = MetricKeeper(workspace, state.settings, setup.metrics.choice, window)
        self.session = SessionView(context, self.files)
        self.running = RunActions(context, driver)
        self.pairs = PairActions(context)
        self.exporter, self.reporter = ExportController(context), ReportController(context)
        self.models = ModelList(setup, window)
        self.thresholds = ThresholdActions(context)
        self.outlook = ViewMemory(context)
        self.files.leaving.connect(self.outlook.flush)
        self.bench_scoring, self.collecting = BenchScoring(context), BenchCollecting(context, self.exporter)
        pair = context.pair
        self.verdicts = VerdictActions(pair.verdict, workspace.selection, context.docks.pair, context.bench.verdict)
        self.language = CorpusLanguage(context)
        self.one_sided = OneSidedJudges(context)
        self.language_model = LanguageModelOffer(context)
        self.undoing = UndoRecorder(context)
        self.kinds = KindSearch(workspace, context.client, window)
        self.manual = ManualHelp(window, context.tabs)
        self.internal_errors = InternalErrors(context.banner, window)
        self.finder = CommandFinder(context)
        self._connect()

    def lists(self) -> dict[str, QMenu]:
        """Return the submenus with changing entries, by their names in the table of actions."""
        window = self.context.window
        panels = QMenu(window)
        panels.addActions([dock.toggleViewAction() for dock in self.context.docks.all])
        return {
            "recent": ListMenu(self.files.recent_files, window.tr("No files yet"), window),
            "kept_sets": ListMenu(self.files.kept_sets, window.tr("No saved selections yet"), window),
            "docks": panels,
        }

    def use_actions(self) -> None:
        """Connect the menu's actions, once they are created."""
        by_name, setup = self.context.actions, self.context.setup
        for action in actions():
            if action.button == "templates":
                setup.offer_writing(by_name[action.slot])
        setup.run.menu.addAction(by_name["run_selected"])
        self.undoing.name_actions(*(by_name[f"state.history.{way}"] for way in ("undo", "redo")))
        self.manual.set_action(by_name["manual.open_here"])
        self.news = ScoringStatus(self.context)

    def close(self) -> None:
        """Stop the work of all parts and wait for its end."""
        for part in (self.models, self.manual, self.exporter):
            part.close()
        self.language.stop()

    def _connect(self) -> None:
        context, setup = self.context, self.context.setup
        banner, status = context.banner, context.status
        setup.corpus.open_requested.connect(self.files.open)
        setup.corpus.paste_requested.connect(self.files.paste)
        setup.corpus.demo_requested.connect(self.files.open_demo)
        setup.corpus.roles_requested.connect(self.roles.ask)
        setup.corpus.corpus_chosen.connect(context.state.corpora.show_corpus)
        setup.judge.card_requested.connect(self.manual.open_page)
        context.templates.changed.connect(self.list_templates)
        context.filter.export_requested.connect(self.exporter.ask)
        context.client.unexpected_error.connect(self.internal_errors.show_error)
        for worker in (self.models, self.exporter, self.kinds):
            worker.working.connect(partial(status.show_work, cancel=worker.cancel))
        for part in (self.metric_keeper, self.kinds):
            part.failed.connect(banner.complain)
        for speaker in (self.models, context.analysis.links):
            speaker.message.connect(banner.tell)
            speaker.failed.connect(banner.complain)
        context.analysis.links.written.connect(banner.tell_written)

    def list_templates(self) -> None:
        """List the templates in Setup."""
        folder = self.context.templates
        self.context.setup.set_templates(folder.templates, [(file.file, file.error) for file in folder.broken])
