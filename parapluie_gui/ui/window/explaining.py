"""Between what explains scores and the worker: variants and replacements of a pair go out, scores come back."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QObject

from parapluie_gui.analysis.explain.explanation import Plan
from parapluie_gui.arrays import Rows
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.pair.asking import AskingView
from parapluie_gui.ui.pair_panel.view import PairView
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.client import Client
from parapluie_gui.ui.window.tabs import CentreTabs
from parapluie_gui.work.events import Batch
from parapluie_gui.work.handle import Handle
from parapluie_gui.work.scoring_plan import ScoringPlan


class Explaining(QObject):
    """Scores what a view asks for with one of the metrics or templates that are chosen in Setup."""

    def __init__(self, view: AskingView, client: Client, setup: Setup, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._client, self._setup = view, client, setup
        self._handles: list[Handle] = []
        view.asked.connect(self._ask)
        view.given_up.connect(self._give_up)

    def _ask(self, wanted: Plan | Corpus, column: str) -> None:
        self._give_up()
        setup, view = self._setup, self._view
        metrics = tuple(spec for spec in setup.metrics_for_one_pair() if catalogue.column(spec) == column)
        templates = tuple(template for template in setup.chosen_templates() if template.column == column)
        plan = ScoringPlan(metrics, setup.judge_settings(), templates)
        corpus = wanted.corpus() if isinstance(wanted, Plan) else wanted
        turns = [rows for rows in wanted.turns() if rows] if isinstance(wanted, Plan) else [list(range(len(corpus)))]
        # What each edit does alone has its colour while the other variants are still scored.
        for rows in turns:
            handle = self._client.score(corpus.take(rows), plan, urgent=True)
            handle.scored.connect(partial(self._show, column, np.array(rows)))
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


def connect_explaining(
    pair: PairView, tabs: CentreTabs, client: Client, setup: Setup, parent: QObject
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
        made += [Explaining(view, client, setup, parent) for view in (why, why.beside, why.replacing)]
    return made
