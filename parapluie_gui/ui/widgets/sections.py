"""The place in a view where features add sections."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QBoxLayout, QWidget

from parapluie_gui.ui.widgets.text import tab_through


class SectionPlace(QWidget):
    """A position in a column of widgets; it takes no space itself."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._last: QWidget = self
        self.hide()

    def add(self, section: QWidget, stops: Sequence[QWidget] = ()) -> None:
        """Add a section below the earlier ones; Tab moves through its `stops` in order."""
        view = self.parentWidget()
        assert view is not None, "the place is in a layout"
        column = next(layout for layout in view.findChildren(QBoxLayout) if layout.indexOf(self) >= 0)
        column.insertWidget(column.indexOf(self), section)
        tab_through(self._last, *stops)
        self._last = stops[-1] if stops else self._last
