"""Cells of the ParaPLUIE paper's tables, computed from pairs with labels: means, thresholds, correlations, MBD."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, nan

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.decision import DecisionThresholds, ThresholdDecision, thresholds
from parapluie_gui.analysis.statistics.summary import LabelSummary, by_label
from parapluie_gui.analysis.study import DistanceIndependence, independence
from parapluie_gui.arrays import Mask
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.papers.mixed_balanced import BalancedScore, evaluate_balanced
from parapluie_gui.features.papers.printed import PrintedCell, ReplicatedCell
from parapluie_gui.features.papers.replicated_cells import PaperMaterial

#: Ending of a quantity at the natural threshold.
_NATURAL = " at 0"
_WORDS = {"accuracy": "accuracy", "F1": "f1", "recall": "recall", "precision": "precision", "threshold": "threshold"}


def make_filler(work: PaperMaterial) -> Callable[[PrintedCell], list[ReplicatedCell]]:
    """Return a function that computes our cells for a printed cell."""
    return _ParaPluieFiller(work).fill


class _ParaPluieFiller:
    """Computes cells, each statistic once."""

    def __init__(self, work: PaperMaterial) -> None:
        self._work = work
        self._masks = {key: work.mask(corpus) for key, corpus in work.paper.corpora.items() if not corpus.mix}
        self._summaries: dict[tuple[str, str], LabelSummary] = {}
        self._thresholds: dict[tuple[str, str], DecisionThresholds] = {}
        self._independence: dict[tuple[str, str], DistanceIndependence] = {}
        self._mixed: dict[str, BalancedScore | None] = {}

    def fill(self, cell: PrintedCell) -> list[ReplicatedCell]:
        if cell.corpus.mix:
            return self._fill_balanced(cell)
        mask = self._masks[cell.corpus.key]
        if mask is None:
            return []
        labels = self._work.material.labels
        if cell.quantity in ("pairs", "paraphrases"):
            size = int((labels[mask] == 1).sum()) if cell.quantity == "paraphrases" else int(mask.sum())
            why = "" if size == cell.value else cell.corpus.differs or self._fewer(cell)
            return [ReplicatedCell(cell, size, why)]
        cells = []
        for column, by in self._work.columns(cell.row):
            value = self._value(cell, column, mask)
            if not isnan(value):
                why = "; ".join(filter(None, (self._work.why(cell, by), self._fewer(cell))))
                cells.append(ReplicatedCell(cell, value, why, by))
        return cells

    def _fewer(self, cell: PrintedCell) -> str:
        """Return a note if a corpus has a different number of pairs than the paper's."""
        printed = next(
            (
                other.value
                for other in self._work.paper.cells
                if other.quantity == "pairs" and other.corpus.key == cell.corpus.key
            ),
            nan,
        )
        mask = self._masks.get(cell.corpus.key)
        if mask is None or isnan(printed) or int(mask.sum()) == printed:
            return ""
        return f"{int(mask.sum()):,} of {int(printed):,} pairs"

    def _value(self, cell: PrintedCell, column: ScoreColumn, mask: Mask) -> float:
        key, quantity = (cell.corpus.key, column.name), cell.quantity
        values, labels = column.values[mask], self._work.material.labels[mask]
        if quantity == "score":
            return float(values[0])
        if quantity.startswith(("mean", "spread")):
            summary = self._summaries.setdefault(key, by_label(values, labels))
            part = summary.paraphrase if quantity.endswith("paraphrases") else summary.other
            return part.mean if quantity.startswith("mean") else part.std
        if quantity.startswith("r of"):
            if key not in self._independence:
                self._independence[key] = independence(values, self._work.distance[mask], labels)
            correlations = self._independence[key]
            return (correlations.paraphrase if quantity.endswith("paraphrases") else correlations.other).pearson.value
        if key not in self._thresholds:
            self._thresholds[key] = thresholds(
                values, labels, higher_is_closer=column.higher_is_closer, natural=column.threshold
            )
        natural = quantity.endswith(_NATURAL)
        decision = self._thresholds[key].natural if natural else self._thresholds[key].best
        return _decision_value(decision, quantity.removesuffix(_NATURAL))

    def _fill_balanced(self, cell: PrintedCell) -> list[ReplicatedCell]:
        """Return cells of the mixed balanced dataset, drawn from its available corpora."""
        parts = {key: mask for key in cell.corpus.mix if (mask := self._masks.get(key)) is not None}
        if len(parts) < 2:
            return []
        cells = []
        for column, by in self._work.columns(cell.row):
            if column.name not in self._mixed:
                material = self._work.material
                try:
                    drawn = evaluate_balanced([column], material.labels, parts, seed=material.seed)
                except ParapluieError:  # the pairs are not scored, or too few
                    self._mixed[column.name] = None
                else:
                    (self._mixed[column.name],) = drawn.scores
            score = self._mixed[column.name]
            if score is None:
                continue
            natural = cell.quantity.endswith(_NATURAL)
            decision = score.natural if natural else score.best
            if decision is not None:
                value = getattr(decision, _WORDS[cell.quantity.removesuffix(_NATURAL)]).value
                only = f"drawn from {', '.join(self._work.paper.corpora[key].title for key in parts)} only"
                why = "; ".join(filter(None, (self._work.why(cell, by), only)))
                cells.append(ReplicatedCell(cell, value, why, by))
        return cells


def _decision_value(decision: ThresholdDecision | None, quantity: str) -> float:
    return nan if decision is None else float(getattr(decision, _WORDS[quantity]))
