"""The edit of a copy: the words of the original against the words of the copy."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.pair.sentences import SentencesView
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, vbox
from parapluie_gui.ui.widgets.theme import Theme


class EditChange(QWidget):
    """The sentences that were edited, old above new; a sentence that stayed is not shown."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = QLabel()
        self.heading.setWordWrap(True)
        font = self.heading.font()
        font.setBold(True)
        self.heading.setFont(font)
        self.source = SentencesView(theme, self.tr("Original source"), self.tr("Edited source"))
        self.hypothesis = SentencesView(theme, self.tr("Original hypothesis"), self.tr("Edited hypothesis"))
        vbox(self.heading, self.source, self.hypothesis, within=self, margins=NO_MARGINS, spacing=6)

    def show_change(self, original: BenchEntry | None, source: str, hypothesis: str) -> None:
        """Compare the text of the fields with the original, if it is a copy of one."""
        self.setVisible(original is not None)
        if original is None:
            return
        edited = False
        sides = (self.source, original.source, source), (self.hypothesis, original.hypothesis, hypothesis)
        for view, old, new in sides:
            differs = bool(new) and old != new
            view.setVisible(differs)
            if differs:
                edited = True
                view.show_pair(old, new)
        start = self.tr("Edit the copy: change a word, then press Enter.")
        self.heading.setText(self.tr("Effect of the edit") if edited else start)

    def apply_theme(self, theme: Theme) -> None:
        self.source.apply_theme(theme)
        self.hypothesis.apply_theme(theme)

    def set_scale(self, factor: float) -> None:
        self.source.set_scale(factor)
        self.hypothesis.set_scale(factor)
