"""The corpus's own numeric columns as metrics: published predictions, the scores of other tools."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from parapluie_gui.metrics.column_source import INFO
from parapluie_gui.metrics.spec import Spec
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.setup.metric_choice import MetricChoice
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, clear, hbox, vbox, widget_of


def columns_of_numbers(corpus: Corpus | None) -> list[str]:
    """Return the corpus's own columns that hold numbers or truth values."""
    return [] if corpus is None else [name for name in corpus.extra if corpus.numbers(name) is not None]


class MetricColumns(QWidget):
    """A tick in `boxes` for each numeric column, and one in `smaller` for "lower is better"."""

    def __init__(self, choice: MetricChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choice = choice
        self._names: list[str] | None = None
        self.boxes: dict[str, QCheckBox] = {}
        self.smaller: dict[str, QCheckBox] = {}
        self._note = QLabel()
        self._note.setObjectName("note")
        self._note.setProperty("muted", True)
        self._note.setWordWrap(True)
        self._lines = vbox(spacing=2)
        vbox(self._note, self._lines, within=self, margins=NO_MARGINS, spacing=2)

    def show_corpus(self, workspace: Workspace) -> None:
        """List the columns of another corpus."""
        corpus, names = workspace.corpus, columns_of_numbers(workspace.corpus)
        if names != self._names:
            self._names = names
            clear(self._lines)
            self.boxes, self.smaller = {}, {}
            for name in names:
                self._lines.addWidget(self._line(name))
        if corpus is None:
            self._note.setText(self.tr("Open a corpus. Its numeric columns are listed here."))
        elif names:
            self._note.setText(self.tr("Used as they are. Empty cells, and −100 in predictions, are missing values."))
        else:
            self._note.setText(self.tr("This corpus has no numeric columns."))
        self.show_choice()

    def show_choice(self) -> None:
        chosen = {source.column: source for source in self._choice.columns_of_corpus()}
        for name, box in self.boxes.items():
            source = chosen.get(name)
            with QSignalBlocker(box), QSignalBlocker(self.smaller[name]):
                box.setChecked(source is not None)
                self.smaller[name].setEnabled(source is not None)
                self.smaller[name].setChecked(source is not None and source.closer == "lower")

    def _line(self, name: str) -> QWidget:
        box = QCheckBox(name.replace("&", "&&"))
        box.setAccessibleName(self.tr("Column {0} as a metric").format(name))
        lower = QCheckBox(self.tr("lower is better"))
        lower.setAccessibleName(self.tr("Column {0}: lower is better").format(name))
        box.toggled.connect(partial(self._take, name))
        lower.toggled.connect(partial(self._take, name))
        self.boxes[name], self.smaller[name] = box, lower
        return widget_of(hbox(box, 1, lower, margins=NO_MARGINS))

    def _take(self, name: str, _: bool) -> None:
        options = (("closer", "lower"),) if self.smaller[name].isChecked() else ()
        others = [
            str(spec) for spec in map(Spec.parse, self._choice.specs) if (spec.id, spec.argument) != (INFO.id, name)
        ]
        if self.boxes[name].isChecked():
            others.append(str(Spec(INFO.id, options=options, argument=name)))
        self._choice.replace(others)
        self.show_choice()
