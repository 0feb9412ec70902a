"""Links of an analysis: the effect of a click on a row, a cell or a mark. Only the window follows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.arrays import Mask, Rows

if TYPE_CHECKING:
    from parapluie_gui.analysis.material import AnalysisMaterial


@dataclass(frozen=True, eq=False)
class PairsLink:
    """A link to some pairs, which a click selects.

    Attributes:
        title: Name of the selection ("False positives of BLEU").
        mask: The function that returns the pairs as a mask, (n,), from the material at the time of the click, when more
            scores may have arrived.
        primary: The row shown first, or None.
        order: The rows in the order in which Next visits them, (k,); None for the order of the table.
    """

    title: str
    mask: Callable[[AnalysisMaterial], Mask]
    primary: int | None = None
    order: Rows | None = None

    @classmethod
    def of_rows(cls, title: str, rows: Rows, primary: int | None = None) -> PairsLink:
        """Return a link to the pairs in some rows, (k,), gone through in their order."""

        def mask(material: AnalysisMaterial) -> Mask:
            chosen = np.zeros(len(material.corpus), dtype=bool)
            chosen[rows] = True
            return chosen

        return cls(title, mask, primary, rows)


@dataclass(frozen=True)
class ThresholdLink:
    """A link to a threshold: a click puts the score on the scatter's y axis and moves its decision line there."""

    score: str
    threshold: float


@dataclass(frozen=True)
class AxesLink:
    """A link to two scores: a click puts them on the scatter's axes; None leaves an axis as it is."""

    y: str
    x: str | None = None


@dataclass(frozen=True)
class EditLink:
    """A link to a pair that is not in the corpus: a click opens it in the Bench."""

    source: str
    hypothesis: str


@dataclass(frozen=True)
class OptionsLink:
    """A link to options of the same analysis, by name: a click sets them."""

    options: Mapping[str, object]


@dataclass(frozen=True)
class AnalysisLink:
    """A link to a different analysis, by name, with options: a click opens its page with these options."""

    analysis: str
    options: Mapping[str, object]


Link = PairsLink | ThresholdLink | AxesLink | EditLink | OptionsLink | AnalysisLink
