"""The dialog that changes which columns of an open corpus are labels, human scores or annotators."""

from __future__ import annotations

from math import isnan, nan
from typing import Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.annotators import find_doubled_people, has_few_answers
from parapluie_gui.pairs.column import NumberColumn
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.pairs.reading.conventions import find_convention
from parapluie_gui.pairs.reading.preview import LONGEST_VALUE, MOST_VALUES
from parapluie_gui.pairs.reading.raw_table import as_text
from parapluie_gui.pairs.reading.values import read_label, read_labels
from parapluie_gui.ui.setup.column_form import ValueChoice
from parapluie_gui.ui.widgets.arrange import scroll_area, vbox, widget_of
from parapluie_gui.ui.widgets.checklist import CheckItem, Checklist
from parapluie_gui.ui.widgets.controls import dialog_buttons, form, number
from parapluie_gui.ui.widgets.wrapped import WrappedText


class RolesDialog(QDialog):
    """A dialog that asks for the columns of labels, human scores, and annotators (each with one person's answers).

    Attributes:
        label, human: The column that takes the role; None changes nothing.
        positive: The values of the label column; the values that mean a paraphrase are ticked.
        annotators: The columns with few different answers; columns of annotators are ticked.
        least: The lowest grade that an annotator gives a paraphrase; 0 if the answers are labels.

    Signals:
        chosen: ("label" or "human", values) The user changed a role; emitted once for each.
        annotated: (dict) The user changed the annotators; see `Corpus.annotators`.
    """

    chosen = Signal(str, object)
    annotated = Signal(object)

    def __init__(self, corpus: Corpus, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "corpora")
        self.setWindowTitle(self.tr("Labels, human scores and annotators"))
        self._corpus = corpus
        self._values = {name: values for name in corpus.extra if (values := _few_values(corpus, name))}
        numeric = [name for name in corpus.extra if corpus.numbers(name) is not None]
        intro = WrappedText(self)
        intro.say(
            self.tr(
                "Other columns can be the label, the human score or annotators (each with one person's answers). "
                "Scores, notes and verdicts are kept."
            )
        )
        self.label = self._offer_columns(self.tr("Label"), list(self._values))
        self.human = self._offer_columns(self.tr("Human score"), numeric)
        self.positive = Checklist(self.tr("Labels that mean a paraphrase"), self)
        people = [name for name in corpus.extra if has_few_answers(corpus.extra[name])]
        self.annotators = Checklist(self.tr("Annotators"), self)
        self.annotators.set_items([CheckItem(name, name) for name in people], corpus.annotators)
        tip = self.tr("The lowest grade that counts as a paraphrase. Not needed for 0 and 1, or yes and no")
        known = [least for least in corpus.annotators.values() if not isnan(least)]
        self.least = number(self.tr("Annotators: paraphrase from"), (0, 1000), known[0] if known else 0, tip)
        self.least.setSpecialValueText(self.tr("not needed"))
        self._problem = WrappedText(self, bad=True)
        self._problem.setAccessibleName(self.tr("Problem to solve"))
        fields = (
            (self.tr("&Label"), self.label),
            (self.tr("Paraphrase is"), self.positive),
            (self.tr("&Human score"), self.human),
            (self.tr("Annotators"), _low(self.annotators)),
            (self.tr("Paraphrase &from"), self.least),
        )
        self._form = form(fields)
        self.buttons = dialog_buttons(self, ok=QDialogButtonBox.StandardButton.Ok)
        vbox(intro, widget_of(self._form), self._problem, 1, self.buttons, within=self)
        self.label.currentIndexChanged.connect(self._offer_values)
        self.human.currentIndexChanged.connect(self._judge)
        self.positive.changed.connect(self._judge)
        self.annotators.changed.connect(self._judge)
        self.least.valueChanged.connect(self._judge)
        self._offer_values()

    def accept(self) -> None:
        """Emit the chosen roles."""
        for role, values in self._roles().items():
            self.chosen.emit(role, values)
        if self._other_annotators():
            self.annotated.emit(self._annotators())
        super().accept()

    def _annotators(self) -> dict[str, float]:
        return dict.fromkeys(self.annotators.checked_keys(), self.least.value() or nan)

    def _other_annotators(self) -> bool:
        now, before = self._annotators(), self._corpus.annotators
        return list(map(repr, now.items())) != list(map(repr, before.items()))

    def _roles(self) -> dict[str, Any]:
        """Return the values of each changed role.

        Raises:
            ParapluieError: The labels cannot be interpreted.
        """
        roles: dict[str, Any] = {}
        if (name := self.label.value) is not None:
            cells = self._corpus.extra[name].cells()
            ticked = tuple(self.positive.checked_keys())
            convention = find_convention(cells, self._corpus.source, self._corpus.hypothesis)
            if convention is not None and not ticked:
                cells = list(convention.labels)
            understood = all(read_label(value) in (int(value in ticked), UNLABELLED) for value in self._values[name])
            positive = () if understood else ticked
            labels = read_labels(cells, range(1, len(cells) + 1), self._corpus.path, name, positive)
            roles["label"] = np.full(len(cells), UNLABELLED, np.int8) if labels is None else labels
        if (name := self.human.value) is not None:
            column = self._corpus.extra[name]
            assert isinstance(column, NumberColumn)
            roles["human"] = column.values
        return roles

    def _offer_values(self) -> None:
        values = self._values.get(self.label.value, ())
        meanings = {value: read_label(value) for value in values}
        known = set() if None in meanings.values() else {value for value, meaning in meanings.items() if meaning == 1}
        self.positive.set_items([CheckItem(value, value) for value in values if meanings[value] != UNLABELLED], known)
        self._form.setRowVisible(self.positive, bool(values))
        self._judge()

    def _judge(self) -> None:
        problem = ""
        try:
            roles = self._roles()
        except ParapluieError:
            roles, problem = {}, self.tr("Tick the values of the label that mean a paraphrase.")
        if not problem and (doubled := find_doubled_people(self.annotators.checked_keys())):
            words = self.tr("“{0}” and “{1}” name the same person. Untick one, or rename it in the file.")
            problem = words.format(*doubled[0])
        self._problem.say(problem)
        okay = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        okay.setEnabled(not problem and (bool(roles) or self._other_annotators()))

    def _offer_columns(self, name: str, columns: list[str]) -> ValueChoice:
        choice = ValueChoice(name, self.tr("Column that takes this role"), self)
        choice.offer([(None, self.tr("— no change —")), *((column, column) for column in columns)], None)
        return choice


def _low(widget: QWidget) -> QWidget:
    """Return a scroll area that is a few lines high."""
    area = scroll_area(widget)
    area.setMaximumHeight(8 * widget.fontMetrics().height())
    return area


def _few_values(corpus: Corpus, name: str) -> tuple[str, ...]:
    """Return the values of a column if it has few, as label columns do; otherwise none."""
    values = sorted({text for cell in corpus.extra[name].cells() if (text := as_text(cell).strip())})
    fits = 1 < len(values) <= MOST_VALUES and max(map(len, values)) <= LONGEST_VALUE
    return tuple(values) if fits else ()
