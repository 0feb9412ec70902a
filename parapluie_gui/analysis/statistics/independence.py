"""Independence of edit distance: does a score measure meaning, or only how many letters differ?"""

from __future__ import annotations

from dataclasses import dataclass

from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.correlation import Correlation, correlation
from parapluie_gui.arrays import Labels, Scores


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
    scores: Scores, distance: Scores, labels: Labels, *, draws: int = 0, seed: int = 0, tick: Tick | None = None
) -> Independence:
    """Return the correlation of scores with edit distances inside each class; see `correlation`."""

    def inside(label: int, step: int) -> Correlation:
        def part(done: int, total: int) -> None:
            if tick is not None:
                tick(step * total + done, 2 * total)

        return correlation(scores, distance, where=labels == label, draws=draws, seed=seed, tick=part)

    return Independence(inside(1, 0), inside(0, 1), correlation(scores, distance))
