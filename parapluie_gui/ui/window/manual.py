"""The manual's window: its pages, a search over them, and opening the page about the focused widget."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QSignalBlocker, QSize, Qt, QUrl
from PySide6.QtGui import QAction, QKeySequence, QShortcut, QTextDocument
from PySide6.QtWidgets import (
    QApplication,
    QListWidget,
    QListWidgetItem,
    QMainWindow,
    QPushButton,
    QSplitter,
    QTabWidget,
    QWidget,
)

from parapluie_gui import manual
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, hbox, name_control, vbox, widget_of, within_screen
from parapluie_gui.ui.widgets.controls import line
from parapluie_gui.ui.window.manual_browser import ManualBrowser, ManualPassage, split_passages

#: Dynamic property with the name of the manual page about a widget and its children.
PAGE_PROPERTY = "manual_page"

#: The page that lists every action with its keys.
KEYS = "keys"

#: Characters shown of a passage in the search results, and how many of them precede the word.
_SHOWN, _BEFORE = 130, 30


def page_about(widget: QWidget | None) -> str:
    """Return the manual page declared by a widget or its nearest ancestor; the index if none declares one."""
    while widget is not None:
        if page := widget.property(PAGE_PROPERTY):
            return str(page)
        widget = widget.parentWidget()
    return manual.INDEX


class ManualWindow(QWidget):
    """Window with the manual: the pages, or the search results, in `list`, and the page in `browser`.

    It has no parent, so that it stays usable while a modal dialog is open.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle(self.tr("Manual"))
        self._passages: list[ManualPassage] = []
        self.search = line(self.tr("Search the manual"), self.tr("Search the manual"), clears=True)
        self.search.textChanged.connect(self._fill)
        self.search.returnPressed.connect(self._take_first)
        self.list = name_control(QListWidget(), self.tr("Pages of the manual"), "")
        self.list.setWordWrap(True)
        self.list.setSpacing(2)
        self.list.currentItemChanged.connect(self._choose)
        self.list.itemClicked.connect(self._choose)
        self.browser = ManualBrowser()
        self.browser.sourceChanged.connect(self._point)
        browser = self.browser
        back = _step_button("arrow-left", browser.backward, self.tr("Previous page (Alt+Left)"), self.tr("Back"))
        browser.backwardAvailable.connect(back.setEnabled)
        forward = _step_button("arrow-right", browser.forward, self.tr("Next page (Alt+Right)"), self.tr("Forward"))
        browser.forwardAvailable.connect(forward.setEnabled)
        splitter = QSplitter()
        splitter.addWidget(widget_of(vbox(hbox(back, forward, self.search), self.list, margins=NO_MARGINS)))
        splitter.addWidget(browser)
        splitter.setSizes([270, 690])
        splitter.setStretchFactor(1, 1)
        vbox(splitter, within=self, margins=(6, 6, 6, 6))
        self.resize(within_screen(QSize(960, 700), self.screen()))
        QShortcut(QKeySequence.StandardKey.Cancel, self, self.close)
        QShortcut(QKeySequence.StandardKey.Find, self, self.search.setFocus)
        self._fill("")

    def open_page(self, name: str) -> None:
        """Show the page with this name, in front of other windows."""
        self.search.clear()
        page = next((page for page in manual.pages() if page.name == name), manual.pages()[0])
        self.browser.show_page(page.path)
        self.show()
        self.raise_()
        self.activateWindow()

    def passages_with(self, text: str) -> list[ManualPassage]:
        """Return the passages that contain all words of a text, ignoring case."""
        words = text.casefold().split()
        return [item for item in self._all() if all(word in item.text.casefold() for word in words)] if words else []

    def _all(self) -> list[ManualPassage]:
        if not self._passages:
            for page in manual.pages():
                document = QTextDocument()
                document.setMarkdown(page.text)
                self._passages += split_passages(page.path, document)
        return self._passages

    def _fill(self, text: str) -> None:
        """List the pages, or the passages with all words of a text."""
        titles = {page.path: page.title for page in manual.pages()}
        with QSignalBlocker(self.list):
            self.list.clear()
            if text.strip():
                for passage in self.passages_with(text):
                    at = max(passage.text.casefold().find(text.casefold().split()[0]) - _BEFORE, 0)
                    shown = ("…" if at else "") + passage.text[at : at + _SHOWN]
                    self._add(f"{titles[passage.path]}\n{shown}", passage)
                if not self.list.count():
                    self._add(self.tr("No page contains these words."), None)
            else:
                for path, title in titles.items():
                    self._add(title, ManualPassage(path, 0, ""))
        self._point(self.browser.source())

    def _add(self, text: str, passage: ManualPassage | None) -> None:
        item = QListWidgetItem(text, self.list)
        item.setData(Qt.ItemDataRole.UserRole, passage)
        if passage is None:
            item.setFlags(Qt.ItemFlag.NoItemFlags)

    def _choose(self, item: QListWidgetItem | None) -> None:
        passage = item.data(Qt.ItemDataRole.UserRole) if item else None
        if passage is not None:
            if passage.path != self.browser.path or not passage.text:
                self.browser.show_page(passage.path)
            if passage.text:
                self.browser.go_to(passage.block)
                self.browser.mark(self.search.text().split())

    def _take_first(self) -> None:
        self.list.setCurrentRow(0)
        self.list.setFocus()

    def _point(self, url: QUrl) -> None:
        """Select the open page in the list of pages."""
        if not self.search.text().strip():
            paths = [page.path for page in manual.pages()]
            with QSignalBlocker(self.list):
                self.list.setCurrentRow(paths.index(url.path()) if url.path() in paths else -1)


def _step_button(icon: str, step: Callable[[], object], tip: str, name: str) -> QPushButton:
    step_button = button("", step, tip, name, icon)
    step_button.setEnabled(False)
    return step_button


class ManualHelp(QObject):
    """Opens the manual from the window and from its dialogs.

    Args:
        window: The main window.
        tabs: Its tabs; without a focused widget, the page about the open tab is shown.
    """

    def __init__(self, window: QMainWindow, tabs: QTabWidget) -> None:
        super().__init__(window)
        self._main, self._tabs = window, tabs
        self._action: QAction | None = None
        self.window: ManualWindow | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._add_action)

    def set_action(self, action: QAction) -> None:
        """Set the action that opens the manual, so that its key works in dialogs too."""
        self._action = action

    def open_here(self) -> None:
        """Show the page about the focused widget."""
        self.open_page(page_about(QApplication.focusWidget() or self._tabs.currentWidget()))

    def open_keys(self) -> None:
        """Show the page with all keys and actions."""
        self.open_page(KEYS)

    def close(self) -> None:
        """Close the manual, if it is open."""
        if self.window is not None:
            self.window.close()
            self.window.deleteLater()
            self.window = None

    def open_page(self, name: str) -> None:
        """Show the page with this name."""
        # Without a parent, as a modal dialog would block it with the main window.
        self.window = self.window or ManualWindow()
        self.window.open_page(name)

    def _add_action(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Add the action to a focused dialog of the main window, as shortcuts work only in their own window."""
        place = now.window() if now is not None else None
        if place is None or self._action is None or place is self._main or self._action in place.actions():
            return
        parent = place.parentWidget()
        while parent is not None and parent is not self._main:
            parent = parent.parentWidget()
        if parent is self._main:
            place.addAction(self._action)
