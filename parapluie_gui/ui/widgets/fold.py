"""A heading that folds away what stands under it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, named, vbox
from parapluie_gui.ui.widgets.text import enlarge


def fold_button(text: str, tip: str = "") -> QToolButton:
    """Return a flat button with an arrow that points down while it is checked."""
    made = QToolButton()
    made.setText(text)
    made.setCheckable(True)
    made.setAutoRaise(True)
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    made.toggled.connect(lambda on: icons.put(made, "chevron-down" if on else "chevron-right"))
    return named(icons.put(made, "chevron-right"), text, tip)


class Fold(QWidget):
    """A heading and what it folds away.

    Attributes:
        heading: Unfolds it while it is checked.
        inside: What is folded away; its layout is the caller's.
    """

    def __init__(self, text: str, tip: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = fold_button(text, tip)
        enlarge(self.heading, 1.0)
        self.inside = QWidget()
        self.inside.hide()
        self.heading.toggled.connect(self.inside.setVisible)
        vbox((self.heading, 0, Qt.AlignmentFlag.AlignLeft), self.inside, within=self, margins=NO_MARGINS, spacing=4)
