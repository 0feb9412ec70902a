"""Every column of a corpus and its scores under one name each, for filters, tables and exports alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parapluie_gui.pairs.corpus import ROLES, UNLABELLED, Corpus
from parapluie_gui.scores.table import ScoreTable


@dataclass(frozen=True)
class ColumnNames:
    """The columns in the order exports write them.

    Attributes:
        corpus: The roles this corpus has ("id", "source", ...).
        extra: Name shown of each of the corpus's own columns, to its name in the corpus; where it clashes with a role
            or a score it is shown with " (corpus)" behind it.
        scores: Each score followed by its `.p_yes` and `.p_no`.
    """

    corpus: tuple[str, ...]
    extra: dict[str, str]
    scores: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """All names, distinct."""
        return (*self.corpus, *self.extra, *self.scores)


def column_names(corpus: Corpus, table: ScoreTable) -> ColumnNames:
    """Return the columns of a corpus with its scores; the roles it lacks (a reference, say) are left out."""
    roles = tuple(role for role in ROLES if getattr(corpus, role) is not None)
    scores = [name for score in table.scores for name in (score, f"{score}.p_yes", f"{score}.p_no") if name in table]
    used = {*ROLES, *scores}
    extra: dict[str, str] = {}
    for name in corpus.extra:
        shown = name
        while shown in used or (shown != name and shown in corpus.extra):
            shown += " (corpus)"
        used.add(shown)
        extra[shown] = name
    return ColumnNames(roles, extra, tuple(scores))


def column(corpus: Corpus, table: ScoreTable, names: ColumnNames, name: str) -> np.ndarray:
    """Return one column, shape (n,): float64 with NaN where missing, or objects (str or None).

    Labels are 1.0, 0.0 or NaN. One of the corpus's own columns is numeric when all its values are numbers, truth values
    or missing; in any other each value becomes text.

    Args:
        corpus: The corpus.
        table: Its scores.
        names: What `column_names` returned for them.
        name: One of `names.all`.
    """
    if name in names.extra:
        return _extra(corpus.extra[names.extra[name]])
    if name in names.corpus:
        values = getattr(corpus, name)
        if name == "label":
            return np.where(values == UNLABELLED, np.nan, values.astype(np.float64))
        if name == "human":
            return values
        return _objects(values)
    return table[name]


def _extra(values) -> np.ndarray:
    if all(value is None or isinstance(value, (bool, int, float, np.number, np.bool_)) for value in values):
        if any(value is not None for value in values):
            return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)
        return np.full(len(values), np.nan)
    return _objects([value if value is None or isinstance(value, str) else str(value) for value in values])


def _objects(values) -> np.ndarray:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
