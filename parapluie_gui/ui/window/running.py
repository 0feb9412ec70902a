"""Starting the scoring of the corpus, and announcing the expected scores to the views."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from parapluie_gui.analysis.names import shown_name
from parapluie_gui.arrays import Rows
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.state.chosen_scores import typed_scores
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.ui.state.scoring import IDLE
from parapluie_gui.ui.window.context import WindowContext, WindowController
from parapluie_gui.ui.window.metric_questions import MetricQuestions

#: The session's setting with the number of the corpus that is being scored, removed once that ends.
_UNFINISHED = "scoring"

#: Maximum number of scores that the offer to go on names.
_NAMED = 3


class RunActions(WindowController):
    """Scores the corpus with the metrics and judges chosen in Setup, after asking about metric files.

    Args:
        context: The window's parts.
        driver: Starts the worker, and loads its libraries ahead of time.
    """

    def __init__(self, context: WindowContext, driver: WorkerDriver) -> None:
        super().__init__(context)
        self._driver, self._banner = driver, context.banner
        self.questions = MetricQuestions(context)
        setup, scoring = self._setup, self._scoring
        setup.run.run_requested.connect(self.run)
        setup.run.pause_requested.connect(scoring.pause)
        setup.run.resume_requested.connect(scoring.resume)
        setup.run.stop_requested.connect(scoring.stop)
        setup.changed.connect(self.follow_setup)
        scoring.state_changed.connect(self._pair.scores.set_state)
        scoring.over.connect(lambda: self._state.settings.drop(_UNFINISHED))
        self._workspace.columns_changed.connect(self._offer_scores)
        self._workspace.scores_changed.connect(self._end_offer)
        self._offer = ""

    def run(self) -> None:
        """Score the corpus; existing scores are reused."""
        self._ask(None)

    def run_selected(self) -> None:
        """Score only the selected pairs."""
        self._ask(np.flatnonzero(self._workspace.selection.mask))

    def score_typed(self) -> None:
        """Score the pair typed in the Bench."""
        if self._tabs.currentWidget() is not self._bench:
            self._tabs.show_bench()
        self._bench.score()

    def _ask(self, rows: Rows | None) -> None:
        if self._workspace.corpus is None:
            self.failed.emit(self.tr("There is nothing to score yet. Open a corpus first (Ctrl+O)."))
        elif self._scoring.state == IDLE:
            self.questions.ask(self._setup.plan.metrics, partial(self._score, self._workspace.key, rows))

    def _score(self, key: object, rows: Rows | None, metrics: list[str], refused: list[str]) -> None:
        """Score all pairs, or some rows of the corpus with this key, and show why metrics were refused."""
        workspace = self._workspace
        if (corpus := workspace.corpus) is None or (rows is not None and key != workspace.key):
            return
        plan = replace(self._setup.plan, metrics=tuple(metrics))
        judged, columns = list(plan.judge_scores(workspace.table)), plan.for_typed_pairs().metric_columns
        if judged:  # also for the score on y: an empty plot then shows which score it waits for
            workspace.await_score(workspace.y if workspace.y in judged else judged[0])
        elif workspace.y not in [*workspace.table, *columns]:
            workspace.await_score(columns[-1])
        self._scoring.start(corpus, plan, self._state.session.stores(), rows)
        if rows is None:
            self._state.settings.keep(_UNFINISHED, self._state.corpora.number)
        for sentence in refused:
            self._setup.notes.show_notice(sentence)
        if refused:
            self.failed.emit("\n".join(refused))

    def offer_to_go_on(self) -> None:
        """Offer to go on with a run that a crash or the end of the program interrupted."""
        settings, table = self._state.settings, self._workspace.table
        number = settings.values.place(_UNFINISHED)
        if number is None or number != self._state.corpora.number or self._scoring.state != IDLE:
            return
        settings.drop(_UNFINISHED)
        left = {name: table.rows - table.count_scores(name) for name in self._setup.plan.missing_in(table)}
        if not left:
            return
        asked = self._setup.plan.judge_scores(table)
        judges = {name: scores.judgings[0].judge.model for name, scores in asked.items() if name not in table}
        titles = {name: shown_name(identify(name).with_judge(judge)) for name, judge in judges.items()}
        titles = {name: titles.get(name) or self._workspace.title(name) for name in left}
        words = self.tr("{0}: {1} of {2} left")
        parts = [words.format(titles[name], f"{n:,}", f"{table.rows:,}") for name, n in left.items()]
        more = ["…"] if len(parts) > _NAMED else []
        text = self.tr("You were scoring {0}.").format("; ".join([*parts[:_NAMED], *more]))
        self._offer = text
        self._banner.warn(text, self.tr("Continue"), self.run)

    def _end_offer(self) -> None:
        """Withdraw the offer once nothing is left to compute."""
        if self._offer and not self._setup.plan.missing_in(self._workspace.table):
            self._banner.withdraw(self._offer)
            self._offer = ""

    def follow_setup(self) -> None:
        """Update the views for the scores chosen in Setup."""
        plan, table = self._setup.plan, self._workspace.table
        asked = plan.judge_scores(table)
        self._pair.set_chosen(plan.metric_columns)
        self._offer_scores()
        self._bench.sentences.languages.set_scores(plan.for_typed_pairs().languages())
        self._workspace.show_judge_score(list(asked))
        # Load PyTorch ahead of time if a chosen language model has scores missing.
        waiting = [scores.judgings[0].judge for name, scores in asked.items() if table.count_scores(name) < table.rows]
        if self._workspace.corpus is not None and any(map(self._setup.judge.needs_libraries, waiting)):
            self._driver.warm(libraries=True)

    def _offer_scores(self) -> None:
        """Update the Bench's columns."""
        asked, _ = typed_scores(self._setup.plan)
        models = {column: scores.judgings[0].judge.model for column, scores in asked.items() if scores.judgings}
        self._bench.set_columns(list(asked), models)
