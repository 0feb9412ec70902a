"""The place in a view to which features add sections of their own."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QBoxLayout, QWidget

from parapluie_gui.ui.widgets.text import tab_through


class SectionPlace(QWidget):
    """A place among widgets one above the other; it takes no room itself."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._last: QWidget = self
        self.hide()

    def add(self, section: QWidget, stops: Sequence[QWidget] = ()) -> None:
        """Put a section there, below those that came earlier; Tab goes through its `stops` in their order."""
        view = self.parentWidget()
        assert view is not None, "the place is in a layout"
        column = next(each for each in view.findChildren(QBoxLayout) if each.indexOf(self) >= 0)
        column.insertWidget(column.indexOf(self), section)
        tab_through(self._last, *stops)
        self._last = stops[-1] if stops else self._last
