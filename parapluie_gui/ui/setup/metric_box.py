"""The chosen metrics in the Setup panel: a tag for each, notes about missing parts, and a button for the full list."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from parapluie_gui.metrics import catalogue, consent
from parapluie_gui.metrics.base import READY, MetricReadiness
from parapluie_gui.metrics.spec import MetricSpec
from parapluie_gui.ui.setup import metric_words
from parapluie_gui.ui.setup.corpus_columns import columns_of_numbers
from parapluie_gui.ui.setup.metric_choice import ALWAYS, MetricChoice, spec_title
from parapluie_gui.ui.setup.metric_picker import MetricPicker
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.arrange import (
    NO_MARGINS,
    FlowLayout,
    button,
    clear,
    hbox,
    name_control,
    title_button,
    vbox,
    widget_of,
)
from parapluie_gui.ui.widgets.controls import FoldingSection
from parapluie_gui.ui.widgets.text import tab_through, tooltip
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Maximum length of a tag's name; longer names are elided in the middle, and the tooltip has the full name.
LONGEST = 34
#: Maximum number of tags shown before the others are folded, so that the judge stays visible.
FOLD = 12


class MetricTag(QWidget):
    """A chosen metric's name and a button that removes it.

    Attributes:
        spec: The metric.
        remove_button: Removes it; hidden for the metric that is always computed.

    Signals:
        removed: (spec) The user removes it.
    """

    removed = Signal(str)

    def __init__(self, spec: str, ready: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        title, info = spec_title(spec), catalogue.info_of_spec(spec)
        always = self.tr("{0} (always on)").format(title)
        label = QLabel(always if spec == ALWAYS else self._cut(title if ready else f"⚠ {title}"))
        label.setTextFormat(Qt.TextFormat.PlainText)
        words = [title, *([info.summary, metric_words.facts(info)] if info is not None else []), spec]
        name_control(self, words[0], tooltip("\n".join(words)))
        self.setProperty("tag", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        remove = self.tr("Remove {0}").format(title)
        self.remove_button = title_button("", remove, self._remove, "x")
        name_control(self.remove_button, remove, tooltip(remove))
        line = hbox(label, self.remove_button, within=self, margins=(7, 1, 1, 1), spacing=1)
        label.ensurePolished()
        label.setMinimumHeight(max(label.sizeHint().height(), self.remove_button.sizeHint().height()))
        if spec == ALWAYS:
            line.setContentsMargins(7, 1, 7, 1)
            self.remove_button.hide()

    def _remove(self) -> None:
        # Deferred: the tags are created again while the click is still being handled.
        QTimer.singleShot(0, self, lambda: self.removed.emit(self.spec))

    def _cut(self, text: str) -> str:
        half = LONGEST // 2
        return text if len(text) <= LONGEST else f"{text[:half]}…{text[-half + 1 :]}"


class MetricBox(QWidget):
    """The chosen metrics, and a button that opens the list of all metrics.

    Attributes:
        section: Shows a summary until it is unfolded.
        choice: The chosen metrics.
        picker: The list of all metrics, once `choose_button` has opened it.
        fold_button: Shows all tags or only the first; hidden if there are few.

    Signals:
        changed: The choice of metrics changed.
        get_requested: (name) The user wants a missing model downloaded.
        cancel_requested: The user cancelled the download.
    """

    changed = Signal()
    get_requested = Signal(str)
    cancel_requested = Signal()

    def __init__(self, workspace: CorpusWorkspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "metrics")
        self.setAccessibleName(self.tr("Metrics"))
        self._workspace = workspace
        self.choice = MetricChoice(self)
        self.picker: MetricPicker | None = None
        self._fetching = False
        self._shown: object = None
        self.tags: dict[str, MetricTag] = {}
        self.get_buttons: dict[str, QPushButton] = {}
        self._tags = QWidget(self)
        self._flow = FlowLayout(self._tags, gap=4)
        self._problems = vbox(margins=NO_MARGINS, spacing=3)
        tip = self.tr("All metrics by family: what each measures, needs, and whether it is ready")
        self.choose_button = button(self.tr("Choose metrics…"), self.open, tip, icon="list-checks")
        self.fold_button = QPushButton()
        self.fold_button.setFlat(True)
        self.fold_button.setCheckable(True)
        self.fold_button.toggled.connect(self._fold)
        fold = (self.fold_button, 0, Qt.AlignmentFlag.AlignLeft)
        inside = widget_of(vbox(self._tags, fold, self.choose_button, margins=(22, 2, 4, 4), spacing=5))
        # Problems are always visible.
        tip = self.tr("The metrics to compute alongside the judge's score")
        self.section = FoldingSection(self.tr("Metrics"), inside, widget_of(self._problems), tip=tip)
        vbox(self.section, within=self, margins=NO_MARGINS)
        self.choice.changed.connect(self._take_change)
        workspace.corpus_changed.connect(self.look)
        self.look()

    def open(self) -> None:
        """Show the list of all metrics in a separate window."""
        if self.picker is None:
            self.picker = MetricPicker(self._workspace, self.choice, self)
            self.picker.get_requested.connect(self.get_requested)
            self.picker.cancel_button.clicked.connect(self.cancel_requested)
            self.picker.set_fetching(self._fetching)
        self.picker.show()
        self.picker.raise_()
        self.picker.activateWindow()

    def look(self) -> None:
        """Show the chosen metrics, and the metrics among them that are not ready."""
        if self.picker is not None:
            self.picker.look()
        lacks = {spec: lack for spec in self.choice.specs if (lack := self._lack(spec)).missing}
        if (shown := (tuple(self.choice.specs), lacks)) == self._shown:
            return
        self._shown = shown
        clear(self._flow)
        self.tags = {}
        for spec in self.choice.specs:
            tag = self.tags[spec] = MetricTag(spec, spec not in lacks)
            tag.removed.connect(self.choice.remove)
            self._flow.addWidget(tag)
        tab_through(self._tags, *(tag.remove_button for tag in self.tags.values()))
        self._fold()
        self.section.sum_up(", ".join(map(spec_title, self.choice.specs)))
        self._tags.setAccessibleDescription(", ".join(map(spec_title, self.choice.specs)))
        clear(self._problems)
        self.get_buttons = {}
        # Several metrics may need the same model.
        waiting: dict[str, list[str]] = {}
        for spec, lack in lacks.items():
            waiting.setdefault(lack.get or lack.missing, []).append(spec)
        for specs in waiting.values():
            self._show_problem(specs, lacks[specs[0]])

    def show_download(self, done: int, total: int, text: str) -> None:
        if self.picker is not None:
            self.picker.show_download(done, total, text)
        self.set_fetching(done < total)

    def set_fetching(self, fetching: bool) -> None:
        """Disable the download buttons during a download."""
        self._fetching = fetching
        for get_button in self.get_buttons.values():
            get_button.setEnabled(not fetching)
        if self.picker is not None:
            self.picker.set_fetching(fetching)

    def _lack(self, spec: str) -> MetricReadiness:
        corpus, info, wanted = self._workspace.corpus, catalogue.info_of_spec(spec), MetricSpec.parse(spec)
        if info is not None and info.family == "external":
            if corpus is None or wanted.argument in columns_of_numbers(corpus):
                return READY
            return MetricReadiness(self.tr("{0} has no numeric column “{1}”.").format(corpus.name, wanted.argument))
        # A file that only the session names is not even read.
        waits = not consent.is_allowed(spec)
        readiness = READY if waits and not consent.was_allowed(spec) else catalogue.ready(spec)
        if waits and readiness:
            words = self.tr(
                "The file is a program, and you have not allowed its current version to run yet. Press Run to be asked."
            )
            return MetricReadiness(words)
        if not readiness:
            return readiness
        needs = wanted.reference or (info is not None and info.needs_reference)
        if needs and corpus is not None and corpus.reference is None:
            return MetricReadiness(self.tr("This metric needs a reference for each pair, but this corpus has none."))
        return READY

    def _show_problem(self, specs: list[str], lack: MetricReadiness) -> None:
        text = WrappedText(self, bad=True)
        text.say(self.tr("{0}: {1}").format(", ".join(map(spec_title, specs)), metric_words.lacking(lack)))
        self._problems.addWidget(text)
        if get := lack.get:
            self.get_buttons[get] = button(
                metric_words.download(get), lambda: self.get_requested.emit(get), icon="download"
            )
            self.get_buttons[get].setEnabled(not self._fetching)
            self._problems.addWidget(self.get_buttons[get])

    def _fold(self) -> None:
        beyond, unfolded = len(self.tags) - FOLD, self.fold_button.isChecked()
        for place, tag in enumerate(self.tags.values()):
            tag.setVisible(place < FOLD or unfolded)
        self.fold_button.setVisible(beyond > 0)
        self.fold_button.setText(self.tr("Show fewer") if unfolded else self.tr("and {0} more").format(beyond))
        self.fold_button.setAccessibleName(self.tr("{0}, chosen metrics").format(self.fold_button.text()))

    def _take_change(self) -> None:
        self.look()
        self.changed.emit()
