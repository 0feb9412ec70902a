"""The view of a PEM score: its components as bars, and the translations of both sentences, segment by segment."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.pem.evidence import ConfusionColumn, PemEvidence
from parapluie_gui.features.pem.metric import Pem, default_model
from parapluie_gui.metrics.spec import MetricSpec
from parapluie_gui.ui.pair.gauges import GaugeColumn, ScoreGauge
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.task import BackgroundTask
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, name_control, vbox
from parapluie_gui.ui.widgets.controls import plain
from parapluie_gui.ui.widgets.growing_text import displayable
from parapluie_gui.ui.widgets.theme import current_theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Maximum number of segments shown; a line below gives the number of further ones.
MOST_SHOWN = 80

#: Maximum length of a line in a cell, in characters.
_LONGEST = 40
_PAD = 5.0
_GAP = 4.0


@dataclass(frozen=True)
class _SegmentCell:
    area: QRectF
    segment: ConfusionColumn


class PemSegments(QWidget):
    """A row of cells, one per segment, wrapped at the width of the widget.

    Pivot language words that both sentences share are highlighted; the text of a segment that is not in the phrase
    table is orange and italic.

    Attributes:
        segments: The segments shown.
        cells: Their cells.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.segments: tuple[ConfusionColumn, ...] = ()
        self._shared: frozenset[str] = frozenset()
        self.cells: list[_SegmentCell] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_segments(self, segments: Sequence[ConfusionColumn], shared: frozenset[str]) -> None:
        """Show segments.

        Args:
            segments: The segments in the order of the sentence.
            shared: The pivot language words that the translations of both sentences share.
        """
        self.segments, self._shared = tuple(segments[:MOST_SHOWN]), shared
        self.setAccessibleDescription("; ".join(self._sentence(segment) for segment in self.segments))
        self.lay_out()

    def highlighted_words(self) -> list[str]:
        """Return the highlighted words, in order."""
        texts = (text for segment in self.segments for text, _ in segment.translations)
        return [word for text in texts for word in text.split() if word in self._shared]

    def minimumSizeHint(self) -> QSize:
        return QSize(round(self.fontMetrics().averageCharWidth() * 16), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self.lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = QFontMetricsF(self.font()).height()
        for cell in self.cells:
            painter.setPen(QPen(QColor(current_theme().border), 1))
            painter.setBrush(QColor(current_theme().base))
            painter.drawRoundedRect(cell.area, 4, 4)
            top = QRectF(cell.area.left() + _PAD, cell.area.top() + 2, cell.area.width() - 2 * _PAD, line)
            painter.setFont(self._bold(unknown=not cell.segment.known))
            painter.setPen(QColor(current_theme().text if cell.segment.known else current_theme().other))
            painter.drawText(
                top, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, _shorten(cell.segment.text)
            )
            painter.setFont(self.font())
            for row, (text, weight) in enumerate(cell.segment.translations, 1):
                self._paint_translation(painter, top.translated(0, row * (line + 1) + 1), text, weight)
        painter.end()

    def _paint_translation(self, painter: QPainter, area: QRectF, text: str, weight: float) -> None:
        metrics = QFontMetricsF(self.font())
        x = area.left()
        for piece in re.findall(r"\S+\s*", _shorten(text)):
            wide = metrics.horizontalAdvance(piece)
            word = piece.strip()
            shared = word in self._shared
            if shared:
                painter.fillRect(
                    QRectF(x, area.top(), metrics.horizontalAdvance(word), area.height()), QColor(current_theme().mark)
                )
            painter.setPen(QColor(current_theme().mark_text if shared else current_theme().text))
            painter.drawText(QPointF(x, area.top() + metrics.ascent()), piece)
            x += wide
        painter.setPen(QColor(current_theme().muted))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{weight:.2f}")

    def lay_out(self) -> None:
        """Lay out the cells again, for a new width or font size."""
        metrics, bold = QFontMetricsF(self.font()), QFontMetricsF(self._bold())
        line = metrics.height()
        x = y = 0.0
        deepest = 0.0
        self.cells = []
        for segment in self.segments:
            wide = bold.horizontalAdvance(_shorten(segment.text))
            for text, weight in segment.translations:
                wide = max(wide, metrics.horizontalAdvance(f"{_shorten(text)}  {weight:.2f}"))
            wide += 2 * _PAD + 1
            high = (line + 1) * (1 + len(segment.translations)) + 6
            if x > 0 and x + wide > self.width():
                x, y, deepest = 0.0, y + deepest + _GAP, 0.0
            self.cells.append(
                _SegmentCell(QRectF(x + 0.5, y + 0.5, min(wide, max(self.width() - 1.0, 1.0)), high), segment)
            )
            x += wide + _GAP
            deepest = max(deepest, high)
        self.setFixedHeight(max(1, round(y + deepest + 2)))
        self.update()

    def _bold(self, unknown: bool = False) -> QFont:
        font = QFont(self.font())
        font.setBold(True)
        font.setItalic(unknown)
        return font

    def _sentence(self, segment: ConfusionColumn) -> str:
        words = ", ".join(f"{text} {weight:.2f}" for text, weight in segment.translations)
        sentence = self.tr("{0}: {1}") if segment.known else self.tr("{0}, not in the phrase table: {1}")
        return sentence.format(segment.text, words)


def _shorten(text: str) -> str:
    text = displayable(text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


#: Maximum number of shared n-grams shown, the longest first.
MOST_SHARED = 8

Explain = Callable[[str, str], PemEvidence]


class PemView(QWidget):
    """The evidence for the PEM score of one pair; hidden while there is nothing to show.

    `explain` runs in a thread, for one pair at a time. While it runs, only the last requested pair is queued, and the
    result for an outdated request is dropped.
    """

    def __init__(self, explain: Explain, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "pem")
        self._explain = explain
        self._requested: tuple[str, str] | None = None
        self._computing: tuple[str, str] | None = None
        self._task: BackgroundTask[PemEvidence] | None = None

        self._heading = plain(self.tr("PEM: translations of both sentences"), muted=True)
        self._gauges = name_control(GaugeColumn(), self.tr("Components of PEM"), "")
        self._error = WrappedText(bad=True)
        self._error.setObjectName("failure")
        self._grids: list[PemSegments] = []
        self._more: list[WrappedText] = []
        layout = vbox(self._heading, self._gauges, self._error, within=self, margins=NO_MARGINS, spacing=4)
        for name in (self.tr("Source, segment by segment"), self.tr("Hypothesis, segment by segment")):
            label = plain(name, muted=True)
            grid = name_control(PemSegments(), name, "")
            more = WrappedText(muted=True)
            more.setObjectName("how many more")
            for part in (label, grid, more):
                layout.addWidget(part)
            self._grids.append(grid)
            self._more.append(more)
        self._shared = name_control(WrappedText(muted=True), self.tr("Shared n-grams of the pivot language"), "")
        layout.addWidget(self._shared)
        self.hide()

    def show_pair(self, source: str, hypothesis: str) -> None:
        """Compute and show the evidence for a pair; until then the previous evidence stays in view."""
        if self._requested != (source, hypothesis):
            self._requested = (source, hypothesis)
            self._start()

    def clear(self) -> None:
        """Hide the view, for a pair without a PEM score."""
        self._requested = None
        self.hide()

    def stop(self) -> None:
        self._requested = None
        if self._task is not None:
            self._task.wait()

    def show_evidence(self, evidence: PemEvidence) -> None:
        self._error.say("")
        self._gauges.set_rows(self._bars(evidence))
        words = frozenset(word for text, _ in evidence.shared for word in text.split())
        for grid, more, segments in zip(self._grids, self._more, (evidence.source, evidence.hypothesis), strict=True):
            self._show_side(grid, more, segments, words)
        longest = sorted(evidence.shared, key=lambda ngram: (-len(ngram[0].split()), -ngram[1]))[:MOST_SHARED]
        phrases = "   ·   ".join(f"{text} {weight:.2f}" for text, weight in longest)
        self._shared.say(
            self.tr("Shared in the pivot language: {0}").format(phrases)
            if phrases
            else self.tr("Nothing is shared in the pivot language.")
        )
        self.show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            for grid in self._grids:
                grid.lay_out()

    def _bars(self, evidence: PemEvidence) -> list[ScoreGauge]:
        if math.isnan(evidence.overall):
            return []

        def bar(
            title: str, value: float, colour: str = "unlabelled", note: str = "", low: float = 0.0, high: float = 1.0
        ) -> ScoreGauge:
            return ScoreGauge(title, value, low, high, score_names.format_plain(value), colour=colour, note=note)

        overall = self.tr("Regression on the three components below, on the scale of human scores from 1 to 5")
        adequacy = self.tr("How alike the two translations are: F1 of their bags of n-grams in the pivot language")
        fluency = self.tr("Log-probability per word of the hypothesis under a 4-gram model; the bar starts at −12")
        wording = self.tr("F1 of the two sentences' bags of n-grams: low if the wording differs")
        return [
            bar(self.tr("Overall"), evidence.overall, "accent", overall, 1.0, 5.0),
            bar(self.tr("Adequacy"), evidence.adequacy, "paraphrase", adequacy),
            bar(self.tr("   precision"), evidence.precision),
            bar(self.tr("   recall"), evidence.recall),
            bar(self.tr("Fluency"), evidence.fluency, "good", fluency, -12.0, 0.0),
            bar(self.tr("Same wording"), evidence.target, "other", wording),
        ]

    def _show_side(
        self, grid: PemSegments, more: WrappedText, segments: tuple[ConfusionColumn, ...], words: frozenset[str]
    ) -> None:
        grid.set_segments(segments, words)
        beyond = len(segments) - MOST_SHOWN
        more.say(self.tr("and {0} more segments").format(f"{beyond:,}") if beyond > 0 else "")

    def _start(self) -> None:
        if self._task is not None or self._requested is None:
            return
        source, hypothesis = self._computing = self._requested
        task = self._task = BackgroundTask(partial(_run_explain, self._explain, source, hypothesis), self)
        task.begin(self._show_result, self._show_error, self._finish)

    def _show_result(self, evidence: PemEvidence) -> None:
        if self._computing == self._requested:
            self.show_evidence(evidence)

    def _show_error(self, error: ParapluieError) -> None:
        if self._computing == self._requested:
            self._gauges.set_rows([])
            for grid, more in zip(self._grids, self._more, strict=True):
                self._show_side(grid, more, (), frozenset())
            self._shared.say("")
            self._error.say(str(error))
            self.show()

    def _finish(self) -> None:
        self._task = None
        if self._requested != self._computing:
            self._start()


class WorkspacePemView(PemView):
    """The evidence for the workspace's pairs that have a PEM score and whose model is available."""

    def __init__(
        self, workspace: CorpusWorkspace, find_spec: Callable[[str], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(partial(_explain_with, ""), parent)
        self._workspace = workspace
        self._find_spec = find_spec
        self._file = ""

    def show_row(self, row: int | None) -> None:
        """Show the evidence for a pair's PEM score, or hide the view if it has none."""
        corpus, file = self._workspace.corpus, None if row is None else self._model_file(row)
        if corpus is None or row is None or file is None:
            self.clear()
            return
        if file != self._file:
            self._file, self._explain = file, partial(_explain_with, file)
            self.clear()
        self.show_pair(corpus.source[row], corpus.hypothesis[row])

    def _model_file(self, row: int) -> str | None:
        """Return the file of the model that scored the pair; "" for the default model, None without a score."""
        table = self._workspace.table
        for column in table.scores:
            if column.partition(".")[0] != Pem.info.id or np.isnan(table[column][row]):
                continue
            if spec := self._find_spec(column):
                return MetricSpec.parse(spec).argument
            signature = table.signatures.get(column)
            if signature is None or dict(signature.fields).get("model") == default_model().name:
                return ""
        return None


def _explain_with(file: str, source: str, hypothesis: str) -> PemEvidence:
    return Pem(file).explain(source, hypothesis)


def _run_explain(explain: Explain, source: str, hypothesis: str, tell: Callable[[int], None]) -> PemEvidence:
    # Holds no widget, because the last reference to a widget must not be dropped in a thread.
    return explain(source, hypothesis)
