"""The criterion by which judges are chosen: their quality on kept-back pairs, with equal weight for every kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.statistics.curves import roc, threshold_curve
from parapluie_gui.arrays import Scores
from parapluie_gui.errors import CorpusError
from parapluie_gui.features.training.mixture_file import KeptCorpus
from parapluie_gui.pairs import UNLABELLED, Corpus

#: Share of the highest grade from which graded pairs count as paraphrases: 4 of 5 means "mostly equivalent, some
#: unimportant details differ" in the guidelines of STS.
MOSTLY = 0.8


def binary_truth(corpus: Corpus) -> Scores:
    """Return 1.0 for paraphrases, 0.0 for negatives and NaN for unlabelled pairs, float64 (n,).

    Raises:
        CorpusError: The corpus has neither labels nor human scores, or only one class of pairs.
    """
    if corpus.has_labels and corpus.label is not None:
        truth = np.where(corpus.label == UNLABELLED, np.nan, corpus.label.astype(np.float64))
    elif corpus.human is not None:
        highest = 5.0 if np.nanmax(corpus.human) > 1.0 else 1.0
        truth = np.where(np.isnan(corpus.human), np.nan, corpus.human >= MOSTLY * highest)
    else:
        truth = np.full(len(corpus), np.nan)
    if not (truth == 1.0).any() or not (truth == 0.0).any():
        raise CorpusError(
            "it does not have both paraphrases and negatives by label or human score",
            "choose one that has both",
            corpus.name,
        )
    return truth


def equal_error_threshold(scores: Scores, truth: Scores) -> float:
    """Return the threshold at which the false negative rate equals the false positive rate; NaN is left out."""
    usable = ~np.isnan(scores) & ~np.isnan(truth)
    values, positive = scores[usable], truth[usable] == 1.0
    order = np.argsort(values)
    missed = np.cumsum(positive[order]) / positive.sum()
    false_positive = 1.0 - np.cumsum(~positive[order]) / (~positive).sum()
    # The threshold is above the pair at this index: from pair to pair, misses increase and false positives decrease.
    place = int(np.argmax(missed >= false_positive))
    above = values[order[min(place + 1, len(order) - 1)]]
    return float((values[order[place]] + above) / 2)


@dataclass(frozen=True)
class KeptResult:
    """The quality of a judge on the kept-back pairs of one corpus.

    Attributes:
        kind: The kind of the corpus.
        name: The corpus.
        pairs: Kept-back pairs with a label or a human score.
        area: Area under the ROC curve.
        balanced: Balanced accuracy at threshold 0, the mean of the accuracies on paraphrases and on negatives.
    """

    kind: str
    name: str
    pairs: int
    area: float
    balanced: float

    def __str__(self) -> str:
        return f"{self.kind}, {self.name}: {self.pairs:,} pairs, AUC {self.area:.3f}, balanced {self.balanced:.3f}"


def kept_result(corpus: KeptCorpus, scores: Scores) -> KeptResult:
    """Compare scores with the labels or human scores of kept-back pairs."""
    truth = binary_truth(corpus.corpus)
    known = ~np.isnan(truth)
    is_paraphrase, known_scores = truth[known] == 1.0, scores[known]
    balanced = float(((known_scores[is_paraphrase] >= 0).mean() + (known_scores[~is_paraphrase] < 0).mean()) / 2)
    area = roc(threshold_curve(known_scores, is_paraphrase.astype(np.int8))).auc
    return KeptResult(corpus.kind, corpus.corpus.name, int(known.sum()), area, balanced)


def criterion(standings: Sequence[KeptResult], without: Collection[str] = ()) -> float:
    """Return the mean of AUC and balanced accuracy, averaged over corpora of each kind and then over kinds, 0..1.

    The kinds in `without` are left out.
    """
    kinds: dict[str, list[float]] = defaultdict(list)
    for result in standings:
        if result.kind not in without:
            kinds[result.kind].append((result.area + result.balanced) / 2)
    return float(np.mean([np.mean(values) for values in kinds.values()]))


def balanced_threshold(corpora: Sequence[KeptCorpus], scores: Sequence[Scores]) -> float:
    """Return the threshold of equal error rates on paraphrases and negatives, with equal weight for every kind."""
    counts: dict[str, int] = defaultdict(int)
    for corpus in corpora:
        counts[corpus.kind] += 1
    values, signed = [], []
    for corpus, corpus_scores in zip(corpora, scores, strict=True):
        truth = binary_truth(corpus.corpus)
        for answer in (0.0, 1.0):
            chosen = truth == answer
            values.append(corpus_scores[chosen])
            weight = 1.0 / (counts[corpus.kind] * max(1, chosen.sum()))
            signed.append(np.full(int(chosen.sum()), weight if answer else -weight))
    corpus_scores, weights = np.concatenate(values), np.concatenate(signed)
    order = np.argsort(corpus_scores)
    weights = weights[order]
    missed = np.cumsum(np.clip(weights, 0, None))
    wrongly_taken = np.cumsum(np.clip(-weights, 0, None)[::-1])[::-1]
    place = int(np.argmax(missed >= wrongly_taken))
    return float(corpus_scores[order[place]])
