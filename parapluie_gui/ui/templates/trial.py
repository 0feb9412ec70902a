"""What a template makes of a pair: the exact prompt that the judge reads, its answer, and the tokens compared."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from parapluie_gui.pluie.evidence import AnswerTokens
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets.arrange import button, named, vbox
from parapluie_gui.ui.widgets.text import heading
from parapluie_gui.ui.widgets.theme import CLOSE, NEAR
from parapluie_gui.ui.widgets.wrapped import WrappedText
from parapluie_gui.work.events import Failed, PromptShown
from parapluie_gui.work.handle import Handle


class TemplateTrial(QWidget):
    """Shows the answer to `asked`.

    Signals:
        asked: The template is to be shown to the judge.
    """

    asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.where = WrappedText(muted=True)
        tip = self.tr("Load the judge and show it the pair under this template; nothing is kept")
        self.button = button(self.tr("Try on this pair"), self.asked.emit, tip)
        self.score, self.tokens = WrappedText(), WrappedText()
        self.trouble, self.stage = WrappedText(bad=True), WrappedText(muted=True)
        self.prompt = named(QPlainTextEdit(), self.tr("Exact prompt"), "")
        self.prompt.setReadOnly(True)
        self.prompt.setTabChangesFocus(True)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self.font().pointSizeF())
        self.prompt.setFont(font)
        parts = (self.button, self.stage, self.trouble, self.score, self.tokens, (self.prompt, 1))
        title = heading(self.tr("What the judge reads"))
        vbox(title, self.where, *parts, within=self, margins=(NEAR, 0, 0, 0), spacing=CLOSE)
        self.clear()

    def show_where(self, judge: str, source: str, hypothesis: str) -> None:
        """Say which judge and pair are tried."""
        self.where.say(self.tr("{0} · “{1}” / “{2}”").format(judge, source, hypothesis))

    def clear(self) -> None:
        """Take away what was shown of another text."""
        for part in (self.score, self.tokens, self.trouble, self.stage):
            part.say("")
        self.prompt.setPlainText("")
        self.prompt.setPlaceholderText(self.tr("The exact prompt appears here."))

    def follow(self, handle: Handle) -> None:
        """Show what comes of a trial."""
        handle.staged.connect(lambda event: self.stage.say(event.text))
        handle.shown.connect(self._show)
        handle.failed.connect(self._fail)
        handle.finished.connect(lambda event: self.stage.say(""))

    def _fail(self, event: Failed) -> None:
        self.clear()
        self.trouble.say(event.text)

    def _show(self, shown: PromptShown) -> None:
        evidence = shown.evidence
        yes, no = score_names.probability(evidence.p_yes), score_names.probability(evidence.p_no)
        text = self.tr("Score {0}: p(yes) {1}, p(no) {2}. The prompt has {3} tokens.")
        self.score.say(text.format(score_names.signed(shown.score), yes, no, f"{evidence.tokens:,}"))
        self.tokens.say(self._answers(shown.tokens))
        self.trouble.say("")
        self.prompt.setPlainText(shown.prompt)

    def _answers(self, sides: AnswerTokens) -> str:
        lines = []
        for title, side in zip((self.tr("Tokens of yes"), self.tr("Tokens of no")), sides, strict=True):
            words = (f"{text} = {' + '.join(f'“{token}”' for token in tokens)}" for text, tokens in side)
            lines.append(f"{title}: {', '.join(words)}")
        return "\n".join(lines)
