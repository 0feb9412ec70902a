"""The evidence of one score: the judge's probabilities, likeliest answers, explanation and exact prompt."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QComboBox, QToolButton, QWidget

from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.ui.pair.gauges import GaugeColumn, ScoreGauge
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, hbox, name_control, vbox, widget_of
from parapluie_gui.ui.widgets.controls import fold_button
from parapluie_gui.ui.widgets.growing_text import GrowingText
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Sum of p(yes) and p(no) below which the score means little, because the judge prefers a different answer.
LOW_MASS = 0.5
#: Sum of p(yes) and p(no) above which no other answers are shown.
WHOLE = 0.99

_VISIBLE = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍", "▁": "␣", "Ġ": "␣", "Ċ": "⏎"}


def visible_token(token: str) -> str:
    """Return a token with visible white space; ∅ for an empty one."""
    return "".join(_VISIBLE.get(char, char if char.isprintable() else f"\\x{ord(char):02x}") for char in token) or "∅"


class EvidenceView(QWidget):
    """The evidence of one template's score of one pair.

    The prompt is read only once the user unfolds it.

    Signals:
        chosen: (column) The user chose a template in the list.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._read_prompt: Callable[[], str | None] | None = None

        self._templates = name_control(QComboBox(), self.tr("Template whose evidence is shown"))
        self._templates.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._templates.activated.connect(self._pick)
        tip = self.tr("The judge's probabilities, its likeliest answers, and the exact prompt")
        self.fold = fold_button(self.tr("Why this score"), tip)
        self._empty = self._line(
            self.tr("There is no evidence for this score yet. It appears once the pair has been scored."),
            "nothing kept",
        )
        self._probabilities = name_control(GaugeColumn(), self.tr("Probabilities of the two answers"), tip="")
        self._odds = self._line("", "odds")
        self._spellings = self._line("", "spellings")
        self._warning = self._line("", "low sum", bad=True)
        self._likeliest = self._line(self.tr("Most likely answers of the judge"))
        self._tokens = name_control(GaugeColumn(), self._likeliest.text(), "")
        self._length = self._line("", "length of the prompt")
        self._cut = self._line("", bad=True)
        neutralised = self.tr(
            "A sentence contained control tokens of the model. They were broken up so that they cannot steer the model."
        )
        self._neutralised = self._line(neutralised, "control words", bad=True)
        self._explained = self._line(self.tr("What the judge wrote before answering"))
        self._explanation = name_control(GrowingText(most_lines=14), self._explained.text(), "")
        self._fold = self._fold_button()
        self._copy = button(
            self.tr("Copy"),
            self._copy_prompt,
            self.tr("Copy the exact prompt to the clipboard"),
            self.tr("Copy the prompt"),
        )
        self._prompt = name_control(GrowingText(most_lines=24), self.tr("Exact prompt"), "")
        self._prompt_text = ""
        shown = (self._probabilities, self._odds, self._spellings, self._warning)
        answer = (self._empty, *shown, self._likeliest, self._tokens)
        reading = (self._length, self._cut, self._neutralised, self._explained, self._explanation)
        head, foot = (
            hbox((self.fold, 0, Qt.AlignmentFlag.AlignLeft), (self._templates, 1)),
            hbox(self._fold, 1, self._copy),
        )
        inside = widget_of(vbox(*answer, *reading, foot, self._prompt, margins=NO_MARGINS, spacing=4))
        inside.hide()
        self.fold.toggled.connect(inside.setVisible)
        self.fold.toggled.connect(self._offer)
        vbox(head, inside, within=self, margins=NO_MARGINS, spacing=4)
        self._set_monospace()
        self.show_evidence(None)

    def set_columns(self, columns: Sequence[tuple[str, str]], chosen: str = "") -> None:
        """Offer these scores with their titles; keep the chosen score if possible, otherwise choose the first."""
        wanted, box = chosen or self.column(), self._templates
        if list(columns) != [(box.itemData(at), box.itemText(at)) for at in range(box.count())]:
            box.clear()
            for column, title in columns:
                box.addItem(title, column)
        at = self._templates.findData(wanted)
        self._templates.setCurrentIndex(at if at >= 0 else min(0, len(columns) - 1))
        self._offer()

    def column(self) -> str:
        """Return the chosen template's score column, or ""."""
        return self._templates.currentData() or ""

    def show_evidence(
        self, evidence: AnswerEvidence | None, read_prompt: Callable[[], str | None] | None = None
    ) -> None:
        """Show evidence, or a note that there is none yet; `read_prompt` is called only when the prompt is unfolded."""
        self._empty.setVisible(evidence is None)
        self._probabilities.setVisible(evidence is not None)
        parts = (self._warning, self._likeliest, self._tokens, self._length, self._cut, self._neutralised)
        for part in (self._odds, self._spellings, *parts):
            part.hide()
        explanation = evidence.explanation if evidence is not None else None
        self._explained.setVisible(explanation is not None)
        self._explanation.setVisible(explanation is not None)
        self._explanation.show_text(explanation or "")
        if evidence is not None:
            self._show(evidence)
        self._read_prompt = read_prompt
        self._show_prompt(self._fold.isChecked())

    def _offer(self) -> None:
        """Show the list of scores if the evidence is unfolded and there are several scores."""
        self._templates.setVisible(self.fold.isChecked() and self._templates.count() > 1)

    def set_scale(self, factor: float) -> None:
        """Update the monospaced type; the other type follows the parent's font."""
        self._set_monospace()

    def _fold_button(self) -> QToolButton:
        tip = self.tr("Show or hide every character that was sent to the judge")
        fold = fold_button(self.tr("Exact prompt"), tip)
        fold.toggled.connect(self._show_prompt)
        return fold

    def _line(self, text: str, name: str = "", bad: bool = False) -> WrappedText:
        line = WrappedText(muted=not bad, bad=bad)
        line.setObjectName(name)
        line.setText(text)
        return line

    def _set_monospace(self) -> None:
        font = QFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        font.setPointSizeF(self.font().pointSizeF() * 0.95)
        self._prompt.setFont(font)

    def _show(self, evidence: AnswerEvidence) -> None:
        write = score_names.probability
        self._probabilities.set_rows(
            [
                ScoreGauge(self.tr("p(yes)"), evidence.p_yes, text=write(evidence.p_yes), colour="paraphrase"),
                ScoreGauge(self.tr("p(no)"), evidence.p_no, text=write(evidence.p_no), colour="other"),
                *(
                    [ScoreGauge(self.tr("Sum"), evidence.mass, text=write(evidence.mass))]
                    if evidence.mass < WHOLE
                    else []
                ),
            ]
        )
        odds = score_names.odds(evidence.p_yes, evidence.p_no)
        self._odds.say(self.tr("In words: {0}.").format(odds) if odds else "")
        sums = [" + ".join(f"“{visible_token(text)}” {write(p)}" for text, p in side) for side in evidence.spellings]
        self._spellings.say(self.tr("p(yes) is {0}; p(no) is {1}.").format(*sums) if sums else "")
        if evidence.bound:
            lower = self.tr("The server did not return p(no): the score is at least this.")
            upper = self.tr("The server did not return p(yes): the score is at most this.")
            self._warning.say(lower if evidence.bound > 0 else upper)
        elif evidence.mass < LOW_MASS:
            rather = next((token for token, p in evidence.top if p > max(evidence.p_yes, evidence.p_no)), None)
            warning = self.tr("p(yes) and p(no) together are below 0.5.")
            if rather is not None:
                warning = self.tr("The model prefers another answer: {0}").format(f"“{visible_token(rather)}”")
            self._warning.say(warning)
        gauges = [
            ScoreGauge(f"“{visible_token(token)}”", p, text=write(p), colour=_side(evidence, token, p))
            for token, p in evidence.top
        ]
        if evidence.mass >= WHOLE:  # these are the two answers above
            gauges = []
        self._likeliest.setVisible(bool(gauges))
        self._tokens.set_rows(gauges)
        length = self.tr("The prompt is {0} tokens long.").format(f"{evidence.tokens:,}")
        self._length.say(length if evidence.tokens else "")
        cut = self.tr("The prompt is too long for this judge: the last {0} tokens of the sentences were cut.")
        self._cut.say(cut.format(f"{evidence.cut:,}") if evidence.cut else "")
        self._neutralised.setVisible(evidence.neutralised)

    def _show_prompt(self, unfolded: bool) -> None:
        self._prompt_text = ""
        if unfolded:
            self._prompt_text = (self._read_prompt() if self._read_prompt is not None else None) or ""
            self._prompt.show_text(self._prompt_text or self.tr("The prompt can be shown once a judge is loaded."))
        self._prompt.setVisible(unfolded)
        self._copy.setVisible(unfolded)
        self._copy.setEnabled(bool(self._prompt_text))

    def _copy_prompt(self) -> None:
        QGuiApplication.clipboard().setText(self._prompt_text)

    def _pick(self, at: int) -> None:
        self.chosen.emit(self._templates.itemData(at))


def _side(evidence: AnswerEvidence, token: str, p: float) -> str:
    """Return the colour of one of the likeliest answers: the colour of yes or no, or grey for any other answer."""
    spelled = [{text for text, _ in side} for side in evidence.spellings] or [set(), set()]
    sides = zip(("paraphrase", "other"), spelled, (evidence.p_yes, evidence.p_no), strict=True)
    return next((colour for colour, texts, known in sides if token in texts or math.isclose(p, known)), "unlabelled")
