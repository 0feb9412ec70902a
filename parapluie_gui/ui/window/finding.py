"""The command palette: a search over all actions, scores, columns, analyses, metrics and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from parapluie_gui.metrics import catalogue
from parapluie_gui.ui.analysis.pages import pages
from parapluie_gui.ui.widgets.arrange import name_control, vbox
from parapluie_gui.ui.widgets.controls import line, plain
from parapluie_gui.ui.widgets.text import plain_tip
from parapluie_gui.ui.window.context import WindowContext, WindowController

_SETTINGS = (QAbstractButton, QComboBox, QAbstractSpinBox)


class CommandFinder(WindowController):
    """Collects the commands and opens the palette.

    Attributes:
        palette: The dialog.
    """

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._actions, self._table = context.actions, context.table
        self._panel, self._pairs_panel = context.docks.setup, context.docks.pairs
        self.palette = CommandPalette(self.commands, context.window)

    def open(self) -> None:
        self.palette.open()

    def commands(self) -> Iterator[PaletteCommand]:
        """Yield all commands that are available now."""
        yield from self._menu_actions()
        yield from self._scores()
        yield from self._columns()
        yield from self._pages()
        yield from self._metrics()
        yield from self._controls()
        yield from self._bench_buttons()

    def _menu_actions(self) -> Iterator[PaletteCommand]:
        for name, action in self._actions.items():
            if action.isEnabled() and name != "finder.open":
                title = action.text().replace("&", "")
                keys = action.shortcut().toString()
                words = f"{action.statusTip()} {action.property('words') or ''}"
                yield PaletteCommand(title, self.tr("Action"), action.trigger, words, keys)

    def _scores(self) -> Iterator[PaletteCommand]:
        for column in self._workspace.table:
            title = self._workspace.title(column)
            yield PaletteCommand(title, self.tr("Score"), partial(self._show_score, column), self.tr("column axis"))

    def _columns(self) -> Iterator[PaletteCommand]:
        """Yield the columns of the table other than scores, and the ways to sort by a column or to hide it."""
        for column in self._table.pairs.columns:
            if column.key not in self._workspace.table:
                show = partial(self._show_column, column.key)
                yield PaletteCommand(column.title, self.tr("Column"), show, f"{column.key} {column.tip}")
        for column in self._table.pairs.columns:
            ascending, descending = self.tr("Sort by {0}, ascending"), self.tr("Sort by {0}, descending")
            for text, falls in ((ascending, False), (descending, True)):
                sort = partial(self._sort_by, column.key, falls)
                yield PaletteCommand(text.format(column.title), self.tr("Table"), sort, self.tr("order"))
            if self._table.shows_column(column.key):
                hide = partial(self._table.show_column, column.key, False)
                yield PaletteCommand(self.tr("Hide the column {0}").format(column.title), self.tr("Table"), hide)

    def _pages(self) -> Iterator[PaletteCommand]:
        for entry in pages():
            show = partial(self._tabs.show_named, entry.analyses[0].name)
            yield PaletteCommand(entry.title, self.tr("Analysis"), show, f"{self.tr('page')} {entry.words}")

    def _metrics(self) -> Iterator[PaletteCommand]:
        for info in catalogue.metrics():
            words = f"{info.id} {info.family}"
            yield PaletteCommand(info.title, self.tr("Metric"), partial(self._show_metric, info.title), words)

    def _controls(self) -> Iterator[PaletteCommand]:
        """Yield the settings of Setup, including the templates, by their accessible names."""
        for control in self._setup.area.findChildren(QWidget):
            name = control.accessibleName()
            if not name or not isinstance(control, _SETTINGS) or control.focusPolicy() == Qt.FocusPolicy.NoFocus:
                continue
            if not control.isHidden() and not isinstance(control.parent(), QComboBox | QLineEdit):
                template = self._setup.templates.isAncestorOf(control)
                kind = self.tr("Template") if template else self.tr("Setting")
                yield PaletteCommand(name, kind, partial(self._show_control, control), control.toolTip())

    def _bench_buttons(self) -> Iterator[PaletteCommand]:
        """Yield the visible buttons of the Bench that have no menu entry, marked by the property `words`."""
        for control in self._bench.findChildren(QPushButton):
            words = control.property("words")
            if words and not control.isHidden():
                press, tip = partial(self._press, control), control.toolTip()
                yield PaletteCommand(control.accessibleName(), self.tr("Bench"), press, f"{words} {tip}")

    def _press(self, control: QPushButton) -> None:
        """Show the Bench and click a button there."""
        self._tabs.show_bench()
        self._bench.show_panel(control)
        if control.menu() is not None:
            control.showMenu()
        elif control.isVisible():  # its panel may show something else
            control.click()

    def _show_score(self, column: str) -> None:
        self._tabs.show_scatter()
        self._workspace.set_axes(y=column)

    def _show_column(self, key: str) -> None:
        self._tabs.show_scatter()
        self._pairs_panel.show()
        self._table.bring_column(key)

    def _sort_by(self, key: str, descending: bool) -> None:
        self._tabs.show_scatter()
        self._pairs_panel.show()
        self._table.sort_by(key, descending)

    def _show_metric(self, title: str) -> None:
        self._setup.metrics.open()
        if self._setup.metrics.picker is not None:
            self._setup.metrics.picker.search.setText(title)

    def _show_control(self, control: QWidget) -> None:
        self._panel.show()
        self._setup.reveal(control)
        control.setFocus(Qt.FocusReason.ShortcutFocusReason)


#: Largest number of commands listed.
MOST = 60


@dataclass(frozen=True)
class PaletteCommand:
    """A command of the palette.

    Attributes:
        title: The title listed.
        kind: Kind of command ("Action", "Metric").
        act: Runs the command.
        words: Further words that the search matches.
        keys: Its shortcut, "" for none.
    """

    title: str
    kind: str
    act: Callable[[], object]
    words: str = ""
    keys: str = ""


def find_commands(commands: Iterable[PaletteCommand], text: str) -> Sequence[PaletteCommand]:
    """Return the commands that contain every word of a text, best matches of the title first."""
    words = text.casefold().split()
    ranked = [(rank, command) for command in commands if (rank := _rank(command, words)) is not None]
    ranked.sort(key=lambda entry: entry[0])
    return [command for _, command in ranked[:MOST]]


def _rank(command: PaletteCommand, words: Sequence[str]) -> int | None:
    """Return the distance of a command from the words, 0 for the best match; None if a word does not occur."""
    title = command.title.casefold()
    rest = f"{command.kind} {command.words}".casefold()
    rank = 0
    for word in words:
        if title.startswith(word):
            continue
        if f" {word}" in title:
            rank += 1
        elif word in title:
            rank += 2
        elif word in rest:
            rank += 3
        else:
            return None
    return rank


#: Width and height of the list, in average characters and lines.
_LETTERS, _LINES = 72, 16

_LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class CommandPalette(QDialog):
    """Dialog with a search field above the list of matching commands.

    Attributes:
        edit: The search field.
        list: The matching commands: title, kind and key.

    Args:
        read: Returns the commands that are available now.
    """

    def __init__(self, read: Callable[[], Iterable[PaletteCommand]], parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "keys")
        self.setWindowTitle(self.tr("Find a command"))
        self._read, self._owner = read, parent
        self._commands: Sequence[PaletteCommand] = ()
        self._matches: Sequence[PaletteCommand] = ()
        self.edit = line(
            self.tr("Find a command"), self.tr("An action, score, column, analysis, metric, template or setting")
        )
        self.edit.textChanged.connect(self._find)
        self.edit.installEventFilter(self)
        self.list = name_control(QTreeWidget(), self.tr("Commands found"), "")
        self.list.setRootIsDecorated(False)
        self.list.setHeaderHidden(True)
        self.list.setColumnCount(3)
        header, modes = self.list.header(), QHeaderView.ResizeMode
        header.setStretchLastSection(False)
        for column, mode in enumerate((modes.Stretch, modes.ResizeToContents, modes.ResizeToContents)):
            header.setSectionResizeMode(column, mode)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.itemClicked.connect(self._take)
        self._none = plain(self.tr("No command contains these words. Try fewer letters."), muted=True)
        vbox(self.edit, self._none, self.list, within=self)

    def open(self) -> None:
        """Open with an empty field and all commands."""
        self._commands = tuple(self._read())
        self.edit.clear()
        self._find()
        metrics = self.fontMetrics()
        self.resize(_LETTERS * metrics.averageCharWidth(), (_LINES + 3) * (metrics.height() + 6))
        super().open()
        self.edit.setFocus()

    def done(self, result: int) -> None:
        """Activate the main window, which nothing else does without a window manager."""
        super().done(result)
        self._owner.activateWindow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move in the list with the arrow keys while the cursor stays in the field."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _LIST_KEYS:
                self.list.keyPressEvent(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take()
                return True
        return super().eventFilter(watched, event)

    def _find(self) -> None:
        self._matches = find_commands(self._commands, self.edit.text())
        self.list.clear()
        for command in self._matches:
            item = QTreeWidgetItem(self.list, [command.title, command.kind, command.keys])
            item.setToolTip(0, plain_tip(command.title))
            for column in (1, 2):
                item.setForeground(column, self.palette().placeholderText())
        self._none.setVisible(not self._matches)
        if (first := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(first)

    def _take(self) -> None:
        item = self.list.currentItem()
        if item is None:
            return
        command = self._matches[self.list.indexOfTopLevelItem(item)]
        self.accept()
        # The window gets the focus back first, so that the command's view can take it.
        QTimer.singleShot(0, self, lambda: command.act())
