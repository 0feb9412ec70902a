"""The forms of the mapper dialog: the roles of the columns, and how the file is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from parapluie_gui.pairs.annotators import split_threshold
from parapluie_gui.pairs.corpus import ROLES, UNLABELLED
from parapluie_gui.pairs.reading.decisions import ReadingDecisions, to_decisions
from parapluie_gui.pairs.reading.encoding import ENCODINGS, encoding_name
from parapluie_gui.pairs.reading.layouts import LAYOUTS
from parapluie_gui.pairs.reading.mapping import ColumnMapping, list_columns
from parapluie_gui.pairs.reading.people import JUDGEMENT_ROLES
from parapluie_gui.pairs.reading.preview import FilePreview
from parapluie_gui.pairs.reading.values import read_label
from parapluie_gui.pairs.saved_plan import fitting_plans
from parapluie_gui.ui.state.reading_controls import control_names, quoting_names
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, name_control
from parapluie_gui.ui.widgets.checklist import CheckItem, Checklist
from parapluie_gui.ui.widgets.controls import form, line, number, tick
from parapluie_gui.ui.widgets.wrapped import NarrowBox

#: Roles in the order of the form.
SHOWN_ROLES = ("source", "hypothesis", "label", "human", "reference", "id", "group")
assert set(SHOWN_ROLES) == set(ROLES)


#: Lines of a file that can be chosen as its header.
_HEADER_LINES = 5


class ValueChoice(NarrowBox):
    """A combo box whose entries stand for the objects in `values`."""

    def __init__(self, name: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(16, parent)
        self.values: list[Any] = []
        name_control(self, name, tip)

    def offer(self, entries: Sequence[tuple[Any, str]], value: Any) -> None:
        """List entries and choose that of a value, or the first, without a signal."""
        with QSignalBlocker(self):
            self.clear()
            self.values = [entry for entry, _ in entries]
            self.addItems([text for _, text in entries])
            self.setCurrentIndex(self.values.index(value) if value in self.values else 0)

    @property
    def value(self) -> Any:
        return self.values[self.currentIndex()] if 0 <= self.currentIndex() < len(self.values) else None

    def choose(self, value: Any) -> None:
        """Choose a value, with the signal of a user's choice."""
        self.setCurrentIndex(self.values.index(value))


class RoleForm(QWidget):
    """A form with a list of columns for each role.

    Attributes:
        positive: The values of the label column, if there are few; those that mean a paraphrase are ticked.
        missing: Values of the label column that may mean no label (−1 next to 0 and 1, or an unknown word).
        annotators: The columns without a role that have few values; those with one person's answers are ticked.
        references: The columns of texts without another role; those with a further reference are ticked.
        least: The lowest grade that an annotator gives a paraphrase; 0 if the answers are labels.

    Signals:
        changed: The roles changed.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choices: dict[str, ValueChoice] = {}
        self._columns: tuple[str, ...] = ()
        self._values: Mapping[str, tuple[str, ...]] = {}
        self._recognised: Sequence[str] = ()
        self._guessed_references: Sequence[str] = ()
        self._form = form((), self, NO_MARGINS, QFormLayout.RowWrapPolicy.DontWrapRows)
        self._asked = False
        self._chosen: set[str] = set()
        self._planned: ReadingDecisions = {}
        self.positive = Checklist(self.tr("Labels that mean a paraphrase"), self)
        self.missing = Checklist(self.tr("Values that mean no label"), self)
        tips = {
            "source": self.tr("Source sentence (required)"),
            "hypothesis": self.tr("Hypothesis: the possible paraphrase of the source (required)"),
            "label": self.tr("Paraphrase or not: 1 and 0, yes and no …"),
            "human": self.tr("Score given by people"),
            "reference": self.tr("Reference: a paraphrase written by a person"),
            "id": self.tr("Identifier of the pair. Without one, pairs are numbered"),
            "group": self.tr("Language, genre, phenomenon …"),
        }
        names = control_names()
        for role in SHOWN_ROLES:
            choice = ValueChoice(names[role], tips[role], self)
            self.choices[role] = choice
            self._form.addRow(names[role], choice)
            if role == "label":
                self._form.addRow(names["positive"], self.positive)
                self._form.addRow(names["missing"], self.missing)
                choice.currentIndexChanged.connect(self._offer_values)
            elif role == "reference":
                self.references = Checklist(self.tr("Further references"), self)
                self._form.addRow(self.tr("Further references"), self.references)
            choice.currentIndexChanged.connect(partial(self._free_column, role))
            choice.currentIndexChanged.connect(self.changed)
        tip = self.tr("The lowest grade that counts as a paraphrase. Not needed for 0 and 1, or yes and no")
        self.annotators = Checklist(self.tr("Annotators"), self)
        self.least = number(self.tr("Annotators: paraphrase from"), (0, 1000), 0, tip)
        self.least.setSpecialValueText(self.tr("not needed"))
        self._form.addRow(names["annotator"], self.annotators)
        self._form.addRow(self.tr("Paraphrase from"), self.least)
        for control in (self.positive, self.missing, self.annotators, self.references):
            control.changed.connect(self.changed)
        self.least.valueChanged.connect(self.changed)
        self.changed.connect(self._offer_people)
        self.changed.connect(self._offer_references)

    def _free_column(self, role: str, _: int) -> None:
        """Remove the column that the user chose for a role from a role that was only guessed."""
        self._chosen.add(role)
        column = self.choices[role].value
        for other, choice in self.choices.items():
            if other not in self._chosen and column is not None and choice.value == column:
                with QSignalBlocker(choice):
                    choice.choose(None)
                if other == "label":
                    self._offer_values()

    def offer(
        self,
        columns: tuple[str, ...],
        mapping: ColumnMapping,
        values: Mapping[str, tuple[str, ...]],
        annotators: Sequence[str],
        *,
        asked: bool = False,
        planned: ReadingDecisions | None = None,
    ) -> None:
        """List columns. The user's choices are kept if the columns are the same; otherwise the guess applies.

        `values` holds the values of each column that has few, and `annotators` the recognised ones. If the user is
        `asked` what the labels mean, the ticked ones count even where the program could interpret them. The labels and
        annotators of the `planned` decisions are ticked at first.
        """
        self._planned = planned or {}
        if columns != self._columns:
            self._chosen = set()
        self._asked = asked
        chosen = self.mapping() if columns == self._columns else mapping
        self._columns = columns
        for role, choice in self.choices.items():
            none = self.tr("— choose —") if role in ("source", "hypothesis") else self.tr("— none —")
            entries: list[tuple[Any, str]] = [(None, none), *((column, column) for column in columns)]
            value = getattr(chosen, role)
            guess = getattr(mapping, role)
            if role == "reference":
                value, guess = next(iter(chosen.references), None), None
            for joined in (value, guess):
                if isinstance(joined, tuple) and joined not in [entry for entry, _ in entries]:
                    entries.append((joined, " + ".join(joined)))
            choice.offer(entries, value)
        self._values, self._recognised, self._guessed_references = values, annotators, mapping.references[1:]
        self._offer_values()
        self._offer_people()
        self._offer_references()

    def forget_choices(self) -> None:
        """Forget the user's choices, so that the next guess applies."""
        self._columns = ()

    def _offer_values(self) -> None:
        """List the values of the label column, unticked unless all of them can be interpreted."""
        values = self._values.get(self.choices["label"].value, ())
        meanings = {value: read_label(value) for value in values}
        known = set() if None in meanings.values() else {value for value, meaning in meanings.items() if meaning == 1}
        unclear = [value for value in values if meanings[value] == UNLABELLED] if self._asked else []
        if self._asked and not unclear:
            known = set()
        unclear += [value for value in values if meanings[value] is None]
        known = set(self._planned.get("positive", ())) or known
        self.positive.set_items([CheckItem(value, value) for value in values if meanings[value] != UNLABELLED], known)
        self.missing.set_items([CheckItem(value, value) for value in unclear], self._planned.get("missing", ()))
        self._form.setRowVisible(self.positive, bool(values))
        self._form.setRowVisible(self.missing, bool(unclear))

    def _offer_people(self) -> None:
        """List the columns that can be annotators: those that have few values and no role."""
        free = [column for column in self._columns if column in self._values and not self.roles_of(column)]
        planned = [split_threshold(text, free)[0] for text in self._planned.get("annotator", ())]
        self.annotators.set_items([CheckItem(column, column) for column in free], planned or self._recognised)
        self._form.setRowVisible(self.annotators, bool(free))
        self._form.setRowVisible(self.least, bool(self.annotators.checked_keys()))

    def _offer_references(self) -> None:
        """List the columns that can be further references: those of many texts, without another role."""
        roles = [choice.value for choice in self.choices.values()]
        free = [column for column in self._columns if column not in self._values and column not in list_columns(roles)]
        shown = free if self.choices["reference"].value is not None else []
        self.references.set_items([CheckItem(column, column) for column in shown], self._guessed_references)
        self._form.setRowVisible(self.references, bool(shown))

    @property
    def needs_ticks(self) -> bool:
        """Whether the user has yet to say which labels mean a paraphrase."""
        return self._asked and bool(self._values.get(self.choices["label"].value)) and not self.positive.checked_keys()

    def decisions(self) -> dict[str, Any]:
        """Return the user's decisions about the labels; empty if the labels are interpreted as usual."""
        chosen, absent = tuple(self.positive.checked_keys()), tuple(self.missing.checked_keys())
        missing = {"missing": absent} if absent else {}
        if self._asked and chosen and self.choices["label"].value is not None:
            return {"positive": chosen, **missing}
        meanings = {value: read_label(value) for value in self._values.get(self.choices["label"].value, ())}
        understood = all(
            value in absent or meaning in (int(value in chosen), UNLABELLED) for value, meaning in meanings.items()
        )
        return missing if understood or not chosen else {"positive": chosen, **missing}

    def people(self) -> dict[str, Any]:
        """Return the user's decision about the annotators; empty if the recognised ones are ticked."""
        least = f"={self.least.value():g}" if self.least.value() else ""
        ticked = self.annotators.checked_keys()
        known = not least and set(ticked) == set(self._recognised)
        return {"annotator": tuple(f"{column}{least}" for column in ticked)} if ticked and not known else {}

    def mapping(self) -> ColumnMapping:
        chosen = ColumnMapping(**{role: choice.value for role, choice in self.choices.items()})
        references = (*chosen.references, *self.references.checked_keys())
        return replace(chosen, reference=references) if references[1:] else chosen

    def roles_of(self, column: str) -> list[str]:
        """Return the names of the roles a column plays, for the user."""
        names = []
        for choice in self.choices.values():
            value = choice.value
            if value == column or (isinstance(value, tuple) and column in value):
                names.append(choice.accessibleName())
        return [*names, self.tr("Reference")] if column in self.references.checked_keys() else names


class PlanForm(QWidget):
    """A form for reading plans: one that was saved for a file with the same columns, and a name to save the next.

    Attributes:
        plan: The names of the saved plans for these columns; hidden if there are none.
        name: The name under which the choices are saved, perhaps empty.

    Signals:
        chosen: The user chose a saved plan, or none.
    """

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tip = self.tr("Read the file like a file with the same columns that you read before")
        names = control_names()
        self.plan = ValueChoice(names["plan"], tip, self)
        self.plan.currentIndexChanged.connect(self.chosen)
        tip = self.tr("Save these choices for files with the same columns; beside: next to this file, for it alone")
        self.name = line(names["save_plan"], self.tr("Name, or beside (optional)"), tip)
        self._form = form((), self, NO_MARGINS, QFormLayout.RowWrapPolicy.DontWrapRows)
        for field in (self.plan, self.name):
            self._form.addRow(field.accessibleName(), field)
        self.offer(())

    def offer(self, columns: Sequence[str], *, chooses: bool = True) -> None:
        """List the plans that were saved for these columns, and choose the only one if the dialog `chooses`."""
        names = [plan.name for plan in fitting_plans(columns)]
        value = self.plan.value if self.plan.value in names else names[0] if chooses and len(names) == 1 else None
        self.plan.offer([(None, self.tr("— none —")), *((name, name) for name in names)], value)
        self._form.setRowVisible(self.plan, bool(names))

    def decisions(self) -> ReadingDecisions:
        """Return the decisions of the chosen plan; empty without any.

        Raises:
            ParapluieError: The plan was removed or damaged.
        """
        return to_decisions({"plan": self.plan.value}) if self.plan.value else {}


class FileForm(QWidget):
    """A form for how the file is read: encoding, separator, quotation marks and sheet, if they apply to the file.

    Attributes:
        layout_key, encoding, delimiter, quoting, sheet, shape, header_line: Combo boxes; None stands for the detected
            value.
        people: Combo boxes for the columns of person, answer and question, in rows of judgements.
        header: Tick box: the first row has the columns' names; it is shown next to that row, not in the form.

    Signals:
        changed: The file has to be read again.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        names = control_names()
        tips = {
            "layout": self.tr("Published corpus whose columns the file has"),
            "encoding": self.tr("Text encoding. Wrong characters in the preview mean a wrong encoding"),
            "delimiter": self.tr("Character that separates the columns"),
            "quoting": self.tr("Do quotation marks enclose cells, or belong to the text?"),
            "sheet": self.tr("Which sheet of the workbook contains the pairs"),
            "header": self.tr("Line of the file with the names of the columns, below titles and notes"),
            "shape": self.tr("Kind of the file's rows"),
            "person": self.tr("Column that names the person, in rows of judgements"),
            "answer": self.tr("Column with the person's answer, in rows of judgements"),
            "role": self.tr("Column that names the question, in rows of judgements"),
        }
        choices = {name: ValueChoice(names[name], tip, self) for name, tip in tips.items()}
        self.layout_key, self.encoding, self.delimiter, self.quoting = list(choices.values())[:4]
        self.sheet, self.header_line, self.shape, *people = list(choices.values())[4:]
        self.people = dict(zip(JUDGEMENT_ROLES, people, strict=True))
        tip = self.tr("Untick if the first row is data, not a header")
        self.header = tick(self.tr("First row is a header"), tip)
        self._header_chosen = self._judged = False
        self._form = form((), self, NO_MARGINS, QFormLayout.RowWrapPolicy.DontWrapRows)
        for choice in choices.values():
            self._form.addRow(choice.accessibleName(), choice)
            choice.currentIndexChanged.connect(self.changed)
        self.header.toggled.connect(self._choose_header)
        self.shape.currentIndexChanged.connect(self._show_people)

    def choose(self, decisions: ReadingDecisions) -> None:
        """Show decisions about a file that were made before it is offered, without a signal."""
        self._header_chosen = decisions.get("header") == 0
        with QSignalBlocker(self.header):
            self.header.setChecked(not self._header_chosen)
        roles = dict(decisions.get("roles", ()))
        for control, value in (
            *((control, decisions.get(name)) for name, control in self._controls().items()),
            *((control, roles.get(role)) for role, control in self.people.items()),
        ):
            control.offer([(None, ""), (value, "")] if value else [], value)

    def offer(self, preview: FilePreview | None) -> None:
        """Show the detected values; without a preview (the encoding is unknown), only that of the encoding."""
        automatic = self.tr("Automatic")
        if preview is not None and preview.encoding and preview.encoding_from != "your choice":
            automatic = self.tr("Automatic: {}").format(encoding_name(preview.encoding))
        encodings: list[tuple[Any, str]] = [(None, automatic), ("utf-8", "UTF-8"), *ENCODINGS]
        self.encoding.offer(encodings, self.encoding.value)
        separators = {"\t": self.tr("Tab"), ",": self.tr("Comma ,"), ";": self.tr("Semicolon ;"), "|": self.tr("Bar |")}
        delimiter = preview.delimiter if preview is not None else None
        quoting = preview.quoting if preview is not None else None
        self.delimiter.offer(self._automatic(separators, delimiter), self.delimiter.value)
        self.quoting.offer(self._automatic(quoting_names(), quoting), self.quoting.value)
        sheets = preview.sheets if preview is not None else ()
        self.sheet.offer([(sheet, sheet) for sheet in sheets], preview.sheet if preview is not None else None)
        self.shape.offer(self._automatic(self._shapes(), preview.shape if preview else None), self.shape.value)
        lines: list[tuple[Any, str]] = [(number, f"{number}") for number in range(1, _HEADER_LINES + 1)]
        at = preview.header_line if preview is not None else None
        automatic = self.tr("Automatic: {}").format(at) if at is not None else self.tr("Automatic")
        self.header_line.offer([(None, automatic), *lines], self.header_line.value)
        with QSignalBlocker(self.header):
            self.header.setChecked(preview is None or preview.has_header)
        text = preview is None or preview.encoding is not None
        self._form.setRowVisible(self.encoding, text and (preview is None or preview.path is not None))
        delimited = preview is None or preview.kind == "delimited"
        self._form.setRowVisible(self.delimiter, delimited)
        self._form.setRowVisible(self.quoting, delimited)
        self._form.setRowVisible(self.sheet, len(sheets) > 1)
        rows = preview is not None and preview.kind in ("delimited", "excel")
        self.header.setVisible(rows)
        self._form.setRowVisible(self.header_line, rows and preview is not None and preview.has_header)
        self._form.setRowVisible(self.shape, preview is not None)
        layouts = {layout.key: layout.name for layout in LAYOUTS}
        detected = next((key for key, name in layouts.items() if preview and name == preview.layout), None)
        self.layout_key.offer(self._automatic(layouts, detected), self.layout_key.value)
        self._form.setRowVisible(self.layout_key, preview is not None)
        columns = (preview.file_columns or preview.columns) if preview is not None else ()
        for control in self.people.values():
            control.offer([(None, self.tr("Automatic")), *((column, column) for column in columns)], control.value)
        self._judged = preview is not None and (preview.shape == "judgements" or preview.repeats)
        self._show_people()

    def _show_people(self) -> None:
        """Show the columns of judgements if the rows may be judgements."""
        chosen = any(control.value is not None for control in self.people.values())
        for control in self.people.values():
            self._form.setRowVisible(control, self._judged or chosen or self.shape.value == "judgements")

    def _controls(self) -> dict[str, ValueChoice]:
        """Return the combo box of each decision."""
        return {
            "layout": self.layout_key,
            "encoding": self.encoding,
            "delimiter": self.delimiter,
            "quoting": self.quoting,
            "header": self.header_line,
            "shape": self.shape,
            "sheet": self.sheet,
        }

    def options(self) -> dict[str, Any]:
        """Return the user's decisions as arguments of `pairs.reader.read`; everything else is detected."""
        chosen = {name: control.value for name, control in self._controls().items() if control.count() > 1}
        if chosen.get("header") is None and self._header_chosen:
            chosen["header"] = self.header.isChecked()
        roles = tuple((role, control.value) for role, control in self.people.items() if control.value is not None)
        return {name: value for name, value in {**chosen, "roles": roles or None}.items() if value is not None}

    def _shapes(self) -> dict[str, str]:
        return {
            "pairs": self.tr("Pairs"),
            "judgements": self.tr("Judgements of a pair"),
            "errors": self.tr("Marked errors"),
            "outputs": self.tr("Several outputs of a source"),
            "candidates": self.tr("Candidates, one of them right"),
            "sets": self.tr("Sentences of a set"),
            "families": self.tr("Families of five sentences"),
        }

    def _choose_header(self) -> None:
        self._header_chosen = True
        if not self.header.isChecked():
            with QSignalBlocker(self.header_line):
                self.header_line.setCurrentIndex(0)
        self.changed.emit()

    def _automatic(self, texts: dict[str, str], detected: str | None) -> list[tuple[Any, str]]:
        name = self.tr("Automatic: {}").format(texts[detected]) if detected in texts else self.tr("Automatic")
        return [(None, name), *texts.items()]
