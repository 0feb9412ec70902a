"""How the whole window looks: light or dark, and the size of all type, which is one scale for everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QWidget

from parapluie_gui.computer import uncollected
from parapluie_gui.ui.state.stored_values import StoredValues
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.widgets.text import set_type_size, usual_points
from parapluie_gui.ui.widgets.theme import Theme

#: One step of the type size, and its limits beside the usual size.
STEP, SMALLEST, LARGEST = 1.1, 0.75, 3.0


class _Scaled(Protocol):
    def set_scale(self, factor: float) -> None: ...


class Looks(QObject):
    """Dresses the application.

    Attributes:
        theme: The colours in use.

    Signals:
        changed: Other colours, or another size.

    Args:
        window: All type of it is scaled.
        scaled: The views that paint what follows the type.
    """

    changed = Signal()

    def __init__(self, window: QWidget, theme: Theme, scaled: Sequence[_Scaled]) -> None:
        super().__init__(window)
        self.theme = theme
        self._window, self._scaled = window, tuple(scaled)
        self._own = self._applied = 1.0

    def scale_too(self, view: _Scaled) -> None:
        """Let one more view follow the size of type, from the present size on."""
        self._scaled += (view,)
        if self._applied != 1.0:
            view.set_scale(self._applied)

    @property
    def factor(self) -> float:
        """The size of type beside the usual one."""
        return self._own

    def toggle_dark(self, dark: bool) -> None:
        self.apply(themes.DARK if dark else themes.LIGHT)

    def larger(self) -> None:
        self._resize(STEP)

    def smaller(self) -> None:
        self._resize(1 / STEP)

    def usual(self) -> None:
        """Set type in its usual size again."""
        self._resize(0.0)

    def settings(self) -> dict[str, object]:
        return {"size": self._own}

    def restore(self, settings: Mapping[str, object]) -> None:
        """Take the size that was left; nothing is dressed before `apply`."""
        size = StoredValues.wrap(settings).number("size")
        self._own = 1.0 if size is None else min(max(size, SMALLEST), LARGEST)

    def apply(self, theme: Theme) -> None:
        """Dress everything: under a style sheet a font reaches only what is dressed after it."""
        self.theme = theme
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        points = usual_points() * self.factor
        font = app.font()
        font.setPointSizeF(points)
        usual = QFont(font)
        usual.setPointSizeF(usual_points())
        with uncollected():
            app.setFont(font)
        themes.apply(app, theme, self.factor)
        with uncollected():
            # Qt writes the title of a dock whose font is the application's for docks in the platform's size.
            app.setFont(usual, "QDockWidget")  # type: ignore[arg-type] # bytes are refused
        if self.factor != 1.0 or self._applied != 1.0:
            set_type_size(self._window, points)
            for each in self._scaled:
                each.set_scale(self.factor)
        self._applied = self.factor
        self.changed.emit()

    def _resize(self, by: float) -> None:
        size = min(max(self._own * by or 1.0, SMALLEST), LARGEST)
        size = 1.0 if abs(size - 1) < 0.01 else size
        if size != self._own:  # dressing a window takes a second
            self._own = size
            self.apply(self.theme)
