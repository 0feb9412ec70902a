"""The variants of many pairs, as one corpus to be scored."""

from __future__ import annotations

from collections.abc import Iterator

from parapluie_gui.analysis.explain.explanation import Explanation, Plan
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.pairs.corpus import Corpus


class Variants:
    """What has to be scored so that the pairs of a corpus can be explained; each text beside each source once.

    Attributes:
        plans: (n,) The plan of each pair.
        corpus: The variants as pairs, each with the reference of the pair that it was made of.
    """

    def __init__(self, pairs: Corpus) -> None:
        self.plans = tuple(Plan(*texts) for texts in zip(pairs.source, pairs.hypothesis, strict=True))
        references = [None] * len(pairs) if pairs.reference is None else pairs.reference
        rows: dict[tuple[str, str, str | None], int] = {}
        self._rows = [
            [rows.setdefault((plan.source, variant, reference), len(rows)) for variant in plan.variants]
            for plan, reference in zip(self.plans, references, strict=True)
        ]
        self.corpus = Corpus(
            name=pairs.name,
            id=[str(number) for number in range(len(rows))],
            source=[source for source, _, _ in rows],
            hypothesis=[variant for _, variant, _ in rows],
            reference=None if pairs.reference is None else [reference for _, _, reference in rows],
        )

    def explanations(self, scores: ScoreColumn, threshold: float | None = None) -> Iterator[Explanation]:
        """Yield what decided a score, pair by pair.

        Args:
            scores: The scores of `corpus`.
            threshold: Instead of the natural one.
        """
        at = scores.threshold if threshold is None else threshold
        for plan, rows in zip(self.plans, self._rows, strict=True):
            yield plan.explain(scores.values[rows].tolist(), at, scores.higher_is_closer)
