"""The page of human scores: correlations and ParaScore's protocol."""

from __future__ import annotations

from dataclasses import dataclass, replace

from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.protocols.parascore import MetaEvaluation, meta
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.study import CorpusStudy
from parapluie_gui.analysis.table import slim
from parapluie_gui.report.benchmarks import meta_grids
from parapluie_gui.report.evaluation import human_grid
from parapluie_gui.ui.analysis.page import Links, Page, Work
from parapluie_gui.ui.widgets.choice import Choice
from parapluie_gui.ui.widgets.grid_table import GridTable
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme

#: The kinds of tables a meta-evaluation may have.
_TABLES = ("human", "forms", "groups", "reference-groups", "attribution", "omega")


@dataclass(frozen=True, eq=False)
class _Found:
    """The correlations on each corpus, and ParaScore's protocol."""

    studies: tuple[CorpusStudy, ...]
    evaluation: MetaEvaluation


class HumanPage(Page[_Found]):
    """ParaScore's meta-evaluation on any corpus with human scores."""

    called = QT_TRANSLATE_NOOP("Page", "Human scores")

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.setProperty("manual_page", "parascore")
        self.correlations = self.table()
        self.similarity = Choice()
        self.similarity.setToolTip(self.tr("Separates S_sim from S_div, and is the score whose weight ω is tuned"))
        self.similarity.chosen.connect(self.changed)
        self.bar((self.tr("&Similarity for S_sim, S_div and ω"), self.similarity))
        self.tables: dict[str, GridTable] = {name: self.table() for name in _TABLES}

    def missing(self, inputs: Material) -> str:
        if inputs.judged:
            return ""
        return self.tr(
            "These pairs have no human scores. Open a corpus with a column of them (STS-B, Twitter-Para, BQ-Para) or "
            "name the column when the file is opened."
        )

    def settle(self, inputs: Material) -> None:
        names = [each.name for each in inputs.score_columns if each.higher_is_closer]
        usual = next((name for name in names if name.startswith("sbert")), "")
        self.similarity.offer(["", *names], [self.tr("none"), *map(self.links.full_title, names)], usual)

    def work(self, inputs: Material, studies: Studies) -> Work[_Found]:
        similarity = self.similarity.key() or None

        def work(tick: Tick) -> _Found:
            def part(first: int, last: int) -> Tick:
                return lambda done, total: tick(first * max(total, 1) + (last - first) * done, 100 * max(total, 1))

            found = studies.all(inputs, part(0, 80), related=True)
            evaluation = meta(
                inputs.score_columns,
                inputs.corpus,
                similarity=similarity,
                where=inputs.where,
                draws=inputs.draws,
                tick=part(80, 100),
            )

            return _Found(found, evaluation)

        return work

    def show_result(self, inputs: Material, result: _Found) -> None:
        lines = inputs.signature_lines()
        self.correlations.show_grid(slim(human_grid(result.studies, self.links.full_title)), lines)
        grids = {grid.name: grid for grid in meta_grids(result.evaluation)}
        for name, table in self.tables.items():
            if name in grids:
                table.show_grid(replace(grids[name], name=f"meta-{name}"), lines)
            table.setVisible(name in grids)
