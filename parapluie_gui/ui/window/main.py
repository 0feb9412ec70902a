"""The main window: panels around the scatter, Bench and Analysis, and the connections between them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QShowEvent
from PySide6.QtWidgets import QMainWindow, QMenu

from parapluie_gui.arrays import Rows
from parapluie_gui.errors import one_line
from parapluie_gui.feature import broken, installed
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.bench.entry import read_history
from parapluie_gui.ui.setup.corpus_columns import MetricKeeper
from parapluie_gui.ui.setup.model_list import ModelList
from parapluie_gui.ui.state.chosen_scores import typed_scores
from parapluie_gui.ui.state.driver import Driver
from parapluie_gui.ui.state.kind_finding import KindFinding
from parapluie_gui.ui.state.preferences import Preferences
from parapluie_gui.ui.state.scoring import IDLE
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.widgets.arrange import within_screen
from parapluie_gui.ui.widgets.file_dialog import path_of
from parapluie_gui.ui.widgets.list_menu import ListMenu
from parapluie_gui.ui.widgets.text import pairs_words
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.window.about import AboutDialog
from parapluie_gui.ui.window.actions import actions, fill_menus
from parapluie_gui.ui.window.arrangements import FIRST_SIZE
from parapluie_gui.ui.window.bench import BenchCollecting, BenchScoring
from parapluie_gui.ui.window.context import Context
from parapluie_gui.ui.window.exporting import Exporter, Reporter
from parapluie_gui.ui.window.feature_parts import FeatureParts
from parapluie_gui.ui.window.file_actions import FileActions
from parapluie_gui.ui.window.finding import Finder
from parapluie_gui.ui.window.internal_errors import InternalErrors
from parapluie_gui.ui.window.languages import CorpusLanguage
from parapluie_gui.ui.window.manual import ManualHelp
from parapluie_gui.ui.window.metric_questions import MetricQuestions
from parapluie_gui.ui.window.role_actions import RoleActions
from parapluie_gui.ui.window.scoring_news import ScoringNews
from parapluie_gui.ui.window.starting import Starting
from parapluie_gui.ui.window.threshold_actions import ThresholdActions
from parapluie_gui.ui.window.undoing import Undoing
from parapluie_gui.ui.window.verdict_actions import AnnotatorName, VerdictActions
from parapluie_gui.ui.window.window_state import Remembered, ViewMemory, WindowState


class MainWindow(QMainWindow):
    """The window. It makes the parts and connects them; each part does its own work.

    Attributes:
        actions_by_name: The menu's actions by their slots.
    """

    def __init__(self, copies: WorkingCopies, preferences: Preferences, driver: Driver, theme: Theme) -> None:
        super().__init__()
        self.driver = driver
        self.context = context = Context(self, copies, driver, theme)
        self.workspace, self.scoring, self.state = context.workspace, context.scoring, context.state
        self.client = context.client
        self.setup, self.tabs, self.pair = context.setup, context.tabs, context.pair
        self.scatter, self.bench, self.analysis = context.scatter, context.bench, context.analysis
        self.filter, self.table, self.docks = context.filter, context.table, context.docks
        self.banner, self.trouble, self.status = context.banner, context.trouble, context.status
        self.tools, self.arrangements, self.looks = context.tools, context.arrangements, context.looks
        self.choose_judge, self.actions_by_name = context.choose_judge, context.actions
        self._make_helpers(context, preferences)
        self._connect()
        self._list_templates()
        self.setAcceptDrops(True)
        self.resize(within_screen(FIRST_SIZE, self.screen()))
        self._memory.restore()
        self.starting.follow()
        for trouble in (*preferences.troubles, *broken()):
            self.banner.warn(trouble)
        self.looks.apply(theme)
        self._allow_keys()
        self._show_name()
        self._show_corpora()

    # Scoring

    def run(self) -> None:
        """Score the corpus with the selected metrics and templates, once the user has allowed what is a program."""
        self._run(None)

    def run_selected(self) -> None:
        """Score only the selected pairs."""
        self._run(np.flatnonzero(self.workspace.selection.mask))

    def _run(self, rows: Rows | None) -> None:
        if self.workspace.corpus is None:
            self.banner.complain(self.tr("There is nothing to score yet. Open a corpus first (Ctrl+O)."))
        elif self.scoring.state == IDLE:
            self.questions.ask(self.setup.plan.metrics, partial(self._score, self.workspace.key, rows))

    def _score(self, key: object, rows: Rows | None, metrics: list[str], refused: list[str]) -> None:
        """Score all pairs, or some rows of the corpus with this key, with these metrics; say which were left out."""
        if (corpus := self.workspace.corpus) is None or (rows is not None and key != self.workspace.key):
            return
        plan = replace(self.setup.plan, metrics=tuple(metrics))
        judged, columns = list(plan.judge_scores(self.workspace.table)), plan.for_typed_pairs().metric_columns
        if judged:  # also where it is on y already: a plot without points shows what has some
            self.workspace.await_score(self.workspace.y if self.workspace.y in judged else judged[0])
        elif self.workspace.y not in [*self.workspace.table, *columns]:
            self.workspace.await_score(columns[-1])
        self.scoring.start(corpus, plan, self.state.session.stores(), rows)
        for sentence in refused:
            self.setup.notes.show_notice(sentence)
        if refused:
            self.banner.complain("\n".join(refused))

    def score_typed(self) -> None:
        """Score the pair typed in the Bench."""
        if self.tabs.currentWidget() is not self.bench:
            self.tabs.show_bench()
        self.bench.score()

    # Pairs

    def search(self) -> None:
        """Put the cursor into the filter; the Bench has no table to filter."""
        if self.tabs.currentWidget() is self.bench:
            self.tabs.show_scatter()
        self.docks.pairs.show()
        self.filter.focus()

    def show_all(self) -> None:
        """Clear the filter."""
        self.filter.clear()
        self.scatter.set_lasso(False)

    def copy_pair(self) -> None:
        """Copy source and hypothesis of the pair in sight."""
        texts = self.bench.fields.texts() if self.tabs.currentWidget() is self.bench else self.pair.texts()
        if texts is None or not any(texts):
            self.banner.complain(self.tr("There is no pair to copy. Choose one in the table or in the plot."))
            return
        QGuiApplication.clipboard().setText("\t".join(" ".join(text.split()) for text in texts))
        self.banner.tell(self.tr("Copied: source, tab, hypothesis."))

    def edit_copy(self) -> None:
        """Edit a copy of the primary pair in the Bench."""
        corpus, row = self.workspace.corpus, self.workspace.selection.primary
        if corpus is not None and row != NO_PAIR:
            self._edit(corpus.source[row], corpus.hypothesis[row])

    # View

    def _show_looks(self) -> None:
        self.actions_by_name["looks.toggle_dark"].setChecked(self.looks.theme.name == "dark")
        self.arrangements.follow()

    def _allow_keys(self) -> None:
        """Disable the keys of views that are hidden: the Bench has a pair of its own."""
        of_corpus = self.tabs.currentWidget() is not self.bench
        for action in self.actions_by_name.values():
            if action.property("corpus"):
                action.setEnabled(of_corpus)

    def _free_keys(self) -> None:
        """Let keys reach the pairs: the focus of what was left may have come to a field of text, or nowhere."""
        focus = self.focusWidget()  # also while another window is in front
        if self.workspace.corpus is None or self.tabs.currentWidget() is not self.tabs.first or focus is None:
            return
        if focus is not self.tabs.tabBar() and self.isAncestorOf(focus) and not self.filter.isAncestorOf(focus):
            table = self.table if self.docks.pairs.isVisible() else self.scatter.canvas
            table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _name_set(self, in_table: bool) -> None:
        self.scatter.name_set(not in_table)

    def show_about(self) -> None:
        AboutDialog(self).open()

    # Events

    def changeEvent(self, event: QEvent) -> None:
        """Look after the session file when the user comes back from elsewhere."""
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.state.session.look()
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.features.make_soon()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [path_of(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.files.open_paths(paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save notes, view and window, and end the worker."""
        self.pair.flush()
        self.outlook.keep()
        self.features.keep()
        self._memory.keep(self.looks.theme.name)
        self.features.close()
        self.tabs.close_work()
        self.filter.close_work()
        self.context.reports.close()
        for part in (self.shelf, self.manual, self.driver, self.exporter):
            part.close()
        self.pair.stop()
        self.language.stop()
        self.state.close()
        super().closeEvent(event)

    # Making

    def _make_helpers(self, context: Context, preferences: Preferences) -> None:
        """Make what works between the views."""
        state, workspace = self.state, self.workspace
        self.features = FeatureParts(context, installed(), preferences)
        self.annotator, self.roles = AnnotatorName(context), RoleActions(context)
        parts: dict[str, Remembered] = {"setup": self.setup, "table": self.table, "filter": self.filter}
        parts |= {"people": self.annotator, "type": self.looks}
        parts["speeds"] = self.setup.speeds
        self._memory = WindowState(self, self.arrangements, preferences, parts)
        self.files = FileActions(context, self._memory)
        self.starting = Starting(context, self.files)
        self.exporter = Exporter(context)
        self.reporter = Reporter(context)
        self.shelf = ModelList(self.setup, self)
        self.thresholds = ThresholdActions(context)
        self.questions = MetricQuestions(context)
        self.metric_keeper = MetricKeeper(workspace, state.settings, self.setup.metrics.choice, self)
        self.outlook = ViewMemory(context)
        self.bench_scoring = BenchScoring(context)
        self.collecting = BenchCollecting(context, self.exporter)
        self.verdicts = VerdictActions(self.pair.verdict, workspace.selection, self.docks.pair, self.bench.verdict)
        self.language = CorpusLanguage(context)
        self.undoing = Undoing(context)
        self.kinds = KindFinding(workspace, self.client, self)
        self.manual = ManualHelp(self, self.tabs)
        self.internal_errors = InternalErrors(self.banner, self)
        lists = {
            "recent": ListMenu(self.files.recent_files, self.tr("No files yet"), self),
            "kept_sets": ListMenu(self.files.kept_sets, self.tr("No saved selections yet"), self),
            "docks": QMenu(self),
        }
        lists["docks"].addActions([dock.toggleViewAction() for dock in self.docks.all])
        self.finder = Finder(context)
        there_are_pairs = lambda: self.workspace.corpus is not None  # noqa: E731
        context.actions.update(fill_menus(self, self.features.slot, lists, there_are_pairs))
        for action in actions():
            if action.button == "templates":
                self.setup.offer_writing(self.actions_by_name[action.slot])
        self.undoing.name_actions(*(self.actions_by_name[f"state.history.{way}"] for way in ("undo", "redo")))
        self.manual.set_action(self.actions_by_name["manual.open_here"])

    def _connect(self) -> None:
        scoring, setup, state, files = self.scoring, self.setup, self.state, self.files
        self.looks.changed.connect(self._show_looks)
        self.tabs.turned.connect(self._allow_keys)
        self.tabs.turned.connect(self._free_keys)
        self.pair.verdict.note_left.connect(self._free_keys)
        self.docks.pairs.visibilityChanged.connect(self._name_set)
        setup.corpus.open_requested.connect(files.open)
        setup.corpus.paste_requested.connect(files.paste)
        setup.corpus.roles_requested.connect(self.roles.ask)
        setup.corpus.demo_requested.connect(files.open_demo)
        self.tabs.start.trial.bench_requested.connect(self._open_in_bench)
        setup.corpus.corpus_chosen.connect(state.corpora.show_corpus)
        setup.judge.card_requested.connect(self.manual.open_page)
        setup.run.run_requested.connect(self.run)
        setup.run.pause_requested.connect(scoring.pause)
        setup.run.resume_requested.connect(scoring.resume)
        setup.run.stop_requested.connect(scoring.stop)
        setup.changed.connect(self._take_choices)
        self.context.templates.changed.connect(self._list_templates)
        self.workspace.columns_changed.connect(self._offer_scores)
        setup.run.menu.addAction(self.actions_by_name["run_selected"])
        self.news = ScoringNews(self.context)
        state.queue.working.connect(self._show_queue)
        for worker in (self.shelf, self.exporter, self.kinds):
            worker.working.connect(partial(self.status.show_work, cancel=worker.cancel))
        for part in (state.queue, state.session, state.corpora, self.metric_keeper, self.kinds):
            part.failed.connect(self.banner.complain)
        for warning in (state.settings.skipped, state.session.message, state.corpora.warned):
            warning.connect(self.banner.warn)
        state.session.stuck.connect(self.trouble.show_or_clear)
        state.session.damaged.connect(self._offer_version_before)
        state.session.in_use.connect(self._offer_copy)
        self.client.unforeseen.connect(self.internal_errors.show_error)
        state.history.message.connect(self.banner.tell)
        state.corpora.corpora_changed.connect(self._show_corpora)
        state.session.renamed.connect(self._show_name)
        state.settings.opened.connect(self._show_history)
        self.workspace.corpus_changed.connect(self._greet_corpus)
        self.pair.edit_requested.connect(self._edit)
        self.table.edit_requested.connect(self._edit)
        self.analysis.links.edit_wanted.connect(self._open_in_bench)
        scoring.state_changed.connect(self.pair.scores.set_state)
        self.filter.export_requested.connect(self.exporter.ask)
        for helper in (self.shelf, self.analysis.links):
            helper.message.connect(self.banner.tell)
            helper.failed.connect(self.banner.complain)

    # Showing results

    def _show_name(self) -> None:
        path = self.state.session.path
        name = self.tr("Unsaved session") if path is None else one_line(path.stem)
        self.setWindowTitle(self.tr("{0} – ParaPLUIE Inspector").format(name))

    def _offer_version_before(self, sentence: str, path: Path) -> None:
        act = partial(self.files.open_version_before, path)
        self.banner.warn(sentence, self.tr("Open the previous version"), act)

    def _offer_copy(self, sentence: str, path: Path) -> None:
        self.banner.complain(sentence, self.tr("Open a copy"), partial(self.files.open_copy, path))

    def _show_history(self) -> None:
        settings = self.state.settings
        entries, bad = read_history(settings.bench)
        self.bench.set_history(entries)
        for place in bad:
            settings.values.skip(f"bench {place + 1}")
        settings.check()

    def _list_templates(self) -> None:
        folder = self.context.templates
        self.setup.set_templates(folder.templates, [(file.file, file.error) for file in folder.broken])

    def _show_queue(self, text: str) -> None:
        self.status.show_work(text, self.state.queue.cancel if self.state.queue.can_stop else None)

    def _show_corpora(self) -> None:
        names, shown = self.state.corpora.names()
        pairs = (pairs_words(entry.pairs) for entry in self.state.corpora.entries)
        titles = [self.tr("{0} · {1}").format(*each) for each in zip(names, pairs, strict=True)]
        self.setup.corpus.set_corpora(titles, shown)
        self.setup.corpus.show_extent(self.state.corpora.extent)

    def _greet_corpus(self) -> None:
        if self.workspace.corpus is not None:
            self.banner.clear()
            # A pair to look at from the first moment.
            self.outlook.take_up()
            self.driver.warm()
        self._take_choices()

    def _take_choices(self) -> None:
        plan, table = self.setup.plan, self.workspace.table
        asked = plan.judge_scores(table)
        self.pair.set_chosen(plan.metric_columns)
        self._offer_scores()
        self.bench.sentences.languages.set_scores(plan.for_typed_pairs().languages())
        self.workspace.show_judge_score(list(asked))
        # PyTorch loads while the user looks, where a language model will be asked for what is not scored yet.
        waiting = [each.judgings[0].judge for name, each in asked.items() if table.scored(name) < table.rows]
        if self.workspace.corpus is not None and any(map(self.setup.judge.needs_libraries, waiting)):
            self.driver.warm(libraries=True)

    def _offer_scores(self) -> None:
        """Let the Bench know which scores can be asked for."""
        asked, _ = typed_scores(self.setup.plan)
        models = {column: each.judgings[0].judge.model for column, each in asked.items() if each.judgings}
        self.bench.set_columns(list(asked), models)

    def _edit(self, source: str, hypothesis: str) -> None:
        self.tabs.show_bench()
        self.bench.open_copy(source, hypothesis, self.pair.values(), self.pair.models())

    def _open_in_bench(self, source: str, hypothesis: str) -> None:
        """Open a pair of no corpus."""
        self.tabs.show_bench()
        self.bench.open_copy(source, hypothesis)
