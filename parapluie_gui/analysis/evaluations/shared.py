"""What several scores get wrong together, as cells of a table (PARAPHRASUS, section 6.3)."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

import numpy as np

from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.statistics.shared_errors import (
    SharedErrors,
    opinions,
    score_verdicts,
    shared_errors,
    wrong_by,
)
from parapluie_gui.analysis.table import Cell
from parapluie_gui.arrays import Floats, Labels, Mask
from parapluie_gui.scores.identity import identify

#: The columns of shared errors, and what they mean.
SHARED = ("pairs", "wrong by all", "wrong by at least one", "% wrong by all", "% right by at least one")
SHARED_NOTE = (
    "Pairs with a label and a verdict of each. % right by at least one: of the pairs that at least one gets wrong."
)


@dataclass(frozen=True, eq=False)
class Together:
    """Scores taken together on some pairs: one of each judge, or those of one judge's templates, otherwise all.

    Attributes:
        names: The scores.
        verdicts: What these say of each pair, (n, scores).
        labels: (n,)
        where: The pairs that count, (n,).
        errors: What they get wrong together.
    """

    names: tuple[str, ...]
    verdicts: Floats
    labels: Labels
    where: Mask
    errors: SharedErrors

    @classmethod
    def of(cls, material: Material, where: Mask) -> Together:
        """Return what the scores say of these pairs, each at the threshold that these pairs have."""
        known = (identify(name, material.signatures.get(name)) for name in material.names)
        names, labels = tuple(opinions(known)), material.labels
        columns = [material.score_column(name) for name in names]
        verdicts = score_verdicts(columns, labels, [material.threshold(each, where) for each in columns])
        return cls(names, verdicts, labels, where, shared_errors(verdicts[where], labels[where]))

    def wrong(self, head: str) -> PairsLink:
        """Return the pairs that a column of `SHARED` counts: those wrong by all, or by at least one."""
        every = "wrong by all" in head
        _, by_all, by_any = wrong_by(self.verdicts, self.labels)
        mask = np.asarray((by_all if every else by_any) & self.where)
        return PairsLink("Wrong by all" if every else "Wrong by at least one", lambda now: mask)


def shared_cells(found: SharedErrors | None) -> tuple[Cell, ...]:
    """Return the cells under `SHARED`; nothing where there is nothing to count."""
    if found is None:
        return (None,) * len(SHARED)
    shares = found.all_share, found.right_by_one
    return (found.pairs, found.by_all, found.by_any, *(None if isnan(each) else 100 * each for each in shares))
