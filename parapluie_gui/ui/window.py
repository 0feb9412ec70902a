"""The main window: docks around the scatter and the Bench, and the wires between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, Qt, QUrl
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeySequence,
)
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QFileDialog,
    QLabel,
    QMainWindow,
    QMenu,
    QMessageBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from parapluie_gui import __version__, places
from parapluie_gui.pluie import models
from parapluie_gui.pluie.templates import load_templates
from parapluie_gui.scores.session import Session
from parapluie_gui.ui import theme as themes
from parapluie_gui.ui.actions import ACTIONS, MENUS, translated
from parapluie_gui.ui.banner import Banner
from parapluie_gui.ui.bench import BenchView
from parapluie_gui.ui.bench_entry import BenchEntry
from parapluie_gui.ui.desk import SESSION_ENDING, Desk, Question
from parapluie_gui.ui.download import Download
from parapluie_gui.ui.exporting import Exporter
from parapluie_gui.ui.filter_bar import FilterBar
from parapluie_gui.ui.help_sheet import HelpSheet
from parapluie_gui.ui.mapper import MapperDialog
from parapluie_gui.ui.pair_view import PairView
from parapluie_gui.ui.pairs_table import PairsTable
from parapluie_gui.ui.preferences import Preferences
from parapluie_gui.ui.scatter import ScatterView
from parapluie_gui.ui.scoring import IDLE, PAUSED, Scoring, Typed
from parapluie_gui.ui.selection import NO_PAIR
from parapluie_gui.ui.setup import ModelChoice, Setup
from parapluie_gui.ui.theme import Theme
from parapluie_gui.ui.workspace import Workspace
from parapluie_gui.work.driver import Driver
from parapluie_gui.work.job import Batch

#: How much larger type and points are before an audience.
PRESENTING = 1.6

MOST_RECENT = 10
MOST_BENCH = 200


class MainWindow(QMainWindow):
    """The window. It makes the parts and connects them; each part does its own work.

    Attributes:
        workspace: What is shown.
        desk: The session and its corpora.
        scoring: What is being scored.
        setup, scatter, pair, table, filter, bench: The views.
        banner: Where it says what went wrong.
    """

    def __init__(self, session: Session, preferences: Preferences, driver: Driver, theme: Theme) -> None:
        super().__init__()
        self.preferences = preferences
        self.theme = theme
        self.presenting = False
        self.workspace = Workspace(self)
        self.desk = Desk(self.workspace, session, self)
        self.driver = driver
        self.scoring = Scoring(self.workspace, driver, lambda: self.desk.number)
        self.scoring.setParent(self)
        self.download = Download(self)
        self.exporter = Exporter(self.workspace, self)
        self._recent: list[str] = [str(path) for path in preferences.get("recent", [])]
        self._sheet: HelpSheet | None = None
        self._moved: set[Path] = set()
        self._make_views()
        self._make_actions()
        self._connect()
        self._fill_setup()
        self.setAcceptDrops(True)
        self.resize(1440, 900)
        self._restore()
        self._show_session()
        self._show_corpora()

    # Opening

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open files and remember them as recent."""
        for path in paths:
            name = str(path.expanduser().resolve())
            self._recent = [name, *(other for other in self._recent if other != name)][:MOST_RECENT]
        self.desk.open_files(list(paths))

    def open_corpus(self) -> None:
        """Ask for files and open them."""
        dialog = QFileDialog(self, self.tr("Open corpus"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        patterns = "*.csv *.tsv *.txt *.json *.jsonl *.ndjson *.parquet *.xlsx *.xls *.ods *" + SESSION_ENDING
        dialog.setNameFilters([self.tr("Sentence pairs and sessions ({0})").format(patterns), self.tr("All files (*)")])
        dialog.filesSelected.connect(lambda names: self.open_paths([Path(name) for name in names]))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def paste_corpus(self) -> None:
        """Open the pairs on the clipboard."""
        self.desk.open_text(QGuiApplication.clipboard().text())

    def open_demo(self) -> None:
        """Open the demo corpus."""
        self.desk.open_demo()

    def remove_corpus(self) -> None:
        """Take the shown corpus out of the session."""
        self.scoring.stop()
        self.pair.flush()
        self.desk.remove_corpus()

    def new_session(self) -> None:
        """Begin an empty session, after asking when something would be lost."""
        if self.desk.named or self.desk.session.is_empty:
            self._begin_anew()
            return
        box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(self.tr("This session has no file yet. Begin a new one and lose its corpora and notes?"))
        box.setInformativeText(self.tr("Scores stay known and cost nothing when the corpora are opened again."))
        box.setStandardButtons(QMessageBox.StandardButton.Discard | QMessageBox.StandardButton.Cancel)
        box.button(QMessageBox.StandardButton.Discard).clicked.connect(self._begin_anew)
        box.finished.connect(box.deleteLater)
        box.open()

    def save_session(self) -> None:
        """Ask for a file and keep the session there from now on."""
        dialog = QFileDialog(self, self.tr("Save session as"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([self.tr("Session (*{0})").format(SESSION_ENDING)])
        dialog.setDefaultSuffix(SESSION_ENDING.removeprefix("."))
        dialog.fileSelected.connect(lambda name: self.save_session_as(Path(name)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def save_session_as(self, path: Path) -> None:
        """Keep the session in this file from now on."""
        self.pair.flush()
        if self.desk.save_as(path):
            self._recent = [str(self.desk.session.path), *self._recent][:MOST_RECENT]
            if self.scoring.state != IDLE:
                # The running job still writes into the old file; what it adds is copied when it ends.
                self._moved.add(self.desk.session.path)

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
        self.scoring.start(
            corpus, self.setup.chosen_metrics(), self.setup.judge_settings(), templates, self.desk.stores()
        )

    def pause(self) -> None:
        """Let scoring rest, or go on."""
        if self.scoring.state == PAUSED:
            self.scoring.resume()
        else:
            self.scoring.pause()

    def stop(self) -> None:
        """End scoring."""
        self.scoring.stop()

    def score_typed(self) -> None:
        """Score what is typed in the Bench."""
        self.show_bench()
        self.bench.score()

    def get_model(self, name: str) -> None:
        """Fetch a model, as the user asked."""
        self.setup.show_download(0, 100, self.tr("Fetching {0} …").format(name))
        self.download.start(name)

    # Pairs

    def next_pair(self) -> None:
        """Walk forwards."""
        self.workspace.selection.step(1)

    def previous_pair(self) -> None:
        """Walk backwards."""
        self.workspace.selection.step(-1)

    def search(self) -> None:
        """Put the cursor into the filter."""
        self._dock_pairs.show()
        self.filter.focus()

    def show_all(self) -> None:
        """Leave the presentation, or else end the filter."""
        if self.presenting:
            self.present(False)
        else:
            self.filter.clear()

    def edit_copy(self) -> None:
        """Edit a copy of the primary pair in the Bench."""
        corpus, row = self.workspace.corpus, self.workspace.selection.primary
        if corpus is not None and row != NO_PAIR:
            self._edit(corpus.source[row], corpus.hypothesis[row])

    def export_table(self) -> None:
        """Export all pairs."""
        self.exporter.ask_for_table(None)

    def export_selection(self) -> None:
        """Export the current set in the table's order."""
        self.exporter.ask_for_table(self.workspace.selection.order.copy())

    def export_figure(self) -> None:
        """Export the scatter."""
        self.exporter.ask_for_figure(self.scatter)

    # View

    def show_scatter(self) -> None:
        """Bring the scatter to the front."""
        self.tabs.setCurrentWidget(self.scatter)

    def show_bench(self) -> None:
        """Bring the Bench to the front."""
        self.tabs.setCurrentWidget(self.bench)

    def fit(self) -> None:
        """Show all points."""
        self.scatter.fit()

    def toggle_dark(self, dark: bool) -> None:
        """Change between light and dark."""
        self.apply_theme(themes.DARK if dark else themes.LIGHT)

    def apply_theme(self, theme: Theme) -> None:
        """Dress the window in a theme."""
        self.theme = theme
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        themes.apply(app, theme)
        for view in (self.setup, self.scatter, self.pair, self.table, self.filter, self.bench, self.banner):
            view.apply_theme(theme)
        self.actions_by_name["toggle_dark"].setChecked(theme.name == "dark")

    def present(self, on: bool) -> None:
        """Begin or end the presentation: full screen, large type, the scores hidden until revealed."""
        if on == self.presenting:
            return
        self.presenting = on
        self.actions_by_name["present"].setChecked(on)
        if on:
            self._before = (self.saveState(), self.isFullScreen())
        for dock in (self._dock_setup, self._dock_pairs):
            dock.setVisible(not on)
        self._dock_pair.setVisible(True)
        self.menuBar().setVisible(not on)
        self.statusBar().setVisible(not on)
        self._scale(PRESENTING if on else 1.0)
        self._reveal(not on)
        # Without a title bar there is nothing but the pair to look at.
        self._dock_pair.setTitleBarWidget(QWidget() if on else None)  # type: ignore[arg-type] # None: Qt's own
        if on:
            self.showFullScreen()
            self.resizeDocks([self._dock_pair], [int(self.width() * 0.45)], Qt.Orientation.Horizontal)
        else:
            if not self._before[1]:
                self.showNormal()
            self.restoreState(self._before[0])

    def reveal(self) -> None:
        """Show the hidden score, or hide it."""
        self._reveal(not self.pair.revealed)

    def show_help(self) -> None:
        """Show the keys and what they do, beside the work."""
        if self._sheet is None:
            self._sheet = HelpSheet(self)
        self._sheet.show()
        self._sheet.raise_()

    def show_about(self) -> None:
        """Say what this is."""
        box = QMessageBox(self)
        box.setWindowTitle(self.tr("About"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.tr("ParaPLUIE Inspector {0}").format(__version__))
        box.setInformativeText(
            self.tr(
                "See how an LLM and the classic metrics judge paraphrases. ParaPLUIE: Lemesle, Chevelu, Martin, "
                "Lolive, Delhay, Barbot (COLING 2025). Data of yours: {0}"
            ).format(places.user_data())
        )
        box.finished.connect(box.deleteLater)
        box.open()

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
        if self.presenting:
            self.present(False)
        self._remember()
        self.download.stop()
        self.driver.close()
        self.exporter.close()
        self.desk.close()
        super().closeEvent(event)

    # Making

    def _make_views(self) -> None:
        self.banner = Banner(self.theme)
        self.setup = Setup(self.workspace, self.theme)
        self.scatter = ScatterView(self.workspace, self.theme)
        self.bench = BenchView(self.theme)
        self.pair = PairView(self.workspace, self.theme)
        self.filter = FilterBar(self.workspace, self.theme)
        self.table = PairsTable(self.workspace, self.theme)
        self.pair.find_note = self.desk.note
        self.filter.set_notes(self.desk.note_texts)
        self.table.set_notes(self.desk.note_texts)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(self.tr("Views"))
        self.tabs.addTab(self.scatter, self.tr("Scatter"))
        self.tabs.addTab(self.bench, self.tr("Bench"))
        self.setCentralWidget(_stacked(self.banner, self.tabs))
        area = Qt.DockWidgetArea
        self._dock_setup = self._dock(self.tr("Setup"), "setup", self.setup, area.LeftDockWidgetArea)
        self._dock_pair = self._dock(self.tr("Pair"), "pair", self.pair, area.RightDockWidgetArea)
        pairs = _stacked(self.filter, self.table)
        self._dock_pairs = self._dock(self.tr("Pairs"), "pairs", pairs, area.BottomDockWidgetArea)
        # The side docks reach down to the bottom: the pair and the setup need height, the table needs width.
        self.setCorner(Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, area.RightDockWidgetArea)
        self.resizeDocks([self._dock_setup, self._dock_pair], [300, 390], Qt.Orientation.Horizontal)
        self.resizeDocks([self._dock_pairs], [250], Qt.Orientation.Vertical)
        self._status = QLabel()
        self._status.setTextFormat(Qt.TextFormat.PlainText)
        self.statusBar().addWidget(self._status, 1)

    def _dock(self, title: str, name: str, inside: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setWidget(inside)
        self.addDockWidget(area, dock)
        return dock

    def _make_actions(self) -> None:
        self.actions_by_name: dict[str, QAction] = {}
        menus = {menu: self.menuBar().addMenu(translated(menu)) for menu in MENUS}
        for item in ACTIONS:
            menu = menus[item.menu]
            if item.text == "-":
                menu.addSeparator()
            elif item.slot == "recent":
                self._recent_menu = QMenu(translated(item.text), menu)
                self._recent_menu.aboutToShow.connect(self._list_recent)
                menu.addMenu(self._recent_menu)
            elif item.slot == "docks":
                docks = menu.addMenu(translated(item.text))
                for dock in (self._dock_setup, self._dock_pair, self._dock_pairs):
                    docks.addAction(dock.toggleViewAction())
            else:
                action = QAction(translated(item.text), self)
                action.setShortcuts([QKeySequence(key) for key in item.keys])
                action.setStatusTip(translated(item.tip))
                action.setCheckable(item.checkable)
                slot = getattr(self, item.slot)
                (action.toggled if item.checkable else action.triggered).connect(
                    slot if item.checkable else partial(_without_checked, slot)
                )
                menu.addAction(action)
                # Menus are hidden while presenting; the keys are to work all the same.
                self.addAction(action)
                self.actions_by_name[item.slot] = action

    def _connect(self) -> None:
        desk, scoring, setup = self.desk, self.scoring, self.setup
        setup.open_requested.connect(self.open_corpus)
        setup.paste_requested.connect(self.paste_corpus)
        setup.demo_requested.connect(self.open_demo)
        setup.corpus_chosen.connect(desk.show_corpus)
        setup.files_dropped.connect(self.open_paths)
        setup.get_requested.connect(self.get_model)
        setup.templates_folder_requested.connect(self._open_templates_folder)
        setup.run_requested.connect(self.run)
        setup.pause_requested.connect(scoring.pause)
        setup.resume_requested.connect(scoring.resume)
        setup.stop_requested.connect(scoring.stop)
        setup.changed.connect(self._take_choices)
        scoring.state_changed.connect(self._show_state)
        scoring.staged.connect(setup.show_stage)
        scoring.judged.connect(setup.show_judge)
        scoring.progressed.connect(setup.show_progress)
        scoring.noticed.connect(setup.show_notice)
        scoring.failed.connect(self._scoring_failed)
        scoring.ended.connect(self._scoring_ended)
        scoring.typed.connect(self._show_typed)
        scoring.typed_staged.connect(self.bench.show_stage)
        scoring.typed_ended.connect(self._typed_ended)
        desk.asked.connect(self._ask)
        desk.failed.connect(self.banner.complain)
        desk.said.connect(self.banner.tell)
        desk.working.connect(self._status.setText)
        desk.corpora_changed.connect(self._show_corpora)
        desk.session_changed.connect(self._show_session)
        self.workspace.corpus_changed.connect(self._greet_corpus)
        self.workspace.selection.primary_changed.connect(self._hide_again)
        self.pair.note_written.connect(desk.write_note)
        self.pair.edit_requested.connect(self._edit)
        self.table.edit_requested.connect(self._edit)
        self.filter.export_requested.connect(self._export)
        self.bench.score_requested.connect(self._score_typed)
        self.bench.history_changed.connect(self._keep_history)
        self.download.progressed.connect(lambda share, text: self.setup.show_download(share, 101, text))
        self.download.ended.connect(self._model_fetched)
        self.exporter.said.connect(self.banner.tell)
        self.exporter.failed.connect(self.banner.complain)

    def _fill_setup(self) -> None:
        self._list_models()
        templates, broken = load_templates(places.user_templates())
        self.setup.set_templates(templates, [(item.file, item.error) for item in broken])

    def _list_models(self) -> None:
        choices = [
            ModelChoice(
                name=item.name,
                title=item.title,
                note=item.note,
                ready=models.is_ready(item),
                memory=self.tr("about {0} MB").format(item.disk_mb),
            )
            for item in models.CATALOGUE
        ]
        choices += [ModelChoice(name, name) for name in models.downloaded_hub_models()]
        self.setup.set_models(choices)

    def _restore(self) -> None:
        kept = self.preferences
        self.setup.restore(kept.get("setup", {}))
        self.table.restore(kept.get("table", {}))
        self.filter.restore(kept.get("filter", {}))
        for key, put in (("geometry", self.restoreGeometry), ("state", self.restoreState)):
            if text := kept.get(key, ""):
                put(QByteArray.fromBase64(text.encode()))
        self.apply_theme(self.theme)

    def _remember(self) -> None:
        kept = self.preferences
        kept.set("setup", self.setup.settings())
        kept.set("table", self.table.settings())
        kept.set("filter", self.filter.settings())
        kept.set("recent", self._recent)
        kept.set("theme", self.theme.name)
        kept.set("geometry", bytes(self.saveGeometry().toBase64().data()).decode())
        kept.set("state", bytes(self.saveState().toBase64().data()).decode())
        kept.save()

    # Showing what happened

    def _show_session(self) -> None:
        name = self.desk.session.path.stem if self.desk.named else self.tr("Unsaved session")
        self.setWindowTitle(self.tr("{0} – ParaPLUIE Inspector").format(name))
        history = [BenchEntry.from_dict(entry) for entry in self.desk.bench_history()]
        self.bench.set_history(history)

    def _show_corpora(self) -> None:
        self.setup.set_corpora(*self.desk.corpus_names())

    def _greet_corpus(self) -> None:
        if self.workspace.corpus is not None:
            self.banner.clear()
            # A pair to look at from the first moment; the torch libraries load while the user looks.
            self.workspace.selection.set_primary(0)
            self.driver.warm()
        self._take_choices()

    def _take_choices(self) -> None:
        columns = [template.column for template in self.setup.chosen_templates()]
        self.bench.set_columns([*self.setup.chosen_metrics(), *columns])
        if columns and self.workspace.y not in [*columns, *self.workspace.table]:
            self.workspace.set_axes(y=columns[0])

    def _show_state(self, state: str) -> None:
        self.setup.set_state(state)
        idle = state == IDLE
        self.actions_by_name["run"].setEnabled(idle)
        for name in ("pause", "stop"):
            self.actions_by_name[name].setEnabled(not idle)

    def _scoring_failed(self, text: str) -> None:
        self.setup.show_error(text)
        self.banner.complain(text)

    def _scoring_ended(self, cancelled: bool, seconds: float) -> None:
        if not cancelled:
            self._status.setText(self.tr("Scored in {0} s.").format(f"{seconds:,.1f}"))
        if self.desk.session.path in self._moved and self.workspace.corpus is not None:
            # Everything is known by now, so this only copies the scores into the session's new file.
            self._moved.clear()
            self.run()

    def _ask(self, question: Question) -> None:
        dialog = MapperDialog(question.inspect, question.preview, question.name, self)
        dialog.accepted.connect(lambda: self.desk.answer(question, dialog.options()))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _model_fetched(self, error: str) -> None:
        self.setup.show_download(101, 101, "")
        self._list_models()
        if error:
            self.banner.complain(error)
        else:
            self.banner.tell(self.tr("The model is ready."))

    def _score_typed(self, request: int, source: str, hypothesis: str) -> None:
        self.scoring.score_pair(
            request,
            source,
            hypothesis,
            self.setup.chosen_metrics(),
            self.setup.judge_settings(),
            self.setup.chosen_templates(),
            self.desk.stores()[:1],
        )

    def _show_typed(self, pair: Typed, batch: Batch) -> None:
        column = next(iter(batch.values))
        evidence = batch.evidence[0] if batch.evidence else None
        prompt = None
        if evidence is not None:
            prompt = self.desk.prompt(pair.signatures[column], pair.source, pair.hypothesis, evidence)
        self.bench.show_scores(
            pair.request,
            {name: float(numbers[0]) for name, numbers in batch.values.items()},
            {} if evidence is None else {column: evidence},
            {} if prompt is None else {column: prompt},
        )

    def _typed_ended(self, request: int, error: str) -> None:
        if error:
            self.bench.show_error(request, error)
        else:
            self.bench.finish(request)

    def _keep_history(self, entries: Sequence[BenchEntry]) -> None:
        self.desk.keep_bench_history([entry.as_dict() for entry in entries])

    def _edit(self, source: str, hypothesis: str) -> None:
        self.show_bench()
        self.bench.open_copy(source, hypothesis, self.pair.values())

    def _export(self, scope: str) -> None:
        if scope == "selection":
            self.export_selection()
        else:
            self.export_table()

    def _begin_anew(self) -> None:
        self.scoring.stop()
        self.pair.flush()
        self.desk.new_session()

    def _list_recent(self) -> None:
        self._recent_menu.clear()
        for name in self._recent:
            self._recent_menu.addAction(name.replace("&", "&&"), partial(self.open_paths, [Path(name)]))
        if not self._recent:
            self._recent_menu.addAction(self.tr("No files yet")).setEnabled(False)

    def _open_templates_folder(self) -> None:
        folder = places.user_templates()
        folder.mkdir(parents=True, exist_ok=True)
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self.banner.tell(self.tr("Your templates folder is {0}.").format(folder))

    def _reveal(self, revealed: bool) -> None:
        self.pair.set_revealed(revealed)
        self.scatter.set_revealed(revealed)

    def _hide_again(self) -> None:
        """Let the audience guess anew for each pair."""
        if self.presenting:
            self._reveal(False)

    def _scale(self, factor: float) -> None:
        for view in (self.scatter, self.pair, self.bench):
            view.set_scale(factor)


def _stacked(*widgets: QWidget) -> QWidget:
    box = QWidget()
    column = QVBoxLayout(box)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for widget in widgets:
        column.addWidget(widget)
    return box


def _without_checked(slot: Callable[[], None], checked: bool = False) -> None:
    """Call a slot that wants no argument when QAction.triggered brings one."""
    slot()
