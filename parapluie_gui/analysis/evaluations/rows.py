"""What several analyses of single scores have in common: a row for each score on each corpus, and what it links to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell

#: How the pairs of a label are called.
KINDS = {1: "paraphrases", 0: "not paraphrases", -1: "unlabelled"}
#: What their colours stand for.
COLOURS = {1: "paraphrase", 0: "other", -1: "unlabelled"}


def score_rows(
    studies: Sequence[CorpusStudy], material: Material, cells: Callable[[ScoreStudy], Iterable[Cell] | None]
) -> tuple[tuple[tuple[Cell, ...], ...], list[str]]:
    """Return (corpus, score, …) for each score on each corpus that has cells, and the score's name of each row."""
    rows: list[tuple[Cell, ...]] = []
    names = []
    for corpus in studies:
        for name, each in corpus.scores.items():
            if (found := cells(each)) is not None:
                rows.append((corpus.name, material.title(name), *found))
                names.append(name)
    return tuple(rows), names


def study_of(studies: Sequence[CorpusStudy], part: str) -> CorpusStudy:
    """Return the study of a corpus by its name."""
    return next(each for each in studies if each.name == part)
