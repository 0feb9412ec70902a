"""The main window: docks around the scatter and the Bench, and the wires between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QUrl
from PySide6.QtGui import QCloseEvent, QDesktopServices, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu

from parapluie_gui import places
from parapluie_gui.pluie.templates import load_templates
from parapluie_gui.ui.analysis.reporting import Reporter
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.pair.view import PairView
from parapluie_gui.ui.setup.column_dialog import MapperDialog
from parapluie_gui.ui.setup.corpus_columns import MetricKeeper
from parapluie_gui.ui.setup.model_list import ModelList
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.corpus_queue import CorpusQueue
from parapluie_gui.ui.state.driver import Driver
from parapluie_gui.ui.state.evidence_reader import EvidenceReader
from parapluie_gui.ui.state.notes import KeptSets, Notes
from parapluie_gui.ui.state.opening import Question
from parapluie_gui.ui.state.preferences import Preferences
from parapluie_gui.ui.state.scoring import IDLE, Scoring
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.session_file import SessionFile
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.ui.state.unsaved import UnsavedSessions
from parapluie_gui.ui.state.work_queue import WorkQueue
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.table.filter_bar import FilterBar
from parapluie_gui.ui.table.view import PairsTable
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.widgets.arrange import stacked
from parapluie_gui.ui.widgets.banner import Banner
from parapluie_gui.ui.widgets.list_menu import Entry, ListMenu
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.window import dialogs
from parapluie_gui.ui.window.bench_scoring import BenchScoring
from parapluie_gui.ui.window.docks import Docks
from parapluie_gui.ui.window.exporting import Exporter
from parapluie_gui.ui.window.manual import ManualHelp
from parapluie_gui.ui.window.menus import fill_menus
from parapluie_gui.ui.window.presentation import Presentation
from parapluie_gui.ui.window.status_line import StatusLine
from parapluie_gui.ui.window.tabs import CentreTabs
from parapluie_gui.ui.window.view_memory import ViewMemory
from parapluie_gui.ui.window.window_state import Remembered, WindowState


class MainWindow(QMainWindow):
    """The window. It makes the parts and connects them; each part does its own work.

    Attributes:
        workspace: What is shown.
        scoring: What is being scored.
        queue: What is being read, opened or saved.
        session: The session file.
        settings, notes, sets: What the user keeps in it.
        corpora: The session's corpora.
        evidence: What is behind the scores.
        setup, scatter, pair, table, filter, bench, analysis: The views.
        banner: Where it says what went wrong.
        presentation: The mode for projectors.
        actions_by_name: The menu's actions by the names of `ui.actions`.
    """

    def __init__(self, unsaved: UnsavedSessions, preferences: Preferences, driver: Driver, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.workspace = Workspace(self)
        self.driver = driver
        self.scoring = Scoring(self.workspace, driver, self)
        self._make_state(unsaved)
        self._make_views()
        self._make_helpers()
        parts: dict[str, Remembered] = {"setup": self.setup, "table": self.table, "filter": self.filter}
        self._memory = WindowState(self, preferences, parts)
        self._connect()
        templates, broken = load_templates(places.user_templates())
        self.setup.set_templates(templates, [(item.file, item.error) for item in broken])
        self.setAcceptDrops(True)
        self.resize(1440, 900)
        self._memory.restore()
        self.apply_theme(theme)
        self._show_name()
        self._show_corpora()

    # Opening

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open files and remember them as recent."""
        for path in paths:
            self._memory.note_file(path)
        self.corpora.open_files(list(paths))

    def open_corpus(self) -> None:
        """Ask for files and open them."""
        dialogs.ask_for_files(self, self.open_paths)

    def add_corpus(self) -> None:
        """Ask for files and pool them with the shown corpus."""
        dialogs.ask_for_files(self, self.corpora.add_files, self.tr("Add corpus"))

    def paste_corpus(self) -> None:
        """Open the pairs on the clipboard."""
        self.corpora.open_text(QGuiApplication.clipboard().text())

    def remove_corpus(self) -> None:
        """Take the shown corpus out of the session."""
        self.scoring.stop()
        self.pair.flush()
        self.corpora.remove_corpus()

    def new_session(self) -> None:
        """Begin an empty session, after asking when something would be lost."""
        if self.session.named or not (self.corpora.entries or self.settings.bench):
            self._begin_anew()
        else:
            dialogs.ask_to_discard(self, self._begin_anew)

    def save_session(self) -> None:
        """Ask for a file and keep the session there from now on."""
        dialogs.ask_for_session(self, self.save_session_as)

    def save_session_as(self, path: Path) -> None:
        """Keep the session in this file from now on."""
        self.pair.flush()
        self.session.save_as(path)

    # Scoring

    def run(self) -> None:
        """Score the corpus with what is ticked."""
        corpus = self.workspace.corpus
        if corpus is None:
            self.banner.complain(self.tr("There is nothing to score yet; open a corpus first (Ctrl+O)."))
            return
        templates = self.setup.chosen_templates()
        if templates and self.workspace.y not in {template.column for template in templates}:
            self.workspace.set_axes(y=templates[0].column)
        elif not templates and self.workspace.y not in [*self.workspace.table, *self.setup.pair_columns()]:
            self.workspace.set_axes(y=self.setup.pair_columns()[-1])
        self.scoring.start(
            corpus, self.setup.chosen_metrics(), self.setup.judge_settings(), templates, self.session.stores()
        )

    def score_typed(self) -> None:
        """Score what is typed in the Bench."""
        self.tabs.show_bench()
        self.bench.score()

    # Pairs

    def search(self) -> None:
        """Put the cursor into the filter."""
        self.docks.pairs.show()
        self.filter.focus()

    def show_all(self) -> None:
        """Leave the presentation, or else end the filter."""
        if self.presentation.on:
            self.present(False)
        else:
            self.filter.clear()

    def keep_set(self) -> None:
        """Ask for a name and keep the current set in the session."""
        selection = self.workspace.selection
        if self.workspace.corpus is not None:
            name = "" if selection.rule is None else selection.rule.name
            dialogs.ask_for_set_name(self, name, lambda text: self._keep_set(text, selection.order))

    def edit_copy(self) -> None:
        """Edit a copy of the primary pair in the Bench."""
        corpus, row = self.workspace.corpus, self.workspace.selection.primary
        if corpus is not None and row != NO_PAIR:
            self._edit(corpus.source[row], corpus.hypothesis[row])

    # View

    def toggle_dark(self, dark: bool) -> None:
        """Change between light and dark."""
        self.apply_theme(themes.DARK if dark else themes.LIGHT)

    def apply_theme(self, theme: Theme) -> None:
        """Dress the window in a theme."""
        self.theme = theme
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        themes.apply(app, theme)
        for view in (self.tabs, self.pair, self.table, self.filter, self.banner):
            view.apply_theme(theme)
        self.actions_by_name["toggle_dark"].setChecked(theme.name == "dark")

    def present(self, on: bool) -> None:
        """Begin or end the presentation."""
        self.presentation.set_on(on)
        self.actions_by_name["present"].setChecked(on)

    def show_about(self) -> None:
        """Say what this is."""
        dialogs.show_about(self)

    # What Qt tells

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files wherever they are dropped."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open dropped files."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.open_paths(paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep what is typed, remember the window, end the worker."""
        self.pair.flush()
        self.present(False)
        self.outlook.keep()
        self._memory.keep(self.theme.name)
        self.shelf.close()
        self.reporter.close()
        self.analysis.close_work()
        self.manual.close()
        self.driver.close()
        self.exporter.close()
        self.pair.stop()
        self.evidence.close()
        self.session.close()
        super().closeEvent(event)

    # Making

    def _make_state(self, unsaved: UnsavedSessions) -> None:
        """Make the session and what is kept in it."""
        self.queue = WorkQueue(self)
        self.session = SessionFile(unsaved, self.queue, self.scoring, self)
        self.settings = SessionSettings(self.session, self)
        self.notes = Notes(self.session.write, self)
        self.sets = KeptSets(self.session.write)
        self.corpora = CorpusQueue(self.workspace, self.session, self.settings, self.notes, self.sets, self.queue, self)
        self.evidence = EvidenceReader(self.workspace, self.session)

    def _make_views(self) -> None:
        self.banner = Banner(self.theme)
        self.setup = Setup(self.workspace, self.theme)
        self.tabs = CentreTabs(self.workspace, self.theme)
        self.scatter, self.bench, self.analysis = self.tabs.scatter, self.tabs.bench, self.tabs.analysis
        find_spec = self.setup.metrics.choice.filling
        self.pair = PairView(self.workspace, self.theme, self.notes, self.evidence, find_spec)
        self.filter = FilterBar(self.workspace, self.theme, self.notes)
        self.table = PairsTable(self.workspace, self.theme, self.notes)
        self.setCentralWidget(stacked(self.banner, self.tabs))
        self.docks = Docks(self, self.setup, self.pair, stacked(self.filter, self.table))
        self.status = StatusLine()
        self.statusBar().addWidget(self.status, 1)

    def _make_helpers(self) -> None:
        """Make what works between the views."""
        self.exporter = Exporter(self.workspace, self.scatter, self)
        self.reporter = Reporter(self.analysis, self.session, self.corpora, self.setup.judge_settings, self)
        self.shelf = ModelList(self.setup, self)
        self.metric_keeper = MetricKeeper(self.workspace, self.settings, self.setup.metrics.choice, self)
        self.outlook = ViewMemory(self.workspace, self.corpora, self.settings, self.filter, self)
        self.typed_pairs = BenchScoring(self.bench, self.scoring, self.setup, self.settings, self.evidence, self)
        self.manual = ManualHelp(self, self.tabs)
        self.presentation = Presentation(
            self,
            hidden=(self.docks.setup, self.docks.pairs),
            dock=self.docks.pair,
            pair=self.pair,
            scatter=self.scatter,
            scaled=(self.scatter, self.pair, self.bench, self.analysis),
            selection=self.workspace.selection,
        )
        lists = {
            "recent": ListMenu(self._recent_files, self.tr("No files yet"), self),
            "kept_sets": ListMenu(self._kept_sets, self.tr("No sets yet"), self),
            "docks": QMenu(self),
        }
        for dock in (self.docks.setup, self.docks.pair, self.docks.pairs):
            lists["docks"].addAction(dock.toggleViewAction())
        self.actions_by_name = fill_menus(self, lists)
        self.manual.set_action(self.actions_by_name["manual.open_here"])

    def _recent_files(self) -> Iterator[Entry]:
        for name in self._memory.recent:
            yield name, partial(self.open_paths, [Path(name)])

    def _kept_sets(self) -> Iterator[Entry]:
        for name, rows in self.sets.sets.items():
            yield f"{name} ({len(rows):,})", partial(self.workspace.selection.set_rows, name, rows)

    def _connect(self) -> None:
        scoring, setup, corpora, session = self.scoring, self.setup, self.corpora, self.session
        setup.corpus.open_requested.connect(self.open_corpus)
        setup.corpus.paste_requested.connect(self.paste_corpus)
        setup.corpus.demo_requested.connect(corpora.open_demo)
        setup.corpus.corpus_chosen.connect(corpora.show_corpus)
        setup.corpus.files_dropped.connect(self.open_paths)
        setup.folder_button.clicked.connect(self._open_templates_folder)
        setup.run.run_requested.connect(self.run)
        setup.run.pause_requested.connect(scoring.pause)
        setup.run.resume_requested.connect(scoring.resume)
        setup.run.stop_requested.connect(scoring.stop)
        setup.changed.connect(self._take_choices)
        scoring.state_changed.connect(self._show_state)
        scoring.staged.connect(setup.run.show_stage)
        scoring.judged.connect(setup.show_judge)
        scoring.progressed.connect(setup.run.show_progress)
        scoring.noticed.connect(setup.run.show_notice)
        scoring.failed.connect(self._scoring_failed)
        scoring.ended.connect(self._scoring_ended)
        self.queue.working.connect(self._show_queue)
        for worker in (self.shelf, self.reporter):
            worker.working.connect(partial(self._show_work, cancel=worker.cancel))
        for part in (self.queue, session, corpora, self.metric_keeper):
            part.failed.connect(self.banner.complain)
        corpora.asked.connect(self._ask)
        corpora.corpora_changed.connect(self._show_corpora)
        session.renamed.connect(self._show_name)
        session.saved.connect(self._take_saved)
        self.settings.opened.connect(self._show_history)
        self.workspace.corpus_changed.connect(self._greet_corpus)
        self.pair.edit_requested.connect(self._edit)
        self.table.edit_requested.connect(self._edit)
        self.filter.export_requested.connect(self.exporter.ask)
        for helper in (self.exporter, self.shelf, self.analysis.links, self.reporter):
            helper.said.connect(self.banner.tell)
            helper.failed.connect(self.banner.complain)

    # Showing what happened

    def _show_name(self) -> None:
        path = self.session.path if self.session.named else None
        name = self.tr("Unsaved session") if path is None else path.stem
        self.setWindowTitle(self.tr("{0} – ParaPLUIE Inspector").format(name))

    def _show_history(self) -> None:
        self.bench.set_history([BenchEntry.from_dict(entry) for entry in self.settings.bench])

    def _take_saved(self, path: Path) -> None:
        self._memory.note_file(path)
        self.banner.tell(self.tr("Saved as {0}; from now on everything is kept there.").format(path.name))

    def _keep_set(self, name: str, rows: np.ndarray) -> None:
        self.sets.keep(name, rows)
        self.banner.tell(self.tr("{0} pairs kept as “{1}”.").format(len(rows), name))

    def _show_work(self, text: str, cancel: Callable[[], None] | None) -> None:
        if text:
            self.status.show_work(text, cancel)
        else:
            self.status.say("")

    def _show_queue(self, text: str) -> None:
        self._show_work(text, self.queue.cancel if self.queue.can_stop else None)

    def _show_corpora(self) -> None:
        self.setup.corpus.set_corpora(*self.corpora.names())

    def _greet_corpus(self) -> None:
        if self.workspace.corpus is not None:
            self.banner.clear()
            # A pair to look at from the first moment; the torch libraries load while the user looks.
            self.outlook.take_up()
            self.driver.warm()
        self._take_choices()

    def _take_choices(self) -> None:
        columns = [template.column for template in self.setup.chosen_templates()]
        self.bench.set_columns(self.setup.pair_columns())
        self.workspace.look_at_known(columns)

    def _show_state(self, state: str) -> None:
        self.setup.set_state(state)
        idle = state == IDLE
        self.actions_by_name["run"].setEnabled(idle)
        for name in ("scoring.pause_or_resume", "scoring.stop"):
            self.actions_by_name[name].setEnabled(not idle)

    def _scoring_failed(self, text: str) -> None:
        self.setup.run.show_error(text)
        self.banner.complain(text)

    def _scoring_ended(self, cancelled: bool, seconds: float) -> None:
        if not cancelled:
            self.status.say(self.tr("Scored in {0} s.").format(f"{seconds:,.1f}"))

    def _ask(self, question: Question) -> None:
        dialog = MapperDialog(question.opened, question.name, self)
        dialog.accepted.connect(lambda: self.corpora.answer(question, dialog.options()))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _edit(self, source: str, hypothesis: str) -> None:
        self.tabs.show_bench()
        self.bench.open_copy(source, hypothesis, self.pair.values())

    def _begin_anew(self) -> None:
        self.scoring.stop()
        self.pair.flush()
        self.session.new()

    def _open_templates_folder(self) -> None:
        folder = places.user_templates()
        folder.mkdir(parents=True, exist_ok=True)
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self.banner.tell(self.tr("Your templates folder is {0}.").format(folder))
