"""The page of distributions: mean and spread per label, and histograms of both classes over one another."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtWidgets import QGridLayout

from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.statistics.distribution import Distribution, bin_mask
from parapluie_gui.analysis.study import CorpusStudy
from parapluie_gui.analysis.table import number
from parapluie_gui.arrays import Rows
from parapluie_gui.report.evaluation import distribution_grid
from parapluie_gui.ui.analysis.page import Links, StudyPage, Work, slim
from parapluie_gui.ui.analysis.plot import PlotCard
from parapluie_gui.ui.analysis.series import Bars, Drawing
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme

_ACROSS = 2
#: Time for other things between two new plots.
_GROW_MS = 15


class DistributionsPage(StudyPage):
    """Table 1 of the ParaPLUIE paper, and a histogram for each score; a bar clicked selects its pairs."""

    called = QT_TRANSLATE_NOOP("Page", "Distributions")

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.grid_table = self.table()
        self.grid_table.clicked.connect(self._row_clicked)
        self.bar((self.tr("Histograms &of"), self.part))
        self.part.chosen.connect(self.redraw)
        self.cards: list[PlotCard] = []
        self.growing = Throttle(self._grow, _GROW_MS, self)
        self._plots = QGridLayout()
        self._plots.setSpacing(12)
        for column in range(_ACROSS):
            self._plots.setColumnStretch(column, 1)
        self.flow.addLayout(self._plots)

    def work(self, inputs: Material, studies: Studies) -> Work[tuple[CorpusStudy, ...]]:
        return lambda tick: studies.all(inputs, tick)

    def show_result(self, inputs: Material, result: tuple[CorpusStudy, ...]) -> None:
        self.grid_table.show_grid(slim(distribution_grid(result, self.links.full_title)), inputs.signature_lines())
        self.draw()

    def draw(self) -> None:
        names = list(self.study().scores)
        for place, card in enumerate(self.cards):
            card.setVisible(place < len(names))
            if place < len(names):
                self._fill(card, names[place])
        if len(self.cards) < len(names):
            self.growing.ask()

    def _grow(self) -> None:
        """Make one more plot; all at once would take too long."""
        names = list(self.study().scores)
        place = len(self.cards)
        if place < len(names):
            self.cards.append(self._card(place))
            self._fill(self.cards[place], names[place])
        if len(self.cards) < len(names):
            self.growing.ask()

    def _card(self, place: int) -> PlotCard:
        card = self.plot("")
        card.picked.connect(partial(self._picked, place))
        card.describe = partial(self._tip, place)
        self._plots.addWidget(card, place // _ACROSS, place % _ACROSS)
        return card

    def _fill(self, card: PlotCard, name: str) -> None:
        found = self.study().scores[name].distribution
        overlap = "" if np.isnan(found.overlap) else self.tr(" · overlap {0}").format(number(found.overlap, 2))
        card.set_title(self.links.full_title(name) + overlap)
        series = tuple(
            Bars(self._kind(label), found.edges, counts / max(counts.sum(), 1), colour)
            for label, counts, colour in self._classes(found)
        )
        drawing = Drawing(series, self.links.full_title(name), self.tr("share of class"))
        card.show_drawing(drawing, self.inputs.signature_lines([name]))

    def _classes(self, found: Distribution) -> list[tuple[int, Rows, str]]:
        theme = self.theme
        all_of = [
            (-1, found.unlabelled, theme.unlabelled),
            (0, found.other, theme.other),
            (1, found.paraphrase, theme.paraphrase),
        ]
        labelled = [each for each in all_of if each[0] >= 0 and each[1].any()]
        # Unlabelled pairs beside labelled ones would only hide the classes.
        return labelled or all_of[:1]

    def _kind(self, label: int) -> str:
        return {1: self.tr("paraphrases"), 0: self.tr("not paraphrases"), -1: self.tr("unlabelled")}[label]

    def _at(self, place: int, series: int) -> tuple[str, int, Distribution]:
        corpus = self.study()
        name = list(corpus.scores)[place]
        found = corpus.scores[name].distribution
        return name, self._classes(found)[series][0], found

    def _tip(self, place: int, series: int, point: int) -> str:
        name, label, found = self._at(place, series)
        count = self._classes(found)[series][1][point]
        text = self.tr("{0}: {1} from {2} to {3}\n{4} pairs. Click to select them")
        low, high = found.edges[point], found.edges[point + 1]
        return text.format(self.links.full_title(name), self._kind(label), number(low), number(high), f"{count:,}")

    def _picked(self, place: int, series: int, point: int) -> None:
        name, label, found = self._at(place, series)
        inputs = self.inputs
        _, where = self.chosen_part(inputs)
        score_column, labels, edges = inputs.score_column(name), inputs.labels, found.edges
        chosen = (labels == label) if label >= 0 else (labels != 1) & (labels != 0)
        title = self.tr("{0} with {1} from {2} to {3}").format(
            self._kind(label), self.links.full_title(name), number(edges[point]), number(edges[point + 1])
        )
        self.links.select(title, lambda: bin_mask(self.links.live(score_column), edges, point, where=where) & chosen)

    def _row_clicked(self, row: int, column: int) -> None:
        """Put the score of a row on the scatter."""
        names = [name for corpus in self.result for name in corpus.scores]
        self.links.workspace.set_axes(y=names[row])
