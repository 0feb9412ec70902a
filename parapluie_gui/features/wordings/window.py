"""The wording test in the window: pairs of the selection are judged in many forms of one question."""

from __future__ import annotations

from functools import partial
from typing import Any

from parapluie_gui.analysis.base import Run, analyse
from parapluie_gui.analysis.names import judge_title
from parapluie_gui.features.wordings.analysis import FormsMaterial, WordingTest
from parapluie_gui.features.wordings.design import FACTORS
from parapluie_gui.features.wordings.page import SweepPage, SweepWanted, Wordings
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.state.experiment import ExperimentPlan
from parapluie_gui.ui.window.experiments import Experimenter
from parapluie_gui.work.scoring_plan import ScoringPlan


class WordingsWindow(Experimenter):
    """Asks the judge in the picker in many forms."""

    def show(self) -> None:
        """Show the page in the Analysis tab."""
        self._tabs.show_named("sweep")

    def take_page(self, page: AnalysisPage) -> None:
        if isinstance(page, SweepPage):
            page.wordings = self._wordings
        super().take_page(page)

    def begin(self, wanted: SweepWanted) -> None:
        self.experiment.start(partial(sweep_plan, wanted, self._setup.judge.judge_settings()))

    def _wordings(self) -> Wordings:
        """Return the judge in the picker, what it can be asked, and how many are asked beside it."""
        setup, judge = self._setup, self._setup.judge
        title = judge_title(judge.name) if judge.name and judge.ready else ""
        others = sum(each.judge != judge.judge_settings() for each in setup.plan.judgings)
        return Wordings(title, setup.templates_for_judge(), setup.templates.chosen(), others)


def sweep_plan(wanted: SweepWanted, judge: JudgeSettings) -> ExperimentPlan[Run[Any, Any]]:
    """Make the forms, and return what is scored and what is made of the scores.

    Raises:
        TemplateError: A wording takes no examples, or the file of examples cannot be read.
    """
    pairs, templates = wanted.corpus.take(wanted.rows), wanted.design.templates()

    def look(table: ScoreTable, broken: bool) -> Run[Any, Any] | None:
        if broken:
            return None
        scores = {template.column: table[template.column] for template in templates}
        signatures = {column: table.signatures[column] for column in scores}
        levels, test = wanted.design.levels, WordingTest()
        material = FormsMaterial.of(wanted.corpus, wanted.rows, FACTORS, levels, scores, signatures)
        return analyse(test, material, test.options())

    return ExperimentPlan(pairs, ScoringPlan.of_judge(judge, templates), look)
