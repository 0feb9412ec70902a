"""The errors that several scores share, as cells of a table (PARAPHRASUS, section 6.3)."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

import numpy as np

from parapluie_gui.analysis.link import PairsLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.statistics.shared_errors import (
    SharedErrors,
    independent_scores,
    score_verdicts,
    shared_errors,
    wrong_by,
)
from parapluie_gui.analysis.table import Cell
from parapluie_gui.arrays import Floats, Labels, Mask
from parapluie_gui.scores.identity import identify

#: The columns of a table of shared errors, and their explanation.
SHARED = ("pairs", "wrong by all", "wrong by at least one", "% wrong by all", "% right by at least one")
SHARED_NOTE = (
    "Only pairs with a label and a verdict of every score count. % right by at least one is the share of the "
    "pairs that at least one score gets wrong."
)


@dataclass(frozen=True, eq=False)
class JointVerdicts:
    """The verdicts of several scores on the same pairs, and the errors that they share.

    Attributes:
        names: The scores: one for each judge, or one for each template of a single judge, or else all.
        verdicts: The verdict of each score on each pair, (n, scores).
        labels: The labels, (n,).
        where: Mask of the pairs that count, (n,).
        errors: Counts of the errors that all or some scores share.
    """

    names: tuple[str, ...]
    verdicts: Floats
    labels: Labels
    where: Mask
    errors: SharedErrors

    @classmethod
    def from_material(cls, material: AnalysisMaterial, where: Mask) -> JointVerdicts:
        """Return the verdicts of the scores on the pairs in `where`, each at its threshold for these pairs."""
        identities = (identify(name, material.signatures.get(name)) for name in material.names)
        names = tuple(independent_scores(identities))
        labels = material.labels
        columns = [material.score_column(name) for name in names]
        verdicts = score_verdicts(columns, labels, [material.threshold(column, where) for column in columns])
        return cls(names, verdicts, labels, where, shared_errors(verdicts[where], labels[where]))

    def link_errors(self, head: str) -> PairsLink:
        """Return a link to the errors that a column of `SHARED` counts: those of all scores, or of at least one."""
        of_all = "wrong by all" in head
        _, by_all, by_any = wrong_by(self.verdicts, self.labels)
        mask = np.asarray((by_all if of_all else by_any) & self.where)
        return PairsLink("Wrong by all" if of_all else "Wrong by at least one", lambda now: mask)


def shared_cells(errors: SharedErrors | None) -> tuple[Cell, ...]:
    """Return the cells under `SHARED`; all None if `errors` is None."""
    if errors is None:
        return (None,) * len(SHARED)
    shares = errors.all_share, errors.right_by_one
    return (errors.pairs, errors.by_all, errors.by_any, *(None if isnan(share) else 100 * share for share in shares))
