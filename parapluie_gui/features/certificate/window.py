"""Certificates in the window: the metrics and templates chosen in Setup are tried on pairs made by rule."""

from __future__ import annotations

from functools import partial
from typing import Any

from parapluie_gui.analysis.base import Run, analyse
from parapluie_gui.features.certificate.analysis import Certifying, Options, SuiteMaterial
from parapluie_gui.features.certificate.cases import suite
from parapluie_gui.features.certificate.certificate import certified_columns
from parapluie_gui.features.certificate.page import CertificatePage, ChosenScores
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.setup.metric_choice import spec_title
from parapluie_gui.ui.state.chosen_scores import typed_scores
from parapluie_gui.ui.state.experiment import ExperimentPlan
from parapluie_gui.ui.window.experiments import Experimenter
from parapluie_gui.work.scoring_plan import ScoringPlan


class CertificateWindow(Experimenter):
    """Certifies what is chosen in Setup."""

    def show(self) -> None:
        """Show the page in the Analysis tab."""
        self._tabs.show_named("certificate")

    def take_page(self, page: AnalysisPage) -> None:
        if isinstance(page, CertificatePage):
            page.scores = self._scores
        super().take_page(page)

    def begin(self, wanted: Options) -> None:
        self.experiment.start(partial(certificate_plan, wanted, self._setup.plan.for_typed_pairs()))

    def _scores(self) -> ChosenScores:
        plan = self._setup.plan
        fitting = plan.for_typed_pairs().metrics
        left_out = [spec_title(spec) for spec in plan.metrics if spec not in fitting]
        left_out += [source.column for source in self._setup.metrics.choice.columns_of_corpus()]
        titles = [*map(spec_title, fitting), *typed_scores(plan)[1].values()]
        return ChosenScores(titles, list(dict.fromkeys(left_out)))


def certificate_plan(options: Options, asked: ScoringPlan) -> ExperimentPlan[Run[Any, Any]]:
    """Make the pairs, and return what is scored and how it is judged."""
    made, options = suite(options.pairs, options.seed), Options(max(options.pairs, 100), options.seed)

    def look(table: ScoreTable, broken: bool) -> Run[Any, Any]:
        material = SuiteMaterial.of(made, *certified_columns(table, broken=broken))
        return analyse(Certifying(), material, options)

    return ExperimentPlan(made.corpus, asked, look)
