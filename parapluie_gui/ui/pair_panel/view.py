"""The Pair panel: the primary pair from its sentences to the prompt, with the user's verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QStackedWidget, QWidget

from parapluie_gui.analysis.cache import StateCache
from parapluie_gui.analysis.names import judge_heads
from parapluie_gui.analysis.score_languages import languages_of_columns
from parapluie_gui.arrays import Scores
from parapluie_gui.metrics import catalogue, column_source
from parapluie_gui.metrics.changes import corrections
from parapluie_gui.pairs.column import TextColumn
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.pair.bars import axis_limit
from parapluie_gui.ui.pair.distributions import ScoreDistribution, ScoreDistributions
from parapluie_gui.ui.pair.gauges import meaning
from parapluie_gui.ui.pair.scores_panel import FIRST_BASELINES, ScoresPanel
from parapluie_gui.ui.pair.sentences import SentencesView
from parapluie_gui.ui.pair.strip import ScoreStrip
from parapluie_gui.ui.pair.verdict import VerdictView
from parapluie_gui.ui.pair_panel.properties import PairProperties
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.evidence_reader import EvidenceReader
from parapluie_gui.ui.state.notes import CorpusAnnotations
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.state.zero_reasons import ZeroReasons
from parapluie_gui.ui.widgets.arrange import (
    NO_MARGINS,
    button,
    hbox,
    name_control,
    scroll_area,
    title_button,
    vbox,
    widget_of,
)
from parapluie_gui.ui.widgets.empty import EmptyState
from parapluie_gui.ui.widgets.growing_text import GrowingText
from parapluie_gui.ui.widgets.sections import SectionPlace
from parapluie_gui.ui.widgets.text import set_type_size, usual_points
from parapluie_gui.ui.widgets.wrapped import ElidedText

#: Minimum time between two updates of the strips while distributions arrive, in milliseconds.
GATHER_MS = 30


class PairStrips(QObject):
    """Builds the strips of a pair.

    Attributes:
        shapes: The distributions over the corpus, by column.
        chosen: Scores that are listed before they are computed.

    Signals:
        changed: A distribution changed, so that the strips are outdated.
    """

    changed = Signal()

    def __init__(self, workspace: CorpusWorkspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._descriptions = StateCache()
        self.chosen: Sequence[str] = FIRST_BASELINES
        self.shapes = ScoreDistributions(workspace, self)
        self.zeros = ZeroReasons(self)
        self.zeros.arrived.connect(self.changed)
        self._gathering = CallThrottle(self.changed, GATHER_MS, self)
        self.shapes.measured.connect(self._gathering.ask)

    def list_strips(self, row: int) -> list[ScoreStrip]:
        """Return the strips of a pair: ParaPLUIE's templates, then the other scores, then computed columns."""
        table = self._workspace.table
        columns = list(dict.fromkeys((*self.chosen, *table.scores)))
        columns.sort(key=lambda name: not identify(name).is_from_judge)
        return [*(self._strip(column, row) for column in columns), *self._computed_strips(row)]

    def _computed_strips(self, row: int) -> Iterator[ScoreStrip]:
        """Return the strips of columns computed from others."""
        for name, column in self._workspace.columns.items():
            values = self._workspace.values(name) if column.expression else None
            if values is None:
                continue
            value, shape = float(values[row]), self.shapes.find_shape(name)
            line = self._workspace.threshold if name == self._workspace.y else column.meaning.threshold
            score = None if np.isnan(value) else value
            missing = self.tr("a value is missing")
            text = column.format(value)
            yield ScoreStrip(name, column.title, score, text, missing, column.tip, shape=shape, threshold=line)

    def _strip(self, column: str, row: int) -> ScoreStrip:
        table, version = self._workspace.table, self._workspace.version(column)
        title, note = self._descriptions.get(column, version, lambda: self._describe(column))
        if column not in table:
            return ScoreStrip(column, title, None, note=note)
        value = float(table[column][row])
        shape = self.shapes.find_shape(column)
        natural = None if shape is None else shape.threshold
        line = self._workspace.threshold if column == self._workspace.y else natural
        if np.isnan(value):
            why = self._why(column, row, shape)
            return ScoreStrip(column, title, None, missing=why, note=note, shape=shape, threshold=line)
        text = score_names.format_score(column, value)
        corpus = self._workspace.corpus
        if not value and corpus is not None:
            note = f"{self.zeros.reason(column, corpus.source[row], corpus.hypothesis[row])} {note}".strip()
        return ScoreStrip(column, title, value, text, note=note, shape=shape, threshold=line)

    def _describe(self, column: str) -> tuple[str, str]:
        """Return the title and the meaning of a column."""
        info = catalogue.info(column, self._workspace.table.signatures.get(column))
        return self._workspace.title(column), "" if info is None else meaning(info)

    def _why(self, column: str, row: int, shape: ScoreDistribution | None) -> str:
        """Return why a pair has no score, "" if it simply has not been scored yet."""
        corpus, signature = self._workspace.corpus, self._workspace.table.signatures.get(column)
        if corpus is None or shape is None or identify(column).is_from_judge:
            return ""
        return column_source.why_missing(corpus, signature, row) or catalogue.why_missing(
            column, corpus.source[row], corpus.hypothesis[row], *corpus.references(row)[:1]
        )


#: Delay after the last key before slow reads, in milliseconds, so that moving through pairs stays fast.
REST_MS = 30


class PairView(QWidget):
    """The Pair panel, which shows the primary pair of the workspace.

    Attributes:
        sections: Place for features' sections on the pair, below its sentences.
        details: Place for features' details on the scores, below the scores.

    Signals:
        edit_requested: (source, hypothesis) The user asked to edit a copy of the pair in the Bench.
        pair_changed: (source, hypothesis) A different pair is shown.
        rested: (row, None without a pair) The pair has been shown for a moment: slow reads may start.
        corrections_changed: (corrections) The corrections of the pair's kinds of change; see `corrections`.
    """

    edit_requested = Signal(str, str)
    pair_changed = Signal(str, str)
    rested = Signal(object)
    corrections_changed = Signal(object)

    def __init__(
        self,
        workspace: CorpusWorkspace,
        notes: CorpusAnnotations,
        evidence: EvidenceReader,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "pair")
        self.workspace = workspace
        self._notes, self._evidence = notes, evidence
        self._point_size = usual_points()
        self._limit: float | None = None
        # The score on the axis, until one is chosen here; it may be listed later, as when a session is opened.
        self._followed = workspace.y
        self._read: tuple[str, int, float | None] | None = None
        self._strips = PairStrips(workspace, self)
        self._strips.changed.connect(self._show_numbers)
        self._reading = CallThrottle(self._read_evidence, REST_MS, self, rest=True)
        # A large corpus that opens has no primary pair for a moment; hiding and showing everything would take long.
        self._emptying = CallThrottle(self._show_nothing, 0, self)
        self._build()
        workspace.corpus_changed.connect(self._corpus_changed)
        workspace.columns_changed.connect(self._numbers_changed)
        workspace.scores_changed.connect(self._numbers_changed)
        workspace.axes_changed.connect(self._follow_axes)
        workspace.threshold_changed.connect(self._follow_threshold)
        notes.changed.connect(self._note_changed)
        notes.leaving.connect(self.flush)
        notes.annotator_changed.connect(self._show_note)
        workspace.selection.primary_changed.connect(self._primary_changed)
        workspace.selection.order_changed.connect(self._show_place)
        self._primary_changed(workspace.selection.primary)

    def flush(self) -> None:
        """Save a note that is still being typed (before the corpus or the window is closed)."""
        self.verdict.flush()

    def read(self) -> None:
        """Start the slow reads of this pair, after a moment."""
        self._reading.ask()

    def stop(self) -> None:
        self.sentences.languages.stop()
        self._strips.zeros.stop()

    def texts(self) -> tuple[str, str] | None:
        """Return source and hypothesis of the primary pair, None without one."""
        row, corpus = self._row(), self.workspace.corpus
        return None if row is None or corpus is None else (corpus.source[row], corpus.hypothesis[row])

    def corrections(self) -> str | None:
        """Return the corrected kinds of change of the primary pair: the annotator's correction, or else anyone's.

        See `metrics.changes.corrections` for the format; None without a pair.
        """
        if (row := self._row()) is None:
            return None
        column = self.workspace.people.get(corrections.COLUMN)
        everybody = column[row] if isinstance(column, TextColumn) else None
        return self._notes.answer(row, corrections.SCHEME, corrections.COLUMN) or str(everybody or "")

    def correct_kinds(self, text: str) -> None:
        """Store the annotator's correction of the primary pair's kinds of change."""
        if (row := self._row()) is not None:
            self._notes.judge(row, corrections.SCHEME, corrections.COLUMN, text)

    def set_chosen(self, columns: Sequence[str]) -> None:
        """List these scores before they are computed."""
        if columns != self._strips.chosen:
            self._strips.chosen = columns
            self._show_numbers()

    def values(self) -> dict[str, float]:
        """Return the scores of the primary pair, by column."""
        row, table = self._row(), self.workspace.table
        if row is None:
            return {}
        return {name: float(table[name][row]) for name in table.scores if not np.isnan(table[name][row])}

    def models(self) -> dict[str, str]:
        """Return the judges of the primary pair's scores, by column."""
        return {name: model for name in self.values() if (model := self.workspace.model_of(name))}

    def set_scale(self, factor: float) -> None:
        """Scale all type and pictures (1.0 normal)."""
        set_type_size(self, self._point_size * factor)
        for part in (self.sentences, self.scores, self.verdict):
            part.set_scale(factor)
        self._arrange_head()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange_head()

    def showEvent(self, event: QShowEvent) -> None:
        """Do the reads that were skipped while the panel was hidden."""
        super().showEvent(event)
        self._show_numbers()
        self._reading.ask()

    def _build(self) -> None:
        back, on = self.tr("Previous pair of the selection (K)"), self.tr("Next pair of the selection (J)")
        self._previous = name_control(
            title_button("", back, self._step_back, "chevron-left"), self.tr("Previous pair"), back
        )
        self._next = name_control(title_button("", on, self._step_on, "chevron-right"), self.tr("Next pair"), on)
        self._name = name_control(GrowingText(most_lines=3, boxed=False), self.tr("Id of the pair"), "")
        self._place = ElidedText()
        self._place.setObjectName("position in the selection")
        self._facts = PairProperties()
        self.sentences = SentencesView()
        self._edit = button(
            self.tr("Edit a copy in the Bench"), self._ask_edit, self.tr("Change a word and see how the scores change")
        )
        self.scores = ScoresPanel()
        self.scores.chosen.connect(self._reading.ask)
        self.sections, self.details = SectionPlace(), SectionPlace()
        self.verdict = VerdictView()
        self.verdict.note_written.connect(self._notes.write)

        head = self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        head.addWidget(self._name, 1)
        head.addLayout(hbox((self._place, 1), self._previous, self._next))
        parts = (self._facts, self.sentences, self.sections, self.scores, self.details, self._edit)
        inside = widget_of(vbox(head, *parts, 1, margins=(10, 8, 10, 10), spacing=10))
        self._nothing = EmptyState()
        self._nothing.label.setObjectName("what to do")
        self._stack = QStackedWidget()
        self._stack.addWidget(self._nothing)
        judged = vbox(self.verdict, margins=(10, 4, 10, 8))
        # The verdict stays visible, however many scores there are.
        self._area = scroll_area(inside, sideways=True)
        self._stack.addWidget(widget_of(vbox((self._area, 1), judged, margins=NO_MARGINS)))
        vbox(self._stack, within=self, margins=NO_MARGINS)

    def minimumSizeHint(self) -> QSize:
        """Return the smallest size that shows the widest button without scrolling sideways."""
        needs = self._edit.minimumSizeHint().width() + 20 + self._area.verticalScrollBar().sizeHint().width()
        return super().minimumSizeHint().expandedTo(QSize(needs, 0))

    def _row(self) -> int | None:
        """Return the row of the primary pair, or None."""
        row, corpus = self.workspace.selection.primary, self.workspace.corpus
        return row if corpus is not None and 0 <= row < len(corpus) else None

    def _corpus_changed(self) -> None:
        self._limit = None
        self._followed = self.workspace.y
        self._primary_changed(self.workspace.selection.primary)

    def _primary_changed(self, primary: int) -> None:
        row, corpus = self._row(), self.workspace.corpus
        if row is None or corpus is None:
            self.verdict.set_row(-1)
            self._emptying.ask_if(self.workspace.is_large)
            return
        self._emptying.stop()
        pair = corpus.pair(row)
        self._name.show_text(pair.id)
        self._facts.show_pair(pair, {*self.workspace.table, *corpus.reference_columns})
        self.sentences.show_pair(pair.source, pair.hypothesis, corpus.references(row))
        self.pair_changed.emit(pair.source, pair.hypothesis)
        self.corrections_changed.emit(self.corrections())
        self.verdict.set_row(row, *self._notes.note_and_verdict(row))
        self._stack.setCurrentIndex(1)
        self._show_place()
        self._arrange_head()
        self._show_numbers()
        self._reading.ask()

    def _show_nothing(self) -> None:
        """Show a hint while there is no primary pair."""
        if self.workspace.corpus is None:
            self._nothing.say(self.tr("No corpus is open"), "files.open")
        else:
            choose = self.tr("Click a point, or press J or K to go through the pairs")
            self._nothing.say(choose, "workspace.selection.step_forwards")
        self._stack.setCurrentIndex(0)

    def _arrange_head(self) -> None:
        """Put the id above the position if both do not fit on one line."""
        used = sum(part.sizeHint().width() for part in (self._place, self._previous, self._next))
        room = self.width() - used - 4 * self._name.fontMetrics().averageCharWidth() - 70
        fits = self._name.document().idealWidth() <= room
        direction = QBoxLayout.Direction
        self._head.setDirection(direction.LeftToRight if fits else direction.TopToBottom)

    def _show_place(self) -> None:
        order, row = self.workspace.selection.order, self._row()
        if row is None:
            return
        at = np.flatnonzero(order == row)
        place = self.tr("{0} of {1}").format(f"{int(at[0]) + 1:,}", f"{len(order):,}") if len(at) else ""
        self._place.say(place or self.tr("not among the selected pairs ({0})").format(f"{len(order):,}"))
        self._previous.setEnabled(len(order) > 0 and not (len(at) and at[0] == 0))
        self._next.setEnabled(len(order) > 0 and not (len(at) and at[0] == len(order) - 1))

    def _find_shown_score(self) -> tuple[str, int, float | None]:
        """Return column, row and value of the score whose evidence should be shown."""
        column = self.scores.column()
        return column, self.verdict.row, self.values().get(column)

    def _follow_axes(self) -> None:
        self._followed = self.workspace.y
        self._show_numbers()

    def _follow_threshold(self, _: float) -> None:
        self._show_numbers()

    def _numbers_changed(self, *_: object) -> None:
        self._limit = None
        self._show_numbers()
        if self._read != self._find_shown_score():
            self._reading.ask()

    def _show_numbers(self) -> None:
        row = self._row()
        if row is None or not self.isVisible():
            return
        table = self.workspace.table
        templates = [name for name in table.scores if identify(name).is_from_judge]
        if self._limit is None:
            # One axis for the whole corpus, so that the bars of two pairs are comparable.
            self._limit = axis_limit([*(_largest(table[name]) for name in templates), 5.0])
        self.sentences.languages.set_scores(languages_of_columns(self.values(), self.workspace.table.signatures))
        line = (self.workspace.y, self.workspace.threshold)
        self.scores.show_values(
            templates,
            self.values(),
            limit=self._limit,
            title=self.workspace.title,
            threshold=line,
            shapes=self._strips.shapes.find_shape,
            heads=judge_heads(map(table.identity, templates)),
            judges={name: self.workspace.model_of(name) for name in templates if not np.isnan(table[name][row])},
        )
        if self._followed in templates:
            self.scores.choose(self._followed)
            self._followed = ""
        # A judge's score already has its bar.
        self.scores.show_strips([strip for strip in self._strips.list_strips(row) if strip.column not in templates])

    def _read_evidence(self) -> None:
        row, column = self._row(), self.scores.column()
        if self.isVisible():
            self.rested.emit(row)
        if row is None or not column or not self.isVisible():
            return
        self._read = self._find_shown_score()
        self.scores.show_evidence(self._evidence.evidence(column, row), partial(self._evidence.prompt, column, row))

    def _show_note(self) -> None:
        self.verdict.set_annotator(self._notes.annotator)
        if self.verdict.row != NO_PAIR:
            self.verdict.show_note(*self._notes.note_and_verdict(self.verdict.row))

    def _note_changed(self, row: int) -> None:
        if row == self.verdict.row:
            text, verdict = self._notes.note_and_verdict(row)
            if (text, verdict) != (self.verdict.text, self.verdict.verdict) and not self.verdict.typing:
                self.verdict.show_note(text, verdict)
        if row == self._row():
            self.corrections_changed.emit(self.corrections())

    def _step_back(self) -> None:
        self.workspace.selection.step(-1)

    def _step_on(self) -> None:
        self.workspace.selection.step(1)

    def _ask_edit(self) -> None:
        if (texts := self.texts()) is not None:
            self.edit_requested.emit(*texts)


def _largest(values: Scores) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if len(finite) else 0.0
