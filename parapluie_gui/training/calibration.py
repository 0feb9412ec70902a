"""The threshold of a trained judge, by a corpus that it was not trained on."""

from __future__ import annotations

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.errors import CorpusError
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
