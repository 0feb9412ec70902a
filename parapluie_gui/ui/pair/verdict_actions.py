"""The actions that give a verdict on the primary pair from anywhere in the window."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from parapluie_gui.ui.pair.verdict import VerdictView
from parapluie_gui.ui.state.selection import Selection


class VerdictActions(QObject):
    """Slots of the menu.

    Attributes:
        advancing: True if a verdict goes on to the next pair.

    Args:
        verdict: Holds the verdict and the note of the primary pair.
        selection: Walked through.
        panel: The panel that is shown where the note is wanted.
    """

    def __init__(self, verdict: VerdictView, selection: Selection, panel: QWidget) -> None:
        super().__init__(panel)
        self.advancing = False
        self._verdict, self._selection, self._panel = verdict, selection, panel

    def first(self) -> None:
        self._choose(1)

    def second(self) -> None:
        self._choose(2)

    def third(self) -> None:
        self._choose(3)

    def fourth(self) -> None:
        self._choose(4)

    def fifth(self) -> None:
        self._choose(5)

    def advance(self, on: bool) -> None:
        self.advancing = on

    def write_note(self) -> None:
        """Put the cursor into the note of the primary pair."""
        self._panel.show()
        self._panel.raise_()
        self._verdict.focus_note()

    def _choose(self, number: int) -> None:
        before = self._verdict.verdict
        self._verdict.choose(number)
        if self.advancing and self._verdict.verdict not in ("", before):
            self._selection.step_forwards()
