"""Certificates in the window: tests the scores chosen in Setup on generated pairs."""

from __future__ import annotations

from functools import partial
from typing import Any

from parapluie_gui.analysis.base import Run, analyse
from parapluie_gui.features.certificate.analysis import CertificateAnalysis, CertificateOptions, SuiteMaterial
from parapluie_gui.features.certificate.cases import make_suite
from parapluie_gui.features.certificate.certificate import certified_columns
from parapluie_gui.features.certificate.page import CertificatePage, ChosenScores
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.setup.metric_choice import spec_title
from parapluie_gui.ui.state.chosen_scores import typed_scores
from parapluie_gui.ui.state.experiment import ExperimentPlan
from parapluie_gui.ui.window.experiments import ExperimentController
from parapluie_gui.work.scoring_plan import ScoringPlan


class CertificateWindow(ExperimentController):
    """Certifies the scores chosen in Setup."""

    def show(self) -> None:
        """Show the page in the Analysis tab."""
        self._tabs.show_named("certificate")

    def take_page(self, page: AnalysisPage) -> None:
        if isinstance(page, CertificatePage):
            page.scores = self._scores
        super().take_page(page)

    def begin(self, options: CertificateOptions) -> None:
        self.experiment.start(partial(certificate_plan, options, self._setup.plan.for_typed_pairs()))

    def _scores(self) -> ChosenScores:
        plan = self._setup.plan
        fitting = plan.for_typed_pairs().metrics
        left_out = [spec_title(spec) for spec in plan.metrics if spec not in fitting]
        left_out += [source.column for source in self._setup.metrics.choice.columns_of_corpus()]
        titles = [*map(spec_title, fitting), *typed_scores(plan)[1].values()]
        return ChosenScores(titles, list(dict.fromkeys(left_out)))


def certificate_plan(options: CertificateOptions, scoring: ScoringPlan) -> ExperimentPlan[Run[Any, Any]]:
    """Generate the pairs, and return a plan that scores and certifies them."""
    suite, options = make_suite(options.pairs, options.seed), CertificateOptions(max(options.pairs, 100), options.seed)

    def evaluate(table: ScoreTable, broken: bool) -> Run[Any, Any]:
        material = SuiteMaterial.from_suite(suite, *certified_columns(table, broken=broken))
        return analyse(CertificateAnalysis(), material, options)

    return ExperimentPlan(suite.corpus, scoring, evaluate)
