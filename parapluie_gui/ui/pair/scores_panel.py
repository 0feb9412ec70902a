"""The scores of one pair with their evidence: bars, metrics or strips, and evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.one_sided import OneSidedJudge, describe_judges
from parapluie_gui.metrics import catalogue
from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.pair.bars import PairBars, ScoreBar
from parapluie_gui.ui.pair.caution import JudgeCaution
from parapluie_gui.ui.pair.distributions import ScoreDistribution
from parapluie_gui.ui.pair.evidence import EvidenceView
from parapluie_gui.ui.pair.gauges import GaugeColumn, ScoreGauge, meaning
from parapluie_gui.ui.pair.judge_matrix import JudgeCell, JudgeMatrix
from parapluie_gui.ui.pair.strip import ScoreStrip, ScoreStripList
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.zero_reasons import ZeroReasons
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, name_control, vbox
from parapluie_gui.ui.widgets.controls import plain
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Metrics that are listed before they are computed.
FIRST_BASELINES = ("edit_distance", "bleu")


class ScoresPanel(QWidget):
    """Score bars, metrics and evidence, one above the other; clicking a bar shows its evidence.

    For a pair of a corpus, `show_strips` replaces the metrics by strips, which show the scores among the corpus's.

    Attributes:
        pair: Source and hypothesis, if no strips are shown.
        bars: The scores around zero.
        matrix: The scores of several judges, instead of the bars.
        baselines: The gauges of the metrics.
        strips: The metrics with their position in the corpus; hidden without a corpus.
        evidence: The evidence of the chosen score.
        caution: Shown below the scores of the pocket judge alone, of one-sided judges, and of those elsewhere.

    Signals:
        chosen: (column) The user chose the template whose evidence is shown.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pair = "", ""
        self.zeros = ZeroReasons(self)
        self.zeros.arrived.connect(self._show_gauges)
        self._gauges: tuple[tuple[str, ...], Mapping[str, float], Mapping[str, float]] = ((), {}, {})
        self.bars = PairBars()
        self.bars.chosen.connect(self._choose)
        self.matrix = JudgeMatrix()
        self.matrix.chosen.connect(self._choose)
        self.baselines = name_control(GaugeColumn(), self.tr("Metrics"), "")
        self.strips = ScoreStripList()
        self.strips.hide()
        self.evidence = EvidenceView()
        self.evidence.chosen.connect(self._choose)
        self._directions = WrappedText(muted=True)
        self._directions.setObjectName("both directions")
        self.caution = JudgeCaution()
        self._judges: Mapping[str, str] = {}
        self._one_sided: Mapping[tuple[str, str], OneSidedJudge] = {}
        self._no_scores = plain(muted=True, wraps=True)
        scores = (self._no_scores, self.bars, self.matrix, self.caution, self._directions, self.baselines, self.strips)
        vbox(*scores, self.evidence, within=self, margins=NO_MARGINS, spacing=8)
        self.set_state("idle")
        self.show_values((), {})

    def set_state(self, state: str) -> None:
        """Set the state of scoring, as in `CorpusScoring`, which explains an unscored pair."""
        idle, words = self.tr("Not judged yet. Press Run (F5)."), self.tr("Not judged yet. Scoring is running.")
        self._no_scores.setText(idle if state == "idle" else words)

    def set_one_sided(self, judges: Mapping[tuple[str, str], OneSidedJudge]) -> None:
        """Set the one-sided judges, by column and model."""
        self._one_sided = judges
        self._show_caution()

    def column(self) -> str:
        """Return the template whose evidence is shown, or ""."""
        return self.evidence.column()

    def show_values(
        self,
        columns: Iterable[str],
        values: Mapping[str, float],
        before: Mapping[str, float] | None = None,
        limit: float | None = None,
        title: Callable[[str], str] = lambda column: shown_name(identify(column)),
        threshold: tuple[str, float] = ("", 0.0),
        shapes: Callable[[str], ScoreDistribution | None] = lambda column: None,
        heads: Mapping[str, tuple[str, str]] | None = None,
        judges: Mapping[str, str] | None = None,
    ) -> None:
        """Show scores.

        Args:
            columns: Score columns to show, scored or not.
            values: The numbers by column; missing or NaN means not scored yet.
            before: The numbers of the original, if the pair is an edited copy.
            limit: End of the bars' axis; by default a round number beyond the values.
            title: The function that returns the title of a score.
            threshold: One score and its threshold; the threshold of the others is 0.
            shapes: The function that returns the distribution of a judge's score over the corpus, or None.
            heads: Judge and template by column, if there are several judges: their scores are shown as a matrix.
            judges: The models of the existing scores, by column.
        """
        old = before or {}
        shown = [column for column in columns if identify(column).is_score]
        templates = [column for column in shown if identify(column).is_from_judge]
        baselines = [column for column in shown if column not in templates]
        lines = dict([threshold])
        bars = [
            ScoreBar(name, title(name), _number(values, name), _number(old, name), lines.get(name, 0.0), shapes(name))
            for name in templates
        ]
        self.bars.set_rows(bars, limit)
        cells = [JudgeCell(*heads[bar.column], bar) for bar in bars if bar.column in heads] if heads else []
        self.matrix.set_cells(cells, self.bars.limit)
        self.bars.setVisible(bool(bars) and not cells)
        self._judges = judges or {}
        self._show_caution()
        self._gauges = (tuple(baselines), values, old)
        self._show_gauges()
        self._directions.say(
            "\n".join(filter(None, (self._direction(name, title(name), values) for name in templates)))
        )
        self._no_scores.setVisible(not templates)
        self.evidence.setVisible(bool(templates))
        self.evidence.set_columns([(name, title(name)) for name in templates])
        self.bars.choose(self.evidence.column())
        self.matrix.choose(self.evidence.column())

    def _show_caution(self) -> None:
        one_sided = [self._one_sided[judged] for judged in self._judges.items() if judged in self._one_sided]
        self.caution.set_judges(self._judges.values(), describe_judges(one_sided))

    def _show_gauges(self) -> None:
        """Show the scores of the metrics, with the reasons that are known."""
        baselines, values, old = self._gauges
        self.baselines.set_rows([self._gauge(name, values, old) for name in baselines])

    def choose(self, column: str) -> None:
        """Choose the template whose evidence is shown, if it is listed."""
        if column != self.column() and column in [bar.column for bar in self.bars.rows]:
            self._choose(column)

    def show_strips(self, strips: Sequence[ScoreStrip]) -> None:
        """Show the scores with their position in the corpus instead of the gauges."""
        self.baselines.set_rows([])
        self.strips.set_rows(strips)

    def show_evidence(
        self, evidence: AnswerEvidence | None, read_prompt: Callable[[], str | None] | None = None
    ) -> None:
        self.evidence.show_evidence(evidence, read_prompt)

    def set_scale(self, factor: float) -> None:
        self.evidence.set_scale(factor)

    def _direction(self, column: str, title: str, values: Mapping[str, float]) -> str:
        """Return a sentence that compares a template's two directions, "" if one of them has no score."""
        forward, reverse = (_number(values, name) for name in identify(column).orders)
        if identify(column).reverse or forward is None or reverse is None:
            return ""
        words = self.tr("{0}: {1} with the source first, {2} with the hypothesis first; the difference is {3}.")
        turned = self.tr(" The answer depends on the order.") if (forward > 0) != (reverse > 0) else ""
        gap = score_names.format_signed(forward - reverse)
        return words.format(title, *map(score_names.format_signed, (forward, reverse)), gap) + turned

    def _gauge(self, column: str, values: Mapping[str, float], before: Mapping[str, float]) -> ScoreGauge:
        info = catalogue.info(column)
        title, value, old = shown_name(identify(column)), _number(values, column), _number(before, column)
        if info is None:
            return ScoreGauge(title, value, -math.inf, math.inf, before=old)
        note = meaning(info)
        if value == 0:
            note = f"{self.zeros.reason(column, *self.pair)} {note}".lstrip()
        return ScoreGauge(title, value, info.low, info.high, before=old, note=note, closer=info.higher_is_closer)

    def _choose(self, column: str) -> None:
        self.bars.choose(column)
        self.matrix.choose(column)
        self.evidence.set_columns([(bar.column, bar.title) for bar in self.bars.rows], column)
        self.chosen.emit(column)


def _number(values: Mapping[str, float], column: str) -> float | None:
    value = values.get(column)
    return None if value is None or math.isnan(value) else value
