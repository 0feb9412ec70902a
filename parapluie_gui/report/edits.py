"""What the edits of pairs did to their scores, as far as a feature knows it, for pages that show pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from parapluie_gui.analysis.material import Material
from parapluie_gui.arrays import Rows
from parapluie_gui.feature import brought
from parapluie_gui.metrics.changes.edits import Edit

#: Score, row and edits of a pair, each edit with its value and the name of its kind.
PairEdits = tuple[str, int, Sequence[tuple[Edit, float, str]]]

#: From the pairs that are wanted, with their scores and thresholds, to what is known of their edits.
EditsOfPairs = Callable[[Material, Rows], Iterable[PairEdits]]


def known_edits(cache: Path | None, material: Material, rows: Rows) -> Iterator[PairEdits]:
    """Yield what the installed features know of the edits of pairs, without loading a model.

    Args:
        cache: The file in which scores are kept; None for none.
        material: The pairs and their scores, with the thresholds.
        rows: The pairs that are wanted.
    """
    for part in brought("pair_edits"):
        yield from part.load()(cache, material, rows)
