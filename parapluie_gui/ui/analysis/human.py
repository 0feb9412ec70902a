"""The page of human scores: correlations, ParaScore's protocol, and its lexical metrics computed both ways."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.analysis.cache import Cache
from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.protocols.parascore import MetaEvaluation, meta
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.study import CorpusStudy
from parapluie_gui.analysis.table import number, slim
from parapluie_gui.report.benchmarks import meta_grids, slip_grid
from parapluie_gui.report.evaluation import human_grid
from parapluie_gui.ui.analysis.page import Links, Page, Work
from parapluie_gui.ui.widgets.arrange import button
from parapluie_gui.ui.widgets.choice import Choice
from parapluie_gui.ui.widgets.grid_table import GridTable
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

if TYPE_CHECKING:
    from parapluie_gui.analysis.protocols.library_misuse import LexicalSlip

#: The kinds of tables a meta-evaluation may have.
_TABLES = ("human", "forms", "groups", "reference-groups", "attribution", "omega")


@dataclass(frozen=True, eq=False)
class _Found:
    """The correlations on each corpus, ParaScore's protocol, and the lexical metrics both ways if asked for."""

    studies: tuple[CorpusStudy, ...]
    evaluation: MetaEvaluation
    slip: LexicalSlip | None


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
        self.slip_text = WrappedText()
        self.slip_text.say(
            self.tr(
                "Do the published lexical rows depend on a misuse of the libraries? Where a list of sentences is "
                "expected, the ParaScore authors' code passes BLEU the words and METEOR the letters of one sentence. "
                "Its ROUGE keeps case and punctuation. Here each metric is computed on this corpus both ways."
            )
        )
        self.slip_button = button(self.tr("Compute the lexical metrics both ways"), self._ask_for_slip)
        self.flow.addWidget(self.slip_text)
        self.bar(("", self.slip_button))
        self.slip_finding = WrappedText()
        self.slip_finding.say("")
        self.flow.addWidget(self.slip_finding)
        self.slip_table = self.table()
        self._slip_wanted = False
        self._slips = Cache()

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
        """Correlate; the lexical metrics only when asked for, as they take longest."""
        similarity = self.similarity.key() or None
        wanted, slips = self._slip_wanted, self._slips

        def work(tick: Tick) -> _Found:
            def part(first: int, last: int) -> Tick:
                return lambda done, total: tick(first * max(total, 1) + (last - first) * done, 100 * max(total, 1))

            found = studies.all(inputs, part(0, 40), related=True)
            evaluation = meta(
                inputs.score_columns,
                inputs.corpus,
                similarity=similarity,
                where=inputs.where,
                draws=inputs.draws,
                tick=part(40, 50),
            )

            def both_ways() -> LexicalSlip:
                from parapluie_gui.analysis.protocols.library_misuse import lexical_slip

                return lexical_slip(inputs.corpus, where=inputs.where, tick=part(50, 100))

            return _Found(found, evaluation, slips.get("both ways", inputs.scope, both_ways) if wanted else None)

        return work

    def show_result(self, inputs: Material, result: _Found) -> None:
        lines = inputs.signature_lines()
        self.correlations.show_grid(slim(human_grid(result.studies, self.links.full_title)), lines)
        grids = {grid.name: grid for grid in meta_grids(result.evaluation)}
        for name, table in self.tables.items():
            if name in grids:
                table.show_grid(replace(grids[name], name=f"meta-{name}"), lines)
            table.setVisible(name in grids)
        self._show_slip(result.slip)

    def _ask_for_slip(self) -> None:
        self._slip_wanted = True
        self.changed.emit()

    def _show_slip(self, slip: LexicalSlip | None) -> None:
        self.slip_table.setVisible(slip is not None)
        self.slip_button.setVisible(slip is None)
        if slip is None:
            self.slip_finding.say("")
            return
        self.slip_table.show_grid(slip_grid(slip))
        gaps = [abs(row.right.pearson.value - row.slipped.pearson.value) for row in slip.rows]
        defined = [(gap, row) for gap, row in zip(gaps, slip.rows, strict=True) if not np.isnan(gap)]
        if not defined:
            self.slip_finding.say(self.tr("The correlations are not defined on these pairs."))
            return
        _, most = max(defined, key=lambda pair: pair[0])
        text = self.tr(
            "The largest difference is that of {0}: Pearson {1} as defined, {2} as the authors' code computes it."
        )
        finding = text.format(most.metric, number(most.right.pearson.value), number(most.slipped.pearson.value))
        published = [(row.published.pearson, row) for row in slip.rows if row.published is not None]
        if published:
            near = sum(
                abs(figure - row.slipped.pearson.value) < abs(figure - row.right.pearson.value)
                for figure, row in published
            )
            more = self.tr(
                "Of {0} published figures, {1} are closer to what the authors' code computes than to the metric."
            )
            finding += " " + more.format(len(published), near)
        self.slip_finding.say(finding)
