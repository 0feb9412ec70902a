"""A score column with what its numbers mean, and the corpora that pooled pairs came from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.threshold import predicted_positive
from parapluie_gui.arrays import Floats
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.pool import ORIGIN
from parapluie_gui.scores.column_kind import is_judge_score, template_title
from parapluie_gui.scores.table import ScoreTable

#: Called as tick(done, total) between the blocks of long work; what it raises stops the work.
Tick = Callable[[int, int], None]

#: What the pairs of all corpora together are called, as in the papers.
POOLED = "Global"

#: A column "corpus" of more values than this says something else.
_MOST_CORPORA = 50


@dataclass(frozen=True, eq=False)
class ScoreColumn:
    """The scores of n pairs and how to read them.

    Attributes:
        name: The column ("pluie.direct").
        title: What a person reads ("DIRECT").
        values: float64 (n,), NaN where there is no score.
        higher_is_closer: False for distances.
        threshold: The score at which paraphrases begin (distances: end) by nature, or None.
    """

    name: str
    title: str
    values: np.ndarray
    higher_is_closer: bool = True
    threshold: float | None = None

    def predicted_positive(self, threshold: float) -> np.ndarray:
        """Return which pairs count as paraphrases, bool (n,); a pair without a score does not."""
        return predicted_positive(self.values, threshold, self.higher_is_closer)


def score_column(name: str, values: np.ndarray, distance: bool | None = None) -> ScoreColumn:
    """Return a column as a score column.

    What the catalogue knows of a metric of that name holds; ParaPLUIE's scores have the threshold 0. Of any other
    column larger numbers mean closer.

    Args:
        name: The column.
        values: n scores, NaN where there is none.
        distance: Whether smaller numbers mean closer, where the caller knows better.
    """
    values = np.asarray(values, dtype=np.float64)
    if is_judge_score(name):
        return ScoreColumn(name, template_title(name), values, distance is not True, 0.0)
    info = catalogue.info(name)
    if info is None:
        return ScoreColumn(name, name, values, distance is not True)
    higher = info.higher_is_closer if distance is None else not distance
    return ScoreColumn(name, info.title, values, higher, info.threshold)


def score_columns(
    table: ScoreTable, names: Iterable[str] | None = None, distances: Collection[str] = ()
) -> list[ScoreColumn]:
    """Return columns of a table of scores as score columns: those named, or all; `distances` are read as distances."""
    chosen = table.scores if names is None else names
    return [score_column(name, table[name], True if name in distances else None) for name in chosen]


def parts(corpus: Corpus) -> dict[str, np.ndarray]:
    """Return which pairs belong to each corpus, bool (n,) each.

    Pooled corpora, which have the column "corpus", come one by one and then all together as "Global"; any other corpus
    is the only part.
    """
    origins = list(map(str, corpus.extra[ORIGIN].cells())) if ORIGIN in corpus.extra else []
    if not 2 <= len(set(origins)) <= _MOST_CORPORA:
        return {corpus.name: np.ones(len(corpus), dtype=bool)}
    return by_origin(origins)


def by_origin(origins: Sequence[str]) -> dict[str, np.ndarray]:
    """Return which pairs came from each origin, in the order of their first pair, then "Global", all of them."""
    names = list(dict.fromkeys(origins))
    number = {name: place for place, name in enumerate(names)}
    codes = np.fromiter((number[origin] for origin in origins), dtype=np.int64, count=len(origins))
    found = {name: codes == place for place, name in enumerate(names)}
    pooled = POOLED
    while pooled in found:
        pooled += " (all)"
    found[pooled] = np.ones(len(codes), dtype=bool)
    return found


def selected(values: np.ndarray, where: np.ndarray | None) -> Floats:
    """Return float64 values with NaN outside the current selection (None: everything is selected)."""
    values = np.asarray(values, dtype=np.float64)
    return values if where is None else np.where(where, values, np.nan)
