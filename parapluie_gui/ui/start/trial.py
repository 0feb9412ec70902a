"""Two fields on the start page: a pair that is typed there is scored at once."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from parapluie_gui.pluie.evidence import Evidence
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, named, vbox
from parapluie_gui.ui.widgets.flow import flow
from parapluie_gui.ui.widgets.sentence_edit import SentenceEdit
from parapluie_gui.ui.widgets.text import enlarge, heading
from parapluie_gui.ui.widgets.theme import CLOSE, FIGURE, NEAR, Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText


class Trial(QWidget):
    """Source, hypothesis, and the pocket judge's answer.

    Attributes:
        source, hypothesis: The fields.
        score: The score with its meaning in large type, "" before there is one.

    Signals:
        score_requested: (request, source, hypothesis) The pair is to be scored; the number comes back with the answer.
        bench_requested: (source, hypothesis) The pair is to be opened in the Bench.
    """

    score_requested = Signal(int, str, str)
    bench_requested = Signal(str, str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._request = 0
        self._value: float | None = None
        self.source, self.hypothesis = SentenceEdit(), SentenceEdit()
        self.source.setPlaceholderText(self.tr("Have you ever seen a tsunami?"))
        self.hypothesis.setPlaceholderText(self.tr("Have you ever seen a tidal wave?"))
        layout = vbox(heading(self.tr("Try a pair")), within=self, margins=NO_MARGINS, spacing=CLOSE)
        for words, edit in ((self.tr("Source"), self.source), (self.tr("Hypothesis"), self.hypothesis)):
            caption = QLabel(words)
            caption.setBuddy(edit)
            named(edit, words, self.tr("Enter scores the pair"))
            edit.entered.connect(self.ask)
            edit.textChanged.connect(self._forget)
            layout.addWidget(caption)
            layout.addWidget(edit)
        self.score_button = button(self.tr("Score"), self.ask, self.tr("Score the pair (Enter)"))
        self.score_button.setProperty("primary", True)
        tip = self.tr("Score it with other judges and metrics, and change its words")
        self.bench_button = button(self.tr("Open in the Bench"), self._open_in_bench, tip)
        self.score = QLabel()
        self.score.setTextFormat(Qt.TextFormat.PlainText)
        self.score.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.score.setWordWrap(True)
        enlarge(self.score, FIGURE)
        self.answer, self.trouble = WrappedText(muted=True), WrappedText(bad=True)
        layout.addSpacing(CLOSE)
        layout.addLayout(flow(self.score_button, self.bench_button))
        layout.addSpacing(NEAR)
        for part in (self.score, self.answer, self.trouble):
            layout.addWidget(part)
        self.apply_theme(theme)
        self._forget()

    def ask(self) -> None:
        """Ask for the score of the pair, or say which sentence is missing."""
        source, hypothesis = self.texts()
        if not source or not hypothesis:
            missing = self.tr("Write a hypothesis first.") if source else self.tr("Write a source sentence first.")
            self.trouble.say(missing)
            (self.hypothesis if source else self.source).setFocus()
            return
        self._forget()
        self.answer.say(self.tr("Scoring …"))
        self.score_requested.emit(self._request, source, hypothesis)

    def texts(self) -> tuple[str, str]:
        """Return source and hypothesis without white space around them."""
        return self.source.toPlainText().strip(), self.hypothesis.toPlainText().strip()

    def show_score(self, request: int, value: float, evidence: Evidence | None, judge: str) -> None:
        """Show the score of a request; that of a pair that is no longer in the fields is left out."""
        if request != self._request:
            return
        self._value = value
        word = self.tr("paraphrase") if value > 0 else self.tr("not a paraphrase")
        self.score.setText(f"{score_names.signed(value)}  {word}")
        self.score.show()
        self.apply_theme(self._theme)
        self.trouble.say("")
        if evidence is None:
            self.answer.say(judge)
            return
        yes, no = evidence.p_yes, evidence.p_no
        words = self.tr("{0}: p(yes) {1}, p(no) {2}, {3}. The score is log p(yes) − log p(no).")
        chances = score_names.probability(yes), score_names.probability(no)
        self.answer.say(words.format(judge, *chances, score_names.odds(yes, no)))

    def show_trouble(self, request: int, sentence: str) -> None:
        """Say why there is no score."""
        if request == self._request:
            self.answer.say("")
            self.trouble.say(sentence)

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        colour = theme.paraphrase if (self._value or 0) > 0 else theme.other
        self.score.setStyleSheet(f"color: {colour};")

    def _forget(self) -> None:
        """Take the score away: it is not that of the pair in the fields."""
        self._request += 1
        self._value = None
        self.score.setText("")
        self.score.hide()
        self.answer.say("")
        self.trouble.say("")

    def _open_in_bench(self) -> None:
        self.bench_requested.emit(*self.texts())
