"""Presentation mode: the pair and the scatter in large type, the score hidden until the speaker reveals it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from parapluie_gui.ui.pair.view import PairView
from parapluie_gui.ui.scatter.view import ScatterView
from parapluie_gui.ui.state.selection import Selection

#: Factor by which type and points are enlarged.
FACTOR = 1.6

#: Share of the screen that the pair gets.
PAIR_SHARE = 0.45


class _Scaled(Protocol):
    def set_scale(self, factor: float) -> None: ...


class Presentation(QObject):
    """Enlarges the pair and the scatter for an audience, and back.

    Attributes:
        on: True while presenting.

    Args:
        window: The main window.
        hidden: Panels that are hidden meanwhile.
        dock: The panel of the pair, which stays.
        scaled: The views that are enlarged.
    """

    def __init__(
        self,
        window: QMainWindow,
        hidden: Sequence[QDockWidget],
        dock: QDockWidget,
        pair: PairView,
        scatter: ScatterView,
        scaled: Sequence[_Scaled],
        selection: Selection,
    ) -> None:
        super().__init__(window)
        self.on = False
        self._window, self._hidden, self._dock = window, hidden, dock
        self._pair, self._scatter, self._scaled = pair, scatter, scaled
        self._before = (window.saveState(), False)
        selection.primary_changed.connect(self._guess_again)

    def set_on(self, on: bool) -> None:
        if on == self.on:
            return
        self.on = on
        window = self._window
        if on:
            self._before = (window.saveState(), window.isFullScreen())
        for dock in self._hidden:
            dock.setVisible(not on)
        self._dock.setVisible(True)
        # Without a title bar there is nothing but the pair to look at; None brings Qt's own back.
        self._dock.setTitleBarWidget(QWidget() if on else None)  # type: ignore[arg-type]
        window.menuBar().setVisible(not on)
        window.statusBar().setVisible(not on)
        for view in self._scaled:
            view.set_scale(FACTOR if on else 1.0)
        self._reveal(not on)
        if on:
            window.showFullScreen()
            window.resizeDocks([self._dock], [int(window.width() * PAIR_SHARE)], Qt.Orientation.Horizontal)
        else:
            state, was_full = self._before
            if not was_full:
                window.showNormal()
            window.restoreState(state)

    def toggle_score(self) -> None:
        self._reveal(not self._pair.revealed)

    def _reveal(self, revealed: bool) -> None:
        self._pair.set_revealed(revealed)
        self._scatter.set_revealed(revealed)

    def _guess_again(self) -> None:
        """Hide the score of each new pair."""
        if self.on:
            self._reveal(False)
