"""The corpus's numeric columns as metrics, and the storage of the chosen metrics in the session."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.column_source import INFO
from parapluie_gui.metrics.spec import MetricSpec
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.setup.metric_choice import ALWAYS, KEY, MetricChoice
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, clear, hbox, vbox, widget_of
from parapluie_gui.ui.widgets.controls import tick


def columns_of_numbers(corpus: Corpus | None) -> list[str]:
    """Return the columns of the corpus with numbers or truth values."""
    return [] if corpus is None else [name for name in corpus.extra if corpus.numbers(name) is not None]


class MetricColumns(QWidget):
    """A tick box in `boxes` for each numeric column, and one in `smaller` for "lower is better"."""

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

    def show_corpus(self, workspace: CorpusWorkspace) -> None:
        """List the columns of the corpus shown."""
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
        box = tick(name, name=self.tr("Column {0} as a metric").format(name))
        lower = tick(self.tr("lower is better"), name=self.tr("Column {0}: lower is better").format(name))
        box.toggled.connect(partial(self._take, name))
        lower.toggled.connect(partial(self._take, name))
        self.boxes[name], self.smaller[name] = box, lower
        return widget_of(hbox(box, 1, lower, margins=NO_MARGINS))

    def _take(self, name: str, _: bool) -> None:
        options = (("closer", "lower"),) if self.smaller[name].isChecked() else ()
        others = [
            str(spec)
            for spec in map(MetricSpec.parse, self._choice.specs)
            if (spec.id, spec.argument) != (INFO.id, name)
        ]
        if self.boxes[name].isChecked():
            others.append(str(MetricSpec(INFO.id, options=options, argument=name)))
        self._choice.replace(others)
        self.show_choice()


class MetricKeeper(QObject):
    """Keeps the chosen metrics, the session and the table of scores in step.

    Signals:
        failed: (str) A sentence: why a column of the corpus cannot be a metric.
    """

    failed = Signal(str)

    def __init__(
        self, workspace: CorpusWorkspace, settings: SessionSettings, choice: MetricChoice, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace, self._settings, self._choice = workspace, settings, choice
        choice.changed.connect(self._take_choice)
        settings.opened.connect(self.take_up)
        workspace.corpus_changed.connect(self.fill)
        self.take_up()

    def take_up(self) -> None:
        """Restore the session's choice, or keep the current one without the files that the last session added."""
        self._choice.take_up(self._settings.values)

    def fill(self) -> None:
        """Add the chosen columns of the corpus to the scores, and remove columns that are no longer chosen."""
        workspace, corpus = self._workspace, self._workspace.corpus
        if corpus is None:
            return
        wanted = {source.score: source for source in self._choice.columns_of_corpus() if source.column in corpus.extra}
        table = workspace.table
        old = [name for name in table.scores if name.startswith(f"{INFO.id}.") and name not in {*wanted, *table.own}]
        filled = ScoreTable(len(corpus))
        for column, source in wanted.items():
            if column not in table:
                try:
                    source.put(filled, corpus)
                except MetricError as error:
                    self.failed.emit(str(error))
        for column in old:
            table.drop(column)
        for column in filled:
            table.declare(column, filled.signatures[column])
        if old or filled.scores:
            self._leave_axes(old)
            # Emitted once for all columns, because every view updates its layout.
            workspace.columns_changed.emit()
            workspace.put(np.arange(len(corpus)), {column: filled[column] for column in filled})

    def _take_choice(self) -> None:
        self._settings.keep(KEY, list(self._choice.specs))
        self.fill()

    def _leave_axes(self, gone: list[str]) -> None:
        """Replace removed scores on the axes."""
        workspace = self._workspace
        others = [name for name in workspace.table.scores if name != ALWAYS]
        if workspace.x in gone:
            workspace.set_axes(x=ALWAYS)
        if workspace.y in gone and others:
            workspace.set_axes(y=others[0])
