"""The Bench's panel of paraphrases by a judge: settings, candidates with their scores, and actions on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDoubleSpinBox,
    QHeaderView,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.pluie.writing import SamplingSettings, WrittenParaphrase, remark_on_candidates
from parapluie_gui.pluie.writing_templates import WritingTemplate
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.stored_values import StoredValues
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, FlowLayout, button, flow, hbox, name_control, vbox, widget_of
from parapluie_gui.ui.widgets.controls import bar, caption, make_spin_box, number, table
from parapluie_gui.ui.widgets.growing_text import displayable
from parapluie_gui.ui.widgets.text import tooltip
from parapluie_gui.ui.widgets.wrapped import NarrowBox, WrappedText

#: Maximum number of candidates of a sentence at a time.
MOST = 50
#: Visible rows of the list.
ROWS = 6
#: Minimum visible width of a candidate, in letters.
LETTERS = 26


@dataclass(frozen=True)
class _CandidateRow:
    """A candidate and its scores so far."""

    candidate: WrittenParaphrase
    entry: BenchEntry


class ParaphrasesPanel(QWidget):
    """The panel with settings for paraphrases of a sentence and the list of candidates; it does not know the worker.

    Attributes:
        model, template, count, temperature, top_p, seed: Controls of the settings.
        list: The candidates, one in each row.

    Signals:
        write_requested, stop_requested: The user pressed the button.
        taken: (list of BenchEntry) Candidates to add to the history; the last one also goes into the fields.
        corpus_requested: The user wants to open the candidates as a corpus.
        model_wanted: The user wants to get a model that writes.
    """

    write_requested = Signal()
    stop_requested = Signal()
    taken = Signal(list)
    corpus_requested = Signal()
    model_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hide()
        self.setProperty("manual_page", "paraphrases")
        self._templates: dict[str, WritingTemplate] = {}
        self._source = ""
        self._rows: list[_CandidateRow] = []
        self._make_settings()
        self.list = self._make_list()
        tip = self.tr("Write paraphrases")
        self.write_button = button(self.tr("Write"), self.write_requested.emit, tip, tip)
        self.write_button.setProperty("words", self.tr("paraphrase judge"))
        self.stop_button = button(self.tr("Stop"), self.stop_requested.emit, self.tr("Stop writing; the list is kept"))
        tip = self.tr("Copy the chosen candidate into the fields, and add it to the history with its scores")
        self.take_button = button(self.tr("Use"), self._take_current, tip, self.tr("Use the chosen candidate"))
        tip = self.tr("Add all candidates to the history, with their scores")
        self.all_button = button(self.tr("Add all"), self._take_all, tip, self.tr("Add all candidates"))
        tip = self.tr("Open the candidates as a corpus of this session")
        self.corpus_button = button(self.tr("Open as a corpus"), self.corpus_requested.emit, tip)
        self.busy = bar(self.tr("Writing in progress"), height=8)
        self.stage, self.hint = WrappedText(muted=True), WrappedText(bad=True)
        models = hbox((self.model, 1), (self.template, 1), margins=NO_MARGINS)
        buttons = flow(self.write_button, self.stop_button, self.take_button, self.all_button, self.corpus_button)
        nothing = WrappedText()
        nothing.setText(self.tr("There is no model that writes on this computer. The pocket judge only fills gaps."))
        tip = self.tr("Show the models that can be downloaded, in Setup")
        self.get_button = button(self.tr("Get a model that writes…"), self.model_wanted.emit, tip)
        self._without = widget_of(vbox(nothing, flow(self.get_button), margins=NO_MARGINS, spacing=5))
        self._with = widget_of(vbox(models, self._numbers, buttons, margins=NO_MARGINS, spacing=5))
        parts = (self._without, self._with, self.busy, self.stage, self.hint, self.list)
        vbox(*parts, within=self, margins=NO_MARGINS, spacing=5)
        self.set_busy(0, 0)
        self.stage.say("")
        self.hint.say("")
        self._show_rows()

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """The controls in the order of the Tab key."""
        buttons = (self.write_button, self.stop_button, self.take_button, self.all_button, self.corpus_button)
        return (self.get_button, self.model, self.template, *self._boxes().values(), *buttons, self.list)

    # Settings

    def set_models(self, models: Iterable[tuple[str, str]], default: str) -> None:
        """List the models that write, by name and title; keep the choice, or choose the `default` or the first."""
        chosen = self.model_name or default
        with QSignalBlocker(self.model):
            self.model.clear()
            for name, title in models:
                self.model.addItem(title, name)
            self.model.setCurrentIndex(max(self.model.findData(chosen), 0))
        has_models = bool(self.model.count())
        self._with.setVisible(has_models)
        self._without.setVisible(not has_models)

    def set_templates(self, templates: Sequence[WritingTemplate]) -> None:
        """List the templates and choose the first."""
        self._templates = {template.name: template for template in templates}
        self.template.clear()
        for place, template in enumerate(templates):
            self.template.addItem(template.name)
            tip = "\n".join(filter(None, (template.title, template.provenance)))
            self.template.setItemData(place, tooltip(tip), Qt.ItemDataRole.ToolTipRole)

    @property
    def model_name(self) -> str:
        """Name of the chosen model; "" without a model that can write."""
        return str(self.model.currentData() or "")

    def chosen_template(self) -> WritingTemplate:
        return self._templates[self.template.currentText()]

    def sampling(self) -> SamplingSettings:
        return SamplingSettings(self.temperature.value(), self.top_p.value(), self.seed.value())

    def settings(self) -> dict[str, object]:
        """Return the settings as values for JSON."""
        numbers = {name: box.value() for name, box in self._boxes().items()}
        return {"version": 1, "template": self.template.currentText(), **numbers}

    def restore(self, settings: Mapping[str, object]) -> None:
        """Restore the result of `settings`, without invalid values."""
        stored = StoredValues.wrap(settings)
        self.template.setCurrentIndex(max(self.template.findText(stored.text("template")), 0))
        for name, box in self._boxes().items():
            value = stored.number(name)
            if value is None or not box.minimum() <= value <= box.maximum():
                continue
            if isinstance(box, QSpinBox):
                box.setValue(int(value))
            else:
                box.setValue(value)

    def _boxes(self) -> dict[str, QSpinBox | QDoubleSpinBox]:
        return {"count": self.count, "temperature": self.temperature, "top_p": self.top_p, "seed": self.seed}

    # Candidates

    @property
    def source(self) -> str:
        """The sentence whose candidates are listed."""
        return self._source

    @property
    def candidates(self) -> list[WrittenParaphrase]:
        return [row.candidate for row in self._rows]

    def begin(self, source: str) -> None:
        """Clear the list, for the candidates of a new sentence."""
        self._source, self._rows = source, []
        self.hint.say("")
        self._show_rows()

    def add(self, candidate: WrittenParaphrase) -> int:
        """Append a candidate and return its place."""
        self._rows.append(_CandidateRow(candidate, BenchEntry(self._source, candidate.text)))
        self._show_rows()
        return len(self._rows) - 1

    def show_scores(
        self,
        place: int,
        values: Mapping[str, float],
        evidence: Mapping[str, AnswerEvidence] | None = None,
        prompts: Mapping[str, str] | None = None,
        model: str = "",
    ) -> None:
        """Add scores to those of a candidate."""
        row = self._rows[place]
        entry = row.entry.with_scores(values, evidence, prompts, model)
        self._rows[place] = replace(row, entry=entry)
        self._show_rows()

    def set_busy(self, done: int, total: int) -> None:
        """Show the number of written candidates; a total of 0 hides the bar."""
        self.busy.setVisible(bool(total))
        self.busy.setRange(0, total)
        self.busy.setValue(done)
        # Move the focus between the two buttons first: disabling a button passes it on to the history.
        enabled, disabled = (self.stop_button, self.write_button) if total else (self.write_button, self.stop_button)
        enabled.setEnabled(True)
        if disabled.hasFocus():
            enabled.setFocus()
        disabled.setEnabled(False)

    # Construction

    def _make_settings(self) -> None:
        self.model, self.template = NarrowBox(6), NarrowBox(6)
        name_control(self.model, self.tr("Model that writes"))
        name_control(self.template, self.tr("Template for writing"))
        tip = self.tr("Number of paraphrases to write")
        self.count = make_spin_box(self.tr("Candidates"), (1, MOST), 5, tip)
        tip = self.tr("Higher: more varied, but less close to the source. 0: always the same text")
        self.temperature = number(self.tr("Temperature"), (0.0, 2.0), SamplingSettings.temperature, tip, step=0.1)
        tip = self.tr("Sample from the likeliest tokens that together have this probability")
        self.top_p = number(self.tr("Top-p"), (0.05, 1.0), SamplingSettings.top_p, tip, step=0.05)
        self.seed = make_spin_box(self.tr("Seed"), (0, 999_999), 0, self.tr("A different seed gives different texts"))
        self._numbers = FlowLayout(gap=6)
        for box in (self.count, self.temperature, self.top_p, self.seed):
            words = caption(box.accessibleName(), box)
            self._numbers.addWidget(widget_of(hbox(words, box, margins=NO_MARGINS, spacing=4)))

    def _make_list(self) -> QTableWidget:
        rows = table(self.tr("Candidates"))
        rows.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        rows.horizontalHeader().setHighlightSections(False)
        rows.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        rows.itemActivated.connect(self._take_current)
        rows.itemSelectionChanged.connect(self._show_buttons)
        rows.setMinimumHeight(rows.fontMetrics().lineSpacing() * 2 * ROWS)
        return rows

    def _title(self, column: str) -> str:
        """Return the name of a score, with the judge if there are several."""
        entry = next((row.entry for row in self._rows if column in row.entry.values), None)
        if entry is None:
            return column
        judge, template = entry.heads(entry.values, {}).get(column, ("", ""))
        return self.tr("{0} · {1}").format(template, judge) if judge else entry.title(column)

    def _show_rows(self) -> None:
        columns = list(
            dict.fromkeys(name for row in self._rows for name in row.entry.values if identify(name).is_score)
        )
        columns.sort(key=lambda name: not identify(name).is_from_judge)
        chosen = self.list.currentRow()
        with QSignalBlocker(self.list):
            self.list.setColumnCount(1 + len(columns))
            self.list.setRowCount(len(self._rows))
            self.list.setHorizontalHeaderLabels([self.tr("Candidate"), *map(self._title, columns)])
            remarks = remark_on_candidates(self._source, self.candidates)
            for place, (row, remark) in enumerate(zip(self._rows, remarks, strict=True)):
                text = displayable(row.candidate.text) or self.tr("(empty)")
                cell = QTableWidgetItem(
                    f"{text}  · {self._word_remark(remark)}" if remark not in ("", "empty") else text
                )
                cell.setToolTip(tooltip(row.candidate.text))
                self.list.setItem(place, 0, cell)
                for index, name in enumerate(columns, start=1):
                    value = row.entry.values.get(name)
                    write = score_names.format_signed if identify(name).is_from_judge else score_names.format_plain
                    missing = "…" if row.candidate.text else ""
                    number = QTableWidgetItem(missing if value is None else write(value))
                    number.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                    self.list.setItem(place, index, number)
            self.list.setCurrentCell(chosen, 0)
        header = self.list.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.list.setVisible(bool(self._rows))
        # In a narrow window the list scrolls sideways, so that candidates stay readable.
        narrowest = header.fontMetrics().averageCharWidth() * LETTERS
        scores = sum(header.sectionSizeHint(index) for index in range(1, len(columns) + 1))
        fits = self.list.viewport().width() - scores >= narrowest
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch if fits else QHeaderView.ResizeMode.Fixed)
        if not fits:
            header.resizeSection(0, narrowest)
        self._show_buttons()

    def _word_remark(self, remark: str) -> str:
        """Return a remark of `remark_on_candidates`, worded for the user."""
        remarks = {"same as the source": self.tr("same as the source"), "cut": self.tr("cut off at the token limit")}
        number = remark.rpartition(" ")[2]
        return remarks.get(remark) or self.tr("repeats candidate {0}").format(number)

    def _show_buttons(self) -> None:
        has_text = any(row.candidate.text for row in self._rows)
        for action in (self.take_button, self.all_button, self.corpus_button):
            action.setVisible(bool(self._rows))
            action.setEnabled(has_text)
        chosen = self.list.currentRow()
        self.take_button.setEnabled(0 <= chosen < len(self._rows) and bool(self._rows[chosen].candidate.text))

    def _take_current(self) -> None:
        if self.take_button.isEnabled():
            self.taken.emit([self._rows[self.list.currentRow()].entry])

    def _take_all(self) -> None:
        self.taken.emit([row.entry for row in self._rows if row.candidate.text])
