"""The panels around the centre, and which of them are shown at what size with which tab."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QAbstractButton, QDockWidget, QMainWindow, QTabBar, QWidget

from parapluie_gui.ui.state.selection import NO_PAIR, Selection
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.widgets.wheel import scroll_past
from parapluie_gui.ui.window.tabs import CentreTabs

#: The panels of each tab at first, by the tab's page of the manual. A tab that is not named has the whole width.
FIRST: dict[str, frozenset[str]] = {"scatter": frozenset({"setup", "pair", "pairs"}), "start": frozenset()}

#: Tabs with a pair of their own: the corpus's pair and table do not open there.
WITHOUT_CORPUS = frozenset({"bench", "start"})

#: Lines of type in the window's height and width under which the table and Setup wait until they are asked for.
SHORT, NARROW = 40, 70

#: The window at first, where the screen has room for it.
FIRST_SIZE = QSize(1440, 900)


class Arrangements(QObject):
    """Changes the panels with the tab, and remembers how the user left them."""

    def __init__(self, window: QMainWindow, docks: Docks, tabs: CentreTabs, selection: Selection) -> None:
        super().__init__(window)
        self._window, self._docks, self._tabs = window, docks, tabs
        self._states: dict[str, QByteArray] = {}
        self._usual: set[str] = set()
        self._tab = self._name()
        self._width = window.width()
        # Whether the sizes of the panels are the user's. Others that they were given here are Qt's, for want of room.
        self._chosen = False
        # The panels that there was room for when last they were fitted, and those that were closed for want of it.
        self._roomy: frozenset[str] = frozenset()
        self._waiting: set[str] = set()
        self._pressed: dict[str, int] = {}
        self._following = Throttle(self._follow, 0, self)
        # Qt makes and takes away the bars of panels on each other by itself: they are looked for once it has done so.
        self._bars = Throttle(self._pass_bars, 0, self)
        for dock in docks.all:
            dock.dockLocationChanged.connect(self._bars.ask)
            dock.visibilityChanged.connect(self._bars.ask)
        tabs.turned.connect(self._turn)
        selection.primary_changed.connect(self._show_pair)
        window.installEventFilter(self)
        self._take_up()

    def states(self) -> dict[str, QByteArray]:
        """Return the panels of every tab that was shown, as Qt writes them."""
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
        self._waiting.clear()
        self._states.clear()
        self._usual.clear()
        self._take_up()

    def follow(self) -> None:
        """Fit the panels soon: the window, or its type, has another size."""
        self._following.ask()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the panels follow the window's size, and note when the user drags the line between two of them."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self.follow()
        elif event.type() == QEvent.Type.MouseButtonPress:
            self._pressed = self._docks.sizes()
        elif event.type() == QEvent.Type.MouseButtonRelease and self._pressed != self._docks.sizes():
            self._chosen = True
        return super().eventFilter(watched, event)

    def _pass_bars(self) -> None:
        """Keep the wheel from changing the tabs of stacked panels."""
        for bar in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            scroll_past(bar)

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
        docks, first = self._docks, self._first()
        own = self._tab in WITHOUT_CORPUS
        if self._tab in self._states and self._window.restoreState(self._states[self._tab]):
            self._chosen = self._tab not in self._usual
        else:
            docks.put_back(first)
            self._chosen = False
        self.follow()
        for dock in (docks.pair, docks.pairs):
            dock.toggleViewAction().setEnabled(not own)

    def _first(self) -> frozenset[str]:
        """Return the panels of the tab at first: where room is short, the view and the pair come before the others."""
        window, first = self._window, FIRST.get(self._tab, frozenset())
        high, wide = window.height() / window.fontMetrics().height(), window.width() / window.fontMetrics().height()
        return first - ({"pairs"} if high < SHORT else set()) - ({"setup"} if wide < NARROW else set())

    def _make_room(self) -> None:
        """Close what a window became too small for, until there is room again; what is asked for meanwhile stays."""
        before, self._roomy = self._roomy, self._first()
        for dock in self._docks.all:
            name, there = dock.objectName(), not dock.isHidden()
            if there and name in before - self._roomy:
                dock.hide()
                self._waiting.add(name)
            elif name in self._waiting and (there or name in self._roomy):
                dock.show()
                self._waiting.discard(name)

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
        if self._tab not in FIRST or not window.isVisible():
            return
        if FIRST[self._tab] and not docks.moved:
            self._make_room()
        squeezed = self._width < before and self._tabs.width() < self._width * CENTRE_SHARE
        if squeezed or not self._dragged():
            docks.fit()
            self._chosen = docks.moved

    def _dragged(self) -> bool:
        """Did the user give the panels other sizes or places?"""
        return self._chosen or self._docks.moved


#: Shares of the window's width and height that the panels get, and their most in letters' widths.
SETUP_SHARE, PAIR_SHARE, PAIRS_SHARE = 0.19, 0.27, 0.3
SETUP_LETTERS, PAIR_LETTERS = 50, 65

#: What the views in the middle keep of the width, in any case.
CENTRE_SHARE = 0.5

#: Between two panels, and at the window's edges, in pixels.
_GAPS = 16


class Docks:
    """Setup at the left, the pair at the right, the pairs below the scatter."""

    def __init__(self, window: QMainWindow, setup: QWidget, pair: QWidget, pairs: QWidget) -> None:
        area, corner = Qt.DockWidgetArea, Qt.Corner
        self._window = window
        self._areas = {
            "setup": area.LeftDockWidgetArea,
            "pair": area.RightDockWidgetArea,
            "pairs": area.BottomDockWidgetArea,
        }
        self.setup = _dock(window, window.tr("Setup"), "setup", setup)
        self.pair = _dock(window, window.tr("Pair"), "pair", pair)
        self.pairs = _dock(window, window.tr("Pairs"), "pairs", pairs)
        # The side docks reach down to the bottom: pair and setup need height, the table needs it less.
        window.setCorner(corner.BottomLeftCorner, area.LeftDockWidgetArea)
        window.setCorner(corner.BottomRightCorner, area.RightDockWidgetArea)
        self.put_back(frozenset(self._areas))

    @property
    def all(self) -> tuple[QDockWidget, ...]:
        return self.setup, self.pair, self.pairs

    def put_back(self, shown: frozenset[str]) -> None:
        """Put every panel where it is at first, and show those of these names."""
        for dock in self.all:
            dock.setFloating(False)
            self._window.addDockWidget(self._areas[dock.objectName()], dock)
            dock.setVisible(dock.objectName() in shown)
        self.fit()

    def widths(self) -> tuple[int, int]:
        """Return the widths of Setup and Pair that suit the window; the middle keeps half of it."""
        room, letter = self._window.width(), self._window.fontMetrics().averageCharWidth()
        both = int(room * (1 - CENTRE_SHARE)) - _GAPS
        setup = int(min(room * SETUP_SHARE, SETUP_LETTERS * letter))
        setup = max(setup, self.setup.minimumSizeHint().width())
        left = both if self.setup.isHidden() else both - setup
        return setup, int(min(room * PAIR_SHARE, PAIR_LETTERS * letter, max(left, 0)))

    @property
    def moved(self) -> bool:
        """Is a panel elsewhere than at first?"""
        areas = self._areas
        return any(
            dock.isFloating() or self._window.dockWidgetArea(dock) != areas[dock.objectName()] for dock in self.all
        )

    def sizes(self) -> dict[str, int]:
        """Return the widths of Setup and Pair and the height of Pairs, of those that are in sight."""
        return {
            dock.objectName(): dock.height() if dock is self.pairs else dock.width()
            for dock in self.all
            if dock.isVisible()
        }

    def fit(self) -> None:
        """Give the panels the sizes that suit the window."""
        orientation = Qt.Orientation
        self._window.resizeDocks([self.setup, self.pair], list(self.widths()), orientation.Horizontal)
        self._window.resizeDocks([self.pairs], [int(self._window.height() * PAIRS_SHARE)], orientation.Vertical)


def _dock(window: QMainWindow, title: str, name: str, inside: QWidget) -> QDockWidget:
    dock = QDockWidget(title, window)
    # The name under which Qt remembers where the dock was.
    dock.setObjectName(name)
    dock.setWidget(inside)
    # A panel becomes a window of its own by a drag or a double click on its title. A button for that in every panel is
    # one control more to read past; Qt shows and hides it itself, so it is made of no size.
    if (float_button := dock.findChild(QAbstractButton, "qt_dockwidget_floatbutton")) is not None:
        float_button.setFixedSize(0, 0)
    return dock
