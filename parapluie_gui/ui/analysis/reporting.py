"""Taking the whole evaluation out of the window: the report as HTML, and the script that recomputes it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from parapluie_gui.analysis.inputs import Inputs, Studies
from parapluie_gui.analysis.protocols.mixed_balanced import mixed_balanced
from parapluie_gui.analysis.protocols.parascore import meta
from parapluie_gui.analysis.statistics.buckets import cut_column, cut_numbers, pair_lengths
from parapluie_gui.analysis.study import DISTANCE, Material, study
from parapluie_gui.errors import ParapluieError
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import ROLES, Corpus, read
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.report.benchmarks import balanced_grid, meta_grids
from parapluie_gui.report.grid import Grid
from parapluie_gui.report.html import Report, write_report
from parapluie_gui.report.script import Judge, Recipe, python_script
from parapluie_gui.scores.column_kind import is_judge_score
from parapluie_gui.ui.analysis.tab import AnalysisTab
from parapluie_gui.ui.state.score_names import full_title
from parapluie_gui.ui.state.sessions import Desk
from parapluie_gui.ui.state.task import Result, Task


class Reporter(QObject):
    """Writes reports and scripts of what the Analysis tab is about.

    Signals:
        said: (str) What was done.
        failed: (str) Why it was not.
        working: (str) What is being done; "" when nothing is.
    """

    said = Signal(str)
    failed = Signal(str)
    working = Signal(str)

    def __init__(self, tab: AnalysisTab, desk: Desk, judge: Callable[[], JudgeSettings], window: QWidget) -> None:
        super().__init__(window)
        self._tab = tab
        self._desk = desk
        self._judge = judge
        self._window = window
        self._task: Task[Any] | None = None

    def ask(self) -> None:
        """Ask for a file and write the report to it."""
        if self._ready() is None:
            return
        dialog = QFileDialog(self._window, self.tr("Write report"))
        dialog.setProperty("manual_page", "report")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([self.tr("Web page (*.html)")])
        dialog.setDefaultSuffix("html")
        dialog.selectFile("report")
        dialog.fileSelected.connect(lambda name: self.write(Path(name)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def write(self, path: Path) -> None:
        """Write the report in a thread."""
        inputs = self._ready()
        if inputs is None:
            return
        note = self._tab.set_words()
        made = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")

        def work(tell: Callable[[int], None]) -> Path:
            return write_report(path, _report(inputs, note, made, tell))

        self._begin(work, self._written, self.tr("Writing the report …"))

    def copy_script(self) -> None:
        """Put the script on the clipboard that recomputes what is analysed."""
        inputs = self._ready()
        if inputs is None:
            return
        session = None if self._desk.number is None else (self._desk.session.path, self._desk.number)
        only = self._tab.only_mask
        recipe = partial(
            _recipe,
            inputs,
            session,
            self._judge(),
            self._desk.corpus_files(),
            self._tab.balanced(),
            self._tab.set_words(),
            None if only is None else only.copy(),
        )
        self._begin(lambda tell: python_script(recipe()), self._copied, self.tr("Writing the script …"))

    def cancel(self) -> None:
        if self._task is not None:
            self._task.stop()

    def close(self) -> None:
        if self._task is not None:
            self._task.stop()
            self._task.wait()

    def _ready(self) -> Inputs | None:
        inputs = self._tab.inputs()
        if inputs is None or not inputs.score_columns:
            self.failed.emit(
                self.tr("There is nothing to report yet; open a corpus (Ctrl+O), score it (F5) and try again.")
            )
            return None
        return inputs

    def _begin(
        self, work: Callable[[Callable[[int], None]], Result], take: Callable[[Result], None], words: str
    ) -> None:
        if self._task is not None:
            self.failed.emit(self.tr("The last one is still being written; wait for it or cancel it."))
            return
        self._task = Task(work, self)
        self.working.emit(words)
        self._task.begin(take, self._refused, self._ended)

    def _ended(self) -> None:
        self._task = None
        self.working.emit("")

    def _written(self, path: Path) -> None:
        self.said.emit(self.tr("Report written to {0}.").format(path))

    def _copied(self, script: str) -> None:
        QGuiApplication.clipboard().setText(script)
        self.said.emit(self.tr("The Python script is on the clipboard; it recomputes these tables."))

    def _refused(self, error: ParapluieError) -> None:
        self.failed.emit(str(error))


def _report(inputs: Inputs, note: str, made: str, tell: Callable[[int], None]) -> Report:
    """Compute everything that goes into a report."""

    def tick(done: int, total: int) -> None:
        tell(1000 * done // max(total, 1))

    corpus = inputs.corpus
    distance = Studies().distance(inputs)
    cuts = [
        cut_numbers(DISTANCE, distance, where=inputs.where),
        cut_numbers("length", pair_lengths(corpus.source, corpus.hypothesis), where=inputs.where),
        *([cut_column("group", corpus.group, where=inputs.where)] if corpus.group is not None else []),
    ]
    material = Material(
        score_columns=inputs.score_columns,
        labels=inputs.labels,
        parts=inputs.parts,
        human=corpus.human,
        distance=distance,
        cuts=cuts,
        given=_given(inputs),
    )
    studies = study(material, draws=inputs.draws, tick=tick)
    more: list[tuple[Grid, int]] = []
    if inputs.labelled and len(inputs.parts) > 1:
        # Where a corpus is too small to draw from, the report does without that table.
        with contextlib.suppress(ParapluieError):
            more.append(
                (balanced_grid(mixed_balanced(inputs.score_columns, inputs.labels, inputs.parts, tick=tick)), 3)
            )
    if inputs.judged:
        found = meta(inputs.score_columns, corpus, where=inputs.where, draws=inputs.draws, tick=tick)
        more += [(grid, 3) for grid in meta_grids(found)]
    return Report(
        corpus=corpus,
        material=material,
        studies=studies,
        signatures=inputs.signatures,
        more=more,
        made=made,
        note=note,
        titles=full_title,
    )


def _given(inputs: Inputs) -> dict[str, float]:
    return {inputs.y: inputs.threshold} if inputs.y in inputs.names else {}


def _recipe(
    inputs: Inputs,
    session: tuple[Path, int] | None,
    judge: JudgeSettings,
    files: Sequence[Path],
    balanced: tuple[int, int, int],
    set_name: str,
    only: np.ndarray | None,
) -> Recipe:
    """Return what the script has to do; the corpus's files are read once to see whether they still say the same."""
    files = tuple(files) if _says_the_same(files, inputs.corpus) else ()
    metrics, stored, columns = [], [], []
    templates: dict[tuple[str, bool], list[str]] = {}
    for name in inputs.names:
        fields = dict(inputs.signatures[name].fields) if name in inputs.signatures else {}
        if name in inputs.corpus.extra and name not in inputs.signatures:
            columns.append(name)
        elif is_judge_score(name) and "template" in fields:
            kind = (fields.get("precision", "auto"), fields.get("mode") == "exact")
            templates.setdefault(kind, []).append(fields["template"].partition("@")[0])
        elif _computable(name):
            metrics.append(name)
        else:
            stored.append(name)
    balanced_too = False
    if inputs.labelled and len(inputs.parts) > 1:
        # A script must not end with an error because a corpus is too small to draw from.
        with contextlib.suppress(ParapluieError):
            mixed_balanced(inputs.score_columns, inputs.labels, inputs.parts, per_label=balanced[0], draws=1)
            balanced_too = True
    return Recipe(
        files=files,
        session=session,
        pairs=len(inputs.corpus),
        metrics=tuple(metrics),
        judges=tuple(
            Judge(judge.model, precision, exact, tuple(names)) for (precision, exact), names in templates.items()
        ),
        stored=tuple(stored),
        columns=tuple(columns),
        distances=tuple(
            each.name
            for each in inputs.score_columns
            if not each.higher_is_closer and catalogue.info(each.name) is None
        ),
        scores=tuple(inputs.names),
        parts=tuple(inputs.parts) if len(inputs.parts) < len(inputs.facts.parts) else (),
        rows=None if only is None else np.flatnonzero(only).tolist(),
        set_name=set_name,
        given=_given(inputs),
        draws=inputs.draws,
        balanced=balanced if balanced_too else None,
        human=inputs.judged,
    )


def _computable(name: str) -> bool:
    """Whether a score's name is all that is needed to compute it again."""
    try:
        return catalogue.metric(name).info is not None
    except ParapluieError:
        return False


def _says_the_same(files: Sequence[Path], corpus: Corpus) -> bool:
    from parapluie_gui.pairs.pool import pool

    try:
        found = pool([read(path) for path in files]) if files else None
    except ParapluieError:
        return False
    if found is None or len(found) != len(corpus):
        return False
    for role in ROLES:
        ours, theirs = getattr(corpus, role), getattr(found, role)
        if (ours is None) != (theirs is None):
            return False
        if ours is not None and not _equal(ours, theirs):
            return False
    return True


def _equal(ours: Sequence[object], theirs: Sequence[object]) -> bool:
    if isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray):
        return bool(np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f"))
    return list(ours) == list(theirs)
