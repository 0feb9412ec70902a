"""The page of curves: quality against score or rank, ROC, precision against recall, calibration."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QGridLayout

from parapluie_gui.analysis.inputs import Inputs, Studies, signature_lines
from parapluie_gui.analysis.statistics.calibration import probability, probability_mask
from parapluie_gui.analysis.study import CorpusStudy
from parapluie_gui.report.evaluation import calibration_grid, curve_grid
from parapluie_gui.report.grid import number
from parapluie_gui.ui.analysis.page import Choice, Links, StudyPage, Work, slim
from parapluie_gui.ui.analysis.series import Drawing, Line, colours
from parapluie_gui.ui.state.score_names import full_title
from parapluie_gui.ui.widgets.theme import Theme

#: Points of a curve that are drawn.
_POINTS = 400

_UNIT = (0.0, 1.0)


class CurvesPage(StudyPage):
    """Figures 3 to 14 of the ParaPLUIE paper and the usual curves; a point clicked becomes the threshold."""

    needs_labels = True

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.call(self.tr("Curves"))
        self.score, self.along = Choice(), Choice()
        self.along.offer(["threshold", "rank"], [self.tr("score"), self.tr("rank")])
        for choice in (self.score, self.along, self.part):
            choice.chosen.connect(self.redraw)
        self.bar((self.tr("&Quality of"), self.score), (self.tr("a&gainst"), self.along), (self.tr("o&n"), self.part))
        self.quality = self.plot(self.tr("Accuracy, F1, recall and precision"), 290)
        self.flow.addWidget(self.quality)
        self.roc = self.plot(self.tr("ROC"), 280)
        self.precision_recall = self.plot(self.tr("Precision against recall"), 280)
        self.calibration = self.plot(self.tr("Calibration of p(yes)"), 280)
        plots = QGridLayout()
        plots.setSpacing(12)
        plots.setColumnStretch(0, 1)
        plots.setColumnStretch(1, 1)
        plots.addWidget(self.roc, 0, 0)
        plots.addWidget(self.precision_recall, 0, 1)
        plots.addWidget(self.calibration, 1, 0, 1, 2)
        self.flow.addLayout(plots)
        self.areas = self.table()
        self.errors = self.table()
        for card, tip, act in (
            (self.quality, self._quality_tip, self._quality_picked),
            (self.roc, self._roc_tip, self._roc_picked),
            (self.precision_recall, self._recall_tip, self._recall_picked),
            (self.calibration, self._calibration_tip, self._calibration_picked),
        ):
            card.describe = tip
            card.picked.connect(act)

    def settle(self, inputs: Inputs) -> None:
        self.score.offer(inputs.names, [full_title(name) for name in inputs.names], inputs.y)
        super().settle(inputs)

    def work(self, inputs: Inputs, studies: Studies) -> Work[tuple[CorpusStudy, ...]]:
        return lambda tick: studies.all(inputs, tick)

    def show_result(self, inputs: Inputs, result: tuple[CorpusStudy, ...]) -> None:
        self.areas.show_grid(slim(curve_grid(result, full_title)), signature_lines(inputs))
        self.errors.show_grid(slim(calibration_grid(result, full_title)), signature_lines(inputs))
        self.draw()

    def draw(self) -> None:
        inputs, corpus = self.inputs, self.study()
        self._draw_quality(inputs, corpus)
        shades = dict(zip(corpus.scores, colours(self.theme) * (1 + len(corpus.scores) // 8), strict=False))
        drawn = {name: each for name, each in corpus.scores.items() if len(each.sweep)}
        lines = signature_lines(inputs)
        chance = Line(self.tr("chance"), np.array(_UNIT), np.array(_UNIT), self.theme.muted, guide=True)
        curves = []
        for name, each in drawn.items():
            places = _thin(len(each.roc.fpr))
            curves.append(Line(full_title(name), each.roc.fpr[places], each.roc.tpr[places], shades[name]))
        axes = (self.tr("false positive rate"), self.tr("recall"))
        self.roc.show_drawing(Drawing((*curves, chance), *axes, _UNIT, _UNIT), lines)
        curves = []
        for name, each in drawn.items():
            found = each.precision_recall
            places = _thin(len(found.recall))
            curves.append(Line(full_title(name), found.recall[places], found.precision[places], shades[name]))
        self.precision_recall.show_drawing(
            Drawing(tuple(curves), self.tr("recall"), self.tr("precision"), _UNIT, _UNIT), lines
        )
        judged = {name: each.calibration for name, each in drawn.items() if each.calibration is not None}
        fits = Line(self.tr("perfect"), np.array(_UNIT), np.array(_UNIT), self.theme.muted, guide=True)
        self.calibration.setVisible(bool(judged))
        self.calibration.show_drawing(
            Drawing(
                (
                    *(
                        Line(full_title(name), found.predicted, found.observed, shades[name], dots=True)
                        for name, found in judged.items()
                    ),
                    fits,
                ),
                self.tr("mean probability of “yes”"),
                self.tr("share of paraphrases"),
                _UNIT,
                _UNIT,
            ),
            lines,
        )

    def _draw_quality(self, inputs: Inputs, corpus: CorpusStudy) -> None:
        name = self.score.key()
        if name not in corpus.scores:
            return
        curve = corpus.scores[name].sweep.thin(_POINTS)
        along = curve.threshold if self.along.key() == "threshold" else curve.rank.astype(np.float64)
        theme = self.theme
        kinds = (
            (self.tr("accuracy"), curve.accuracy, theme.paraphrase),
            (self.tr("F1"), curve.f1, theme.other),
            (self.tr("recall"), curve.recall, theme.good),
            (self.tr("precision"), curve.precision, theme.unlabelled),
        )
        order = np.argsort(along, kind="stable")
        series = tuple(Line(words, along[order], values[order], colour) for words, values, colour in kinds)
        words = full_title(name)
        x = words if self.along.key() == "threshold" else self.tr("rank by {0}").format(words)
        best = corpus.scores[name].thresholds.best.threshold
        upright = best if self.along.key() == "threshold" else None
        self.quality.set_title(
            self.tr("{0} as threshold; the line is the best accuracy, {1} at {2}").format(
                words, number(corpus.scores[name].thresholds.best.accuracy), number(best)
            )
        )
        self.quality.show_drawing(Drawing(series, x, "", None, _UNIT, upright=upright), signature_lines(inputs, [name]))
        self._thresholds = curve.threshold[order]

    def _named(self, series: int) -> str:
        drawn = [name for name, each in self.study().scores.items() if len(each.sweep)]
        return drawn[series] if series < len(drawn) else ""

    def _quality_tip(self, series: int, point: int) -> str:
        kind = self.quality.drawing.series[series].name
        text = self.tr("threshold {0}: {1} {2}\nclick to set it")
        value = self._value(self.quality.drawing.series[series], point)
        return text.format(number(float(self._thresholds[point])), kind, number(value))

    def _quality_picked(self, series: int, point: int) -> None:
        self.links.set_threshold(self.score.key(), float(self._thresholds[point]))

    def _roc_place(self, series: int, point: int) -> tuple[str, float]:
        name = self._named(series)
        found = self.study().scores[name].roc
        return name, float(found.threshold[_thin(len(found.fpr))[point]])

    def _roc_tip(self, series: int, point: int) -> str:
        name, threshold = self._roc_place(series, point)
        text = self.tr("{0} at {1}: recall {2}, false positive rate {3}\nclick to set this threshold")
        line = self.roc.drawing.series[series]
        assert isinstance(line, Line)
        return text.format(full_title(name), number(threshold), number(line.y[point]), number(line.x[point]))

    def _roc_picked(self, series: int, point: int) -> None:
        self.links.set_threshold(*self._roc_place(series, point))

    def _recall_place(self, series: int, point: int) -> tuple[str, float]:
        name = self._named(series)
        found = self.study().scores[name].precision_recall
        return name, float(found.threshold[_thin(len(found.recall))[point]])

    def _recall_tip(self, series: int, point: int) -> str:
        name, threshold = self._recall_place(series, point)
        text = self.tr("{0} at {1}: precision {2}, recall {3}\nclick to set this threshold")
        line = self.precision_recall.drawing.series[series]
        assert isinstance(line, Line)
        return text.format(full_title(name), number(threshold), number(line.y[point]), number(line.x[point]))

    def _recall_picked(self, series: int, point: int) -> None:
        self.links.set_threshold(*self._recall_place(series, point))

    def _judged(self, series: int) -> str:
        scores = self.study().scores
        return [name for name, each in scores.items() if len(each.sweep) and each.calibration is not None][series]

    def _calibration_tip(self, series: int, point: int) -> str:
        name = self._judged(series)
        found = self.study().scores[name].calibration
        assert found is not None
        text = self.tr("{0}, p(yes) from {1} to {2}: {3} pairs, {4} of them paraphrases\nclick to select them")
        low, high = found.edges[point], found.edges[point + 1]
        share = number(100 * found.observed[point], 0) + " %"
        return text.format(full_title(name), number(low, 1), number(high, 1), f"{found.count[point]:,}", share)

    def _calibration_picked(self, series: int, point: int) -> None:
        inputs = self.inputs
        name = self._judged(series)
        found = self.study().scores[name].calibration
        assert found is not None
        score_column, edges = inputs.score_column(name), found.edges
        labelled = (inputs.labels == 0) | (inputs.labels == 1)
        _, part = self.chosen_part(inputs)
        title = self.tr("p(yes) of {0} from {1} to {2}").format(
            full_title(name), number(edges[point], 1), number(edges[point + 1], 1)
        )
        self.links.select(
            title,
            lambda: probability_mask(probability(self.links.live(score_column)), edges, point, where=part & labelled),
        )

    @staticmethod
    def _value(series: object, point: int) -> float:
        assert isinstance(series, Line)
        return float(series.y[point])


def _thin(count: int) -> np.ndarray:
    """Return places of a curve that are enough to draw it, both ends among them."""
    return np.arange(count) if count <= _POINTS else np.unique(np.linspace(0, count - 1, _POINTS).astype(np.int64))
