"""Score columns with the meaning of their numbers, and the corpora that pooled pairs came from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

import numpy as np

from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.threshold import predicted_positive
from parapluie_gui.arrays import Bounds, Mask, Scores
from parapluie_gui.errors import join_words
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.column import number
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.pool import ORIGIN
from parapluie_gui.scores.identity import ColumnIdentity, ScoreKind, identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable, is_scored

#: A function called as tick(done, total) between the steps of long work; an exception it raises stops the work.
Tick = Callable[[int, int], None]

#: The natural threshold of a column of verdicts, 0 and 1.
VERDICT_THRESHOLD = 0.5

#: The name for all corpora together, as in the papers.
POOLED = "Global"

#: Key of the expression in the signature of a column that is computed from others.
EXPRESSION = "expression"

#: A column "corpus" with more values than this does not name corpora.
_MOST_CORPORA = 50


def divide_tick(tick: Tick, step: int, steps: int) -> Tick:
    """Return the tick of one of several steps, which counts thousandths of the step."""
    return lambda done, total: tick(1000 * step + 1000 * done // max(total, 1), 1000 * steps)


def step_ticks(tick: Tick | None, steps: int) -> Iterator[Tick | None]:
    """Yield the tick of one step after another, each after reporting that its step begins; None without a tick."""
    for step in count():
        if tick is not None:
            tick(1000 * step, 1000 * steps)
        yield None if tick is None else divide_tick(tick, step, steps)


@dataclass(frozen=True, eq=False)
class ScoreColumn:
    """The scores of n pairs and how to read them.

    Attributes:
        name: The column ("pluie.direct").
        title: The name shown to people ("DIRECT", "DIRECT · SmolLM2").
        values: The scores.
        higher_is_closer: False for distances.
        threshold: The natural threshold, where paraphrases begin (distances: end), or None.
        bounds: The scores that are bounds, (n,), coded as in `ScoreTable.bounds`; None if all are exact.
    """

    name: str
    title: str
    values: Scores
    higher_is_closer: bool = True
    threshold: float | None = None
    bounds: Bounds | None = None

    @property
    def is_constant(self) -> bool:
        """Whether all pairs have the same score, so that no correlation is defined."""
        scored = self.values[is_scored(self.values)]
        return len(scored) > 1 and bool((scored == scored[0]).all())

    @cached_property
    def holds_verdicts(self) -> bool:
        """Are all scores verdicts, 0 or 1, divided in the middle? Then no other threshold is a decision."""
        return self.threshold == VERDICT_THRESHOLD and is_prediction(self.values)

    @property
    def is_from_judge(self) -> bool:
        """Are these the scores of a judge?"""
        return identify(self.name).is_from_judge

    #: The earlier name.
    judged = is_from_judge

    @property
    def bound_counts(self) -> tuple[int, int]:
        """The number of scores that are lower bounds, and of those that are upper bounds."""
        if self.bounds is None:
            return 0, 0
        return int(np.count_nonzero(self.bounds > 0)), int(np.count_nonzero(self.bounds < 0))

    @property
    def bounds_sentence(self) -> str:
        """A sentence on how many scores are bounds; "" if all are exact."""
        least, most = self.bound_counts
        if self.bounds is None:
            return ""
        scored = np.count_nonzero(is_scored(self.values))
        counts = f"{least:,} lower bounds, {most:,} upper bounds"
        return (
            f"{least + most:,} of {scored:,} scores of {self.name} are bounds ({counts}); the bound is used as the "
            "score."
        )

    def verdict(self, value: float) -> bool | None:
        """Return the verdict of a value at the natural threshold, True for a paraphrase; None without a threshold."""
        if self.threshold is None:
            return None
        return value >= self.threshold if self.higher_is_closer else value <= self.threshold

    def predicted_positive(self, threshold: float) -> Mask:
        """Return the pairs judged paraphrases, (n,); False without a score."""
        return predicted_positive(self.values, threshold, self.higher_is_closer)


@dataclass(frozen=True)
class ColumnMeaning:
    """The meaning of a column's numbers.

    Attributes:
        higher_is_closer: False for distances.
        threshold: The natural threshold, at which paraphrases begin (distances: end), or None.
        low, high: The possible range of the numbers; infinite if unlimited or unknown.
    """

    higher_is_closer: bool = True
    threshold: float | None = None
    low: float = -math.inf
    high: float = math.inf


def meaning(identity: ColumnIdentity, signature: Signature | None = None) -> ColumnMeaning:
    """Return the meaning of a column's numbers: ParaPLUIE's threshold is 0, the catalogue gives those of metrics."""
    if identity.is_from_judge:
        return ColumnMeaning(threshold=0.0)
    fields = {} if signature is None else dict(signature.fields)
    if EXPRESSION in fields:
        threshold = number(fields.get("threshold", ""))
        known = threshold is not None and not math.isnan(threshold)
        return ColumnMeaning(fields.get("closer") != "lower", threshold if known else None)
    info = catalogue.info(identity.column, signature)
    return (
        ColumnMeaning() if info is None else ColumnMeaning(info.higher_is_closer, info.threshold, info.low, info.high)
    )


def score_column(
    name: str, values: Scores, distance: bool | None = None, signature: Signature | None = None
) -> ScoreColumn:
    """Return a column as a score column.

    The catalogue describes a metric of that name; ParaPLUIE's scores have the threshold 0. In any other column, higher
    means closer; one of verdicts, 0 and 1 only, has the threshold 0.5. `distance`, unless it is None, overrides the
    direction. The signature identifies the judge.
    """
    values = np.asarray(values, dtype=np.float64)
    identity = identify(name, signature)
    known = meaning(identity, signature)
    higher = known.higher_is_closer if distance is None else not distance
    threshold = known.threshold
    if threshold is None and identity.kind is ScoreKind.OTHER and is_prediction(values):
        threshold = VERDICT_THRESHOLD
    return ScoreColumn(name, shown_name(identity), values, higher, threshold)


def is_prediction(values: Scores) -> bool:
    """Return True for a column of verdicts: every value is 0, 1 or missing, and at least one value is present."""
    present = values[is_scored(values)]
    return bool(len(present)) and bool(np.isin(present, (0.0, 1.0)).all())


def table_score_column(table: ScoreTable, name: str, distance: bool | None = None) -> ScoreColumn:
    """Return a column of a table as a score column with a unique title; `distance` as in `score_column`."""
    column = score_column(name, table[name], distance, table.signatures.get(name))
    return replace(column, title=shown_name(table.identity(name), map(table.identity, table.signatures)))


def part_masks(corpus: Corpus) -> dict[str, Mask]:
    """Return the pairs of each corpus, as masks (n,) by name.

    Pooled corpora, which have the column "corpus", are listed in the order of their first pair, then all together as
    "Global"; any other corpus is the only part.
    """
    origins = list(map(str, corpus.extra[ORIGIN].cells())) if ORIGIN in corpus.extra else []
    names = list(dict.fromkeys(origins))
    if not 2 <= len(names) <= _MOST_CORPORA:
        return {corpus.name: np.ones(len(corpus), dtype=bool)}
    number = {name: place for place, name in enumerate(names)}
    codes = np.fromiter((number[origin] for origin in origins), dtype=np.int64, count=len(origins))
    masks = {name: codes == place for place, name in enumerate(names)}
    pooled = POOLED
    while pooled in masks:
        pooled += " (all)"
    masks[pooled] = np.ones(len(codes), dtype=bool)
    return masks


def keep_selected(values: Scores, where: Mask | None) -> Scores:
    """Return values with NaN outside `where` (None: unchanged)."""
    return values if where is None else np.where(where, values, np.nan)


def describe_constant(columns: Iterable[ScoreColumn]) -> str:
    """Return a sentence about the scores that are the same for all pairs, "" if there are none."""
    titles = [column.title for column in columns if column.is_constant]
    gives = "gives" if len(titles) == 1 else "give"
    return f"{join_words(titles)} {gives} every pair the same score, so there is no correlation." if titles else ""
