"""The one figure by which judges are chosen: how they do on pairs that were kept back, every kind weighing the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.statistics.curves import roc, threshold_curve
from parapluie_gui.arrays import Scores
from parapluie_gui.errors import CorpusError
from parapluie_gui.features.training.mixture_file import Kept
from parapluie_gui.pairs import UNLABELLED, Corpus

#: Share of the highest grade from which a graded pair counts as a paraphrase: 4 of 5 is "mostly equivalent, some
#: unimportant details differ" in the guidelines of STS.
MOSTLY = 0.8


def truth_of(corpus: Corpus) -> Scores:
    """Return 1.0 for paraphrases, 0.0 for negatives and NaN for pairs that nobody judged, float64 (n,).

    Raises:
        CorpusError: The corpus has neither labels nor human scores, or only one kind of pairs.
    """
    if corpus.labelled and corpus.label is not None:
        truth = np.where(corpus.label == UNLABELLED, np.nan, corpus.label.astype(np.float64))
    elif corpus.human is not None:
        highest = 5.0 if np.nanmax(corpus.human) > 1.0 else 1.0
        truth = np.where(np.isnan(corpus.human), np.nan, corpus.human >= MOSTLY * highest)
    else:
        truth = np.full(len(corpus), np.nan)
    if not (truth == 1.0).any() or not (truth == 0.0).any():
        raise CorpusError(
            "it does not have both paraphrases and others by label or human score", "name one that has", corpus.name
        )
    return truth


def equal_error(scores: Scores, truth: Scores) -> float:
    """Return the threshold at which the false negative rate is the false positive rate; NaN is left out."""
    usable = ~np.isnan(scores) & ~np.isnan(truth)
    values, positive = scores[usable], truth[usable] == 1.0
    order = np.argsort(values)
    missed = np.cumsum(positive[order]) / positive.sum()
    false_positive = 1.0 - np.cumsum(~positive[order]) / (~positive).sum()
    # With the threshold behind the pair at this place: missed grows from pair to pair, false positives fall.
    place = int(np.argmax(missed >= false_positive))
    above = values[order[min(place + 1, len(order) - 1)]]
    return float((values[order[place]] + above) / 2)


@dataclass(frozen=True)
class Standing:
    """How a judge does on the kept pairs of one corpus.

    Attributes:
        area: Under the ROC curve.
        balanced: Mean of the accuracies on paraphrases and on other pairs, at threshold 0.
    """

    kind: str
    name: str
    pairs: int
    area: float
    balanced: float

    def __str__(self) -> str:
        return f"{self.kind}, {self.name}: {self.pairs:,} pairs, AUC {self.area:.3f}, balanced {self.balanced:.3f}"


def standing(kept: Kept, scores: Scores) -> Standing:
    """Return how scores do on kept pairs."""
    truth = truth_of(kept.corpus)
    known = ~np.isnan(truth)
    right, given = truth[known] == 1.0, scores[known]
    balanced = float(((given[right] >= 0).mean() + (given[~right] < 0).mean()) / 2)
    area = roc(threshold_curve(given, right.astype(np.int8))).auc
    return Standing(kept.kind, kept.corpus.name, int(known.sum()), area, balanced)


def criterion(standings: Sequence[Standing], without: Collection[str] = ()) -> float:
    """Return the mean over the kinds of the mean over their corpora of AUC and balanced accuracy, 0..1.

    The kinds `without` are left out.
    """
    kinds: dict[str, list[float]] = defaultdict(list)
    for each in standings:
        if each.kind not in without:
            kinds[each.kind].append((each.area + each.balanced) / 2)
    return float(np.mean([np.mean(values) for values in kinds.values()]))


def threshold(kept: Sequence[Kept], scores: Sequence[Scores]) -> float:
    """Return the threshold at which paraphrases and others are as often wrong, every kind weighing the same."""
    corpora: dict[str, int] = defaultdict(int)
    for each in kept:
        corpora[each.kind] += 1
    values, signed = [], []
    for each, given in zip(kept, scores, strict=True):
        truth = truth_of(each.corpus)
        for answer in (0.0, 1.0):
            chosen = truth == answer
            values.append(given[chosen])
            weight = 1.0 / (corpora[each.kind] * max(1, chosen.sum()))
            signed.append(np.full(int(chosen.sum()), weight if answer else -weight))
    given, weights = np.concatenate(values), np.concatenate(signed)
    order = np.argsort(given)
    weights = weights[order]
    missed = np.cumsum(np.clip(weights, 0, None))
    wrongly_taken = np.cumsum(np.clip(-weights, 0, None)[::-1])[::-1]
    place = int(np.argmax(missed >= wrongly_taken))
    return float(given[order[place]])
