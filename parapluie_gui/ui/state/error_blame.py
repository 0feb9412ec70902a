"""Explaining many pairs as an experiment: the variants of all of them, and what each kind of change did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.explain.blame import Blame, blame
from parapluie_gui.analysis.explain.variants import Variants
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.arrays import Rows
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.report.explained import kinds_of
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.experiment import ExperimentPlan
from parapluie_gui.work.scoring_plan import ScoringPlan


@dataclass(frozen=True, eq=False)
class ErrorsWanted:
    """Pairs of a corpus whose score is to be explained, with the threshold of its verdicts."""

    corpus: Corpus
    rows: Rows
    column: str
    threshold: float

    def of_same_corpus(self, other: ErrorsWanted) -> bool:
        # What people say of a corpus makes another one of it, with the same texts.
        return self.corpus.source is other.corpus.source and self.corpus.hypothesis is other.corpus.hypothesis

    def same_as(self, other: ErrorsWanted) -> bool:
        """Are these the same pairs, to be explained alike?"""
        same = (self.column, self.threshold) == (other.column, other.threshold)
        return same and self.of_same_corpus(other) and np.array_equal(self.rows, other.rows)


@dataclass(frozen=True, eq=False)
class ErrorsExplained:
    """What decided the pairs, by the kinds of change."""

    wanted: ErrorsWanted
    blame: tuple[Blame, ...]


def blame_plan(
    wanted: ErrorsWanted, metrics: tuple[str, ...], judge: JudgeSettings, templates: tuple[Template, ...]
) -> ExperimentPlan[ErrorsExplained]:
    """Make the variants of all pairs, and return what is scored and what it says."""
    pairs = wanted.corpus.take(wanted.rows)
    variants = Variants(pairs)

    def look(table: ScoreTable, broken: bool) -> ErrorsExplained | None:
        if broken or wanted.column not in table:
            return None
        column = score_column(wanted.column, table[wanted.column])
        found = enumerate(variants.explanations(column, wanted.threshold))
        return ErrorsExplained(wanted, blame((each, kinds_of(pairs, row, each)) for row, each in found))

    return ExperimentPlan(variants.corpus, ScoringPlan(metrics, judge, templates), look)
