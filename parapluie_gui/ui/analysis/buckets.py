"""The page of buckets: accuracy by length, edit distance, kind of change or any column of the corpus."""

from __future__ import annotations

from math import isnan

import numpy as np
from PySide6.QtWidgets import QSpinBox

from parapluie_gui.analysis.material import LENGTH, Material, Studies
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.buckets import (
    PARTS,
    Bucket,
    Cut,
    buckets,
    cut_column,
    cut_members,
    cut_numbers,
    pair_lengths,
)
from parapluie_gui.analysis.study import DISTANCE
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.arrays import Mask
from parapluie_gui.metrics.changes.kinds import kind_members
from parapluie_gui.report.heat_map import HeatMap
from parapluie_gui.report.heat_map import Line as HeatLine
from parapluie_gui.ui.analysis.heat_map_card import HeatMapCard
from parapluie_gui.ui.analysis.page import Links, Page, Work
from parapluie_gui.ui.analysis.series import Drawing, Line, colours
from parapluie_gui.ui.widgets.choice import Choice
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme

_GROUP = "group"
_KINDS = "kinds"

_Result = tuple[Cut, dict[str, tuple[Bucket, ...]]]


class BucketsPage(Page[_Result]):
    """Each score in each bucket; a row or point clicked selects the bucket's pairs."""

    called = QT_TRANSLATE_NOOP("Page", "Buckets")
    follows_threshold = True
    needs_labels = True

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.by = Choice()
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
        self.heat = HeatMapCard(self.tr("Wrong verdicts"), theme)
        self.heat.said.connect(links.said)
        self.heat.failed.connect(links.failed)
        self.heat.picked.connect(lambda score, bucket: self._select(self.result[0].names.index(bucket)))
        self.flow.addWidget(self.heat)
        self.grid_table = self.table()
        self.grid_table.clicked.connect(self._row_clicked)
        self._rows: list[int] = []

    def settle(self, inputs: Material) -> None:
        corpus = inputs.corpus
        titles = {DISTANCE: self.links.full_title(DISTANCE), LENGTH: self.tr("Length")}
        titles[_KINDS] = self.tr("Kind of change")
        if corpus.group is not None:
            titles[_GROUP] = self.tr("Group")
        titles |= {f"+{name}": name for name in corpus.extra}
        titles |= {f"={name}": self.links.full_title(name) for name in inputs.names if name != DISTANCE}
        self.by.offer(list(titles), list(titles.values()))
        super().settle(inputs)

    def work(self, inputs: Material, studies: Studies) -> Work[_Result]:
        by, count = self.by.key(), self.ranges.value()
        _, where = self.chosen_part(inputs)

        def work(tick: Tick) -> _Result:
            tick(0, len(inputs.score_columns) + 1)
            cut = _cut(inputs, studies, by, count, where, tick)
            found = {}
            for done, each in enumerate(inputs.score_columns, start=1):
                tick(done, len(inputs.score_columns) + 1)
                threshold = inputs.threshold(each, where)
                found[each.name] = buckets(each, inputs.labels, cut, threshold, human=inputs.corpus.human, where=where)
            return cut, found

        return work

    def show_result(self, inputs: Material, result: _Result) -> None:
        self.grid_table.show_grid(self._grid(), inputs.signature_lines())
        self.draw()

    def _grid(self) -> Table:
        cut, scores = self.result
        rows: list[tuple[Cell, ...]] = []
        self._rows = []
        for place, name in enumerate(cut.names):
            for score, found in scores.items():
                each = found[place]
                if not each.pairs:
                    continue
                decision = each.decision
                rows.append(
                    (
                        *(
                            name,
                            self.links.full_title(score),
                            each.pairs,
                            decision.accuracy,
                            *each.interval,
                            decision.f1,
                        ),
                        *(each.auc, each.summary, decision.threshold),
                        *([each.pearson] if self.inputs.judged else []),
                    )
                )
                self._rows.append(place)
        human = (self.tr("Pearson with human"),) if self.inputs.judged else ()
        titles = ("bucket", "score", "pairs", "accuracy", "low", "high", "F1", "AUC", "mean", "threshold", *human)
        several = self.tr("A pair counts under each of its kinds.") if cut.members else ""
        return Table(
            "buckets",
            self.tr("Accuracy by {0}").format(self.by.currentText()),
            titles,
            tuple(rows),
            self.tr(
                "Low, high: Wilson's 95 % interval of accuracy. The score on the scatter is judged at the dragged "
                "threshold, every other score at its natural threshold or, without one, at its best. Click a row to "
                "select its pairs."
            )
            + f" {several}".rstrip(),
        )

    def draw(self) -> None:
        cut, scores = self.result
        shades = colours(self.theme) * (1 + len(scores) // 8)
        place = np.arange(len(cut.names), dtype=np.float64)
        series = tuple(
            Line(
                self.links.full_title(score),
                place,
                np.array([each.decision.accuracy for each in found]),
                shade,
                dots=True,
            )
            for (score, found), shade in zip(scores.items(), shades, strict=False)
        )
        drawing = Drawing(
            series,
            self.by.currentText(),
            self.tr("accuracy"),
            (-0.4, len(place) - 0.6),
            (0.0, 1.0),
            ticks=tuple(cut.names),
        )
        # Lines join ranges; categories stand beside one another, and many of them have no room along an axis.
        self.accuracy.setVisible(len(cut.names) > 1 and not cut.members)
        self.accuracy.show_drawing(drawing, self.inputs.signature_lines())

        self._draw_heat_map(cut, scores)

    def _draw_heat_map(self, cut: Cut, scores: dict[str, tuple[Bucket, ...]]) -> None:
        """Show the share of wrong verdicts of each score in each category."""
        self.heat.setVisible(bool(cut.names) and isnan(cut.low[0]))
        columns = tuple(HeatLine(score, self.links.full_title(score)) for score in scores)
        lines = tuple(HeatLine(name, name) for name in cut.names)
        values = {
            (score, name): 1 - each.decision.accuracy
            for score, found in scores.items()
            for name, each in zip(cut.names, found, strict=True)
        }
        self.heat.signatures = self.inputs.signature_lines()
        note = self.tr("Wrong verdicts in %. Click a cell to select its pairs.")
        self.heat.show_map(HeatMap(columns, lines, values), note)

    def apply_theme(self, theme: Theme) -> None:
        self.heat.apply_theme(theme)
        super().apply_theme(theme)

    def _tip(self, series: int, point: int) -> str:
        score, found = list(self.result[1].items())[series]
        each = found[point]
        text = self.tr("{0}, {1}: accuracy {2} [{3}, {4}] of {5} pairs\nclick to select them")
        low, high = each.interval
        return text.format(
            self.links.full_title(score),
            each.name,
            number(each.decision.accuracy),
            number(low),
            number(high),
            f"{each.pairs:,}",
        )

    def _row_clicked(self, row: int, column: int) -> None:
        self._select(self._rows[row])

    def _select(self, place: int) -> None:
        cut, (_, where) = self.result[0], self.chosen_part(self.inputs)
        mask = cut.mask(place) & where
        self.links.select(f"{self.by.currentText()} {cut.names[place]}", lambda: mask)


def _cut(inputs: Material, studies: Studies, by: str, count: int, where: Mask, tick: Tick) -> Cut:
    """Return the buckets by a key of the choice."""
    corpus = inputs.corpus
    if by == DISTANCE:
        return cut_numbers(by, studies.distance(inputs), parts=count, where=where)
    if by == _KINDS:
        return cut_members(by, kind_members(studies.kinds(inputs, tick)), where=where)
    if by == LENGTH:
        return cut_numbers(by, pair_lengths(corpus.source, corpus.hypothesis), parts=count, where=where)
    if by == _GROUP and corpus.group is not None:
        return cut_column(by, corpus.group, parts=count, where=where)
    if by.startswith("="):
        return cut_numbers(by[1:], inputs.score_column(by[1:]).values, parts=count, where=where)
    return cut_column(by[1:], corpus.extra[by[1:]], parts=count, where=where)
