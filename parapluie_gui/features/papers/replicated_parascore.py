"""Cells of the ParaScore paper's tables, computed by its protocol from pairs with human scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isnan

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.correlation import Correlation
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.papers.parascore import MetaEvaluation, MetaScore, TunedWeight, evaluate_scores
from parapluie_gui.features.papers.parascore_cases import CandidateRanking, find_subsets
from parapluie_gui.features.papers.parascore_code import authors_scores
from parapluie_gui.features.papers.parascore_extension import split_corpus
from parapluie_gui.features.papers.printed import PrintedCell, PrintedCorpus, PrintedRow, ReplicatedCell
from parapluie_gui.features.papers.replicated_cells import PaperMaterial
from parapluie_gui.pairs.corpus import Corpus

#: Similarities that can separate S_sim from S_div, the paper's first.
_SIMILARITIES = ("simcse", "bertscore", "sbert")

#: Beginning of the names of columns that are computed as the authors' code does.
_CODE = "code:"
_REFERENCE = ".ref"


def make_filler(work: PaperMaterial) -> Callable[[PrintedCell], list[ReplicatedCell]]:
    """Return a function that computes our cells for a printed cell."""
    return _ParaScoreFiller(work).fill


class _ParaScoreFiller:
    """Computes cells, evaluating each corpus once."""

    def __init__(self, work: PaperMaterial) -> None:
        self._work = work
        self._evaluations: dict[str, MetaEvaluation | None] = {}
        self._bases: dict[str, int] = {}
        self._similarity = next((name for name in _SIMILARITIES if name in work.material.names), None)

    def fill(self, cell: PrintedCell) -> list[ReplicatedCell]:
        evaluation = self._evaluate(cell.corpus)
        if evaluation is None:
            return []
        if cell.row.title == "the corpus":
            return self._fill_corpus(cell, evaluation)
        if cell.row.tuned:
            return self._fill_tuned(cell, evaluation)
        names = {column.name: by for column, by in self._work.columns(cell.row)}
        if cell.row.similarity and self._similarity is not None:
            names = {self._similarity: "" if self._similarity == "simcse" else self._similarity}
        authors = next(
            (_value(cell, score) for score in evaluation.scores if score.name == _code_column(cell.row)), float("nan")
        )
        cells = []
        for score in evaluation.scores:
            if score.name in names:
                value = _value(cell, score)
                if not isnan(value):
                    by = names[score.name]
                    cells.append(ReplicatedCell(cell, value, self._why(cell, by), by, authors))
        return cells

    def _why(self, cell: PrintedCell, by: str) -> str:
        split_by = ""
        if "S_" in cell.quantity and self._similarity not in (None, "simcse"):
            split_by = f"split by {self._similarity}, the paper by SimCSE"
        return "; ".join(filter(None, (self._work.why(cell, by), split_by)))

    def _evaluate(self, corpus: PrintedCorpus) -> MetaEvaluation | None:
        """Return the evaluation of a corpus; None if it is not available or has no human scores."""
        key = corpus.extends or corpus.key
        if key not in self._evaluations:
            material, mask = self._work.material, self._work.mask(corpus)
            self._evaluations[key] = None
            if mask is not None and material.score_columns:
                rows = np.flatnonzero(mask)
                own = material.corpus.take(rows, name=corpus.title)
                columns = [
                    replace(score_column, values=score_column.values[rows]) for score_column in material.score_columns
                ]
                columns += self._code_columns(own)
                try:
                    self._evaluations[key] = evaluate_scores(columns, own, similarity=self._similarity)
                except ParapluieError:  # raised if there are no human scores
                    return None
                original, _ = split_corpus(own)
                distance = self._work.distance[rows]
                self._bases[key] = len(find_subsets(own.source, distance, distance, original).base)
        return self._evaluations[key]

    def _code_columns(self, corpus: Corpus) -> list[ScoreColumn]:
        """Return the metrics of the paper's rows as the authors' code computes them."""
        rows = {cell.row.code: cell.row for cell in self._work.paper.cells if cell.row.code}
        columns = []
        for row in rows.values():
            others = corpus.reference if row.code.endswith(_REFERENCE) else corpus.source
            if others is not None:
                values = authors_scores(row.code.removesuffix(_REFERENCE), others, corpus.hypothesis)
                columns.append(ScoreColumn(_code_column(row), row.title, values))
        return columns

    def _fill_corpus(self, cell: PrintedCell, evaluation: MetaEvaluation) -> list[ReplicatedCell]:
        if cell.quantity == "pairs of the base":
            value: float = self._bases[cell.corpus.key]
            return [ReplicatedCell(cell, value, "" if value == cell.value else cell.corpus.differs)]
        cases = next(
            ((one, two) for score in evaluation.scores if (one := score.case_one) and (two := score.case_two)), None
        )
        if cases is None:
            return []
        value = 100 * cases[0].pairs / (cases[0].pairs + cases[1].pairs)
        why = "pairs that are equally far from both count as case II"
        return [ReplicatedCell(cell, value, "; ".join(filter(None, (why, cell.corpus.differs))))]

    def _fill_tuned(self, cell: PrintedCell, evaluation: MetaEvaluation) -> list[ReplicatedCell]:
        extended = bool(cell.corpus.extends)
        form, _, variant = cell.row.tuned.partition(", ")
        for name, tuned in evaluation.omega.items():
            if name.startswith("max(") == (form == "max") and name.endswith("(extended)") == extended:
                value = _coefficient(_weight_variant(tuned, variant), cell.quantity)
                by = self._similarity or ""
                return [ReplicatedCell(cell, value, self._work.why(cell, by), by)]
        return []


def _code_column(row: PrintedRow) -> str:
    return f"{_CODE}{row.code}"


def _weight_variant(tuned: TunedWeight, variant: str) -> Correlation:
    return {"": tuned.held_out, "alone": tuned.plain, "no threshold": tuned.no_threshold}[variant]


def _coefficient(correlation: Correlation | None, quantity: str) -> float:
    if correlation is None:
        return float("nan")
    return (correlation.spearman if quantity == "Spearman" else correlation.pearson).value


def _value(cell: PrintedCell, score: MetaScore) -> float:
    quantity = cell.quantity
    if quantity in ("Pearson", "Spearman"):
        return _coefficient(score.extended if cell.corpus.extends else score.held_out, quantity)
    if quantity in ("case I", "case II"):
        return _coefficient(score.case_one if quantity == "case I" else score.case_two, "Pearson")
    parts = {
        "the base": score.base,
        "S_sim": score.similarity,
        "S_div, near": score.divergence_near,
        "S_div, far": score.divergence_far,
    }
    attribution: CandidateRanking | None = next(part for name, part in parts.items() if quantity.endswith(name))
    if attribution is None:
        return float("nan")
    return float(attribution.candidate_pairs) if quantity.startswith("pairs") else attribution.pearson
