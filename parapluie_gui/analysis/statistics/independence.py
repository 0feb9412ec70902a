"""Independence of edit distance: whether a score tells meaning, or only how many letters differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.correlation import Correlation, correlation


@dataclass(frozen=True)
class Independence:
    """A score's correlation with edit distance (ParaPLUIE's table 4); nearer 0 is more independent.

    Attributes:
        paraphrase, other: Inside each class, where a difference of the classes plays no part.
        all: Over all pairs, unlabelled ones too; without intervals.
    """

    paraphrase: Correlation
    other: Correlation
    all: Correlation


def independence(
    scores: np.ndarray,
    distance: np.ndarray,
    labels: np.ndarray,
    *,
    where: np.ndarray | None = None,
    draws: int = 0,
    seed: int = 0,
    kendall: bool = True,
    tick: Tick | None = None,
) -> Independence:
    """Return the correlation of n scores with edit distance inside each class.

    Args:
        scores: n scores, NaN where there is none.
        distance: n edit distances.
        labels: n labels: 1 paraphrase, 0 not, anything else unlabelled.
        where: The pairs it is about; None for all.
        draws: Resamples for the confidence intervals; 0 for none.
        seed: Of the resamples.
        kendall: Whether Kendall's is wanted.
        tick: Called as tick(done, total) now and then; what it raises stops the work.
    """
    labels = np.asarray(labels)
    everywhere = np.ones(len(labels), dtype=bool) if where is None else where

    def inside(label: int, step: int) -> Correlation:
        def part(done: int, total: int) -> None:
            if tick is not None:
                tick(step * total + done, 2 * total)

        chosen = everywhere & (labels == label)
        return correlation(scores, distance, where=chosen, draws=draws, seed=seed, kendall=kendall, tick=part)

    whole = correlation(scores, distance, where=where, kendall=kendall)
    return Independence(inside(1, 0), inside(0, 1), whole)
