"""The page of buckets: accuracy by length, edit distance, phenomenon or any column of the corpus."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QSpinBox, QWidget

from parapluie_gui.analysis.inputs import Inputs, Studies, signature_lines
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.buckets import PARTS, Bucket, Cut, buckets, cut_column, cut_numbers, pair_lengths
from parapluie_gui.analysis.statistics.comparison import default_threshold
from parapluie_gui.analysis.study import DISTANCE
from parapluie_gui.report.grid import Cell, Grid, number
from parapluie_gui.ui.analysis.page import Choice, Links, Page, Work, chosen_part
from parapluie_gui.ui.analysis.series import Drawing, Line, colours
from parapluie_gui.ui.analysis.thresholds import without_labels
from parapluie_gui.ui.state.score_names import full_title
from parapluie_gui.ui.widgets.theme import Theme

_LENGTH = "length"
_GROUP = "group"

_Result = tuple[Cut, dict[str, tuple[Bucket, ...]]]


class BucketsPage(Page):
    """Each score in each bucket; a row or point clicked selects the bucket's pairs."""

    follows_threshold = True

    def __init__(self, links: Links, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(links, theme, parent)
        self.call(self.tr("Buckets"))
        self.by, self.part = Choice(), self.part_choice()
        self.ranges = QSpinBox()
        self.ranges.setRange(2, 20)
        self.ranges.setValue(PARTS)
        self.by.chosen.connect(self.changed)
        self.part.chosen.connect(self.changed)
        self.ranges.valueChanged.connect(self.changed)
        self.bar((self.tr("B&y"), self.by), (self.tr("&Ranges"), self.ranges), (self.tr("o&n"), self.part))
        self.accuracy = self.plot(self.tr("Accuracy by bucket"))
        self.accuracy.describe = self._tip
        self.accuracy.picked.connect(lambda series, point: self._select(point))
        self.flow.addWidget(self.accuracy)
        self.grid_table = self.table()
        self.grid_table.clicked.connect(self._row_clicked)
        self._inputs: Inputs | None = None
        self._cut: Cut | None = None
        self._found: dict[str, tuple[Bucket, ...]] = {}
        self._rows: list[int] = []

    def missing(self, inputs: Inputs) -> str:
        return "" if inputs.labelled else without_labels(self)

    def settle(self, inputs: Inputs) -> None:
        corpus = inputs.corpus
        keys = [DISTANCE, _LENGTH, *([_GROUP] if corpus.group is not None else [])]
        titles = [full_title(DISTANCE), self.tr("Length"), *([self.tr("Group")] if corpus.group is not None else [])]
        keys += [f"+{name}" for name in corpus.extra]
        titles += list(corpus.extra)
        keys += [f"={name}" for name in inputs.names if name != DISTANCE]
        titles += [full_title(name) for name in inputs.names if name != DISTANCE]
        self.by.offer(keys, titles)
        self.offer_parts(inputs)

    def work(self, inputs: Inputs, studies: Studies) -> Work:
        by, count = self.by.key(), self.ranges.value()
        _, where = chosen_part(inputs, self.part.key())

        def work(tick: Tick) -> _Result:
            tick(0, len(inputs.score_columns) + 1)
            cut = _cut(inputs, studies, by, count, where)
            found = {}
            for done, each in enumerate(inputs.score_columns, start=1):
                tick(done, len(inputs.score_columns) + 1)
                here = each.name == inputs.y
                threshold = inputs.threshold if here else default_threshold(each, inputs.labels, where)
                found[each.name] = buckets(each, inputs.labels, cut, threshold, human=inputs.corpus.human, where=where)
            return cut, found

        return work

    def show_result(self, inputs: Inputs, result: object) -> None:
        assert isinstance(result, tuple)
        self._inputs = inputs
        self._cut, self._found = result
        self.grid_table.show_grid(self._grid(), signature_lines(inputs))
        self._draw()

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self._draw()

    def _grid(self) -> Grid:
        assert self._cut is not None and self._inputs is not None
        rows: list[tuple[Cell, ...]] = []
        self._rows = []
        for place, name in enumerate(self._cut.names):
            for score, found in self._found.items():
                each = found[place]
                if not each.pairs:
                    continue
                decision = each.decision
                rows.append(
                    (
                        name,
                        full_title(score),
                        each.pairs,
                        decision.accuracy,
                        each.interval[0],
                        each.interval[1],
                        decision.f1,
                        each.auc,
                        each.summary,
                        decision.threshold,
                        *([each.pearson] if self._inputs.judged else []),
                    )
                )
                self._rows.append(place)
        human = (self.tr("Pearson with human"),) if self._inputs.judged else ()
        titles = ("bucket", "score", "pairs", "accuracy", "low", "high", "F1", "AUC", "mean", "threshold", *human)
        return Grid(
            "buckets",
            self.tr("Accuracy by {0}").format(self.by.currentText()),
            titles,
            tuple(rows),
            self.tr(
                "Low, high: Wilson's 95 % interval of accuracy. The score on the scatter is told of at the decision "
                "line, any other at its natural threshold or else its best. Click a row to select its pairs."
            ),
        )

    def _draw(self) -> None:
        if self._cut is None or self._inputs is None:
            return
        shades = colours(self.theme) * (1 + len(self._found) // 8)
        place = np.arange(len(self._cut.names), dtype=np.float64)
        series = tuple(
            Line(full_title(score), place, np.array([each.decision.accuracy for each in found]), shade, dots=True)
            for (score, found), shade in zip(self._found.items(), shades, strict=False)
        )
        drawing = Drawing(
            series,
            self.by.currentText(),
            self.tr("accuracy"),
            (-0.4, len(place) - 0.6),
            (0.0, 1.0),
            ticks=tuple(self._cut.names),
        )
        self.accuracy.setVisible(len(self._cut.names) > 1)
        self.accuracy.show_drawing(drawing, signature_lines(self._inputs))

    def _tip(self, series: int, point: int) -> str:
        score = list(self._found)[series]
        each = self._found[score][point]
        text = self.tr("{0}, {1}: accuracy {2} [{3}, {4}] of {5} pairs\nclick to select them")
        low, high = each.interval
        return text.format(
            full_title(score), each.name, number(each.decision.accuracy), number(low), number(high), f"{each.pairs:,}"
        )

    def _row_clicked(self, row: int, column: int) -> None:
        self._select(self._rows[row])

    def _select(self, place: int) -> None:
        assert self._cut is not None and self._inputs is not None
        _, where = chosen_part(self._inputs, self.part.key())
        mask = self._cut.mask(place) & where
        self.links.select(f"{self.by.currentText()} {self._cut.names[place]}", lambda: mask)


def _cut(inputs: Inputs, studies: Studies, by: str, count: int, where: np.ndarray) -> Cut:
    """Return the buckets of what was asked for."""
    corpus = inputs.corpus
    if by == DISTANCE:
        return cut_numbers(by, studies.distance(inputs), parts=count, where=where)
    if by == _LENGTH:
        return cut_numbers(by, pair_lengths(corpus.source, corpus.hypothesis), parts=count, where=where)
    if by == _GROUP and corpus.group is not None:
        return cut_column(by, corpus.group, parts=count, where=where)
    if by.startswith("="):
        return cut_numbers(by[1:], inputs.score_column(by[1:]).values, parts=count, where=where)
    return cut_column(by[1:], corpus.extra[by[1:]], parts=count, where=where)
