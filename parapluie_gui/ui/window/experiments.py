"""Between what tries something and the worker: certificates, sweeps, explanations go out, the views show the result."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from parapluie_gui.analysis.names import judge_title
from parapluie_gui.features.certificate.page import CertificatePage
from parapluie_gui.features.errors.page import ErrorsPage
from parapluie_gui.features.wordings.page import SweepPage
from parapluie_gui.ui.analysis.experiment import ExperimentPage, WorkedPage
from parapluie_gui.ui.analysis.links import Wordings
from parapluie_gui.ui.setup.metric_choice import spec_title
from parapluie_gui.ui.state.chosen_scores import called_by, chosen_scores, typed_scores
from parapluie_gui.ui.state.experiment import (
    ErrorsWanted,
    Experiment,
    SweepWanted,
    blame_plan,
    certificate_plan,
    sweep_plan,
)
from parapluie_gui.ui.window.context import Context, Helper


class Experiments(Helper):
    """Certifies the metrics and templates that are chosen in Setup, sweeps over forms of a question, explains errors.

    Attributes:
        certifying, sweeping, explaining: What is under way.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        analysis = self._analysis = context.analysis
        self.certifying, self.sweeping, self.explaining = (Experiment(self._client, self) for _ in range(3))
        links = analysis.links
        links.chosen_scores, links.wordings = self._chosen, self._wordings
        links.certificate_wanted.connect(self._certify)
        links.sweep_wanted.connect(self._sweep)
        links.certificate_stopped.connect(self.certifying.stop)
        links.sweep_stopped.connect(self.sweeping.stop)
        links.blame_wanted.connect(self._explain)
        links.blame_stopped.connect(self.explaining.stop)
        self._setup.changed.connect(self._show_chosen)
        self._show(self.certifying, lambda: analysis.page_of(CertificatePage))
        self._show(self.sweeping, lambda: analysis.page_of(SweepPage))
        self.certifying.done.connect(lambda run: analysis.page_of(CertificatePage).show_run(run))
        self.sweeping.done.connect(lambda run: analysis.page_of(SweepPage).show_run(run))
        self._show(self.explaining, lambda: analysis.page_of(ErrorsPage))
        self.explaining.done.connect(lambda found: analysis.page_of(ErrorsPage).show_explained(found))

    def close(self) -> None:
        self.certifying.close()
        self.sweeping.close()
        self.explaining.close()

    def _show(self, experiment: Experiment, page: Callable[[], WorkedPage]) -> None:
        experiment.staged.connect(lambda text: page().show_stage(text))
        experiment.progressed.connect(lambda part: page().progress.setValue(part))
        experiment.ended.connect(lambda sentence: page().show_end(sentence))

    def _chosen(self) -> tuple[list[str], list[str]]:
        """Return the titles of the scores to be tried, and of the chosen metrics that cannot be."""
        plan = self._setup.plan
        fitting = plan.for_typed_pairs().metrics
        left_out = [spec_title(spec) for spec in plan.metrics if spec not in fitting]
        left_out += [source.column for source in self._setup.metrics.choice.columns_of_corpus()]
        return [*map(spec_title, fitting), *typed_scores(plan)[1].values()], list(dict.fromkeys(left_out))

    def _wordings(self) -> Wordings:
        """Return the judge in the picker, what it can be asked, and how many are asked beside it."""
        setup, judge = self._setup, self._setup.judge
        title = judge_title(judge.name) if judge.name and judge.ready else ""
        others = sum(each.judge != judge.judge_settings() for each in setup.plan.judgings)
        return Wordings(title, setup.templates_for_judge(), setup.templates.chosen(), others)

    def _show_chosen(self) -> None:
        for page in self._analysis.pages.values():
            if isinstance(page, ExperimentPage):
                page.show_chosen()

    def _certify(self, pairs: int, seed: int) -> None:
        self.certifying.start(partial(certificate_plan, pairs, seed, self._setup.plan.for_typed_pairs()))

    def _sweep(self, wanted: SweepWanted) -> None:
        self.sweeping.start(partial(sweep_plan, wanted, self._setup.judge.judge_settings()))

    def _explain(self, wanted: ErrorsWanted) -> None:
        asked = chosen_scores(self._setup.plan, self._workspace).get(wanted.column)
        if asked is not None:
            self.explaining.start(partial(blame_plan, wanted, asked, called_by(asked)))
        else:
            sentence = self.tr("This score is not chosen in Setup. Choose its metric or template there to explain it.")
            self._analysis.page_of(ErrorsPage).show_end(sentence)
