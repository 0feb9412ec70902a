"""Between what explains scores and the worker: variants and replacements of a pair go out, scores come back."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QObject

from parapluie_gui import places
from parapluie_gui.analysis.explain.explanation import Plan
from parapluie_gui.arrays import Rows
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.pair.asking import AskingView
from parapluie_gui.ui.pair_panel.view import PairView
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.scoring import Scoring
from parapluie_gui.ui.window.tabs import CentreTabs
from parapluie_gui.work.events import Batch, Event, Failed, Finished, StageChanged


class Explaining(QObject):
    """Scores what a view asks for with one of the metrics or templates that are chosen in Setup."""

    def __init__(self, view: AskingView, scoring: Scoring, setup: Setup, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._scoring, self._setup = view, scoring, setup
        self._jobs: tuple[int, list[int]] = (0, [])
        view.asked.connect(self._ask)
        view.given_up.connect(self._give_up)

    def _ask(self, request: int, wanted: Plan | Corpus, column: str) -> None:
        setup = self._setup
        corpus = wanted.corpus() if isinstance(wanted, Plan) else wanted
        turns = [rows for rows in wanted.turns() if rows] if isinstance(wanted, Plan) else [list(range(len(corpus)))]
        # What each edit does alone has its colour while the other variants are still scored.
        jobs = [
            self._scoring.score_beside(
                corpus.take(rows),
                [spec for spec in setup.metrics_for_one_pair() if catalogue.column(spec) == column],
                setup.judge_settings(),
                [template for template in setup.chosen_templates() if template.column == column],
                (places.score_cache(),),
                partial(self._hear, request, column, np.array(rows), rows is turns[-1]),
            )
            for rows in turns
        ]
        self._jobs = request, jobs

    def _hear(self, request: int, column: str, rows: Rows, last: bool, event: Event) -> None:
        match event:
            case Batch() if column in event.values:
                self._view.show_scores(request, rows[event.rows], event.values[column])
            case StageChanged():
                self._view.show_stage(request, event.text)
            case Failed():
                self._view.show_error(request, event.text)
            case Finished() if last:
                self._view.show_error(request, "")

    def _give_up(self, request: int) -> None:
        if self._jobs[0] == request:
            for job in self._jobs[1]:
                self._scoring.cancel(job)
            self._jobs = request, []


def connect_explaining(
    pair: PairView, tabs: CentreTabs, scoring: Scoring, setup: Setup, parent: QObject
) -> list[Explaining]:
    """Let the Pair panel and the Bench explain scores; a replacement that is chosen opens in the Bench."""

    def open_in_bench(*texts: str) -> None:
        source, hypothesis, *replaced = texts
        values = pair.values() if (source, hypothesis) == pair.texts() else None
        tabs.show_bench()
        tabs.bench.score_copy((source, hypothesis), (replaced[0], replaced[1]), values)

    made = []
    for why in (pair.why, tabs.bench.why):
        why.replacing.chosen.connect(open_in_bench)
        made += [Explaining(view, scoring, setup, parent) for view in (why, why.beside, why.replacing)]
    return made
