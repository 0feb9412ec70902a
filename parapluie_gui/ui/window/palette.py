"""The command palette: type a few letters of what is wanted, press Enter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget

from parapluie_gui.ui.widgets.arrange import named, vbox
from parapluie_gui.ui.window.commands import Command, find

#: Letters' widths and lines that the list has.
_LETTERS, _LINES = 72, 16

_LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class Palette(QDialog):
    """A field above a list of what was found.

    Attributes:
        edit: The field.
        list: What was found: title, what it is, its key.

    Args:
        read: Returns what there is to find now.
    """

    def __init__(self, read: Callable[[], Iterable[Command]], parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "keys")
        self.setWindowTitle(self.tr("Find a command"))
        self._read = read
        self._commands: Sequence[Command] = ()
        self._found: Sequence[Command] = ()
        self.edit = named(QLineEdit(), self.tr("Find a command"), "")
        self.edit.setPlaceholderText(self.tr("An action, score, column, analysis, metric, template or setting"))
        self.edit.textChanged.connect(self._find)
        self.edit.installEventFilter(self)
        self.list = named(QTreeWidget(), self.tr("Commands found"), "")
        self.list.setRootIsDecorated(False)
        self.list.setHeaderHidden(True)
        self.list.setColumnCount(3)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.itemClicked.connect(self._take)
        self._none = QLabel(self.tr("Nothing has these words. Try fewer letters."))
        self._none.setProperty("muted", True)
        vbox(self.edit, self._none, self.list, within=self)

    def open(self) -> None:
        """Begin with an empty field and everything there is."""
        self._commands = tuple(self._read())
        self.edit.clear()
        self._find()
        metrics = self.fontMetrics()
        self.resize(_LETTERS * metrics.averageCharWidth(), (_LINES + 3) * (metrics.height() + 6))
        self.list.setColumnWidth(0, self.width() * 3 // 5)
        super().open()
        self.edit.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Walk through the list while the cursor stays in the field."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _LIST_KEYS:
                self.list.keyPressEvent(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take()
                return True
        return super().eventFilter(watched, event)

    def _find(self) -> None:
        self._found = find(self._commands, self.edit.text())
        self.list.clear()
        for command in self._found:
            item = QTreeWidgetItem(self.list, [command.title, command.kind, command.keys])
            item.setToolTip(0, command.title)
            for column in (1, 2):
                item.setForeground(column, self.palette().placeholderText())
        self._none.setVisible(not self._found)
        if (first := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(first)

    def _take(self) -> None:
        item = self.list.currentItem()
        if item is None:
            return
        command = self._found[self.list.indexOfTopLevelItem(item)]
        self.accept()
        # The window gets its focus back first: what the command shows keeps it.
        QTimer.singleShot(0, self, lambda: command.act())
