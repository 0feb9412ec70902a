"""The form for a variant of a metric: its options, its model or file, a name for its column."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QLineEdit, QWidget

from parapluie_gui.metrics.base import MetricInfo
from parapluie_gui.metrics.spec import Spec
from parapluie_gui.ui.setup.metric_words import sentence_start
from parapluie_gui.ui.widgets.arrange import button, hbox, named
from parapluie_gui.ui.widgets.file_dialog import ask_to_open
from parapluie_gui.ui.widgets.text import tooltip


class MetricOptions(QWidget):
    """One field for each option; "Add this variant" emits it.

    Attributes:
        fields: The fields of the options by name; "as" is the column's name.
        model: The field for the model or file, if the metric takes one.
        reference: Compares the hypothesis with the reference.

    Signals:
        wanted: (Spec) The user wants this variant.
    """

    wanted = Signal(Spec)

    def __init__(self, info: MetricInfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._info = info
        self.fields: dict[str, QLineEdit] = {}
        self.model: QLineEdit | None = None
        form = QFormLayout(self)
        form.setContentsMargins(0, 2, 0, 2)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
        for name, words in info.options:
            self.fields[name] = self._field(name, words)
            form.addRow(name, self.fields[name])
        if info.argument:
            name = self.tr("model") if info.takes_model else self.tr("file")
            self.model = self._field(name, info.argument)
            choose = self.tr("Choose a folder…") if info.takes_model else self.tr("Choose a file…")
            choose_button = button(choose, self._ask, name=self.tr("{0}, {1}").format(info.title, choose))
            form.addRow(name, hbox((self.model, 1), choose_button))
        self.fields["as"] = self._field("as", self.tr("custom column name (optional)"))
        form.addRow(self.tr("column"), self.fields["as"])
        self.reference = QCheckBox(self.tr("Against the reference instead of the source"))
        self.reference.setAccessibleName(self.tr("{0}, against the reference").format(info.title))
        form.addRow("", self.reference)
        add_name = self.tr("Add this variant of {0}").format(info.title)
        self.add_button = button(self.tr("Add this variant"), self._ask_for_it, name=add_name)
        form.addRow("", hbox(self.add_button, 1))
        self.set_references(False)

    def set_references(self, there: bool) -> None:
        """Offer the reference form only where the corpus has references."""
        offered = there and self._info.reference_form
        self.reference.setVisible(offered)
        if not offered:
            self.reference.setChecked(False)

    def spec(self) -> Spec:
        options = tuple((name, text) for name, field in self.fields.items() if (text := field.text().strip()))
        argument = "" if self.model is None else self.model.text().strip()
        return Spec(self._info.id, self.reference.isChecked(), options, argument)

    def clear(self) -> None:
        for field in (*self.fields.values(), *([self.model] if self.model is not None else [])):
            field.clear()
        self.reference.setChecked(False)

    def _field(self, name: str, words: str) -> QLineEdit:
        field = QLineEdit()
        field.setPlaceholderText(words)
        named(field, self.tr("{0}, {1}").format(self._info.title, name), tooltip(sentence_start(words)))
        field.setAccessibleDescription(words)
        field.returnPressed.connect(self._ask_for_it)
        return field

    def _ask_for_it(self) -> None:
        self.wanted.emit(self.spec())

    def _ask(self) -> None:
        title = sentence_start(self._info.argument)
        ask_to_open(self, title, self.take_path, folder=self._info.takes_model)

    def take_path(self, path: str) -> None:
        if self.model is not None:
            self.model.setText(str(Path(path)))
