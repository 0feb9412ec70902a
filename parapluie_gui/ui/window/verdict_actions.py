"""The actions on the user's own verdicts and notes, and the name that stands beside them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from parapluie_gui.ui.pair.verdict import VerdictView
from parapluie_gui.ui.state.selection import Selection
from parapluie_gui.ui.state.stored_values import StoredValues
from parapluie_gui.ui.widgets.file_dialog import input_dialog
from parapluie_gui.ui.window.context import Helper


class AnnotatorName(Helper):
    """Asks for the name that stands beside the user's verdicts and notes, and keeps it for the next start."""

    def settings(self) -> dict[str, object]:
        """Return the annotator's name for the next start."""
        return {"annotator": self._state.notes.annotator}

    def restore(self, settings: Mapping[str, object]) -> None:
        """Take up the annotator's name."""
        self._state.notes.set_annotator(StoredValues.wrap(settings).text("annotator"))

    def ask(self) -> None:
        """Ask for the annotator's name."""
        label = self.tr("The name shown with your verdicts and notes from now on")
        dialog = input_dialog(self._window, self.tr("Your name"), label, "judgements")
        dialog.setTextValue(self._state.notes.annotator)
        dialog.textValueSelected.connect(lambda text: self._state.notes.set_annotator(" ".join(text.split())))
        dialog.open()


class VerdictActions(QObject):
    """Slots of the menu.

    Attributes:
        advancing: True if a verdict goes on to the next pair.

    Args:
        verdict: Holds the verdict and the note of the primary pair.
        selection: Walked through.
        panel: The panel that is shown where the note is wanted.
        typed: Holds those of the pair typed in the Bench; they are meant while it is in sight.
    """

    def __init__(
        self, verdict: VerdictView, selection: Selection, panel: QWidget, typed: VerdictView | None = None
    ) -> None:
        super().__init__(panel)
        self.advancing = False
        self._verdict, self._selection, self._panel, self._typed = verdict, selection, panel, typed

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
        self._verdict.set_advancing(on)

    def write_note(self) -> None:
        """Put the cursor into the note of the primary pair."""
        if self._typed is not None and self._typed.isVisible():
            self._typed.focus_note()
            return
        self._panel.show()
        self._panel.raise_()
        self._verdict.focus_note()

    def _choose(self, number: int) -> None:
        if self._typed is not None and self._typed.isVisible():
            self._typed.choose(number)
            return
        if not self._panel.isVisible():
            self._panel.show()  # nobody judges a pair that is not in sight
            return
        before = self._verdict.verdict
        self._verdict.choose(number)
        if self.advancing and self._verdict.verdict not in ("", before):
            self._selection.step_forwards()
