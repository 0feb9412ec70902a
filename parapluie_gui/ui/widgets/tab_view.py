"""The view of a tab that a feature adds, and the tab that creates it when first shown."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from parapluie_gui.ui.widgets.arrange import NO_MARGINS, vbox


class TabView(QWidget):
    """The view in a feature's tab.

    Signals:
        message: (str) A sentence for the banner: something was done.
        written: (str, Path) A sentence for the banner: a file was written.
        failed: (str) A sentence for the banner: why something was not done.
    """

    message = Signal(str)
    written = Signal(str, object)
    failed = Signal(str)

    def set_scale(self, factor: float) -> None:
        """Follow the size of the window's type: `factor` times the usual size."""

    def close_work(self) -> None:
        """Stop the view's threads and wait for their end."""


class LazyTab(QWidget):
    """A tab whose view is created when it is first shown, so that the window starts without it.

    Args:
        make: Makes the view.
    """

    def __init__(self, make: Callable[[], TabView], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._make = make
        self._view: TabView | None = None

    @property
    def view(self) -> TabView:
        """The view, created if necessary."""
        if self._view is None:
            self._view = self._make()
            vbox(self._view, within=self, margins=NO_MARGINS)
            self.setFocusProxy(self._view)
            self.setProperty("manual_page", self._view.property("manual_page"))
        return self._view

    def close_work(self) -> None:
        """Stop the view's threads, if it exists."""
        if self._view is not None:
            self._view.close_work()

    def showEvent(self, event: QShowEvent) -> None:
        """Create the view."""
        self.view.show()
        super().showEvent(event)
