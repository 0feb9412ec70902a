"""What the user edited in a copy: the words of the original against the words of the copy."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.pair.sentences import SentencesView
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, vbox
from parapluie_gui.ui.widgets.theme import Theme


class EditChange(QWidget):
    """The sentences that were edited, old above new; shows nothing of a sentence that stayed.

    Attributes:
        source, hypothesis: Old and new text of either sentence.
    """

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
        """Compare what stands in the fields with the original, if it is a copy of one."""
        self.setVisible(original is not None)
        if original is None:
            return
        untouched = True
        for view, old, new in (
            (self.source, original.source, source),
            (self.hypothesis, original.hypothesis, hypothesis),
        ):
            edited = bool(new) and old != new
            view.setVisible(edited)
            if edited:
                untouched = False
                view.show_pair(old, new)
        start = self.tr("Edit the copy: change a word, then press Enter.")
        self.heading.setText(start if untouched else self.tr("Effect of the edit"))

    def apply_theme(self, theme: Theme) -> None:
        self.source.apply_theme(theme)
        self.hypothesis.apply_theme(theme)

    def set_scale(self, factor: float) -> None:
        self.source.set_scale(factor)
        self.hypothesis.set_scale(factor)
