"""Cells of the ParaScore paper's tables, computed by its protocol from pairs with human scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isnan

import numpy as np

from parapluie_gui.analysis.statistics.correlation import Correlation
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.papers.parascore import MetaEvaluation, MetaScore, Tuned, meta
from parapluie_gui.features.papers.parascore_cases import Attribution, subsets
from parapluie_gui.features.papers.parascore_extension import split
from parapluie_gui.features.papers.printed import PrintedCell, PrintedCorpus, ReplicatedCell
from parapluie_gui.features.papers.replicated_cells import Replicating

#: The scores that can tell S_sim from S_div, the paper's own first.
_SIMILARITIES = ("simcse", "bertscore", "sbert")


def filler(work: Replicating) -> Callable[[PrintedCell], list[ReplicatedCell]]:
    """Return a function that gives the cells of ours for a printed one."""
    return _Filler(work).fill


class _Filler:
    """Evaluates each corpus once."""

    def __init__(self, work: Replicating) -> None:
        self._work = work
        self._evaluated: dict[str, MetaEvaluation | None] = {}
        self._bases: dict[str, int] = {}
        self._similarity = next((each for each in _SIMILARITIES if each in work.material.names), None)

    def fill(self, cell: PrintedCell) -> list[ReplicatedCell]:
        found = self._of(cell.corpus)
        if found is None:
            return []
        if cell.row.title == "the corpus":
            return self._corpus(cell, found)
        if cell.row.tuned:
            return self._tuned(cell, found)
        names = {column.name: by for column, by in self._work.columns(cell.row)}
        if cell.row.similarity and self._similarity is not None:
            names = {self._similarity: "" if self._similarity == "simcse" else self._similarity}
        made = []
        for score in found.scores:
            if score.name in names:
                value = _value(cell, score)
                if not isnan(value):
                    by = names[score.name]
                    made.append(ReplicatedCell(cell, value, self._why(cell, by), by))
        return made

    def _why(self, cell: PrintedCell, by: str) -> str:
        split_by = ""
        if "S_" in cell.quantity and self._similarity not in (None, "simcse"):
            split_by = f"split by {self._similarity}, the paper by SimCSE"
        return "; ".join(filter(None, (self._work.why(cell, by), split_by)))

    def _of(self, corpus: PrintedCorpus) -> MetaEvaluation | None:
        """Return the evaluation of a corpus; None where it is not available or has no human scores."""
        key = corpus.extends or corpus.key
        if key not in self._evaluated:
            material, mask = self._work.material, self._work.mask(corpus)
            self._evaluated[key] = None
            if mask is not None and material.score_columns:
                rows = np.flatnonzero(mask)
                own = material.corpus.take(rows, name=corpus.title)
                columns = [replace(each, values=each.values[rows]) for each in material.score_columns]
                try:
                    self._evaluated[key] = meta(columns, own, similarity=self._similarity)
                except ParapluieError:  # no human scores
                    return None
                original, _ = split(own)
                distance = self._work.distance[rows]
                self._bases[key] = len(subsets(own.source, distance, distance, original).base)
        return self._evaluated[key]

    def _corpus(self, cell: PrintedCell, found: MetaEvaluation) -> list[ReplicatedCell]:
        if cell.quantity == "pairs of the base":
            value: float = self._bases[cell.corpus.key]
            return [ReplicatedCell(cell, value, "" if value == cell.value else cell.corpus.differs)]
        cases = next(((one, two) for each in found.scores if (one := each.case_one) and (two := each.case_two)), None)
        if cases is None:
            return []
        value = 100 * cases[0].pairs / (cases[0].pairs + cases[1].pairs)
        why = "pairs that are equally far from both are in case II"
        return [ReplicatedCell(cell, value, "; ".join(filter(None, (why, cell.corpus.differs))))]

    def _tuned(self, cell: PrintedCell, found: MetaEvaluation) -> list[ReplicatedCell]:
        extended = bool(cell.corpus.extends)
        form, _, variant = cell.row.tuned.partition(", ")
        for name, tuned in found.omega.items():
            if name.startswith("max(") == (form == "max") and name.endswith("(extended)") == extended:
                value = _part(_variant(tuned, variant), cell.quantity)
                by = self._similarity or ""
                return [ReplicatedCell(cell, value, self._work.why(cell, by), by)]
        return []


def _variant(tuned: Tuned, variant: str) -> Correlation:
    return {"": tuned.held_out, "alone": tuned.plain, "no threshold": tuned.no_threshold}[variant]


def _part(found: Correlation | None, quantity: str) -> float:
    if found is None:
        return float("nan")
    return (found.spearman if quantity == "Spearman" else found.pearson).value


def _value(cell: PrintedCell, score: MetaScore) -> float:
    quantity = cell.quantity
    if quantity in ("Pearson", "Spearman"):
        return _part(score.extended if cell.corpus.extends else score.held_out, quantity)
    if quantity in ("case I", "case II"):
        return _part(score.case_one if quantity == "case I" else score.case_two, "Pearson")
    parts = {
        "the base": score.base,
        "S_sim": score.similarity,
        "S_div, near": score.divergence_near,
        "S_div, far": score.divergence_far,
    }
    found: Attribution | None = next(part for name, part in parts.items() if quantity.endswith(name))
    if found is None:
        return float("nan")
    return float(found.candidate_pairs) if quantity.startswith("pairs") else found.pearson
