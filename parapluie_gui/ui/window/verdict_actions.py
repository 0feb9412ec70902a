"""Actions on the user's verdicts and notes, and the user's name."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from parapluie_gui.ui.pair.verdict import VerdictView
from parapluie_gui.ui.state.selection import PairSelection
from parapluie_gui.ui.state.stored_values import StoredValues
from parapluie_gui.ui.widgets.file_dialog import input_dialog
from parapluie_gui.ui.window.context import WindowController


class AnnotatorName(WindowController):
    """Asks for the user's name, shown with verdicts and notes, and stores it between runs."""

    def settings(self) -> dict[str, object]:
        """Return the annotator's name for the next start."""
        return {"annotator": self._state.notes.annotator}

    def restore(self, settings: Mapping[str, object]) -> None:
        """Restore the annotator's name."""
        self._state.notes.set_annotator(StoredValues.wrap(settings).text("annotator"))

    def ask(self) -> None:
        """Ask for the annotator's name."""
        label = self.tr("The name that is stored with your verdicts and notes from now on")
        dialog = input_dialog(self._window, self.tr("Your name"), label, "judgements")
        dialog.setTextValue(self._state.notes.annotator)
        dialog.textValueSelected.connect(lambda text: self._state.notes.set_annotator(" ".join(text.split())))
        dialog.open()


class VerdictActions(QObject):
    """Actions on the verdict and the note of the current pair.

    Attributes:
        advancing: Whether a verdict goes on to the next pair.

    Args:
        verdict: Verdict and note of the primary pair.
        selection: The selection to advance in.
        panel: The panel with verdict and note.
        typed: Verdict and note of the pair typed in the Bench, used while visible.
    """

    def __init__(
        self, verdict: VerdictView, selection: PairSelection, panel: QWidget, typed: VerdictView | None = None
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
        """Move the cursor into the note of the current pair."""
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
            self._panel.show()  # show the pair before it can be judged
            return
        before = self._verdict.verdict
        self._verdict.choose(number)
        if self.advancing and self._verdict.verdict not in ("", before):
            self._selection.step_forwards()
