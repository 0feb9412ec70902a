"""Cells of the ParaPLUIE paper's tables, computed from pairs with labels: means, thresholds, correlations, MBD."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, nan

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.decision import Decision, DecisionThresholds, thresholds
from parapluie_gui.analysis.statistics.summary import LabelSummary, by_label
from parapluie_gui.analysis.study import Independence, independence
from parapluie_gui.arrays import Mask
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.papers.mixed_balanced import BalancedScore, mixed_balanced
from parapluie_gui.features.papers.printed import PrintedCell, ReplicatedCell
from parapluie_gui.features.papers.replicated_cells import Replicating

#: What stands behind a quantity that is of the threshold 0.
_NATURAL = " at 0"
_WORDS = {"accuracy": "accuracy", "F1": "f1", "recall": "recall", "precision": "precision", "threshold": "threshold"}


def filler(work: Replicating) -> Callable[[PrintedCell], list[ReplicatedCell]]:
    """Return a function that gives the cells of ours for a printed one."""
    return _Filler(work).fill


class _Filler:
    """Computes each thing once."""

    def __init__(self, work: Replicating) -> None:
        self._work = work
        self._masks = {key: work.mask(corpus) for key, corpus in work.paper.corpora.items() if not corpus.mix}
        self._summaries: dict[tuple[str, str], LabelSummary] = {}
        self._thresholds: dict[tuple[str, str], DecisionThresholds] = {}
        self._independence: dict[tuple[str, str], Independence] = {}
        self._mixed: dict[str, BalancedScore | None] = {}

    def fill(self, cell: PrintedCell) -> list[ReplicatedCell]:
        if cell.corpus.mix:
            return self._balanced(cell)
        mask = self._masks[cell.corpus.key]
        if mask is None:
            return []
        labels = self._work.material.labels
        if cell.quantity in ("pairs", "paraphrases"):
            size = int((labels[mask] == 1).sum()) if cell.quantity == "paraphrases" else int(mask.sum())
            why = "" if size == cell.value else cell.corpus.differs or self._fewer(cell)
            return [ReplicatedCell(cell, size, why)]
        found = []
        for column, by in self._work.columns(cell.row):
            value = self._value(cell, column, mask)
            if not isnan(value):
                why = "; ".join(filter(None, (self._work.why(cell, by), self._fewer(cell))))
                found.append(ReplicatedCell(cell, value, why, by))
        return found

    def _fewer(self, cell: PrintedCell) -> str:
        """Say where there are other pairs than the paper has."""
        printed = next(
            (
                each.value
                for each in self._work.paper.cells
                if each.quantity == "pairs" and each.corpus.key == cell.corpus.key
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
            found = self._independence[key]
            return (found.paraphrase if quantity.endswith("paraphrases") else found.other).pearson.value
        if key not in self._thresholds:
            self._thresholds[key] = thresholds(
                values, labels, higher_is_closer=column.higher_is_closer, natural=column.threshold
            )
        natural = quantity.endswith(_NATURAL)
        decision = self._thresholds[key].natural if natural else self._thresholds[key].best
        return _of(decision, quantity.removesuffix(_NATURAL))

    def _balanced(self, cell: PrintedCell) -> list[ReplicatedCell]:
        """Return cells of the mixed balanced dataset, drawn from those of its corpora that are available."""
        parts = {key: mask for key in cell.corpus.mix if (mask := self._masks.get(key)) is not None}
        if len(parts) < 2:
            return []
        found = []
        for column, by in self._work.columns(cell.row):
            if column.name not in self._mixed:
                material = self._work.material
                try:
                    drawn = mixed_balanced([column], material.labels, parts, seed=material.seed)
                except ParapluieError:  # not scored, or too few pairs
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
                found.append(ReplicatedCell(cell, value, why, by))
        return found


def _of(decision: Decision | None, quantity: str) -> float:
    return nan if decision is None else float(getattr(decision, _WORDS[quantity]))
