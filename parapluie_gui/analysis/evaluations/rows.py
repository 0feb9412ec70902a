"""Helpers for tables with one row for each score on each corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell

#: The names of the pairs with each label.
KINDS = {1: "paraphrases", 0: "not paraphrases", -1: "unlabelled"}
#: The palette's names for the colours of these pairs.
COLOURS = {1: "paraphrase", 0: "other", -1: "unlabelled"}


def score_rows(
    studies: Sequence[CorpusStudy], material: AnalysisMaterial, cells: Callable[[ScoreStudy], Iterable[Cell] | None]
) -> tuple[tuple[tuple[Cell, ...], ...], list[str]]:
    """Return a row (corpus, score, …) for each score on each corpus with cells for it, and the score's name by row."""
    rows: list[tuple[Cell, ...]] = []
    names = []
    for corpus in studies:
        for name, study in corpus.scores.items():
            if (values := cells(study)) is not None:
                rows.append((corpus.name, material.title(name), *values))
                names.append(name)
    return tuple(rows), names


def study_of(studies: Sequence[CorpusStudy], part: str) -> CorpusStudy:
    """Return the study of the corpus or part with this name."""
    return next(study for study in studies if study.name == part)
