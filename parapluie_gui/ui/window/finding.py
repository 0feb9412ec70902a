"""What the command palette finds: collected from the window each time it opens, so that nothing is listed twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QDockWidget, QLineEdit, QMainWindow, QWidget

from parapluie_gui.metrics import catalogue
from parapluie_gui.ui.analysis.pages import PAGES
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.table.view import PairsTable
from parapluie_gui.ui.window.commands import Command
from parapluie_gui.ui.window.palette import Palette
from parapluie_gui.ui.window.tabs import CentreTabs

_SETTINGS = (QAbstractButton, QComboBox, QAbstractSpinBox)


class Finder(QObject):
    """Collects the commands and shows the palette.

    Attributes:
        palette: The dialog.

    Args:
        actions: Of the menus, by name; may be filled later.
        panels: Setup, and the pairs in the table.
        table: Of the pairs.
    """

    def __init__(
        self,
        window: QMainWindow,
        actions: Mapping[str, QAction],
        workspace: Workspace,
        setup: Setup,
        tabs: CentreTabs,
        panels: tuple[QDockWidget, QDockWidget],
        table: PairsTable,
    ) -> None:
        super().__init__(window)
        self._actions, self._workspace = actions, workspace
        self._setup, self._tabs, self._table = setup, tabs, table
        self._panel, self._pairs_panel = panels
        self.palette = Palette(self.commands, window)

    def open(self) -> None:
        self.palette.open()

    def commands(self) -> Iterator[Command]:
        """Yield all that can be asked for now."""
        yield from self._menu_actions()
        yield from self._scores()
        yield from self._columns()
        yield from self._pages()
        yield from self._metrics()
        yield from self._controls()

    def _menu_actions(self) -> Iterator[Command]:
        for name, action in self._actions.items():
            if action.isEnabled() and name != "finder.open":
                title = action.text().replace("&", "")
                keys = action.shortcut().toString()
                yield Command(title, self.tr("Action"), action.trigger, action.statusTip(), keys)

    def _scores(self) -> Iterator[Command]:
        for column in self._workspace.table:
            title = self._workspace.title(column)
            yield Command(title, self.tr("Score"), partial(self._show_score, column), self.tr("column axis"))

    def _columns(self) -> Iterator[Command]:
        """Yield the columns of the table that are no scores."""
        for column in self._table.pairs.columns:
            if column.key not in self._workspace.table:
                show = partial(self._show_column, column.key)
                yield Command(column.title, self.tr("Column"), show, f"{column.key} {column.tip}")

    def _pages(self) -> Iterator[Command]:
        for entry in PAGES:
            show = partial(self._tabs.show_page, entry.title)
            yield Command(entry.title, self.tr("Analysis"), show, self.tr("page"))

    def _metrics(self) -> Iterator[Command]:
        for info in catalogue.metrics():
            words = f"{info.id} {info.family}"
            yield Command(info.title, self.tr("Metric"), partial(self._show_metric, info.title), words)

    def _controls(self) -> Iterator[Command]:
        """Yield the settings of Setup by their names; the templates are among them."""
        for control in self._setup.area.findChildren(QWidget):
            name = control.accessibleName()
            if not name or not isinstance(control, _SETTINGS) or control.focusPolicy() == Qt.FocusPolicy.NoFocus:
                continue
            if not control.isHidden() and not isinstance(control.parent(), QComboBox | QLineEdit):
                template = self._setup.templates.isAncestorOf(control)
                kind = self.tr("Template") if template else self.tr("Setting")
                yield Command(name, kind, partial(self._show_control, control), control.toolTip())

    def _show_score(self, column: str) -> None:
        self._tabs.show_scatter()
        self._workspace.set_axes(y=column)

    def _show_column(self, key: str) -> None:
        self._tabs.show_scatter()
        self._pairs_panel.show()
        self._table.bring_column(key)

    def _show_metric(self, title: str) -> None:
        self._setup.metrics.open()
        if self._setup.metrics.picker is not None:
            self._setup.metrics.picker.search.setText(title)

    def _show_control(self, control: QWidget) -> None:
        self._panel.show()
        self._setup.area.ensureWidgetVisible(control)
        control.setFocus(Qt.FocusReason.ShortcutFocusReason)
