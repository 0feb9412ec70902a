"""Everybody and everything that says of pairs whether they are paraphrases: people, labels, scores at a threshold.

A matrix of their agreement is figure 3 of PARAPHRASUS (Cohen's κ of people and systems) and, with Pearson's r, table 1
of PEM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.statistics.agreement import Agreement, TwoRaters, agreement, pearson_estimate, two_raters
from parapluie_gui.analysis.statistics.comparison import default_threshold
from parapluie_gui.analysis.statistics.correlation import DRAWS, Estimate
from parapluie_gui.arrays import Labels, Mask, Rows, Scores
from parapluie_gui.judgements.columns import Asked, shown_name
from parapluie_gui.pairs.corpus import UNLABELLED

#: How two raters are compared.
KAPPA, SHARE, PEARSON = "kappa", "share", "pearson"
MEASURES = (KAPPA, SHARE, PEARSON)


@dataclass(frozen=True, eq=False)
class Rater:
    """One row and column of the matrix.

    Attributes:
        name: As it is shown.
        labels: 1 paraphrase, 0 not, -1 for neither, (n,).
        values: What Pearson's r is of: answers' places on their scale, scores, labels; (n,), NaN where there is none.
        answers: Codes of a person's answers to the question, (n,), -1 for none; None for anything but a person.
        person: True for an annotator.
        note: At which threshold a score says that a pair is a paraphrase, or "".
    """

    name: str
    labels: Labels
    values: Scores
    answers: Rows | None = None
    person: bool = False
    note: str = ""


@dataclass(frozen=True, eq=False)
class RaterStudy:
    """How raters agree on some pairs.

    Attributes:
        question: The id of the question people answered.
        answers: The number of its answers.
        raters: The raters.
        people: Agreement of the people on the answers as they were given, where there are two or more.
        labels: Agreement of the people on paraphrase or not, where the answers say so; None otherwise.
        where: The pairs that were looked at, (n,).
        matrix: For every two raters (by place, the smaller first) how they agree.
        pearson: The same, Pearson's r.
    """

    question: str
    answers: int
    raters: tuple[Rater, ...]
    people: Agreement | None
    labels: Agreement | None
    where: Mask
    matrix: Mapping[tuple[int, int], TwoRaters]
    pearson: Mapping[tuple[int, int], Estimate]

    def cell(self, one: int, two: int, measure: str) -> Estimate:
        """Return how two raters agree by a measure."""
        key = (min(one, two), max(one, two))
        if measure == PEARSON:
            return self.pearson[key]
        found = self.matrix[key]
        return found.kappa if measure == KAPPA else found.share

    def items(self, one: int, two: int) -> int:
        """Return the number of pairs on which two raters are compared by κ and by percentages."""
        return self.matrix[min(one, two), max(one, two)].items

    def codes(self, one: int, two: int) -> tuple[Rows, Rows, int]:
        """Return what two raters are compared by, (n,) each, and the number of categories.

        These are the labels; two people whose answers say nothing of paraphrases are compared by their answers.
        """
        return _codes(self.raters[one], self.raters[two], self.answers)

    def disagreement_mask(self, one: int, two: int) -> Mask:
        """Return the pairs, (n,), on which two raters disagree."""
        first, second, _ = self.codes(one, two)
        return np.asarray((first >= 0) & (second >= 0) & (first != second) & self.where)


def raters_of(
    asked: Asked | None,
    labels: Labels | None,
    score_columns: Sequence[ScoreColumn],
    truth: Labels,
    given: Mapping[str, float],
    rows: int,
    where: Mask | None = None,
) -> list[Rater]:
    """Return all raters of n pairs.

    Args:
        asked: What people were asked, with their answers; or None.
        labels: The corpus's labels as one more rater, or None.
        score_columns: The scores, each as a rater: at its threshold in `given`, its natural one, or else the best one.
        truth: What the best threshold is the best for.
        given: A threshold by score.
        rows: The number of pairs n.
        where: The pairs of interest; None for all.
    """
    found = []
    if asked is not None:
        found += [
            Rater(
                shown_name(name),
                asked.labels(name, rows),
                asked.values(name, rows),
                asked.codes(name, rows).astype(np.int64),
                person=True,
            )
            for name in asked.annotators
        ]
    if labels is not None and (labels != UNLABELLED).any():
        found.append(Rater("label", labels, np.where(labels == UNLABELLED, np.nan, labels.astype(np.float64))))
    for each in score_columns:
        threshold = given.get(each.name, nan)
        if isnan(threshold):
            threshold = default_threshold(each, truth, where)
        predicted = each.predicted_positive(threshold) if not isnan(threshold) else np.zeros(rows, dtype=bool)
        unknown = np.isnan(each.values) | isnan(threshold)
        said = np.where(unknown, UNLABELLED, predicted).astype(np.int8)
        sign = "≥" if each.higher_is_closer else "≤"
        note = "" if isnan(threshold) else f"{each.title} {sign} {threshold:.3g}".replace("-", "−")
        found.append(Rater(each.title, said, each.values if each.higher_is_closer else -each.values, note=note))
    return found


def study_raters(
    raters: Sequence[Rater],
    asked: Asked | None,
    rows: int,
    where: Mask | None = None,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    tick: Tick | None = None,
) -> RaterStudy:
    """Compare raters with each other on n = `rows` pairs (those in `where`)."""
    within = np.ones(rows, dtype=bool) if where is None else where
    answers = 0 if asked is None else len(asked.question.answers)
    people = [rater for rater in raters if rater.person]
    matrix: dict[tuple[int, int], TwoRaters] = {}
    pearson: dict[tuple[int, int], Estimate] = {}
    total = len(raters) * (len(raters) - 1) // 2
    for one in range(len(raters)):
        for two in range(one + 1, len(raters)):
            if tick is not None:
                tick(len(matrix), total)
            first, second, categories = _codes(raters[one], raters[two], answers)
            matrix[one, two] = two_raters(first[within], second[within], categories, draws=draws, seed=seed)
            values = (raters[at].values[within] for at in (one, two))
            pearson[one, two] = pearson_estimate(*values, draws=draws, seed=seed)
    whole = labelled = None
    if asked is not None and len(people) > 1:
        codes = np.column_stack([rater.answers[within] for rater in people if rater.answers is not None])
        whole = agreement(codes, answers, ordered=_ranks(asked, codes), draws=draws, seed=seed)
        if asked.question.labelled:
            said = np.column_stack([rater.labels[within] for rater in people]).astype(np.int64)
            labelled = agreement(said, 2, draws=draws, seed=seed)
    question = "" if asked is None else asked.question.id
    return RaterStudy(question, answers, tuple(raters), whole, labelled, within, matrix, pearson)


def _codes(one: Rater, two: Rater, answers: int) -> tuple[Rows, Rows, int]:
    silent = not (one.labels >= 0).any() and not (two.labels >= 0).any()
    if silent and one.answers is not None and two.answers is not None:
        return one.answers, two.answers, answers
    return one.labels.astype(np.int64), two.labels.astype(np.int64), 2


def _ranks(asked: Asked, codes: Rows) -> Rows | None:
    """Return codes as ranks of the answers' values, -1 for those without one; None where they have no order."""
    if not asked.question.ordered:
        return None
    values = [answer.value for answer in asked.question.answers]
    places = sorted({value for value in values if value is not None})
    ranks = np.array([-1 if value is None else places.index(value) for value in values] + [-1])
    return np.asarray(ranks[codes])
