"""One metric in the picker: a tick box, its description and state, its variants and its options."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import READY, MetricInfo
from parapluie_gui.metrics.spec import AS, MetricSpec
from parapluie_gui.options import NoOptions, Option, list_options
from parapluie_gui.ui.setup import metric_words
from parapluie_gui.ui.setup.metric_choice import ALWAYS, MetricChoice, spec_title
from parapluie_gui.ui.setup.metric_words import sentence_start
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, FlowLayout, button, clear, hbox, name_control, set_shown, vbox
from parapluie_gui.ui.widgets.controls import line, plain, tick
from parapluie_gui.ui.widgets.file_dialog import ask_to_open
from parapluie_gui.ui.widgets.option_control import OptionControl
from parapluie_gui.ui.widgets.text import tooltip
from parapluie_gui.ui.widgets.wrapped import WrappedText


class MetricOptions(QWidget):
    """A control for each option of the metric; "Add this variant" emits the chosen options.

    Attributes:
        controls: The controls of the options by name.
        column: The field for the column's name.
        model: The field for the model or file, if the metric takes one.
        reference: Tick box: compare the hypothesis with the reference.

    Signals:
        wanted: (Spec) The user wants this variant.
    """

    wanted = Signal(MetricSpec)

    def __init__(self, info: MetricInfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._info = info
        self._options = [self._make(option) for option in list_options(info.options)]
        self.controls = {control.option.name: control.widget for control in self._options}
        self.model: QLineEdit | None = None
        form = QFormLayout(self)
        form.setContentsMargins(0, 2, 0, 2)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
        for control in self._options:
            label = "" if control.option.kind == "switch" else metric_words.translate_metric(control.option.label)
            form.addRow(label, control.widget)
        if info.argument:
            name = self.tr("model") if info.takes_model else self.tr("file")
            self.model = self._field(name, info.argument)
            choose = self.tr("Choose a folder…") if info.takes_model else self.tr("Choose a file…")
            choose_button = button(choose, self._ask, name=self.tr("{0}, {1}").format(info.title, choose))
            form.addRow(name, hbox((self.model, 1), choose_button))
        self.column = self._field(self.tr("column"), self.tr("custom column name (optional)"))
        form.addRow(self.tr("column"), self.column)
        self.reference = tick(
            self.tr("Against the reference instead of the source"),
            name=self.tr("{0}, against the reference").format(info.title),
        )
        form.addRow("", self.reference)
        add_name = self.tr("Add this variant of {0}").format(info.title)
        self.add_button = button(self.tr("Add this variant"), self._ask_for_it, name=add_name)
        form.addRow("", hbox(self.add_button, 1))
        self.set_references(False)

    def set_references(self, there: bool) -> None:
        """Offer the reference form only if the corpus has references."""
        offered = there and self._info.reference_form
        self.reference.setVisible(offered)
        if not offered:
            self.reference.setChecked(False)

    def spec(self) -> MetricSpec:
        values = [(control.option, control.value()) for control in self._options]
        options = [(option.name, option.write(value)) for option, value in values if value != option.default]
        if column := self.column.text().strip():
            options.append((AS, column))
        argument = "" if self.model is None else self.model.text().strip()
        return MetricSpec(self._info.id, self.reference.isChecked(), tuple(options), argument)

    def clear(self) -> None:
        for control in self._options:
            control.choose(control.option.default)
        for field in (self.column, self.model):
            if field is not None:
                field.clear()
        self.reference.setChecked(False)

    def _make(self, option: Option) -> OptionControl:
        title, about = metric_words.translate_metric(option.label), metric_words.translate_metric(option.help)
        keys = {key: metric_words.key_title(key, words) for key, words in option.keys.items()}
        special = metric_words.translate_metric(option.special)
        control = OptionControl(option, title=title, keys=keys, special=special, parent=self)
        name_control(
            control.widget, self.tr("{0}, {1}").format(self._info.title, title), tooltip(sentence_start(about))
        )
        return control

    def _field(self, name: str, words: str) -> QLineEdit:
        field = line(self.tr("{0}, {1}").format(self._info.title, name), words, tooltip(sentence_start(words)))
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


class MetricRow(QWidget):
    """A metric of the catalogue.

    Attributes:
        info: The metric's description.
        tick: Chooses the metric with its default options.
        against: Chooses it against the reference; hidden if the corpus has none.
        options: The form for variants, or None if there are no options.
        get_button: Downloads a missing model; hidden if nothing is missing, or nothing can be downloaded.
        choose_button: Asks for a model's folder, or the user's file, and chooses the metric with it.

    Signals:
        get_requested: (name) The user wants a missing model downloaded.
    """

    get_requested = Signal(str)

    def __init__(self, info: MetricInfo, choice: MetricChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.info = info
        self._choice = choice
        self._ticks: dict[str, QCheckBox] = {}
        self.tick = tick(info.title, name=info.title)
        self.tick.setAccessibleDescription(info.summary)
        self.tick.setEnabled(info.id != ALWAYS)
        self.tick.toggled.connect(partial(self._take, MetricSpec(info.id)))
        name = self.tr("{0}, against the reference").format(info.title)
        self.against = tick(self.tr("against the reference"), name=name)
        self.against.toggled.connect(partial(self._take, MetricSpec(info.id, True)))
        self._state = WrappedText(self, muted=True)
        self._state.setObjectName("state")
        self._problem = WrappedText(self, bad=True)
        self._problem.setAccessibleName(self.tr("{0}, problem").format(info.title))
        self.get_button = button("", self._get, icon="download")
        self._get_name = ""
        self._readiness = READY
        self._lacks_reference = False
        choose = self.tr("Choose a folder…") if info.takes_model else self.tr("Add metric file…")
        self.choose_button = button(choose, self._ask, name=self.tr("{0}, {1}").format(info.title, choose))
        self.vary_button = self._vary_button(info)
        varied = bool(info.argument) or info.options is not NoOptions
        self.options = MetricOptions(info, self) if varied else None
        set_shown(self.vary_button, self.options is not None)
        self._chosen = QWidget()
        self._chosen_line = FlowLayout(self._chosen, gap=10)
        below = vbox(
            self._summary(info),
            self._state,
            self._problem,
            hbox(self.get_button, self.choose_button, 1),
            self._chosen,
            margins=(22, 0, 0, 0),
            spacing=2,
        )
        vbox(self._head(info), below, within=self, margins=NO_MARGINS, spacing=2)
        if self.options is not None:
            self.options.wanted.connect(self._take_variant)
            self.options.hide()
            below.addWidget(self.options)
        self.say("")
        self.set_references(False)
        self.look()
        self.show_choice()

    def _vary_button(self, info: MetricInfo) -> QToolButton:
        vary = QToolButton()
        vary.setText(self.tr("Variant…"))
        vary.setCheckable(True)
        name = self.tr("Variant of {0}").format(info.title)
        name_control(vary, name, self.tr("Options, another model, a separate column"))
        vary.toggled.connect(self._show_options)
        return vary

    def _summary(self, info: MetricInfo) -> WrappedText:
        summary = WrappedText(self, muted=True)
        own = info.family == "user" and info.argument_needed
        warning = self.tr(
            "A metric file is a program that runs on this computer when you score. Add only files that you trust."
        )
        summary.say(f"{info.summary} {warning}" if own else info.summary)
        return summary

    def _head(self, info: MetricInfo) -> QHBoxLayout:
        facts = plain(metric_words.facts(info), muted=True)
        head = hbox(self.tick, self.against, 1, facts, self.vary_button, spacing=8)
        head.insertSpacing(1, 12)
        if info.argument_needed:
            # It cannot be chosen without an argument: show its title, with the chosen variants below.
            self.tick.hide()
            head.insertWidget(1, QLabel(info.title))
        return head

    def matches(self, words: str) -> bool:
        """Return True if every word occurs in the metric's description, in any case."""
        text = " ".join((self.info.id, self.info.title, self.info.family, self.info.summary, self.info.needs))
        return all(word in text.casefold() for word in words.casefold().split())

    def set_references(self, there: bool) -> None:
        self.against.setVisible(there and self.info.reference_form and not self.info.argument_needed)
        if self.options is not None:
            self.options.set_references(there)
        self._lacks_reference = self.info.needs_reference and not there
        self._show_state()

    def look(self) -> None:
        self._readiness = catalogue.ready(self.info.id)
        self._show_state()

    def choose(self) -> bool:
        """Choose the metric with its default options and focus its tick box, if nothing is missing."""
        if not self._readiness or self.info.argument_needed:
            return False
        self.tick.setChecked(True)
        self.tick.setFocus()
        return True

    def set_fetching(self, fetching: bool) -> None:
        """Disable the download button during a download."""
        self.get_button.setEnabled(not fetching)

    def show_choice(self) -> None:
        chosen = self._choice.list_specs(self.info.id)
        plain = {str(MetricSpec(self.info.id)): self.tick, str(MetricSpec(self.info.id, True)): self.against}
        for spec, box in plain.items():
            with QSignalBlocker(box):
                box.setChecked(spec in chosen)
        variants = [spec for spec in chosen if spec not in plain]
        if list(self._ticks) == variants:
            return
        clear(self._chosen_line)
        self._ticks = {}
        for spec in variants:
            box = tick(spec_title(spec), spec, spec_title(spec))
            box.setChecked(True)
            # Deferred: the list is created again while the click is still being handled.
            box.clicked.connect(partial(self._drop, spec), Qt.ConnectionType.QueuedConnection)
            self._ticks[spec] = box
            self._chosen_line.addWidget(box)
        self._chosen.setVisible(bool(variants))

    def say(self, text: str) -> None:
        """Show the problem with the request; "" hides it."""
        self._problem.say(text)

    def _show_state(self) -> None:
        readiness, info = self._readiness, self.info
        needs_choice = info.argument_needed and not self._choice.list_specs(info.id)
        self._offer(readiness.get)
        self.choose_button.setVisible(info.argument_needed or (info.takes_model and not readiness))
        if self._lacks_reference:
            words = self.tr("Needs {0}, and this corpus has no references.").format(info.needs)
        elif needs_choice:
            words = self.tr("Needs {0}.").format(info.needs)
        elif info.argument_needed:
            words = ""
        elif not readiness:
            words = "⚠ " + metric_words.lacking(readiness)
        else:
            ready = self.tr("Ready. Uses {0}.") if info.takes_model else self.tr("Ready ({0} found).")
            words = ready.format(info.needs) if info.needs else ""
        self._state.say(words)

    def _take(self, spec: MetricSpec, on: bool) -> None:
        self.say("")
        self._try(lambda: self._choice.add(str(spec)) if on else self._choice.remove(str(spec)))
        self.show_choice()

    def _take_variant(self, spec: MetricSpec) -> None:
        if spec == MetricSpec(self.info.id) and not self.info.argument_needed:
            self.say(self.tr("Change at least one option; otherwise this is the same as the metric above."))
            return
        readiness = catalogue.ready(str(spec))
        if not readiness:
            self._offer(readiness.get or self._get_name)
            self.say(metric_words.lacking(readiness))
            return
        if self._try(lambda: self._choice.add(str(spec))):
            self.say("")
            if self.options is not None:
                self.options.clear()
            self.vary_button.setChecked(False)
            self._show_state()

    def _offer(self, name: str) -> None:
        """Offer to download something, or hide the button."""
        self._get_name = name
        self.get_button.setVisible(bool(name))
        self.get_button.setText(metric_words.download(name))
        self.get_button.setAccessibleName(self.get_button.text())

    def _ask(self) -> None:
        title, folder = metric_words.sentence_start(self.info.argument), self.info.takes_model
        filters = [] if folder else [self.tr("Python files (*.py)"), self.tr("All files (*)")]
        ask_to_open(self, title, self.take_path, folder=folder, filters=filters)

    def take_path(self, path: str) -> None:
        """Choose the metric with a model's folder, or the user's file."""
        self._take_variant(MetricSpec(self.info.id, argument=path))

    def _drop(self, spec: str) -> None:
        self._choice.remove(spec)
        self._show_state()

    def _try(self, act: Callable[[], object]) -> bool:
        try:
            act()
        except MetricError as error:
            self.say(str(error))
            return False
        return True

    def _show_options(self, on: bool) -> None:
        if self.options is not None:
            self.options.setVisible(on)
            self.say("")

    def _get(self) -> None:
        if self._get_name:
            self.get_requested.emit(self._get_name)
