"""Between a view that explains scores and the worker: the variants of a pair go out, their scores come back."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from parapluie_gui import places
from parapluie_gui.explain.explanation import Plan
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.pair.why import WhyView
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.scoring import Scoring
from parapluie_gui.work.job import Batch, Event, Failed, Finished, StageChanged


class Explaining(QObject):
    """Scores the variants of a pair with one of the metrics or templates that are chosen in Setup."""

    def __init__(self, why: WhyView, scoring: Scoring, setup: Setup, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._why, self._scoring, self._setup = why, scoring, setup
        self._job: tuple[int, int] | None = None
        why.asked.connect(self._ask)
        why.given_up.connect(self._give_up)

    def _ask(self, request: int, plan: Plan, column: str) -> None:
        setup = self._setup
        variants = Corpus(
            "",
            [str(number) for number in range(len(plan.variants))],
            [plan.source] * len(plan.variants),
            list(plan.variants),
        )
        job = self._scoring.score_beside(
            variants,
            [spec for spec in setup.metrics_for_one_pair() if catalogue.column(spec) == column],
            setup.judge_settings(),
            [template for template in setup.chosen_templates() if template.column == column],
            (places.score_cache(),),
            partial(self._hear, request, column),
        )
        self._job = request, job

    def _hear(self, request: int, column: str, event: Event) -> None:
        match event:
            case Batch() if column in event.values:
                self._why.show_scores(request, event.rows, event.values[column])
            case StageChanged():
                self._why.show_stage(request, event.text)
            case Failed():
                self._why.show_error(request, event.text)
            case Finished():
                self._why.show_error(request, "")

    def _give_up(self, request: int) -> None:
        if self._job is not None and self._job[0] == request:
            self._scoring.cancel(self._job[1])
            self._job = None
