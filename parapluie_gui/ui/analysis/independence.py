"""The page of independence: how much each score is a matter of edit distance, inside each class."""

from __future__ import annotations

from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.study import DISTANCE, CorpusStudy
from parapluie_gui.report.evaluation import independence_grid
from parapluie_gui.ui.analysis.page import Links, StudyPage, Work, slim
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText


class IndependencePage(StudyPage):
    """Table 4 of the ParaPLUIE paper; a row clicked puts its score against edit distance in the scatter."""

    called = QT_TRANSLATE_NOOP("Page", "Independence")
    helps = "setup.metrics.open"

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.grid_table = self.table()
        self.grid_table.clicked.connect(self._row_clicked)
        hint = WrappedText(muted=True)
        hint.say(
            self.tr(
                "Near 0, the score does not merely count edits. Click a row to see the score against edit distance "
                "in the scatter; its grid shows all scores that way (the paper's figure 2)."
            )
        )
        self.flow.addWidget(hint)

    def missing(self, inputs: Material) -> str:
        if inputs.names == [DISTANCE]:
            return self.tr("Edit distance is the only score chosen. Score the pairs with another metric or a template.")
        return ""

    def work(self, inputs: Material, studies: Studies) -> Work[tuple[CorpusStudy, ...]]:
        return lambda tick: studies.all(inputs, tick, related=True)

    def show_result(self, inputs: Material, result: tuple[CorpusStudy, ...]) -> None:
        self.grid_table.show_grid(slim(independence_grid(result, self.links.full_title)), inputs.signature_lines())

    def _row_clicked(self, row: int, column: int) -> None:
        names = [
            name for corpus in self.result for name, each in corpus.scores.items() if each.independence is not None
        ]
        workspace = self.links.workspace
        workspace.set_axes(x=DISTANCE if DISTANCE in workspace.table else None, y=names[row])
