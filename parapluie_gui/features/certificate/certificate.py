"""A certificate: what a score does with pairs whose answer is known beyond doubt, a row for each behaviour."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import nan

import numpy as np

from parapluie_gui.analysis.names import shown_names
from parapluie_gui.analysis.score_column import ScoreColumn, score_column
from parapluie_gui.analysis.statistics.buckets import wilson
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.arrays import Scores
from parapluie_gui.features.certificate.behaviours import BEHAVIOURS, IDENTITY, Behaviour, Expected
from parapluie_gui.features.certificate.cases import NONE, Case, Suite
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.identity import without_judge
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable

#: Pairs that a row names.
WORST = 10


@dataclass(frozen=True)
class Worst:
    """One of the worst cases of a row.

    Attributes:
        score: Of this pair, as the metric gives it.
        change: From what it is compared with: the sentence beside itself, the other direction, the pair before.
        failed: Whether it is one of the failures or misranked.
    """

    source: str
    hypothesis: str
    score: float
    change: float
    failed: bool


@dataclass(frozen=True)
class BehaviourRow:
    """What a score did with the cases of one behaviour.

    Attributes:
        behaviour: Its key.
        cases: Cases with a score; for triangles, those with A≈B and B≈C.
        unscored: Cases that lack one.
        failures: Those that are not as expected; None where that needs a threshold and there is none.
        change: The mean change of the score; NaN where nothing is compared.
        compared: Cases with a pair to be ranked against.
        misranked: Those ranked wrong: a pair of another meaning scored no lower than one that says the same.
        worst: The worst cases first.
    """

    behaviour: str
    cases: int
    unscored: int
    failures: int | None
    change: float
    compared: int
    misranked: int
    worst: tuple[Worst, ...] = ()

    @property
    def failed(self) -> Estimate:
        """The share of failures with Wilson's interval; NaN without cases or threshold."""
        return _share(self.failures, self.cases)

    @property
    def ranked_wrong(self) -> Estimate:
        """The share ranked wrong with Wilson's interval; NaN where nothing is ranked."""
        return _share(self.misranked, self.compared)


@dataclass(frozen=True)
class Certificate:
    """A score's rows, in the order of `BEHAVIOURS`; behaviours without cases are left out.

    Attributes:
        name: The score's column, or a name that distinguishes two judges.
        title: What a person reads.
        threshold: Where paraphrases begin (distances: end); None where the score has none and none was given.
        given: Whether that threshold was given by the user.
        higher_is_closer: False for distances.
    """

    name: str
    title: str
    threshold: float | None
    given: bool
    higher_is_closer: bool
    rows: tuple[BehaviourRow, ...]

    def row(self, behaviour: str) -> BehaviourRow | None:
        return next((row for row in self.rows if row.behaviour == behaviour), None)


@dataclass(frozen=True)
class _Outcome:
    """What became of a case: `failed` and `misranked` are None where they are not tested.

    Attributes:
        row: The pair to show.
        change: In the score's own direction, higher is closer.
        bad: How bad it is; the worst have the most.
    """

    row: int
    failed: bool | None
    misranked: bool | None
    change: float
    bad: float


def certify(suite: Suite, scored: ScoreColumn, given: float | None = None) -> Certificate:
    """Return the certificate of a score that was computed for the pairs of a suite.

    Args:
        suite: The pairs and cases.
        scored: The numbers, with their direction and natural threshold.
        given: The threshold to be used instead of the natural one.
    """
    threshold = scored.threshold if given is None else given
    sign = 1.0 if scored.higher_is_closer else -1.0
    values = sign * scored.values
    limit = None if threshold is None else sign * threshold
    rows = []
    with np.errstate(invalid="ignore"):  # from one infinite score to another there is no change
        for behaviour in BEHAVIOURS:
            cases = [case for case in suite.cases if case.behaviour == behaviour.key]
            if cases:
                rows.append(_row(behaviour, cases, values, limit, suite.corpus, sign))
    return Certificate(scored.name, scored.title, threshold, given is not None, scored.higher_is_closer, tuple(rows))


def certified_column(name: str, values: Scores, signature: Signature | None) -> ScoreColumn:
    """Return a computed column with direction and natural threshold; a user's metric says them in its signature."""
    info = catalogue.info(name, signature)
    found = score_column(name, values, None if info is None else not info.higher_is_closer, signature)
    if info is not None:
        found = replace(found, threshold=info.threshold)
    return found


def certified_columns(table: ScoreTable, *, broken: bool) -> tuple[list[ScoreColumn], dict[str, Signature]]:
    """Return a table's scores as they are certified, each with its judge where there are several, and their signatures.

    Where scoring broke off, only a score of every pair counts: one that broke off is no certificate.
    """
    names, titles = table.full_names(), shown_names(table)
    columns = [
        replace(
            certified_column(without_judge(name), table[name], table.signatures.get(name)),
            name=names.get(name, name),
            title=titles[name],
        )
        for name in table.scores
        if table.scored(name) > (table.rows - 1 if broken else 0)
    ]
    return columns, table.with_full_names().signatures


def _row(
    behaviour: Behaviour, cases: Sequence[Case], values: Scores, limit: float | None, corpus: Corpus, sign: float
) -> BehaviourRow:
    judge = _JUDGES[behaviour.expected]
    scored = [case for case in cases if not np.isnan(values[list(case.rows)]).any()]
    outcomes = [found for case in scored if (found := judge(case, values, limit)) is not None]
    tested = [found for found in outcomes if found.failed is not None]
    ranked = [found for found in outcomes if found.misranked is not None]
    changes = [found.change for found in outcomes if not np.isnan(found.change)]
    # A gap between two directions has no direction itself.
    way = 1.0 if behaviour.expected is Expected.BOTH_WAYS else sign
    return BehaviourRow(
        behaviour.key,
        cases=len(outcomes),
        unscored=len(cases) - len(scored),
        failures=sum(bool(found.failed) for found in tested) if len(tested) == len(outcomes) else None,
        change=way * float(np.mean(changes)) if changes else nan,
        compared=len(ranked),
        misranked=sum(bool(found.misranked) for found in ranked),
        worst=_worst(outcomes, sign * values, corpus, way),
    )


def _worst(outcomes: Sequence[_Outcome], scores: Scores, corpus: Corpus, way: float) -> tuple[Worst, ...]:
    """Return the worst outcomes, each pair once; failures come before the others."""

    def order(found: _Outcome) -> tuple[bool, float]:
        return not (found.failed or found.misranked), -found.bad

    first = {found.row: found for found in sorted(outcomes, key=order, reverse=True)}
    return tuple(
        Worst(
            corpus.source[found.row],
            corpus.hypothesis[found.row],
            float(scores[found.row]),
            way * found.change,
            bool(found.failed or found.misranked),
        )
        for found in sorted(first.values(), key=order)[:WORST]
    )


def _same(case: Case, values: Scores, limit: float | None) -> _Outcome:
    """Judge a pair that means the same."""
    value, against = values[case.rows[0]], _against(case, values)
    alone = case.behaviour == IDENTITY
    change = nan if alone else float(value - values[case.rows[1]])
    failed = None if limit is None else bool(value < limit)
    # Nothing is closer than the sentence itself; other words may be as close.
    misranked = None if against is None else bool(value < against if alone else value <= against)
    return _Outcome(case.rows[0], failed, misranked, change, float(-value if alone else -change))


def _other(case: Case, values: Scores, limit: float | None, *, crosses: bool = True) -> _Outcome:
    """Judge a pair that means something else; with `crosses` it has to be on the other side of the threshold."""
    value, alone, against = values[case.rows[0]], values[case.rows[1]], _against(case, values)
    failed = bool(value >= alone or (crosses and limit is not None and value >= limit))
    misranked = None if against is None else bool(value >= against)
    return _Outcome(case.rows[0], failed, misranked, float(value - alone), float(value - alone))


def _both_ways(case: Case, values: Scores, limit: float | None) -> _Outcome:
    one, other = (float(value) for value in values[list(case.rows)])
    failed = None if limit is None else (one >= limit) != (other >= limit)
    return _Outcome(case.rows[0], failed, None, abs(one - other), abs(one - other))


def _falling(case: Case, values: Scores, limit: float | None) -> _Outcome:
    """Judge a ladder; the pair to show is the one that rose most."""
    steps = values[list(case.rows)]
    rises = np.diff(steps)
    worst = int(np.argmax(rises))
    failed = bool(rises[worst] > 0)
    return _Outcome(case.rows[worst + 1], failed, failed, float(steps[-1] - steps[0]), float(rises[worst]))


def _transitive(case: Case, values: Scores, limit: float | None) -> _Outcome | None:
    """Judge a triangle; None where A≈B and B≈C do not both hold."""
    first, second, third = values[list(case.rows)]
    if limit is None:
        return _Outcome(case.rows[2], None, None, nan, 0.0)
    if first < limit or second < limit:
        return None
    return _Outcome(case.rows[2], bool(third < limit), None, float(third - min(first, second)), float(-third))


_JUDGES: Mapping[Expected, Callable[[Case, Scores, float | None], _Outcome | None]] = {
    Expected.SAME: _same,
    Expected.OTHER: _other,
    Expected.LESS: partial(_other, crosses=False),
    Expected.BOTH_WAYS: _both_ways,
    Expected.FALLING: _falling,
    Expected.TRANSITIVE: _transitive,
}


def _against(case: Case, values: Scores) -> float | None:
    """Return the score of the pair to be ranked against; None where there is none."""
    if case.against == NONE or np.isnan(values[case.against]):
        return None
    return float(values[case.against])


def _share(part: int | None, whole: int) -> Estimate:
    return Estimate(nan, nan, nan) if part is None or not whole else Estimate(part / whole, *wilson(part, whole))
