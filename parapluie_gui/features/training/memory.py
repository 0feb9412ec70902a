"""How much a judge has learnt by heart: how it does on pairs that it was trained on, against pairs kept back."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.statistics.curves import roc, threshold_curve
from parapluie_gui.arrays import Scores
from parapluie_gui.features.training.criterion import truth_of
from parapluie_gui.features.training.examples import TrainingCorpus
from parapluie_gui.features.training.mixture_file import Kept

#: Pairs of each corpus and sort that are looked at: enough for ±0.04.
SAMPLE = 200

#: What gives n pairs their scores.
ScoreTexts = Callable[[Sequence[str], Sequence[str]], Scores]


@dataclass(frozen=True)
class MemoryGap:
    """The areas under the ROC curves of pairs of one corpus that were trained on, and of pairs that were not."""

    name: str
    seen: float
    kept: float

    def __str__(self) -> str:
        return f"{self.name} {self.seen:.3f} / {self.kept:.3f}"


def gaps(
    parts: Sequence[TrainingCorpus], kept: Sequence[Kept], score: ScoreTexts, most: int = SAMPLE
) -> list[MemoryGap]:
    """Return the gap of each corpus that has both sorts of pairs, by at most `most` pairs of each; always the same."""
    trained = {part.corpus.name: part for part in parts}
    found = []
    for each in kept:
        if (part := trained.get(each.corpus.name)) is None:
            continue
        sure = [example for example in part.examples if example[2] in (0.0, 1.0)]
        seen = random.Random(0).sample(sure, min(most, len(sure)))
        some = each.corpus.take(np.random.default_rng(0).permutation(len(each.corpus))[:most])
        truth = truth_of(some)
        areas = (
            _area(score([one[0] for one in seen], [one[1] for one in seen]), np.array([one[2] for one in seen])),
            _area(score(some.source, some.hypothesis), truth),
        )
        found.append(MemoryGap(each.corpus.name, *areas))
    return found


def told(found: Sequence[MemoryGap]) -> str:
    """Return the line that a training prints: the mean gap, the widest one, and every corpus."""
    mean = float(np.mean([each.seen - each.kept for each in found]))
    widest = max(found, key=lambda each: each.seen - each.kept)
    every = ", ".join(map(str, found))
    return f"AUC seen / kept back: gap {mean:.3f} on the mean, widest {widest.name}; {every}"


def _area(scores: Scores, truth: Scores) -> float:
    known = ~np.isnan(truth)
    return roc(threshold_curve(scores[known], (truth[known] == 1.0).astype(np.int8))).auc
