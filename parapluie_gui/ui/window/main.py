"""The main window: panels around the Scatter, Bench and Analysis tabs, and the parts that connect them."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow

from parapluie_gui.feature import broken_features, installed_features
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.ui.state.preferences import UserPreferences
from parapluie_gui.ui.widgets.arrange import within_screen
from parapluie_gui.ui.widgets.file_dialog import path_of
from parapluie_gui.ui.widgets.focus_ring import FocusRing
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.window_keys import WindowCloser
from parapluie_gui.ui.window.about import AboutDialog
from parapluie_gui.ui.window.actions import fill_menus
from parapluie_gui.ui.window.arrangements import FIRST_SIZE
from parapluie_gui.ui.window.context import WindowContext
from parapluie_gui.ui.window.feature_parts import FeatureParts
from parapluie_gui.ui.window.parts import CoreParts


class MainWindow(QMainWindow):
    """The main window; creates the views, the core's parts and the features' parts.

    Attributes:
        context: The session, the views and the banner.
        parts: The core's parts.
        focus_ring: The frame around the focused control.
        closer: Closes the other windows by Ctrl+W.
        features: The features' parts, by the feature's name.
        actions_by_name: The menu's actions by their slots.
    """

    def __init__(self, copies: WorkingCopies, preferences: UserPreferences, driver: WorkerDriver, theme: Theme) -> None:
        super().__init__()
        self.driver = driver
        self.context = context = WindowContext(self, copies, driver, theme)
        self.workspace, self.scoring, self.state = context.workspace, context.scoring, context.state
        self.client = context.client
        self.setup, self.tabs, self.pair = context.setup, context.tabs, context.pair
        self.scatter, self.bench, self.analysis = context.scatter, context.bench, context.analysis
        self.filter, self.table, self.docks = context.filter, context.table, context.docks
        self.banner, self.status = context.banner, context.status
        self.tools, self.arrangements, self.looks = context.tools, context.arrangements, context.looks
        self.focus_ring, self.closer = FocusRing(self), WindowCloser(self)
        self.choose_judge, self.actions_by_name = context.choose_judge, context.actions
        self.parts = parts = CoreParts(context, preferences, driver)
        self.features = FeatureParts(context, installed_features(), preferences)
        self.files, self.exporter, self.reporter = parts.files, parts.exporter, parts.reporter
        self.manual, self.finder, self.verdicts = parts.manual, parts.finder, parts.verdicts
        self.annotator, self.thresholds, self.collecting = parts.annotator, parts.thresholds, parts.collecting
        self.single_keys = parts.single_keys
        self.run, self.run_selected, self.score_typed = (
            parts.running.run,
            parts.running.run_selected,
            parts.running.score_typed,
        )
        self.search, self.show_all = parts.pairs.search, parts.pairs.show_all
        self.choose_columns = parts.pairs.choose_columns
        self.copy_pair, self.edit_copy = parts.pairs.copy_pair, parts.pairs.edit_copy
        filled = fill_menus(self, self.features.slot, parts.lists(), lambda: self.workspace.corpus is not None)
        context.actions.update(filled)
        parts.use_actions()
        self.workspace.corpus_changed.connect(self._show_corpus)
        self.looks.changed.connect(self._show_looks)
        parts.list_templates()
        self.setAcceptDrops(True)
        self.resize(within_screen(FIRST_SIZE, self.screen()))
        parts.memory.restore()
        parts.starting.follow()
        for trouble in (*preferences.troubles, *broken_features()):
            self.banner.warn(trouble)
        self.looks.apply(theme)
        parts.pairs.allow_keys()
        parts.session.show_name()
        parts.session.list_corpora()

    def show_about(self) -> None:
        AboutDialog(self).open()

    def _show_looks(self) -> None:
        self.actions_by_name["looks.toggle_dark"].setChecked(self.looks.theme.name == "dark")
        self.arrangements.follow()

    def _show_corpus(self) -> None:
        if self.workspace.corpus is not None:
            self.banner.clear()
            # Select a pair at once.
            self.parts.outlook.take_up()
            self.parts.running.offer_to_go_on()
            self.driver.warm()
        self.parts.running.follow_setup()

    # Events

    def changeEvent(self, event: QEvent) -> None:
        """Check the session file for changes when the user returns to the window."""
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.state.session.look()
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Create the features' parts once the first frame is painted."""
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
        """Save notes, view and window state, and end the worker."""
        self.pair.flush()
        self.parts.outlook.keep()
        self.features.keep()
        self.parts.memory.keep(self.looks.theme.name)
        self.features.close()
        self.tabs.close_work()
        self.filter.close_work()
        self.table.pairs.close_work()
        self.context.reports.close()
        self.parts.close()
        self.driver.close()
        self.pair.stop()
        self.state.close()
        super().closeEvent(event)
