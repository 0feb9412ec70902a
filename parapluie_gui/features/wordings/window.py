"""The wording test in the window: judges selected pairs with many forms of the question."""

from __future__ import annotations

from functools import partial
from typing import Any

from parapluie_gui.analysis.base import Run, analyse
from parapluie_gui.analysis.names import judge_title
from parapluie_gui.features.wordings.analysis import FormsMaterial, WordingTest
from parapluie_gui.features.wordings.design import FACTORS
from parapluie_gui.features.wordings.page import JudgeWordings, WordingTestPage, WordingTestRequest
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.state.experiment import ExperimentPlan
from parapluie_gui.ui.window.experiments import ExperimentController
from parapluie_gui.work.scoring_plan import ScoringPlan


class WordingsWindow(ExperimentController):
    """Runs wording tests with the judge selected in Setup."""

    def show(self) -> None:
        """Show the page in the Analysis tab."""
        self._tabs.show_named("sweep")

    def take_page(self, page: AnalysisPage) -> None:
        if isinstance(page, WordingTestPage):
            page.wordings = self._wordings
        super().take_page(page)

    def begin(self, request: WordingTestRequest) -> None:
        self.experiment.start(partial(wording_test_plan, request, self._setup.judge.judge_settings()))

    def _wordings(self) -> JudgeWordings:
        """Return the selected judge, its templates, and the number of other judges in the plan."""
        setup, judge = self._setup, self._setup.judge
        title = judge_title(judge.name) if judge.name and judge.ready else ""
        others = sum(judging.judge != judge.judge_settings() for judging in setup.plan.judgings)
        return JudgeWordings(title, setup.templates_for_judge(), setup.templates.checked_keys(), others)


def wording_test_plan(request: WordingTestRequest, judge: JudgeSettings) -> ExperimentPlan[Run[Any, Any]]:
    """Return a plan that scores the pairs in all forms and compares the forms.

    Raises:
        TemplateError: A wording cannot have examples, or the file of examples cannot be read.
    """
    pairs, templates = request.corpus.take(request.rows), request.design.templates()

    def evaluate(table: ScoreTable, broken: bool) -> Run[Any, Any] | None:
        if broken:
            return None
        scores = {template.column: table[template.column] for template in templates}
        signatures = {column: table.signatures[column] for column in scores}
        levels, test = request.design.levels, WordingTest()
        material = FormsMaterial.from_scores(request.corpus, request.rows, FACTORS, levels, scores, signatures)
        return analyse(test, material, test.options())

    return ExperimentPlan(pairs, ScoringPlan.from_judge(judge, templates), evaluate)
