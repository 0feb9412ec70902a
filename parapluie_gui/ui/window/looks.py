"""The appearance of the window: light or dark colours, and one scale for all type sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QWidget

from parapluie_gui.computer import gc_disabled
from parapluie_gui.ui.state.stored_values import StoredValues
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.widgets.text import set_type_size, usual_points
from parapluie_gui.ui.widgets.theme import Theme

#: Factor of one step in type size, and the limits relative to the default size.
STEP, SMALLEST, LARGEST = 1.1, 0.75, 3.0


class _ScaledView(Protocol):
    def set_scale(self, factor: float) -> None: ...


class AppearanceController(QObject):
    """Applies the theme and the type size to the application.

    Attributes:
        theme: The current theme.

    Signals:
        changed: The theme or the type size changed.

    Args:
        window: The window whose type is scaled.
        theme: The first theme.
        scaled: The views that scale their own painting.
    """

    changed = Signal()

    def __init__(self, window: QWidget, theme: Theme, scaled: Sequence[_ScaledView]) -> None:
        super().__init__(window)
        self.theme = theme
        self._window, self._scaled = window, tuple(scaled)
        self._own = self._applied = 1.0
        themes.follow_contrast(lambda: self.apply(self.theme))

    def scale_too(self, view: _ScaledView) -> None:
        """Scale one more view, starting with the current size."""
        self._scaled += (view,)
        if self._applied != 1.0:
            view.set_scale(self._applied)

    @property
    def factor(self) -> float:
        """The type size relative to the default."""
        return self._own

    def toggle_dark(self, dark: bool) -> None:
        self.apply(themes.DARK if dark else themes.LIGHT)

    def larger(self) -> None:
        self._resize(STEP)

    def smaller(self) -> None:
        self._resize(1 / STEP)

    def usual(self) -> None:
        """Reset the type to its default size."""
        self._resize(0.0)

    def settings(self) -> dict[str, object]:
        return {"size": self._own}

    def restore(self, settings: Mapping[str, object]) -> None:
        """Restore the type size; `apply` makes it visible."""
        size = StoredValues.wrap(settings).number("size")
        self._own = 1.0 if size is None else min(max(size, SMALLEST), LARGEST)

    def apply(self, theme: Theme) -> None:
        """Apply a theme and the type size; under a style sheet, a new font needs the style applied again."""
        self.theme = theme
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        points = usual_points() * self.factor
        font = app.font()
        font.setPointSizeF(points)
        usual = QFont(font)
        usual.setPointSizeF(usual_points())
        with gc_disabled():
            app.setFont(font)
        themes.apply(app, theme, self.factor)
        with gc_disabled():
            # Otherwise Qt draws dock titles in the platform's size.
            app.setFont(usual, "QDockWidget")  # type: ignore[arg-type] # bytes are refused
        if self.factor != 1.0 or self._applied != 1.0:
            set_type_size(self._window, points)
            for view in self._scaled:
                view.set_scale(self.factor)
        self._applied = self.factor
        self.changed.emit()

    def _resize(self, by: float) -> None:
        size = min(max(self._own * by or 1.0, SMALLEST), LARGEST)
        size = 1.0 if abs(size - 1) < 0.01 else size
        if size != self._own:  # restyling takes a second
            self._own = size
            self.apply(self.theme)
