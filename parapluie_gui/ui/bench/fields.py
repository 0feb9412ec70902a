"""The input of the Bench: two fields for a pair, its buttons, and the lines that say what is going on."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QWidget

from parapluie_gui.ui.bench.sentence_edit import SentenceEdit
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, vbox


class BenchFields(QWidget):
    """Source and hypothesis to type in, Score, Swap, Clear, progress and a hint.

    Attributes:
        source, hypothesis: The fields.

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
            edit.setAccessibleName(words.replace("&", ""))
            edit.setToolTip(self.tr("Enter scores the pair, Shift+Enter begins a new line"))
            edit.entered.connect(self.entered)
            edit.textChanged.connect(self.typed)
            layout.addWidget(caption)
            layout.addWidget(edit)
        self.score_button = self._button(self.tr("Score"), self.tr("Score the pair (Enter)"))
        self.score_button.setProperty("primary", True)
        self.score_button.clicked.connect(self.entered)
        self.swap_button = self._button(self.tr("Swap"), self.tr("Swap source and hypothesis"))
        self.swap_button.clicked.connect(self.swap)
        self.clear_button = self._button(self.tr("Clear"), self.tr("Clear both fields. The history is kept"))
        self.clear_button.clicked.connect(self.cleared)
        buttons = hbox(self.score_button, self.swap_button, self.clear_button, 1)
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setMaximumHeight(8)
        self.busy.setAccessibleName(self.tr("Scoring in progress"))
        self.stage = plain_label("muted")
        self.hint = plain_label("bad")
        layout.addSpacing(4)
        layout.addLayout(buttons)
        for part in (self.busy, self.stage, self.hint):
            layout.addWidget(part)
        self.setFocusProxy(self.source)
        self.say("")
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
        """Return whether both sentences are there; if not, say which is missing and go there."""
        source, hypothesis = self.texts()
        if source and hypothesis:
            return True
        missing = self.tr("Write a hypothesis first.") if source else self.tr("Write a source sentence first.")
        self.say(missing)
        (self.hypothesis if source else self.source).setFocus()
        return False

    def set_busy(self, stage: str) -> None:
        """Say what is under way; "" when nothing is."""
        self.busy.setVisible(bool(stage))
        self.stage.setVisible(bool(stage))
        self.stage.setText(stage)

    def say(self, text: str) -> None:
        """Show a hint or an error below the fields; "" takes it away."""
        self.hint.setText(text)
        self.hint.setVisible(bool(text))

    def _button(self, words: str, tip: str) -> QPushButton:
        button = QPushButton(words)
        button.setAccessibleName(words)
        button.setToolTip(tip)
        return button


def plain_label(role: str) -> QLabel:
    """Return a wrapping label that never takes its text for rich text; the role is a property of the style sheet."""
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty(role, True)
    return label
