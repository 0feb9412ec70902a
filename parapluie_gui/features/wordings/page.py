"""The Wording test page: the design, the run and the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.arrays import Rows
from parapluie_gui.errors import ParapluieError, TemplateError
from parapluie_gui.features.wordings.design import ORDERS, FactorialDesign, read_answers
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.templates import Template
from parapluie_gui.ui.analysis.experiment import ExperimentPage
from parapluie_gui.ui.analysis.links import AnalysisLinks
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, flow, hbox, name_control, vbox, widget_of
from parapluie_gui.ui.widgets.checklist import CheckItem, Checklist
from parapluie_gui.ui.widgets.controls import KeyChoice, caption, line
from parapluie_gui.ui.widgets.file_dialog import ask_to_open
from parapluie_gui.ui.widgets.wrapped import ElidedText, WrappedText

_BOTH = "both"

#: Widths of the fields for answers and examples, in average characters.
_ANSWERS, _EXAMPLES = 36, 10


class DesignForm(QWidget):
    """The form for the four factors of the test.

    Attributes:
        wordings, answers, order, examples: The controls of the factors.
        file_button: Opens the dialog for the corpus from which examples are drawn.

    Signals:
        changed: The user changed the design.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._templates: dict[str, Template] = {}
        self._file: Path | None = None
        self.wordings = Checklist(self.tr("Wordings"))
        tip = self.tr("Pairs of words for yes and no, separated by commas. Empty: the answer words of each wording")
        self.answers = line(self.tr("Answers"), self.tr("Each wording's own"), tip)
        self.order = name_control(KeyChoice(), self.tr("Order"), self.tr("Which sentence the judge reads first"))
        titles = self.tr("both orders"), self.tr("source first"), self.tr("hypothesis first")
        self.order.offer((_BOTH, *ORDERS), titles)
        tip = self.tr("Numbers of solved examples before the question, separated by commas")
        self.examples = line(self.tr("Examples"), tip=tip, text="0")
        for edit, letters in ((self.answers, _ANSWERS), (self.examples, _EXAMPLES)):
            edit.setFixedWidth(letters * edit.fontMetrics().averageCharWidth())
            edit.textChanged.connect(self.changed)
        self.order.chosen.connect(self.changed)
        self.wordings.changed.connect(self.changed)
        tip = self.tr("Choose the corpus with labels from which solved examples are drawn")
        self.file_button = button(self.tr("From &file…"), self._ask_for_file, tip, self.tr("File of examples"))
        self._file_name = ElidedText()
        self._file_name.say("")
        other_factors = flow(
            _with_label(self.tr("&Answers"), self.answers),
            _with_label(self.tr("&Order"), self.order),
            _with_label(self.tr("E&xamples"), self.examples),
            self.file_button,
            self._file_name,
        )
        title = QLabel(self.tr("Wordings"))
        vbox(title, self.wordings, other_factors, within=self, margins=NO_MARGINS, spacing=6)

    def offer(self, templates: Sequence[Template], chosen: Sequence[str]) -> None:
        """List the templates of a judge.

        Templates that the user ticked stay ticked; new templates are ticked if chosen.
        """
        self._templates = {template.name: template for template in templates}
        items = [CheckItem(template.name, template.name, template.title) for template in templates]
        self.wordings.set_items(items, chosen)

    def use_file(self, path: str) -> None:
        """Draw the examples from a file."""
        self._file = Path(path)
        self._file_name.say(self._file.name)
        self.changed.emit()

    def design(self) -> FactorialDesign:
        """Return the design in the form.

        Raises:
            TemplateError: A field is empty or wrong.
        """
        wordings = tuple(self._templates[name] for name in self.wordings.checked_keys())
        if not wordings:
            raise TemplateError(self.tr("Choose at least one wording."))
        answers = read_answers([text for text in self.answers.text().split(",") if text.strip()])
        orders = ORDERS if self.order.key() == _BOTH else (self.order.key(),)
        counts = self._counts()
        if any(counts) and self._file is None:
            raise TemplateError(self.tr("Choose the file from which solved examples are drawn: a corpus with labels."))
        return FactorialDesign(wordings, answers, orders, counts, self._file if any(counts) else None)

    def _counts(self) -> tuple[int, ...]:
        texts = [text.strip() for text in self.examples.text().split(",") if text.strip()] or ["0"]
        if not all(text.isdecimal() and int(text) <= 100 for text in texts):
            raise TemplateError(self.tr("Examples must be numbers from 0 to 100, separated by commas, such as 0, 4."))
        return tuple(dict.fromkeys(map(int, texts)))

    def _ask_for_file(self) -> None:
        ask_to_open(self, self.tr("File of examples"), self.use_file)


def _with_label(text: str, control: QWidget) -> QWidget:
    return widget_of(hbox(caption(text, control), control, margins=NO_MARGINS, spacing=5))


@dataclass(frozen=True)
class JudgeWordings:
    """The judge of the wording test and its templates.

    Attributes:
        judge: The title of the judge; "" if no judge is ready.
        templates: The templates that the judge can use.
        chosen: The names of the templates chosen in Setup.
        others: The number of other judges chosen in Setup.
    """

    judge: str = ""
    templates: Sequence[Template] = ()
    chosen: Sequence[str] = ()
    others: int = 0


@dataclass(frozen=True, eq=False)
class WordingTestRequest:
    """A request to judge rows of a corpus in all forms of a design."""

    corpus: Corpus
    rows: Rows
    design: FactorialDesign


class WordingTestPage(ExperimentPage):
    """The page that judges selected pairs in every combination of the levels.

    Attributes:
        design: The form for the factors.
        plan: The text with the number of questions, or with the reason why the test cannot start.
        wordings: Returns the judge and its templates.
    """

    def __init__(self, links: AnalysisLinks) -> None:
        super().__init__(links, analysis("sweep"))
        self.wordings: Callable[[], JudgeWordings] = JudgeWordings
        self.design = DesignForm()
        self.design.changed.connect(self.show_chosen)
        self.plan = WrappedText()
        self.flow.insertWidget(1, self.design)
        self.flow.insertWidget(2, self.plan)
        self.offer_start(self.tr("Test &wordings"))
        links.workspace.selection.set_changed.connect(self.show_chosen)
        self.show_end("")

    def show_chosen(self, *_: object) -> None:
        """Show the number of questions, or the reason why the test cannot start."""
        if not self.isVisible():
            return
        wordings = self.wordings()
        self.design.offer(wordings.templates, wordings.chosen)
        self.plan.say("")
        try:
            forms, rows = prod(map(len, self.design.design().levels)), len(self._rows())
            missing = self._missing(wordings.judge, rows)
        except ParapluieError as error:
            missing = str(error)
        if missing:
            self.plan.say(missing)
        else:
            count = int(np.count_nonzero(self.links.workspace.selection.mask))
            template = self.tr("{0}: {1} forms × {2} of {3} selected pairs = {4} questions.")
            numbers = (f"{number:,}" for number in (forms, rows, count, forms * rows))
            sentences = [template.format(wordings.judge, *numbers)]
            if wordings.others:
                sentences.append(self.tr("The test uses one judge: the one selected in Setup's list of models."))
            self.plan.say(" ".join(sentences))
        self.start_button.setEnabled(not missing and self.running.isHidden())

    def what(self) -> WordingTestRequest:
        corpus = self.links.workspace.corpus
        assert corpus is not None
        return WordingTestRequest(corpus, self._rows(), self.design.design())

    def _rows(self) -> Rows:
        """Return the rows to judge: the selection, or a random sample if it is larger than the option allows."""
        rows: Rows = self.options.draw(np.flatnonzero(self.links.workspace.selection.mask))
        return rows

    def _missing(self, judge: str, rows: int) -> str:
        if not judge:
            return self.tr("No judge is ready. Choose one in Setup.")
        return "" if rows else self.tr("No pair is selected. Open a corpus (Ctrl+O), or press Esc to show all pairs.")
