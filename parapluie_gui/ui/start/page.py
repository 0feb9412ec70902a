"""The start page: an introduction, buttons that open pairs, recent files, and a pair to try at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QWidget

from parapluie_gui.errors import one_line
from parapluie_gui.feature import ShippedCorpus, collect_parts
from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.ui.pair.caution import JudgeCaution
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, clear, flow, name_control, scroll_area, vbox, widget_of
from parapluie_gui.ui.widgets.controls import caption, plain
from parapluie_gui.ui.widgets.drop_area import DropArea
from parapluie_gui.ui.widgets.growing_text import SentenceEdit
from parapluie_gui.ui.widgets.text import enlarge, heading, tooltip
from parapluie_gui.ui.widgets.theme import APART, CLOSE, FIGURE, NEAR, PAGE, TITLE, follow_theme, set_rules
from parapluie_gui.ui.widgets.wrapped import WrappedText


class PairTrial(QWidget):
    """Two sentences to type, and the chosen judge's answer.

    Attributes:
        source, hypothesis: The fields.
        score: The score and its verdict in large type, "" before there is one.
        caution: Shown below the pocket judge's score.

    Signals:
        score_requested: (request, source, hypothesis) Score the pair; the answer comes with the number of the request.
        bench_requested: (source, hypothesis) Open the pair in the Bench.
    """

    score_requested = Signal(int, str, str)
    bench_requested = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._request = 0
        self._value: float | None = None
        self.source, self.hypothesis = SentenceEdit(), SentenceEdit()
        self.source.setPlaceholderText(self.tr("Have you ever seen a tsunami?"))
        self.hypothesis.setPlaceholderText(self.tr("Have you ever seen a tidal wave?"))
        layout = vbox(heading(self.tr("Try a pair")), within=self, margins=NO_MARGINS, spacing=CLOSE)
        for words, edit in ((self.tr("Source"), self.source), (self.tr("Hypothesis"), self.hypothesis)):
            name_control(edit, words, self.tr("Enter scores the pair"))
            edit.entered.connect(self.ask)
            edit.textChanged.connect(self._forget)
            edit.pair_pasted.connect(self._take_pair)
            edit.pairs_pasted.connect(lambda rows: self._take_pair(*rows[0]))
            layout.addWidget(caption(words, edit))
            layout.addWidget(edit)
        self.score_button = button(self.tr("Score"), self.ask, self.tr("Score the pair (Enter)"))
        self.score_button.setProperty("primary", True)
        tip = self.tr("Score the pair with other judges and metrics, and change its words")
        self.bench_button = button(self.tr("Open in the Bench"), self._open_in_bench, tip)
        self.score = plain(wraps=True, selectable=True)
        enlarge(self.score, FIGURE)
        self.answer, self.trouble = WrappedText(muted=True), WrappedText(bad=True)
        self.caution = JudgeCaution()
        layout.addSpacing(CLOSE)
        layout.addLayout(flow(self.score_button, self.bench_button))
        layout.addSpacing(NEAR)
        for part in (self.score, self.answer, self.caution, self.trouble):
            layout.addWidget(part)
        follow_theme(self._dress)
        self._forget()

    def ask(self) -> None:
        """Request the score of the pair, or show which sentence is missing."""
        source, hypothesis = self.texts()
        if not source or not hypothesis:
            missing = self.tr("Write a hypothesis first.") if source else self.tr("Write a source sentence first.")
            self.trouble.say(missing)
            (self.hypothesis if source else self.source).setFocus()
            return
        self._forget()
        self.answer.say(self.tr("Scoring …"))
        self.source.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.source.selectAll()  # the next pair will replace this one
        self.score_requested.emit(self._request, source, hypothesis)

    def texts(self) -> tuple[str, str]:
        """Return source and hypothesis, stripped of white space."""
        return self.source.toPlainText().strip(), self.hypothesis.toPlainText().strip()

    def show_score(
        self, request: int, value: float, evidence: AnswerEvidence | None, judge: str, model: str = ""
    ) -> None:
        """Show the score of a request by a judge, its title and model, unless the sentences have changed since."""
        if request != self._request:
            return
        self._value = value
        word = self.tr("paraphrase") if value > 0 else self.tr("not a paraphrase")
        self.score.setText(f"{score_names.format_signed(value)}  {word}")
        self.score.show()
        self.caution.set_judges([model])
        self._dress()
        self.trouble.say("")
        if evidence is None:
            self.answer.say(judge)
            return
        yes, no = evidence.p_yes, evidence.p_no
        words = self.tr("{0}: p(yes) {1}, p(no) {2}, {3}. The score is log p(yes) − log p(no).")
        chances = score_names.probability(yes), score_names.probability(no)
        self.answer.say(words.format(judge, *chances, score_names.odds(yes, no)))

    def show_trouble(self, request: int, sentence: str) -> None:
        """Show why there is no score."""
        if request == self._request:
            self.answer.say("")
            self.trouble.say(sentence)

    def _dress(self) -> None:
        set_rules(self.score, "color: $paraphrase;" if (self._value or 0) > 0 else "color: $other;")

    def _forget(self) -> None:
        """Remove the score, which does not belong to the present sentences."""
        self._request += 1
        self._value = None
        self.score.setText("")
        self.score.hide()
        self.caution.set_judges(())
        self.answer.say("")
        self.trouble.say("")

    def _take_pair(self, source: str, hypothesis: str) -> None:
        self.source.setPlainText(source)
        self.hypothesis.setPlainText(hypothesis)

    def _open_in_bench(self) -> None:
        self.bench_requested.emit(*self.texts())


#: Maximum number of recent files listed, and of letters of a name shown.
MOST, LETTERS = 8, 60

#: Width of the page from which it has two columns, and its maximum width, in average letters.
TWO_COLUMNS, WIDEST = 110, 170


class StartPage(QWidget):
    """The page shown instead of the scatter while no corpus is open.

    Attributes:
        trial: Fields for a pair, scored at once.
        recent: The buttons of the recent files.
        place: Where the chosen judge computes.

    Signals:
        open_requested, paste_requested, demo_requested: The user pressed the button.
        shipped_requested: (str) The user pressed the button of a shipped corpus, by its name.
        files_wanted: (list of Path) The user dropped files or chose a recent one.
    """

    open_requested = Signal()
    paste_requested = Signal()
    demo_requested = Signal()
    shipped_requested = Signal(str)
    files_wanted = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "start")
        self.setAccessibleName(self.tr("Start"))
        self.trial = PairTrial()
        self.recent: list[QPushButton] = []
        self._listed: list[Path] = []
        self._none = WrappedText(muted=True)
        self._none.say(self.tr("Files that you open are listed here."))
        self._files = vbox(spacing=0)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.setSpacing(PAGE)
        self._columns.addWidget(widget_of(self._opening()), 1)
        self._columns.addWidget(widget_of(vbox(self.trial, 1, margins=NO_MARGINS)), 1)
        self._page = QWidget()
        self.place = WrappedText(muted=True)
        self.place.setAccessibleName(self.tr("Where the sentences are scored"))
        self.set_place("")
        introduction = vbox(self._introduction(), self.place, spacing=CLOSE)
        parts = (heading(self.tr("ParaPLUIE Inspector"), TITLE), introduction, self._columns, 1)
        vbox(*parts, within=self._page, margins=(PAGE, PAGE, PAGE, PAGE), spacing=APART)
        self._area = scroll_area(self._page)
        self._area.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        vbox(self._area, within=self, margins=NO_MARGINS)

    def set_recent(self, names: Sequence[str]) -> None:
        """List the most recent files that still exist."""
        paths = [path for name in names[:MOST] if (path := Path(name)).exists()]
        if paths == self._listed:
            return
        clear(self._files)
        self._listed, self.recent = paths, [self._file(path) for path in paths]
        for entry in self.recent:
            self._files.addWidget(entry, 0, Qt.AlignmentFlag.AlignLeft)
        self._none.setVisible(not self.recent)

    def set_place(self, host: str) -> None:
        """Show where the chosen judge computes: on another host, or on this computer ("")."""
        elsewhere = self.tr("Sentences that the chosen judge scores are sent to {0}.").format(host)
        self.place.say(elsewhere if host else self.tr("Everything is computed on this computer."))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stack the two columns if the page is narrow."""
        letter = self.fontMetrics().averageCharWidth()
        wide = self.width() >= TWO_COLUMNS * letter
        direction = QBoxLayout.Direction
        self._columns.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        self._page.setMaximumWidth(WIDEST * letter)
        super().resizeEvent(event)

    def _introduction(self) -> WrappedText:
        text = WrappedText()
        text.say(
            self.tr(
                "ParaPLUIE asks a language model whether two sentences mean the same and scores its answer: above 0 "
                "the answer is “paraphrase”, below 0 it is not. This program scores your sentence pairs in this way "
                "and with "
                "the classic metrics, and shows where the scores agree, where they fail, and why."
            )
        )
        return text

    def _opening(self) -> QBoxLayout:
        area = DropArea()
        area.dropped.connect(self.files_wanted)
        invitation = WrappedText(muted=True)
        invitation.say(
            self.tr(
                "Drop a file of sentence pairs here (CSV, TSV, JSON, Excel, Parquet), or a session. You can also paste "
                "rows copied from a spreadsheet."
            )
        )
        self.open_button = button(self.tr("Open…"), self.open_requested.emit, self.tr("Open a corpus or a session"))
        icons.put(self.open_button, "folder-open", QPalette.ColorRole.HighlightedText)
        self.open_button.setProperty("primary", True)
        tip = self.tr("Open the pairs on the clipboard: spreadsheet rows, CSV or JSON")
        self.paste_button = button(self.tr("Paste pairs"), self.paste_requested.emit, tip, icon="clipboard-paste")
        tip = self.tr("Open the small corpus that comes with the program")
        self.demo_button = button(self.tr("Open the demo"), self.demo_requested.emit, tip)
        self.shipped_buttons = {shipped.name: self._shipped_button(shipped) for shipped in collect_parts("corpora")}
        buttons = flow(self.open_button, self.paste_button, self.demo_button, *self.shipped_buttons.values())
        vbox(invitation, buttons, within=area, margins=(APART, APART, APART, APART), spacing=NEAR)
        recent = vbox(heading(self.tr("Recent")), self._none, self._files, spacing=CLOSE)
        opening = vbox(heading(self.tr("Open pairs")), area, spacing=NEAR)
        return vbox(opening, recent, 1, margins=NO_MARGINS, spacing=APART)

    def _shipped_button(self, corpus: ShippedCorpus) -> QPushButton:
        text = self.tr("Open {0}").format(corpus.title)
        return button(text, partial(self.shipped_requested.emit, corpus.name), corpus.tip)

    def _file(self, path: Path) -> QPushButton:
        name, folder = one_line(path.name), one_line(path.parent)
        text = f"{name}  ·  {folder}"
        shown = text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"
        # The ampersand would become a shortcut: names are data.
        choice = QPushButton(shown.replace("&", "&&"))
        choice.setProperty("link", True)
        choice.setCursor(Qt.CursorShape.PointingHandCursor)
        choice.clicked.connect(partial(self._choose, path))
        return name_control(choice, self.tr("Open {0}").format(name), tooltip(one_line(path)))

    def _choose(self, path: Path, checked: bool = False) -> None:
        self.files_wanted.emit([path])
