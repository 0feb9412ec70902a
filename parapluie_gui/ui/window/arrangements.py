"""The panels around the centre, and their visibility and sizes for each tab."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QAbstractButton, QDockWidget, QMainWindow, QTabBar, QWidget

from parapluie_gui.ui.state.selection import NO_PAIR, PairSelection
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.wheel import scroll_past
from parapluie_gui.ui.window.tabs import CentreTabs

#: Default panels of each tab, by the tab's manual page. Other tabs have no panels.
FIRST: dict[str, frozenset[str]] = {"scatter": frozenset({"setup", "pair", "pairs"}), "start": frozenset()}

#: Tabs that do not show the corpus; its Pair and Pairs panels cannot be opened there.
WITHOUT_CORPUS = frozenset({"bench", "start"})

#: Window height and width, in lines of text, below which the table or Setup is closed by default.
SHORT, NARROW = 40, 70

#: Default size of the window, if the screen is large enough.
FIRST_SIZE = QSize(1440, 900)


class PanelArrangements(QObject):
    """Shows the panels of the current tab as the user last arranged them."""

    def __init__(self, window: QMainWindow, docks: PanelDocks, tabs: CentreTabs, selection: PairSelection) -> None:
        super().__init__(window)
        self._window, self._docks, self._tabs = window, docks, tabs
        self._states: dict[str, QByteArray] = {}
        self._usual: set[str] = set()
        self._tab = self._tab_name()
        self._width = window.width()
        # Whether the user chose the panel sizes; Qt also changes them when room is short.
        self._chosen = False
        # Whether panels saved on what may have been a larger screen were shown last.
        self._restored = False
        # The panels that fitted at the last change of size, and those closed because they did not.
        self._roomy: frozenset[str] = frozenset()
        self._waiting: set[str] = set()
        self._pressed: dict[str, int] = {}
        self._following = CallThrottle(self._follow, 0, self)
        # Qt creates and deletes the tab bars of stacked panels by itself; find them afterwards.
        self._bars = CallThrottle(self._pass_bars, 0, self)
        for dock in docks.all:
            dock.dockLocationChanged.connect(self._bars.ask)
            dock.visibilityChanged.connect(self._bars.ask)
        tabs.turned.connect(self._turn)
        selection.primary_changed.connect(self._show_pair)
        window.installEventFilter(self)
        self._restore_tab()

    def states(self) -> dict[str, QByteArray]:
        """Return Qt's saved state of the panels, for every tab that was shown."""
        self._states[self._tab] = self._window.saveState()
        keep = self._usual.discard if self._is_dragged() else self._usual.add
        keep(self._tab)
        return dict(self._states)

    def usual(self) -> list[str]:
        """Return the tabs whose panels have automatic sizes; these follow the window's size in the next run too."""
        return sorted(self._usual)

    def restore(self, states: Mapping[str, QByteArray], usual: Iterable[str] = ()) -> None:
        self._states, self._usual = dict(states), set(usual)
        self._restore_tab()

    def reset(self) -> None:
        """Reset the panels of every tab to the default."""
        self._waiting.clear()
        self._states.clear()
        self._usual.clear()
        self._restore_tab()

    def follow(self) -> None:
        """Schedule fitting the panels to a new window or type size."""
        self._following.ask()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window's size, and notice when the user drags a panel's edge."""
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

    def _tab_name(self) -> str:
        view = self._tabs.currentWidget()
        return str(view.property("manual_page")) if view is not None else ""

    def _turn(self) -> None:
        if self._tab_name() == self._tab:
            return
        self.states()
        self._tab = self._tab_name()
        self._restore_tab()

    def _restore_tab(self) -> None:
        """Show the panels of the tab in their last or default state."""
        docks, default = self._docks, self._default_panels()
        own = self._tab in WITHOUT_CORPUS
        if self._tab in self._states and self._window.restoreState(self._states[self._tab]):
            self._chosen = self._tab not in self._usual
            self._restored = True
        else:
            docks.reset(default)
            self._chosen = False
        self.follow()
        for dock in (docks.pair, docks.pairs):
            dock.toggleViewAction().setEnabled(not own)

    def _default_panels(self) -> frozenset[str]:
        """Return the default panels of the tab that fit into the window."""
        window, first = self._window, FIRST.get(self._tab, frozenset())
        high, wide = window.height() / window.fontMetrics().height(), window.width() / window.fontMetrics().height()
        return first - ({"pairs"} if high < SHORT else set()) - ({"setup"} if wide < NARROW else set())

    def _make_room(self) -> None:
        """Close panels that no longer fit, and reopen them once they do; keep those the user opened."""
        before, self._roomy = self._roomy, self._default_panels()
        if self._restored and self._exceeds_screen():
            before = FIRST[self._tab]
        self._restored = False
        for dock in self._docks.all:
            name, is_open = dock.objectName(), not dock.isHidden()
            if is_open and name in before - self._roomy:
                dock.hide()
                self._waiting.add(name)
            elif name in self._waiting and (is_open or name in self._roomy):
                dock.show()
                self._waiting.discard(name)

    def _exceeds_screen(self) -> bool:
        least, screen = self._window.minimumSizeHint(), self._window.screen().availableSize()
        return least.width() > screen.width() or least.height() > screen.height()

    def _show_pair(self, row: int) -> None:
        """Open the Pair panel when a pair is clicked."""
        dock = self._docks.pair
        if row == NO_PAIR or self._tab in FIRST or self._tab in WITHOUT_CORPUS or dock.isVisible():
            return
        dock.show()
        self._window.resizeDocks([dock], [self._docks.widths()[1]], Qt.Orientation.Horizontal)

    def _follow(self) -> None:
        """Fit the side panels to a new width unless the user chose their sizes; the centre keeps its share."""
        window, docks = self._window, self._docks
        before, self._width = self._width, window.width()
        if self._tab not in FIRST or not window.isVisible():
            return
        if FIRST[self._tab] and not docks.has_moved_panels:
            self._make_room()
        squeezed = self._width < before and self._tabs.width() < self._width * CENTRE_SHARE
        if squeezed or not self._is_dragged():
            docks.fit()
            self._chosen = docks.has_moved_panels

    def _is_dragged(self) -> bool:
        return self._chosen or self._docks.has_moved_panels


#: Shares of the window's width and height for the panels, and their largest widths in average characters.
SETUP_SHARE, PAIR_SHARE, PAIRS_SHARE = 0.23, 0.27, 0.3
SETUP_LETTERS, PAIR_LETTERS = 50, 65

#: Smallest share of the width for the views in the centre.
CENTRE_SHARE = 0.5

#: Total width of the gaps between panels and at the window's edges, in pixels.
_GAPS = 16


class PanelDocks:
    """The panels: Setup at the left, the pair at the right, the pairs below the scatter.

    The panels and the centre are added in the order in which Tab goes through them, which is that on the screen.
    """

    def __init__(self, window: QMainWindow, setup: QWidget, centre: QWidget, pairs: QWidget, pair: QWidget) -> None:
        area, corner = Qt.DockWidgetArea, Qt.Corner
        self._window = window
        self._areas = {
            "setup": area.LeftDockWidgetArea,
            "pair": area.RightDockWidgetArea,
            "pairs": area.BottomDockWidgetArea,
        }
        self.setup = _dock(window, window.tr("Setup"), "setup", setup)
        window.setCentralWidget(centre)
        self.pairs = _dock(window, window.tr("Pairs"), "pairs", pairs)
        self.pair = _dock(window, window.tr("Pair"), "pair", pair)
        # The side panels reach the bottom, since they need more height than the table.
        window.setCorner(corner.BottomLeftCorner, area.LeftDockWidgetArea)
        window.setCorner(corner.BottomRightCorner, area.RightDockWidgetArea)
        self.reset(frozenset(self._areas))

    @property
    def all(self) -> tuple[QDockWidget, ...]:
        return self.setup, self.pair, self.pairs

    def reset(self, shown: frozenset[str]) -> None:
        """Move every panel to its default place, and show those with the given names."""
        for dock in self.all:
            dock.setFloating(False)
            self._window.addDockWidget(self._areas[dock.objectName()], dock)
            dock.setVisible(dock.objectName() in shown)
        self.fit()

    def widths(self) -> tuple[int, int]:
        """Return the automatic widths of Setup and Pair in pixels; the centre keeps half of the window."""
        room, letter = self._window.width(), self._window.fontMetrics().averageCharWidth()
        both = int(room * (1 - CENTRE_SHARE)) - _GAPS
        setup = int(min(room * SETUP_SHARE, SETUP_LETTERS * letter))
        setup = max(setup, self.setup.minimumSizeHint().width())
        left = both if self.setup.isHidden() else both - setup
        return setup, int(min(room * PAIR_SHARE, PAIR_LETTERS * letter, max(left, 0)))

    @property
    def has_moved_panels(self) -> bool:
        """Whether a panel is not in its default place."""
        areas = self._areas
        return any(
            dock.isFloating() or self._window.dockWidgetArea(dock) != areas[dock.objectName()] for dock in self.all
        )

    def sizes(self) -> dict[str, int]:
        """Return the widths of Setup and Pair and the height of Pairs in pixels, for visible panels."""
        return {
            dock.objectName(): dock.height() if dock is self.pairs else dock.width()
            for dock in self.all
            if dock.isVisible()
        }

    def fit(self) -> None:
        """Set the automatic sizes of the panels."""
        orientation = Qt.Orientation
        self._window.resizeDocks([self.setup, self.pair], list(self.widths()), orientation.Horizontal)
        self._window.resizeDocks([self.pairs], [int(self._window.height() * PAIRS_SHARE)], orientation.Vertical)


def _dock(window: QMainWindow, title: str, name: str, inside: QWidget) -> QDockWidget:
    dock = QDockWidget(title, window)
    # Qt saves the dock's place under this name.
    dock.setObjectName(name)
    dock.setWidget(inside)
    # A panel can be detached by dragging or double-clicking its title. The button for that only distracts; Qt shows
    # and hides it itself, so it gets no size instead.
    if (float_button := dock.findChild(QAbstractButton, "qt_dockwidget_floatbutton")) is not None:
        float_button.setFixedSize(0, 0)
    dock.visibilityChanged.connect(partial(_name_buttons, dock))
    dock.topLevelChanged.connect(partial(_name_buttons, dock))
    _name_buttons(dock)
    return dock


def _name_buttons(dock: QDockWidget, _: bool = False) -> None:
    """Name the buttons after the panel; Qt calls them alike in all panels, and again whenever it shows them."""
    names = {
        "qt_dockwidget_floatbutton": QCoreApplication.translate("Panels", "Detach the panel {0}"),
        "qt_dockwidget_closebutton": QCoreApplication.translate("Panels", "Close the panel {0}"),
    }
    for name, words in names.items():
        if (control := dock.findChild(QAbstractButton, name)) is not None:
            control.setAccessibleName(words.format(dock.windowTitle()))
            control.setAccessibleDescription("")  # Qt's: "Closes the dock widget"
