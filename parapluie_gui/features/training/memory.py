"""Memorisation: the quality of a judge on pairs seen in training compared with its quality on kept-back pairs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.statistics.curves import roc, threshold_curve
from parapluie_gui.arrays import Scores
from parapluie_gui.features.training.criterion import binary_truth
from parapluie_gui.features.training.examples import TrainingCorpus
from parapluie_gui.features.training.mixture_file import KeptCorpus

#: Maximum numbers of seen and of kept-back pairs scored for each corpus: enough for ±0.04.
SAMPLE = 200

#: A function that scores n pairs.
ScoreTexts = Callable[[Sequence[str], Sequence[str]], Scores]


@dataclass(frozen=True)
class MemoryGap:
    """Areas under the ROC curves for pairs of one corpus seen in training, and for its kept-back pairs."""

    name: str
    seen: float
    kept: float

    def __str__(self) -> str:
        return f"{self.name} {self.seen:.3f} / {self.kept:.3f}"


def memory_gaps(
    parts: Sequence[TrainingCorpus], kept_corpora: Sequence[KeptCorpus], score: ScoreTexts, most: int = SAMPLE
) -> list[MemoryGap]:
    """Return the gap of each corpus with seen and kept-back pairs, from the same up to `most` pairs of each."""
    trained = {part.corpus.name: part for part in parts}
    result = []
    for kept_corpus in kept_corpora:
        if (part := trained.get(kept_corpus.corpus.name)) is None:
            continue
        sure = [example for example in part.examples if example[2] in (0.0, 1.0)]
        sample = random.Random(0).sample(sure, min(most, len(sure)))
        kept_sample = kept_corpus.corpus.take(np.random.default_rng(0).permutation(len(kept_corpus.corpus))[:most])
        truth = binary_truth(kept_sample)
        areas = (
            _area(score([one[0] for one in sample], [one[1] for one in sample]), np.array([one[2] for one in sample])),
            _area(score(kept_sample.source, kept_sample.hypothesis), truth),
        )
        result.append(MemoryGap(kept_corpus.corpus.name, *areas))
    return result


def format_gaps(gaps: Sequence[MemoryGap]) -> str:
    """Format the line that the training command prints: the mean gap, the widest gap, and every corpus."""
    mean = float(np.mean([gap.seen - gap.kept for gap in gaps]))
    widest = max(gaps, key=lambda gap: gap.seen - gap.kept)
    every = ", ".join(map(str, gaps))
    return f"AUC, seen / held out: mean gap {mean:.3f}, widest {widest.name}; {every}"


def _area(scores: Scores, truth: Scores) -> float:
    known = ~np.isnan(truth)
    return roc(threshold_curve(scores[known], (truth[known] == 1.0).astype(np.int8))).auc
