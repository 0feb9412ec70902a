"""The page of curves: quality against score or rank, ROC, precision against recall, calibration."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtWidgets import QGridLayout

from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.statistics.calibration import probability, probability_mask
from parapluie_gui.analysis.statistics.cascade import CascadeCurve, signed_cascade
from parapluie_gui.analysis.statistics.curves import thinned
from parapluie_gui.analysis.study import CorpusStudy
from parapluie_gui.analysis.table import number
from parapluie_gui.arrays import Floats
from parapluie_gui.report.cascade import cascade_grid
from parapluie_gui.report.evaluation import calibration_grid, curve_grid
from parapluie_gui.ui.analysis.page import Choice, Links, StudyPage, Work, slim
from parapluie_gui.ui.analysis.plot import PlotCard
from parapluie_gui.ui.analysis.series import Drawing, Line, colours
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme

#: Points of a curve that are drawn.
_POINTS = 400

_UNIT = (0.0, 1.0)


class CurvesPage(StudyPage):
    """Figures 3 to 14 of the ParaPLUIE paper and the usual curves; a point clicked becomes the threshold."""

    called = QT_TRANSLATE_NOOP("Page", "Curves")
    needs_labels = True

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self._shares: CascadeCurve | None = None
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
        self.cascade = self.plot(self.tr("Accuracy against the share sent to the second judge"), 280)
        self.flow.addWidget(self.cascade)
        self.shares = self.table()
        self.areas = self.table()
        self.errors = self.table()
        roc_tip = self.tr("{0} at {1}: recall {2}, false positive rate {3}\nclick to set this threshold")
        recall_tip = self.tr("{0} at {1}: precision {2}, recall {3}\nclick to set this threshold")
        for card, tip, act in (
            (self.quality, self._quality_tip, self._quality_picked),
            (self.roc, partial(self._curve_tip, self.roc, "roc", roc_tip), partial(self._curve_picked, "roc")),
            (
                self.precision_recall,
                partial(self._curve_tip, self.precision_recall, "precision_recall", recall_tip),
                partial(self._curve_picked, "precision_recall"),
            ),
            (self.calibration, self._calibration_tip, self._calibration_picked),
        ):
            card.describe = tip
            card.picked.connect(act)
        self.cascade.describe = self._cascade_tip

    def settle(self, inputs: Material) -> None:
        self.score.offer(inputs.names, [self.links.full_title(name) for name in inputs.names], inputs.y)
        super().settle(inputs)

    def work(self, inputs: Material, studies: Studies) -> Work[tuple[CorpusStudy, ...]]:
        return lambda tick: studies.all(inputs, tick)

    def show_result(self, inputs: Material, result: tuple[CorpusStudy, ...]) -> None:
        self.areas.show_grid(slim(curve_grid(result, self.links.full_title)), inputs.signature_lines())
        self.errors.show_grid(slim(calibration_grid(result, self.links.full_title)), inputs.signature_lines())
        self._shares = signed_cascade(inputs.score_columns, inputs.labels, inputs.signatures)
        for part in (self.cascade, self.shares):
            part.setVisible(self._shares is not None)
        if self._shares is not None:
            names, titles = [self._shares.first, self._shares.then], self.links.workspace.full_title
            self.shares.show_grid(cascade_grid(self._shares, titles), inputs.signature_lines(names))
        self.draw()

    def draw(self) -> None:
        inputs, corpus = self.inputs, self.study()
        self._draw_quality(inputs, corpus)
        if self._shares is not None:
            self._draw_cascade(inputs, self._shares)
        shades = dict(zip(corpus.scores, colours(self.theme) * (1 + len(corpus.scores) // 8), strict=False))
        drawn = {name: each for name, each in corpus.scores.items() if len(each.sweep)}
        lines = inputs.signature_lines()
        chance = Line(self.tr("chance"), np.array(_UNIT), np.array(_UNIT), self.theme.muted, guide=True)
        curves = []
        for name, each in drawn.items():
            places = thinned(len(each.roc.fpr), _POINTS)
            curves.append(Line(self.links.full_title(name), each.roc.fpr[places], each.roc.tpr[places], shades[name]))
        axes = (self.tr("false positive rate"), self.tr("recall"))
        self.roc.show_drawing(Drawing((*curves, chance), *axes, _UNIT, _UNIT), lines)
        curves = []
        for name, each in drawn.items():
            found = each.precision_recall
            places = thinned(len(found.recall), _POINTS)
            curves.append(
                Line(self.links.full_title(name), found.recall[places], found.precision[places], shades[name])
            )
        self.precision_recall.show_drawing(
            Drawing(tuple(curves), self.tr("recall"), self.tr("precision"), _UNIT, _UNIT), lines
        )
        judged = {name: each.calibration for name, each in drawn.items() if each.calibration is not None}
        fits = Line(self.tr("perfect"), np.array(_UNIT), np.array(_UNIT), self.theme.muted, guide=True)
        self.calibration.setVisible(bool(judged))
        curves = [
            Line(self.links.full_title(name), found.predicted, found.observed, shades[name], dots=True)
            for name, found in judged.items()
        ]
        axes = (self.tr("mean probability of “yes”"), self.tr("share of paraphrases"))
        self.calibration.show_drawing(Drawing((*curves, fits), *axes, _UNIT, _UNIT), lines)

    def _draw_cascade(self, inputs: Material, curve: CascadeCurve) -> None:
        """Draw the accuracy of all pairs against the share that the second judge is asked, with its interval."""
        places = thinned(len(curve.sent), _POINTS)
        share = 100 * curve.share[places]
        low, high = (each[places] for each in curve.interval)
        words, muted = self.tr("95 % interval"), self.theme.muted
        lines = (
            Line(self.tr("accuracy"), share, curve.accuracy[places], self.theme.paraphrase),
            Line(words, share, low, muted, guide=True),
            Line("", share, high, muted, guide=True),
        )
        title = self.tr("{0}, then {1}: accuracy against the share sent on")
        titles = self.links.workspace.full_title
        self.cascade.set_title(title.format(titles(curve.first), titles(curve.then)))
        drawing = Drawing(lines, self.tr("% sent to the second judge"), self.tr("accuracy"))
        self.cascade.show_drawing(drawing, inputs.signature_lines([curve.first, curve.then]))

    def _cascade_tip(self, series: int, point: int) -> str:
        line = self.cascade.drawing.series[series]
        assert isinstance(line, Line)
        words = self.tr("{0} % sent to the second judge: accuracy {1}")
        return words.format(number(float(line.x[point])), number(float(line.y[point])))

    def _draw_quality(self, inputs: Material, corpus: CorpusStudy) -> None:
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
        words = self.links.full_title(name)
        x = words if self.along.key() == "threshold" else self.tr("rank by {0}").format(words)
        best = corpus.scores[name].thresholds.best.threshold
        upright = best if self.along.key() == "threshold" else None
        self.quality.set_title(
            self.tr("{0} as threshold; the line is the best accuracy, {1} at {2}").format(
                words, number(corpus.scores[name].thresholds.best.accuracy), number(best)
            )
        )
        self.quality.show_drawing(Drawing(series, x, "", None, _UNIT, upright=upright), inputs.signature_lines([name]))
        self._thresholds = curve.threshold[order]

    def _quality_tip(self, series: int, point: int) -> str:
        line = self.quality.drawing.series[series]
        assert isinstance(line, Line)
        text = self.tr("threshold {0}: {1} {2}\nclick to set it")
        return text.format(number(float(self._thresholds[point])), line.name, number(float(line.y[point])))

    def _quality_picked(self, series: int, point: int) -> None:
        self.links.set_threshold(self.score.key(), float(self._thresholds[point]))

    def _curve_place(self, kind: str, series: int, point: int) -> tuple[str, float]:
        """Return score and threshold of a point of its curve `roc` or `precision_recall`."""
        name, study = [(name, each) for name, each in self.study().scores.items() if len(each.sweep)][series]
        thresholds: Floats = getattr(study, kind).threshold
        return name, float(thresholds[thinned(len(thresholds), _POINTS)[point]])

    def _curve_tip(self, card: PlotCard, kind: str, text: str, series: int, point: int) -> str:
        name, threshold = self._curve_place(kind, series, point)
        line = card.drawing.series[series]
        assert isinstance(line, Line)
        return text.format(self.links.full_title(name), number(threshold), number(line.y[point]), number(line.x[point]))

    def _curve_picked(self, kind: str, series: int, point: int) -> None:
        self.links.set_threshold(*self._curve_place(kind, series, point))

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
        return text.format(
            self.links.full_title(name), number(low, 1), number(high, 1), f"{found.count[point]:,}", share
        )

    def _calibration_picked(self, series: int, point: int) -> None:
        inputs = self.inputs
        name = self._judged(series)
        found = self.study().scores[name].calibration
        assert found is not None
        score_column, edges = inputs.score_column(name), found.edges
        labelled = (inputs.labels == 0) | (inputs.labels == 1)
        _, part = self.chosen_part(inputs)
        title = self.tr("p(yes) of {0} from {1} to {2}").format(
            self.links.full_title(name), number(edges[point], 1), number(edges[point + 1], 1)
        )
        self.links.select(
            title,
            lambda: probability_mask(probability(self.links.live(score_column)), edges, point, where=part & labelled),
        )
