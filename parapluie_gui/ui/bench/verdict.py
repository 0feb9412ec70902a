"""The user's verdict and note on the pair that the Bench shows."""

from __future__ import annotations

from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.pair.verdict import VerdictView
from parapluie_gui.ui.state.selection import NO_PAIR


class BenchVerdict(VerdictView):
    """A verdict whose pairs are places in the history; hidden while the pair shown is not there."""

    def show_entry(self, place: int | None, entry: BenchEntry | None) -> None:
        """Show what was said of an entry of the history, None for none; what is being typed stays."""
        if place is None or entry is None:
            self.set_row(NO_PAIR)
        elif (self.row, self.text, self.verdict) != (place, entry.note, entry.verdict):
            self.set_row(place, entry.note, entry.verdict)
        self.setVisible(place is not None)

    def forget(self) -> None:
        """Show nothing; what is being typed belongs to a session that is not open any more."""
        self.show_note("", "")
        self.set_row(NO_PAIR)

    def take_key(self, letter: str) -> bool:
        """Give the verdict of a digit, or put the cursor into the note by N; False if the key is for something else."""
        if not self.isVisible() or letter not in "12345nN":
            return False
        self.choose(int(letter)) if letter.isdecimal() else self.focus_note()
        return True
