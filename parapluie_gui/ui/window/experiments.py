"""Between what tries something and the worker: certificates, sweeps, explanations go out, the views show the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from parapluie_gui.analysis.explain.explanation import ExplanationPlan
from parapluie_gui.analysis.names import judge_title, shown_name
from parapluie_gui.arrays import Rows
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.analysis.certificate import CertificatePage
from parapluie_gui.ui.analysis.errors import ErrorsPage
from parapluie_gui.ui.analysis.experiment import ExperimentPage, WorkedPage
from parapluie_gui.ui.analysis.sweep import SweepPage
from parapluie_gui.ui.pair.asking import AskingView
from parapluie_gui.ui.setup.metric_choice import spec_title
from parapluie_gui.ui.state.experiment import (
    ErrorsWanted,
    Experiment,
    SweepWanted,
    blame_plan,
    certificate_plan,
    sweep_plan,
)
from parapluie_gui.ui.window.context import Context, Helper
from parapluie_gui.work.events import Batch
from parapluie_gui.work.handle import Handle
from parapluie_gui.work.scoring_plan import ScoringPlan


class Explaining(Helper):
    """Scores what a view asks for with one of the metrics or templates that are chosen in Setup."""

    def __init__(self, context: Context, view: AskingView) -> None:
        super().__init__(context)
        self._view = view
        self._handles: list[Handle] = []
        view.asked.connect(self._ask)
        view.given_up.connect(self._give_up)

    def _ask(self, wanted: ExplanationPlan | Corpus, column: str) -> None:
        self._give_up()
        setup, view = self._setup, self._view
        metrics = tuple(spec for spec in setup.metrics_for_one_pair() if catalogue.column(spec) == column)
        judge = setup.asked()[0].get(column)
        plan = ScoringPlan.of(metrics, () if judge is None else (judge,))
        name = column if judge is None else judge.templates[0].column
        corpus = wanted.corpus() if isinstance(wanted, ExplanationPlan) else wanted
        turns = (
            [rows for rows in wanted.turns() if rows]
            if isinstance(wanted, ExplanationPlan)
            else [list(range(len(corpus)))]
        )
        # What each edit does alone has its colour while the other variants are still scored.
        for rows in turns:
            handle = self._client.score(corpus.take(rows), plan, urgent=True)
            handle.scored.connect(partial(self._show, name, np.array(rows)))
            handle.staged.connect(lambda event: view.show_stage(event.text))
            handle.failed.connect(lambda event: view.show_error(event.text))
            if rows is turns[-1]:
                handle.finished.connect(lambda event: view.show_error(""))
            self._handles.append(handle)

    def _show(self, column: str, rows: Rows, batch: Batch) -> None:
        if column in batch.values:
            self._view.show_scores(rows[batch.rows], batch.values[column])

    def _give_up(self) -> None:
        for handle in self._handles:
            handle.give_up()
        self._handles.clear()


def connect_explaining(context: Context) -> list[Explaining]:
    """Let the Pair panel and the Bench explain scores; a replacement that is chosen opens in the Bench."""
    pair, tabs = context.pair, context.tabs

    def open_in_bench(*texts: str) -> None:
        source, hypothesis, *replaced = texts
        values = pair.values() if (source, hypothesis) == pair.texts() else None
        tabs.show_bench()
        tabs.bench.score_copy((source, hypothesis), (replaced[0], replaced[1]), values)

    made = []
    for why in (pair.why, tabs.bench.why):
        why.replacing.chosen.connect(open_in_bench)
        made += [Explaining(context, view) for view in (why, why.beside, why.replacing)]
    return made


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
        setup = self._setup
        fitting = setup.metrics_for_one_pair()
        templates = [
            shown_name(identify(template.column).by(setup.judge.name)) for template in setup.chosen_templates()
        ]
        left_out = [spec_title(spec) for spec in setup.chosen_metrics() if spec not in fitting]
        left_out += [source.column for source in setup.metrics.choice.columns_of_corpus()]
        return [*map(spec_title, fitting), *templates], list(dict.fromkeys(left_out))

    def _wordings(self) -> tuple[str, Sequence[Template], Sequence[str]]:
        """Return the judge's title, the templates for it and the names of those that are chosen."""
        setup, judge = self._setup, self._setup.judge
        title = judge_title(judge.name) if judge.name and judge.ready else ""
        return title, setup.templates_for_judge(), setup.templates.chosen()

    def _show_chosen(self) -> None:
        for page in self._analysis.pages.values():
            if isinstance(page, ExperimentPage):
                page.show_chosen()

    def _certify(self, pairs: int, seed: int) -> None:
        setup = self._setup
        scores = tuple(setup.metrics_for_one_pair()), setup.judge_settings(), tuple(setup.chosen_templates())
        self.certifying.start(partial(certificate_plan, pairs, seed, *scores))

    def _sweep(self, wanted: SweepWanted) -> None:
        self.sweeping.start(partial(sweep_plan, wanted, self._setup.judge_settings()))

    def _explain(self, wanted: ErrorsWanted) -> None:
        setup, column = self._setup, wanted.column
        metrics = tuple(spec for spec in setup.metrics_for_one_pair() if catalogue.column(spec) == column)
        templates = tuple(template for template in setup.chosen_templates() if template.column == column)
        if metrics or templates:
            self.explaining.start(partial(blame_plan, wanted, metrics, setup.judge_settings(), templates))
        else:
            sentence = self.tr("This score is not chosen in Setup. Choose its metric or template there to explain it.")
            self._analysis.page_of(ErrorsPage).show_end(sentence)
