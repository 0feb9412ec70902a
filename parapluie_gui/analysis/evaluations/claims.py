"""Candidates of findings that several analyses share: verdicts that are right, and scores that keep labels apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import isnan

import numpy as np

from parapluie_gui.analysis.finding import (
    FindingCandidate,
    count_pairs,
    estimate_words,
    find_standing_out,
    name_some,
    share_words,
    tested_rows,
)
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.comparison import mcnemar
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.statistics.significance import (
    auc,
    auc_difference,
    better_than_constant,
    learn_elsewhere,
)
from parapluie_gui.analysis.table import number, percent
from parapluie_gui.arrays import Labels, Mask, Scores
from parapluie_gui.errors import join_words
from parapluie_gui.scores.table import is_scored

#: The clause for a threshold that is the best for the pairs on which it is tried.
LEARNT = "learnt on these pairs"


@dataclass(frozen=True)
class ScoredPairs:
    """The scores, turned so that higher is nearer, and labels of the rows that a test uses."""

    scores: Mapping[str, Scores]
    labels: Labels

    @classmethod
    def from_material(cls, material: AnalysisMaterial, where: Mask) -> ScoredPairs:
        """Return the scores by title."""
        rows = tested_rows(where)
        columns = material.score_columns
        return cls({column.title: turn_nearer(column)[rows] for column in columns}, material.labels[rows])


def turn_nearer(column: ScoreColumn) -> Scores:
    """Return scores with distances negated, so that higher is nearer."""
    return column.values if column.higher_is_closer else -column.values


def is_learnt(material: AnalysisMaterial, column: ScoreColumn) -> bool:
    """Return whether a score's threshold is the best for the analysed pairs, without a natural or a chosen one."""
    return column.threshold is None and column.name not in material.given


def accuracy_claims(
    material: AnalysisMaterial, where: Mask
) -> tuple[list[FindingCandidate], Callable[[FindingCandidate, FindingCandidate], float], str]:
    """Return a candidate for each score's accuracy, the test between two of them, and the clause for no finding."""
    rows = tested_rows(where)
    labels = material.labels[rows]
    labelled = (labels == 0) | (labels == 1)
    candidates, verdicts, scored = [], dict[str, Mask](), dict[str, Mask]()
    for column in material.score_columns:
        values = column.values[rows]
        counted = labelled & is_scored(values)
        if not counted.any():
            continue
        threshold = material.threshold(column, where)
        verdict: Mask | None = column.predicted_positive(threshold)[rows]
        words, note = _count_right(column, material.labels, where, threshold), "its natural threshold"
        if material.given.get(column.name, column.threshold) != column.threshold:
            note = f"the chosen threshold {number(threshold)}"
        if is_learnt(material, column):
            note, verdict = f"its best threshold, {LEARNT}", learn_elsewhere(values, labels, column.higher_is_closer)
            if verdict is not None:
                held_out = float(np.mean(verdict[counted] == (labels[counted] == 1)))
                note += f" ({percent(held_out, int(counted.sum()))} if learnt on one half and applied to the other)"
        title = column.title
        if verdict is None:
            candidates.append(FindingCandidate(title, f"is right on {words} at {note}", float("nan"), float("nan")))
            continue
        verdicts[title], scored[title] = verdict, counted
        accuracy = float(np.mean(verdict[counted] == (labels[counted] == 1)))
        p = better_than_constant(verdict[counted], labels[counted])
        candidates.append(FindingCandidate(title, f"is right on {words} at {note}", accuracy, p))

    def differs(first: FindingCandidate, second: FindingCandidate) -> float:
        both = scored[first.title] & scored[second.title]
        truth = labels[both] == 1
        one, two = (verdicts[candidate.title][both] == truth for candidate in (first, second))
        return mcnemar(int((one & ~two).sum()), int((two & ~one).sum())).exact

    candidates, _ = _without_few(candidates, {title: int(mask.sum()) for title, mask in scored.items()})
    positives, all_labelled = int((labels[labelled] == 1).sum()), int(labelled.sum())
    majority = max(positives, all_labelled - positives)
    known = percent(majority / max(all_labelled, 1), all_labelled)
    nothing = (
        "no score is clearly right more often than always answering the more common label "
        f"({known} of {count_pairs(all_labelled)})"
    )
    return candidates, differs, nothing


def _without_few(
    candidates: Iterable[FindingCandidate], counts: Mapping[str, int]
) -> tuple[list[FindingCandidate], str]:
    """Return the candidates, without rank if they have under half of another score's pairs, and a sentence on these."""
    most = max(counts.values(), default=0)
    few = [title for title, count in counts.items() if 2 * count < most]
    ranked = [replace(one, strength=float("nan"), p=float("nan")) if one.title in few else one for one in candidates]
    # The window's titles have the number, at the end or before the judge.
    listed = join_words([title if "pairs)" in title else f"{title} ({count_pairs(counts[title])})" for title in few])
    return ranked, f"Too few pairs to compare: {listed}." if few else ""


#: The column with the accuracy of always answering the more common label, and its explanation.
CONSTANT = "more common label"
CONSTANT_NOTE = "More common label: accuracy of always answering it for these pairs."


def describe_different_pairs(counts: Iterable[tuple[str, int]]) -> str:
    """Return a sentence if rows about one corpus count different pairs; "" if not.

    Args:
        counts: The corpus and the number of pairs of each row.
    """
    by_corpus: dict[str, set[int]] = {}
    for corpus, pairs in counts:
        by_corpus.setdefault(corpus, set()).add(pairs)
    differing = [pairs for pairs in by_corpus.values() if len(pairs) > 1]
    if not differing:
        return ""
    least, most = min(map(min, differing)), max(map(max, differing))
    return (
        f"The rows count different pairs ({least:,} to {most:,}), because only pairs with a label and the score count, "
        "so their accuracies are not comparable; “Compare all” uses the pairs that both scores have."
    )


def majority_sentence(material: AnalysisMaterial, where: Mask) -> str:
    """Return the accuracy of always answering the commoner label."""
    labels = material.labels[where]
    positives, negatives = int((labels == 1).sum()), int((labels == 0).sum())
    total = positives + negatives
    return (
        f"Always answering the more common label: {percent(max(positives, negatives) / total, total)}." if total else ""
    )


def order_claims(
    material: AnalysisMaterial, where: Mask, words: Callable[[str, Estimate, int], str], strengths: Mapping[str, float]
) -> tuple[list[FindingCandidate], Callable[[FindingCandidate, FindingCandidate], float], str]:
    """Return a candidate for each score that orders pairs by label, the test between two, and a sentence on the rest.

    Args:
        material: The scores and labels.
        where: The pairs.
        words: Returns the words after a title, for its area under the ROC curve and its number of labelled pairs.
        strengths: The strength of each score by title; a score without one is left out.
    """
    pairs = ScoredPairs.from_material(material, where)
    labelled = where & ((material.labels == 0) | (material.labels == 1))
    values = {column.title: column.values for column in material.score_columns}
    candidates, areas, against = [], dict[str, float](), list[FindingCandidate]()
    counts: dict[str, int] = {}
    for title, scores in pairs.scores.items():
        if title not in strengths:
            continue
        estimate, p = auc(scores, pairs.labels)
        counted = counts[title] = int((~np.isnan(values[title]) & labelled).sum())
        areas[title] = estimate.value
        directed = p if isnan(p) or estimate.value > 0.5 else 1.0
        candidates.append(FindingCandidate(title, words(title, estimate, counted), strengths[title], directed))
        reverse = p if isnan(p) or estimate.value < 0.5 else 1.0
        against.append(FindingCandidate(title, f"(area {estimate_words(estimate)})", -estimate.value, reverse))

    def differs(first: FindingCandidate, second: FindingCandidate) -> float:
        if not areas[first.title] > areas[second.title]:
            return float("nan")
        return auc_difference(pairs.scores[first.title], pairs.scores[second.title], pairs.labels)

    candidates, few = _without_few(candidates, counts)
    turned = describe_turned_round(against, "paraphrases are further apart than other pairs")
    return candidates, differs, f"{few} {turned}".strip()


def describe_turned_round(against: list[FindingCandidate], what: str) -> str:
    """Return a sentence on the scores that run the wrong way beyond chance; "" if there are none."""
    turned = [candidate.sentence for candidate in find_standing_out(against)]
    return f"Turned round, {what}: {name_some(turned)}. Check the direction." if turned else ""


def _count_right(column: ScoreColumn, labels: Labels, where: Mask, threshold: float) -> str:
    counted = where & ((labels == 0) | (labels == 1)) & ~np.isnan(column.values)
    right = column.predicted_positive(threshold)[counted] == (labels[counted] == 1)
    return share_words(int(right.sum()), int(counted.sum()))
