"""What several scores get wrong together, as cells of a table (PARAPHRASUS, section 6.3)."""

from __future__ import annotations

from math import isnan

from parapluie_gui.analysis.statistics.shared_errors import SharedErrors
from parapluie_gui.analysis.table import Cell

#: The columns of shared errors, and what they mean.
SHARED = ("pairs", "wrong by all", "wrong by at least one", "% wrong by all", "% right by at least one")
SHARED_NOTE = (
    "Pairs with a label and a verdict of each. % right by at least one: of the pairs that at least one gets wrong."
)


def shared_cells(found: SharedErrors | None) -> tuple[Cell, ...]:
    """Return the cells under `SHARED`; nothing where there is nothing to count."""
    if found is None:
        return (None,) * len(SHARED)
    shares = found.all_share, found.right_by_one
    return (found.pairs, found.by_all, found.by_any, *(None if isnan(each) else 100 * each for each in shares))
