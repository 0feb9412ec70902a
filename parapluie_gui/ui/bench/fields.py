"""The input of the Bench: two fields for a pair, its buttons, and the lines that show progress and errors."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, named, vbox
from parapluie_gui.ui.widgets.flow import FlowLayout
from parapluie_gui.ui.widgets.sentence_edit import SentenceEdit
from parapluie_gui.ui.widgets.wrapped import WrappedText


class BenchFields(QWidget):
    """Source and hypothesis to type in, Score, Swap, Clear, progress and a hint.

    Attributes:
        paraphrase_button: Checked while the paraphrases are shown.

    Signals:
        entered: The pair is to be scored.
        typed: A text changed.
        cleared: Both fields were emptied by the button.
    """

    entered = Signal()
    typed = Signal()
    cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.source = SentenceEdit()
        self.source.setPlaceholderText(self.tr("The little cat refreshes himself with water every morning."))
        self.hypothesis = SentenceEdit()
        self.hypothesis.setPlaceholderText(
            self.tr("Every morning, the little cat refreshes himself by drinking water.")
        )
        layout = vbox(within=self, margins=NO_MARGINS, spacing=4)
        for words, edit in ((self.tr("&Source"), self.source), (self.tr("&Hypothesis"), self.hypothesis)):
            caption = QLabel(words)
            caption.setBuddy(edit)
            named(edit, words.replace("&", ""), self.tr("Enter scores the pair, Shift+Enter begins a new line"))
            edit.entered.connect(self.entered)
            edit.textChanged.connect(self.typed)
            layout.addWidget(caption)
            layout.addWidget(edit)
        self.score_button = button(self.tr("Score"), self.entered.emit, self.tr("Score the pair (Enter)"))
        self.score_button.setProperty("primary", True)
        self.swap_button = button(self.tr("Swap"), self.swap, self.tr("Swap source and hypothesis"))
        tip = self.tr("Clear both fields. The history is kept")
        self.clear_button = button(self.tr("Clear"), self.cleared.emit, tip)
        self.paraphrase_button = button(
            self.tr("Paraphrase this"), lambda: None, self.tr("Let a judge write paraphrases")
        )
        self.paraphrase_button.setCheckable(True)
        self.busy = named(QProgressBar(), self.tr("Scoring in progress"), "")
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setMaximumHeight(8)
        self.stage, self.hint = WrappedText(muted=True), WrappedText(bad=True)
        layout.addSpacing(4)
        buttons = FlowLayout()
        for each in (self.score_button, self.swap_button, self.clear_button, self.paraphrase_button):
            buttons.addWidget(each)
        layout.addLayout(buttons)
        for part in (self.busy, self.stage, self.hint):
            layout.addWidget(part)
        self.setFocusProxy(self.source)
        self.hint.say("")
        self.set_busy("")

    def texts(self) -> tuple[str, str]:
        """Return source and hypothesis without white space around them."""
        return self.source.toPlainText().strip(), self.hypothesis.toPlainText().strip()

    def set_texts(self, source: str, hypothesis: str) -> None:
        self.source.setPlainText(source)
        self.hypothesis.setPlainText(hypothesis)

    def swap(self) -> None:
        self.set_texts(self.hypothesis.toPlainText(), self.source.toPlainText())

    def complete(self) -> bool:
        """Return True if both sentences are there; otherwise show which is missing and move the focus there."""
        source, hypothesis = self.texts()
        if source and hypothesis:
            return True
        missing = self.tr("Write a hypothesis first.") if source else self.tr("Write a source sentence first.")
        self.hint.say(missing)
        (self.hypothesis if source else self.source).setFocus()
        return False

    def set_busy(self, stage: str) -> None:
        """Show what is being done; "" when nothing is."""
        self.busy.setVisible(bool(stage))
        self.stage.say(stage)
