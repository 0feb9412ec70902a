"""The question from the audience: a pair typed on the stage, with its scores and the words that decided."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from PySide6.QtCore import Signal

from parapluie_gui.arrays import Scores
from parapluie_gui.features.explain.explanation import ExplanationPlan
from parapluie_gui.features.talks.shown import DecidingWords, StagePair, find_baseline_columns, find_judge_column
from parapluie_gui.features.talks.staged import StagedPairs
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.pair.sentences import differences
from parapluie_gui.ui.state.chosen_scores import only_column, typed_scores
from parapluie_gui.ui.window.bench import bench_corpus
from parapluie_gui.ui.window.context import WindowContext, WindowController
from parapluie_gui.work.events import ScoreBatch
from parapluie_gui.work.handle import RequestHandle


def find_word_to_change(pair: StagePair, decided: bool) -> tuple[int, int]:
    """Return the span of the hypothesis that a question will most likely change.

    Args:
        pair: The pair on the stage.
        decided: Whether the room sees which words decided; the word with the largest effect is then chosen, otherwise
            the first word that differs. Without either, the whole hypothesis is chosen.
    """
    if decided and pair.words is not None and pair.words.hypothesis:
        strongest = max(pair.words.hypothesis, key=lambda span: span.share)
        return strongest.start, strongest.end
    marks = differences(pair.source, pair.hypothesis).hypothesis
    return (marks[0].start, marks[0].end) if marks else (0, len(pair.hypothesis))


class AudienceQuestion(WindowController):
    """A pair typed on the stage: the Bench scores it, and its variants are then scored to explain the verdict.

    Attributes:
        staged: The pair for the stage; None before the first question.

    Signals:
        changed: Scores, or the words that decided, arrived.
    """

    changed = Signal()

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.staged: StagedPairs | None = None
        self._texts = "", ""
        self._like: StagedPairs | None = None
        self._handle: RequestHandle | None = None
        self._explained = ""
        self._bench.history_changed.connect(self._take_history)

    def ask(self, source: str, hypothesis: str, like: StagedPairs | None) -> StagedPairs:
        """Score a pair with the judges and metrics chosen in Setup, and add it to the Bench's history.

        Args:
            source: The source.
            hypothesis: The hypothesis.
            like: The pairs on the stage before, whose judge and other scores are shown if the pair has them.
        """
        self.end()
        self._texts, self._like = (source, hypothesis), like
        self.staged = self._stage(BenchEntry(source, hypothesis))
        self._bench.fields.set_texts(source, hypothesis)
        self._bench.score()
        return self.staged

    @property
    def progress(self) -> str:
        """The event that the pair waits for, or why it has no scores; "" once it is scored and without a question."""
        if not any(self._texts):
            return ""
        fields = self._bench.fields
        return fields.hint.full_text or fields.stage.full_text

    def end(self) -> None:
        """Stop explaining the pair; the Bench goes on scoring it."""
        if self._handle is not None:
            self._handle.give_up()
        self._handle, self._texts, self._explained = None, ("", ""), ""

    def _take_history(self, entries: list[BenchEntry]) -> None:
        typed = [entry for entry in entries if (entry.source, entry.hypothesis) == self._texts]
        if self.staged is None or not typed or not typed[-1].values:
            return
        words = self.staged.words
        self.staged = self._stage(typed[-1])
        self.staged.words.update(words)
        self._explain(self.staged)
        self.changed.emit()

    def _stage(self, entry: BenchEntry) -> StagedPairs:
        """Return an entry of the Bench for the stage, with the scores that the pairs before it show."""
        table = ScoreTable(1)
        for column, value in entry.values.items():
            model = entry.models.get(column, "")
            table.declare(column, Signature.from_fields(column, {"model": model}) if model else None)
            table.put(np.array([0]), {column: np.array([value])})
        like = self._like
        judge = find_judge_column(table, "" if like is None else like.judge)
        baselines = () if like is None else tuple(name for name in like.baselines if name in table)
        return StagedPairs(bench_corpus([entry], ""), table, judge, find_baseline_columns(table, baselines))

    def _explain(self, staged: StagedPairs) -> None:
        """Score the variants of the pair, once its judge's score has arrived."""
        column = staged.judge
        alone = typed_scores(self._setup.plan)[0].get(column)
        if alone is None or not alone.judgings or self._explained == column or differences(*self._texts).too_long:
            return
        self._explained = column
        plan = ExplanationPlan(*self._texts)
        values = np.full(len(plan.variants), math.nan)
        handle = self._handle = self._client.score(plan.corpus(), alone, urgent=True)
        handle.scored.connect(partial(self._take_scores, values, only_column(alone)))
        handle.finished.connect(lambda event: self._take_words(plan, values))

    def _take_scores(self, values: Scores, column: str, batch: ScoreBatch) -> None:
        if column in batch.values:
            values[batch.rows] = batch.values[column]

    def _take_words(self, plan: ExplanationPlan, values: Scores) -> None:
        explanation = plan.explain(values.tolist(), 0.0)
        if self.staged is not None and not any(map(math.isnan, explanation.values)):
            self.staged.words[0] = DecidingWords.from_explanation(explanation, True)
            self.changed.emit()
