"""The page of systems: who writes the better paraphrases, by people and by scores, and which score tells it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.protocols.systems import MOST_SYSTEMS, SYSTEM, SystemEvaluation, evaluate
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.table import number
from parapluie_gui.arrays import Mask
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.column import TextColumn
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.report.systems import agreement_grid, systems_grid, tests_grid, within_grid
from parapluie_gui.ui.analysis.page import Links, Page, Work
from parapluie_gui.ui.analysis.series import Drawing, Line, colours
from parapluie_gui.ui.widgets.choice import Choice
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

_GROUP = "group"


class SystemsPage(Page[SystemEvaluation]):
    """PEM's tables 1 and 3 and figure 5, and WMT24's measures; a system clicked selects its pairs."""

    called = QT_TRANSLATE_NOOP("Page", "Systems")

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.setProperty("manual_page", "systems")
        self._corpus: Corpus | None = None
        self.column_choice, self.score = Choice(), Choice()
        self.column_choice.setToolTip(self.tr("The column that says who or what wrote the hypothesis"))
        for choice in (self.column_choice, self.part):
            choice.chosen.connect(self.changed)
        self.score.chosen.connect(self.redraw)
        self.bar(
            (self.tr("S&ystem"), self.column_choice),
            (self.tr("&Plotted score"), self.score),
            (self.tr("o&n"), self.part),
        )
        self.no_systems = WrappedText(muted=True)
        self.no_systems.say("")
        self.flow.addWidget(self.no_systems)
        self.means = self.plot(self.tr("Systems by people and by the score"))
        self.means.describe = self._tip
        self.means.picked.connect(lambda _series, point: self._select(point))
        self.flow.addWidget(self.means)
        self.systems_table = self.table()
        self.systems_table.clicked.connect(lambda row, _column: self._select(row))
        self.agreement = self.table()
        self.within = self.table()
        self.tests = self.table()

    def missing(self, inputs: Material) -> str:
        if inputs.judged or _columns(inputs.corpus):
            return ""
        return self.tr(
            "These pairs have neither human scores nor a column that says who wrote the hypothesis. Open a corpus with "
            "a column “system”, with human scores, or a folder of WMT (choose its file in “sources”)."
        )

    def settle(self, inputs: Material) -> None:
        names = _columns(inputs.corpus)
        if inputs.corpus is not self._corpus:
            self._corpus = inputs.corpus
            self.column_choice.clear()
        usual = next((name for name in names if name == SYSTEM), "")
        self.column_choice.offer(["", *names], [self.tr("none"), *names], usual)
        self.score.offer(inputs.names, [self.links.full_title(name) for name in inputs.names], inputs.y)
        super().settle(inputs)

    def work(self, inputs: Material, studies: Studies) -> Work[SystemEvaluation]:
        name = self.column_choice.key()
        part, where = self.chosen_part(inputs)

        def work(tick: Tick) -> SystemEvaluation:
            cells = _cells(inputs.corpus, name)
            distinct = len({cell for cell in cells or () if cell is not None})
            if distinct > MOST_SYSTEMS:
                what = self.tr("The column “{0}” has {1} values; {2} systems are compared at most. Choose another.")
                raise ParapluieError(what.format(name, f"{distinct:,}", MOST_SYSTEMS))
            return evaluate(
                part,
                inputs.score_columns,
                inputs.corpus.source,
                inputs.corpus.human,
                cells,
                column=name,
                where=where,
                draws=inputs.draws,
                tick=tick,
            )

        return work

    def show_result(self, inputs: Material, result: SystemEvaluation) -> None:
        lines = inputs.signature_lines()
        self.no_systems.say(self._lacking(result))
        grids = systems_grid(result), agreement_grid(result), within_grid(result), tests_grid(result)
        tables = self.systems_table, self.agreement, self.within, self.tests
        for grid, table in zip(grids, tables, strict=True):
            table.show_grid(grid, lines)
        self.draw()

    def _lacking(self, result: SystemEvaluation) -> str:
        if not result.systems:
            return self.tr("Choose the column that says who wrote the hypothesis to compare its writers.")
        if not result.scores:
            return self.tr("These pairs have no human scores, so no score can be compared with people.")
        return ""

    def draw(self) -> None:
        found, name = self.result, self.score.key()
        shown = [each for each in found.systems if "" in each.means and name in each.means]
        self.means.setVisible(len(shown) > 1)
        human, score = (np.array([each.means[key].value for each in shown]) for key in ("", name))
        level = next((each.systems.pearson.value for each in found.scores if each.name == name), float("nan"))
        title = self.tr("Systems by people and by {0}: Pearson {1}").format(self.links.full_title(name), number(level))
        self.means.set_title(title)
        points = Line("", human, score, colours(self.theme)[0], dots=True, joined=False)
        drawing = Drawing((points,), self.tr("mean human score"), self.tr("mean score"))
        self.means.show_drawing(drawing, self.inputs.signature_lines([name]))

    def _tip(self, series: int, point: int) -> str:
        each, name = self.result.systems[point], self.score.key()
        text = self.tr("{0}: {1} by people, {2} by {3}\nclick to select its {4} pairs")
        means = number(each.means[""].value), number(each.means[name].value)
        return text.format(each.system, *means, self.links.full_title(name), f"{each.pairs:,}")

    def _select(self, row: int) -> None:
        found, (_, where) = self.result, self.chosen_part(self.inputs)
        system = found.systems[row].system
        cells = _cells(self.inputs.corpus, found.column) or []

        def mask() -> Mask:
            own = (cell is not None and str(cell).strip() == system for cell in cells)
            return np.asarray(np.fromiter(own, dtype=bool, count=len(cells)) & where)

        self.links.select(system, mask)


def _columns(corpus: Corpus) -> list[str]:
    """Return the columns that may name systems."""
    texts = [name for name, column in corpus.extra.items() if isinstance(column, TextColumn) or name == SYSTEM]
    return texts if corpus.group is None else [*texts, _GROUP]


def _cells(corpus: Corpus, name: str) -> Sequence[object] | None:
    if name == _GROUP and corpus.group is not None:
        return corpus.group
    return corpus.extra[name].cells() if name in corpus.extra else None
