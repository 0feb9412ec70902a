"""What a click on a row, a cell or a mark of an analysis does; no surface but the window needs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.arrays import Mask, Rows

if TYPE_CHECKING:
    from parapluie_gui.analysis.material import Material


@dataclass(frozen=True, eq=False)
class PairsLink:
    """Some pairs: a click selects them.

    Attributes:
        title: What they are ("False positives of BLEU").
        mask: Returns which they are, (n,), by the scores there are when it is asked: more may have arrived.
        primary: The row shown first, or None.
    """

    title: str
    mask: Callable[[Material], Mask]
    primary: int | None = None

    @classmethod
    def of_rows(cls, title: str, rows: Rows, primary: int | None = None) -> PairsLink:
        """Return pairs by their rows, (k,)."""

        def mask(material: Material) -> Mask:
            chosen = np.zeros(len(material.corpus), dtype=bool)
            chosen[rows] = True
            return chosen

        return cls(title, mask, primary)


@dataclass(frozen=True)
class Decide:
    """A threshold: a click puts the score on the scatter's y axis and its decision line there."""

    score: str
    threshold: float


@dataclass(frozen=True)
class Plot:
    """Two scores: a click puts them on the scatter's axes; None leaves an axis as it is."""

    y: str
    x: str | None = None


@dataclass(frozen=True)
class EditLink:
    """A pair that is not of the corpus: a click opens it in the Bench."""

    source: str
    hypothesis: str


@dataclass(frozen=True)
class Choose:
    """Options of the analysis itself, by name: a click chooses them."""

    options: Mapping[str, object]


@dataclass(frozen=True)
class OpenAnalysis:
    """Another analysis, by its name, and options of it: a click opens its page with them."""

    analysis: str
    options: Mapping[str, object]


Link = PairsLink | Decide | Plot | EditLink | Choose | OpenAnalysis
