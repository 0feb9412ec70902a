"""Which panels stand around each tab, and how large: a tab shows nothing that does not belong to what is done there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QMainWindow

from parapluie_gui.ui.state.selection import NO_PAIR, Selection
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.window.docks import CENTRE_SHARE, Docks
from parapluie_gui.ui.window.tabs import CentreTabs

#: The panels of each tab at first, by the tab's page of the manual. A tab that is not named has the whole width.
FIRST = {"scatter": frozenset({"setup", "pair", "pairs"}), "start": frozenset({"setup"})}

#: Tabs with a pair of their own: the corpus's pair and table do not open there.
WITHOUT_CORPUS = frozenset({"bench", "start"})

#: No sizes: the user's are left as they are.
_CHOSEN: dict[str, int] = {}

#: Share of the screen that the pair gets for an audience.
PRESENTED_SHARE = 0.45

#: The window at first, where the screen has room for it, and what a title bar and a frame take of a screen.
FIRST_SIZE, FRAME = QSize(1440, 900), QSize(4, 34)


def first_size(screen: QScreen) -> QSize:
    """Return the size of a window that was never opened before: no part of it is outside the screen."""
    return FIRST_SIZE.boundedTo(screen.availableSize() - FRAME)


class Arrangements(QObject):
    """Changes the panels with the tab, and remembers how the user left them.

    Attributes:
        presenting: Only what is for an audience is shown, and nothing of it is remembered.
    """

    def __init__(self, window: QMainWindow, docks: Docks, tabs: CentreTabs, selection: Selection) -> None:
        super().__init__(window)
        self.presenting = False
        self._window, self._docks, self._tabs = window, docks, tabs
        self._states: dict[str, QByteArray] = {}
        self._usual: set[str] = set()
        self._tab = self._name()
        self._width = window.width()
        # The sizes that the panels were given here; None until the window is first seen.
        self._fitted: dict[str, int] | None = None
        self._following = Throttle(self._follow, 0, self)
        tabs.turned.connect(self._turn)
        selection.primary_changed.connect(self._show_pair)
        window.installEventFilter(self)
        self._take_up()

    def states(self) -> dict[str, QByteArray]:
        """Return the panels of every tab that was shown, as Qt writes them."""
        if not self.presenting:
            self._states[self._tab] = self._window.saveState()
            keep = self._usual.discard if self._dragged() else self._usual.add
            keep(self._tab)
        return dict(self._states)

    def usual(self) -> list[str]:
        """Return the tabs whose panels have the sizes given here: those follow the window in the next run too."""
        return sorted(self._usual)

    def restore(self, states: Mapping[str, QByteArray], usual: Iterable[str] = ()) -> None:
        self._states, self._usual = dict(states), set(usual)
        self._take_up()

    def reset(self) -> None:
        """Forget how the user left the panels, of every tab."""
        self._states.clear()
        self._usual.clear()
        self._take_up()

    def set_presenting(self, on: bool) -> None:
        """Show only what is for an audience, or everything as it was."""
        if on:
            self.states()
        self.presenting = on
        self._take_up()

    def follow(self) -> None:
        """Fit the panels soon: the window, or its type, has another size."""
        self._following.ask()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the panels follow the window's width."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self.follow()
        return super().eventFilter(watched, event)

    def _name(self) -> str:
        view = self._tabs.currentWidget()
        return str(view.property("manual_page")) if view is not None else ""

    def _turn(self) -> None:
        if self._name() == self._tab:
            return
        self.states()
        self._tab = self._name()
        self._take_up()

    def _take_up(self) -> None:
        """Show the panels of the tab, as they were left or as they are at first."""
        docks, first = self._docks, FIRST.get(self._tab, frozenset())
        own = self._tab in WITHOUT_CORPUS
        if self.presenting:
            docks.put_back(first & {"pair"})
            self.follow()
        elif self._tab in self._states and self._window.restoreState(self._states[self._tab]):
            self._fitted = None if self._tab in self._usual else _CHOSEN
            self.follow()
        else:
            docks.put_back(first)
            self._fitted = None
            self.follow()
        for dock in (docks.pair, docks.pairs):
            dock.toggleViewAction().setEnabled(not own)

    def _show_pair(self, row: int) -> None:
        """Let the Pair panel slide in where a pair is clicked and it is not in sight."""
        dock = self._docks.pair
        if row == NO_PAIR or self._tab in FIRST or self._tab in WITHOUT_CORPUS or dock.isVisible():
            return
        dock.show()
        self._window.resizeDocks([dock], [self._docks.widths()[1]], Qt.Orientation.Horizontal)

    def _follow(self) -> None:
        """Fit the side panels to another width unless the user chose theirs; the middle keeps its share."""
        window, docks = self._window, self._docks
        before, self._width = self._width, window.width()
        if self.presenting:
            share = [int(self._width * PRESENTED_SHARE)]
            window.resizeDocks([docks.pair], share, Qt.Orientation.Horizontal)
        if self.presenting or self._tab not in FIRST or not window.isVisible():
            return
        squeezed = self._width < before and self._tabs.width() < self._width * CENTRE_SHARE
        if squeezed or not self._dragged():
            docks.fit()
            if (layout := window.layout()) is not None:
                layout.activate()  # otherwise the docks have their sizes only later
            self._fitted = docks.sizes()

    def _dragged(self) -> bool:
        """Did the user give the panels other sizes?"""
        fitted = self._fitted
        if fitted is None:
            return False
        return fitted is _CHOSEN or any(fitted.get(name, size) != size for name, size in self._docks.sizes().items())
