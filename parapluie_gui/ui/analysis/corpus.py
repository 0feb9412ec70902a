"""The page of the corpus itself: labels, lengths, how much the wording differs, languages; no scores are needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.cache import Cache
from parapluie_gui.analysis.corpus_statistics import DIFFERENCES, MEASURES, CorpusStatistics, describe, measure
from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.distribution import (
    BINS,
    Distribution,
    bin_mask,
    distribution,
    histogram_edges,
)
from parapluie_gui.analysis.table import number
from parapluie_gui.arrays import Floats, Rows
from parapluie_gui.report.description import balance_grid, languages_grid, lengths_grid
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.analysis.page import Links, Page, Work
from parapluie_gui.ui.analysis.series import Bars, Drawing
from parapluie_gui.ui.widgets.choice import Choice
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText


@dataclass(frozen=True, eq=False)
class _Found:
    """The statistics of each corpus, and each measure on every pair."""

    statistics: tuple[CorpusStatistics, ...]
    measured: Mapping[str, Floats]


class CorpusPage(Page[_Found]):
    """Table 1 and appendix B of the PARAPHRASUS paper; a bar clicked selects its pairs."""

    called = QT_TRANSLATE_NOOP("Page", "Corpus")
    needs_scores = False

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.balance = self.table()
        self.measure = Choice()
        self.measure.chosen.connect(self.redraw)
        self.part.chosen.connect(self.redraw)
        self.bar((self.tr("&Histogram of"), self.measure), (self.tr("o&n"), self.part))
        self.histogram = self.plot("")
        self.histogram.describe = self._tip
        self.histogram.picked.connect(self._picked)
        self.flow.addWidget(self.histogram)
        self.wording = self.table()
        self.languages = self.table()
        self.hint = WrappedText(muted=True)
        self.hint.say(
            self.tr(
                "WPD and LD are metrics too: tick them in Setup (Choose metrics…) to put them on an axis, filter by "
                "them or export them."
            )
        )
        self.flow.addWidget(self.hint)
        self._measured = Cache()

    def settle(self, inputs: Material) -> None:
        self.measure.offer(MEASURES, [self._title(name) for name in MEASURES], MEASURES[0])
        super().settle(inputs)

    def work(self, inputs: Material, studies: Studies) -> Work[_Found]:
        def work(tick: Tick) -> _Found:
            tick(0, 2)
            measured = self._measured.get("measures", inputs.facts, lambda: measure(inputs.corpus))
            tick(1, 2)
            return _Found(describe(inputs.corpus, measured, inputs.parts), measured)

        return work

    def show_result(self, inputs: Material, result: _Found) -> None:
        self.balance.show_grid(balance_grid(result.statistics), digits=1)
        self.wording.show_grid(lengths_grid(result.statistics), digits=2)
        self.languages.show_grid(languages_grid(result.statistics))
        self.draw()

    def draw(self) -> None:
        name = self.measure.key()
        found = self._distribution()
        self.histogram.set_title(self._title(name))
        series = tuple(
            Bars(self._kind(label), found.edges, counts / max(counts.sum(), 1), colour)
            for label, counts, colour in self._classes(found)
        )
        self.histogram.show_drawing(Drawing(series, self._title(name), self.tr("share of class")))

    def _distribution(self) -> Distribution:
        name = self.measure.key()
        _, where = self.chosen_part(self.inputs)
        values, labels = self.result.measured[name][where], self.inputs.labels[where]
        edges = histogram_edges(values) if name in DIFFERENCES else _whole_edges(values)
        return distribution(values, labels, edges)

    def _classes(self, found: Distribution) -> list[tuple[int, Rows, str]]:
        theme = self.theme
        kinds = [
            (-1, found.unlabelled, theme.unlabelled),
            (0, found.other, theme.other),
            (1, found.paraphrase, theme.paraphrase),
        ]
        return [each for each in kinds if each[1].any()]

    def _title(self, name: str) -> str:
        own = {
            "source words": self.tr("Words of the source"),
            "hypothesis words": self.tr("Words of the hypothesis"),
            "source characters": self.tr("Characters of the source"),
            "hypothesis characters": self.tr("Characters of the hypothesis"),
        }
        return shown_name(identify(name)) if name in DIFFERENCES else own.get(name, name)

    def _kind(self, label: int) -> str:
        return {1: self.tr("paraphrases"), 0: self.tr("not paraphrases"), -1: self.tr("unlabelled")}[label]

    def _tip(self, series: int, point: int) -> str:
        found = self._distribution()
        label, counts, _ = self._classes(found)[series]
        text = self.tr("{0}: {1} from {2} to {3}\n{4} pairs. Click to select them")
        borders = number(found.edges[point]), number(found.edges[point + 1])
        return text.format(self._title(self.measure.key()), self._kind(label), *borders, f"{counts[point]:,}")

    def _picked(self, series: int, point: int) -> None:
        found, inputs = self._distribution(), self.inputs
        label, _, _ = self._classes(found)[series]
        _, where = self.chosen_part(inputs)
        values = self.result.measured[self.measure.key()]
        chosen = inputs.labels == label if label >= 0 else (inputs.labels != 1) & (inputs.labels != 0)
        title = self.tr("{0} with {1} from {2} to {3}").format(
            self._kind(label),
            self._title(self.measure.key()),
            number(found.edges[point]),
            number(found.edges[point + 1]),
        )
        self.links.select(title, lambda: np.asarray(bin_mask(values, found.edges, point, where=where) & chosen))


def _whole_edges(values: Floats) -> Floats:
    """Return the borders of bins that hold equally many whole numbers, between the numbers."""
    if not len(values):
        return histogram_edges(values)
    low, high = float(values.min()), float(values.max())
    step = np.ceil((high - low + 1) / BINS)
    return np.asarray(np.arange(low - 0.5, high + step, step))
