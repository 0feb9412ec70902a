"""The page of grades: how many pairs each score calls a paraphrase, by human score; labels are not needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtWidgets import QDoubleSpinBox

from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.protocols.paraphrasus import prediction_columns, prediction_method
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.grades import Grade, grade_codes, grade_edges, grades
from parapluie_gui.analysis.statistics.shared_errors import score_verdicts
from parapluie_gui.analysis.table import number
from parapluie_gui.arrays import Floats, Mask
from parapluie_gui.report.breakdowns import bin_name, grades_grid
from parapluie_gui.ui.analysis.page import Links, Page, Work
from parapluie_gui.ui.analysis.series import Drawing, Line, colours
from parapluie_gui.ui.widgets.arrange import named
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Columns of predictions that are shown where no score is chosen, at most.
_MOST_PREDICTIONS = 8


@dataclass(frozen=True, eq=False)
class _Found:
    """What the thread found out.

    Attributes:
        edges: The borders of the bins.
        grades: Each method's, by its title.
        verdicts: What each says, (n, 1).
        without: Titles of scores that have no threshold.
    """

    edges: Floats
    grades: dict[str, tuple[Grade, ...]]
    verdicts: dict[str, Floats]
    without: tuple[str, ...]


class GradesPage(Page[_Found]):
    """Figure 1 of the PARAPHRASUS paper; a point or row clicked selects the pairs called paraphrases."""

    called = QT_TRANSLATE_NOOP("Page", "Grades")
    follows_threshold = True
    needs_scores = False

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.width_box = named(
            QDoubleSpinBox(),
            self.tr("Bin width"),
            self.tr("Width of a bin; automatic: about five bins"),
        )
        self.width_box.setRange(0.0, 1000.0)
        self.width_box.setDecimals(2)
        self.width_box.setSpecialValueText(self.tr("automatic"))
        self.width_box.setKeyboardTracking(False)
        self.width_box.valueChanged.connect(self.changed)
        self.part.chosen.connect(self.changed)
        self.bar((self.tr("&Bin width"), self.width_box), (self.tr("o&n"), self.part))
        self.shares = self.plot(self.tr("Called a paraphrase, by human score"))
        self.shares.describe = self._tip
        self.shares.picked.connect(self._select)
        self.flow.addWidget(self.shares)
        self.grid_table = self.table()
        self.grid_table.clicked.connect(self._row_clicked)
        self.hint = WrappedText(muted=True)
        self.hint.say("")
        self.flow.addWidget(self.hint)

    def missing(self, inputs: Material) -> str:
        if not inputs.judged:
            return self.tr(
                "These pairs have no human scores. Open a corpus with a column of them (STS-B, Twitter-Para, BQ-Para) "
                "or name the column when the file is opened."
            )
        if not inputs.score_columns and not prediction_columns(inputs.corpus):
            return self.tr(
                "No score has been computed or none is chosen, and the corpus has no column of predictions (1, 0). "
                "Press Run (F5), or select scores at the left."
            )
        return ""

    def work(self, inputs: Material, studies: Studies) -> Work[_Found]:
        width = self.width_box.value() or None
        _, where = self.chosen_part(inputs)
        human = inputs.corpus.human
        assert human is not None  # `missing` says so

        def work(tick: Tick) -> _Found:
            tick(0, 2)
            verdicts: dict[str, Floats] = {}
            without = []
            for each in inputs.score_columns:
                threshold = inputs.threshold(each, where)
                if np.isnan(threshold):
                    without.append(self.links.full_title(each.name))
                else:
                    verdicts[self.links.full_title(each.name)] = score_verdicts([each], inputs.labels, [threshold])
            tick(1, 2)
            # Columns of predictions may be chosen as scores; without any choice some are shown.
            for name in prediction_columns(inputs.corpus)[:_MOST_PREDICTIONS] if not inputs.score_columns else ():
                verdicts[name] = prediction_method(name, inputs.corpus, [name]).verdicts
            edges = grade_edges(human[where], width)
            found = {name: grades(own, human, edges, where) for name, own in verdicts.items()}
            return _Found(edges, found, verdicts, tuple(without))

        return work

    def show_result(self, inputs: Material, result: _Found) -> None:
        self.grid_table.show_grid(grades_grid(result.grades), inputs.signature_lines(), digits=1)
        sentences = [
            self.tr(
                "The score on the scatter is judged at the dragged threshold, every other score at its natural "
                "threshold or, without one, at its best. Click a row or a point to select the pairs called paraphrases."
            )
        ]
        if result.without:
            text = self.tr(
                "Without a threshold, since these pairs have no labels: {0}. Put it on the scatter's y axis."
            )
            sentences.append(text.format(", ".join(result.without)))
        self.hint.say(" ".join(sentences))
        self.draw()

    def draw(self) -> None:
        found = self.result
        count = max(len(found.edges) - 1, 0)
        shades = colours(self.theme) * (1 + len(found.grades) // 8)
        series = tuple(
            Line(name, np.arange(count, dtype=np.float64), np.array([each.share for each in bins]), shade, dots=True)
            for (name, bins), shade in zip(found.grades.items(), shades, strict=False)
        )
        drawing = Drawing(
            series,
            self.tr("human score"),
            self.tr("share called paraphrase"),
            (-0.4, count - 0.6),
            (0.0, 1.0),
            ticks=tuple(self._names()),
        )
        self.shares.setVisible(bool(series) and count > 0)
        self.shares.show_drawing(drawing, self.inputs.signature_lines())

    def _names(self) -> list[str]:
        bins = next(iter(self.result.grades.values()), ())
        return [bin_name(each, last=each is bins[-1]) for each in bins]

    def _tip(self, series: int, point: int) -> str:
        name, bins = list(self.result.grades.items())[series]
        each = bins[point]
        low, high = each.interval
        text = self.tr("{0}, {1}: {2} [{3}, {4}] of {5} pairs\nclick to select those called paraphrases")
        numbers = number(each.share), number(low), number(high), f"{each.pairs:,}"
        return text.format(name, self._names()[point], *numbers)

    def _row_clicked(self, row: int, column: int) -> None:
        places = [
            (series, point)
            for series, bins in enumerate(self.result.grades.values())
            for point, each in enumerate(bins)
            if each.pairs
        ]
        self._select(*places[row])

    def _select(self, series: int, point: int) -> None:
        found, inputs = self.result, self.inputs
        name = list(found.grades)[series]
        _, where = self.chosen_part(inputs)
        human = inputs.corpus.human
        assert human is not None

        def mask() -> Mask:
            inside = grade_codes(human, found.edges) == point
            return np.asarray(inside & where & (found.verdicts[name] == 1).any(axis=1))

        title = self.tr("{0}: called paraphrases, human score {1}").format(name, self._names()[point])
        self.links.select(title, mask)
