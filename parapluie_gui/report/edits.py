"""The interface by which features provide the effects of single edits on scores, for pages that show pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.arrays import Rows
from parapluie_gui.feature import collect_parts
from parapluie_gui.metrics.changes.edits import Edit

#: A score, the row of a pair, and its edits; each edit has its effect and the name of its kind.
PairEdits = tuple[str, int, Sequence[tuple[Edit, float, str]]]

#: A function that returns the known edits of some rows, given the scores and thresholds.
EditsOfPairs = Callable[[AnalysisMaterial, Rows], Iterable[PairEdits]]


def known_edits(cache: Path | None, material: AnalysisMaterial, rows: Rows) -> Iterator[PairEdits]:
    """Yield the edits of pairs whose effects the installed features have stored, without loading a model.

    Args:
        cache: The file of stored scores, or None.
        material: The pairs and their scores, with the thresholds.
        rows: The rows of the pairs.
    """
    for part in collect_parts("pair_edits"):
        yield from part.load()(cache, material, rows)
