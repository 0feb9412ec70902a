"""Certificates: the failures of a score on pairs whose answer is known beyond doubt, with one row per behaviour."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import nan

import numpy as np

from parapluie_gui.analysis.names import shown_names
from parapluie_gui.analysis.score_column import ScoreColumn, score_column
from parapluie_gui.analysis.statistics.buckets import estimate_share
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.arrays import Scores
from parapluie_gui.features.certificate.behaviours import BEHAVIOURS, IDENTITY, Behaviour, ExpectedResult
from parapluie_gui.features.certificate.cases import NO_ROW, BehaviourCase, CaseSuite
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.identity import without_judge
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable

#: Number of worst pairs listed for a row.
WORST = 10


@dataclass(frozen=True)
class WorstCase:
    """One of the worst cases of a row.

    Attributes:
        source, hypothesis: The pair.
        score: The score of the pair, in the metric's own unit.
        change: The change from the pair it is compared with: the sentence with itself, the swapped pair, or the
            previous pair of a ladder.
        failed: Whether the case is a failure or misranked.
    """

    source: str
    hypothesis: str
    score: float
    change: float
    failed: bool


@dataclass(frozen=True)
class BehaviourRow:
    """The result of a score on the cases of one behaviour.

    Attributes:
        behaviour: The key of the behaviour.
        cases: The number of cases with scores; for triangles, of those with A≈B and B≈C.
        unscored: The number of cases with a missing score.
        failures: The number of cases with an unexpected score; None if this needs a threshold and there is none.
        change: The mean change of the score; NaN if the cases have no pair to compare with.
        compared: The number of cases with a pair to rank against.
        misranked: The number of those cases that are ranked wrong: the pair with a different meaning scores no lower
            than the pair with the same meaning.
        worst: The worst cases, worst first.
    """

    behaviour: str
    cases: int
    unscored: int
    failures: int | None
    change: float
    compared: int
    misranked: int
    worst: tuple[WorstCase, ...] = ()

    @property
    def failed(self) -> Estimate:
        """The share of failures with a Wilson interval; NaN without cases or without a threshold."""
        return _share(self.failures, self.cases)

    @property
    def ranked_wrong(self) -> Estimate:
        """The share ranked wrong with a Wilson interval; NaN if there is no case to rank."""
        return _share(self.misranked, self.compared)


@dataclass(frozen=True)
class Certificate:
    """The certificate of a score.

    Attributes:
        name: The column of the score, with the judge if several judges have the same template.
        title: The name shown to users.
        threshold: The lowest score of a paraphrase (for distances, the highest); None if there is no threshold.
        given: Whether the user set the threshold.
        higher_is_closer: False for distances.
        rows: One row for each behaviour that has cases, in the order of `BEHAVIOURS`.
    """

    name: str
    title: str
    threshold: float | None
    given: bool
    higher_is_closer: bool
    rows: tuple[BehaviourRow, ...]

    def row(self, behaviour: str) -> BehaviourRow | None:
        """Return the row of a behaviour, or None if it has no cases."""
        return next((row for row in self.rows if row.behaviour == behaviour), None)


@dataclass(frozen=True)
class _CaseResult:
    """The result of a score on one case; a higher score is closer.

    Attributes:
        row: The row of the pair to show.
        failed, misranked: None if the case does not test this.
        change: The change from the pair it is compared with; NaN if there is none.
        badness: A number that is larger for worse cases.
    """

    row: int
    failed: bool | None
    misranked: bool | None
    change: float
    badness: float


def certify(suite: CaseSuite, scores: ScoreColumn, custom_threshold: float | None = None) -> Certificate:
    """Return the certificate of a score on a suite.

    Args:
        suite: The pairs and cases.
        scores: The scores of the pairs, with direction and natural threshold.
        custom_threshold: The threshold to use instead of the natural one.
    """
    threshold = scores.threshold if custom_threshold is None else custom_threshold
    sign = 1.0 if scores.higher_is_closer else -1.0
    values = sign * scores.values
    limit = None if threshold is None else sign * threshold
    rows = []
    with np.errstate(invalid="ignore"):  # the difference of two infinite scores is NaN
        for behaviour in BEHAVIOURS:
            cases = [case for case in suite.cases if case.behaviour == behaviour.key]
            if cases:
                rows.append(_row(behaviour, cases, values, limit, suite.corpus, sign))
    return Certificate(
        scores.name, scores.title, threshold, custom_threshold is not None, scores.higher_is_closer, tuple(rows)
    )


def certified_column(name: str, values: Scores, signature: Signature | None) -> ScoreColumn:
    """Return a computed column with its direction and natural threshold.

    For a user's own metric, both come from its signature.
    """
    info = catalogue.info(name, signature)
    column = score_column(name, values, None if info is None else not info.higher_is_closer, signature)
    return column if info is None else replace(column, threshold=info.threshold)


def certified_columns(table: ScoreTable, *, broken: bool) -> tuple[list[ScoreColumn], dict[str, Signature]]:
    """Return the scores of a table for certificates, named with the judge if there are several, and their signatures.

    After an interrupted run (`broken`) only complete scores count.
    """
    names, titles = table.full_names(), shown_names(table)
    columns = [
        replace(
            certified_column(without_judge(name), table[name], table.signatures.get(name)),
            name=names.get(name, name),
            title=titles[name],
        )
        for name in table.scores
        if table.count_scores(name) > (table.rows - 1 if broken else 0)
    ]
    return columns, table.with_full_names().signatures


def _row(
    behaviour: Behaviour,
    cases: Sequence[BehaviourCase],
    values: Scores,
    limit: float | None,
    corpus: Corpus,
    sign: float,
) -> BehaviourRow:
    check = _CHECKS[behaviour.expected]
    scored = [case for case in cases if not np.isnan(values[list(case.rows)]).any()]
    results = [result for case in scored if (result := check(case, values, limit)) is not None]
    tested = [result for result in results if result.failed is not None]
    ranked = [result for result in results if result.misranked is not None]
    changes = [result.change for result in results if not np.isnan(result.change)]
    # The gap between the two directions of a pair is an absolute value.
    direction = 1.0 if behaviour.expected is ExpectedResult.BOTH_WAYS else sign
    return BehaviourRow(
        behaviour.key,
        cases=len(results),
        unscored=len(cases) - len(scored),
        failures=sum(bool(result.failed) for result in tested) if len(tested) == len(results) else None,
        change=direction * float(np.mean(changes)) if changes else nan,
        compared=len(ranked),
        misranked=sum(bool(result.misranked) for result in ranked),
        worst=_worst_cases(results, sign * values, corpus, direction),
    )


def _worst_cases(
    results: Sequence[_CaseResult], scores: Scores, corpus: Corpus, direction: float
) -> tuple[WorstCase, ...]:
    """Return the worst case of each pair: failures first, then the remaining cases, each by badness."""

    def order(result: _CaseResult) -> tuple[bool, float]:
        return not (result.failed or result.misranked), -result.badness

    by_row = {result.row: result for result in sorted(results, key=order, reverse=True)}
    return tuple(
        WorstCase(
            corpus.source[result.row],
            corpus.hypothesis[result.row],
            float(scores[result.row]),
            direction * result.change,
            bool(result.failed or result.misranked),
        )
        for result in sorted(by_row.values(), key=order)[:WORST]
    )


def _check_same(case: BehaviourCase, values: Scores, limit: float | None) -> _CaseResult:
    """Check a pair with the same meaning: it must not be below the threshold."""
    value, opponent = values[case.rows[0]], _opponent_score(case, values)
    is_identity = case.behaviour == IDENTITY
    change = nan if is_identity else float(value - values[case.rows[1]])
    failed = None if limit is None else bool(value < limit)
    # A rewording may score as high as the sentence with itself, but not higher.
    misranked = None if opponent is None else bool(value < opponent if is_identity else value <= opponent)
    return _CaseResult(case.rows[0], failed, misranked, change, float(-value if is_identity else -change))


def _check_different(case: BehaviourCase, values: Scores, limit: float | None, *, crosses: bool = True) -> _CaseResult:
    """Check a pair with different meanings: it must be below the sentence with itself.

    With `crosses` it must also be below the threshold.
    """
    value, identity, opponent = values[case.rows[0]], values[case.rows[1]], _opponent_score(case, values)
    failed = bool(value >= identity or (crosses and limit is not None and value >= limit))
    misranked = None if opponent is None else bool(value >= opponent)
    return _CaseResult(case.rows[0], failed, misranked, float(value - identity), float(value - identity))


def _check_symmetry(case: BehaviourCase, values: Scores, limit: float | None) -> _CaseResult:
    forward, backward = (float(value) for value in values[list(case.rows)])
    failed = None if limit is None else (forward >= limit) != (backward >= limit)
    return _CaseResult(case.rows[0], failed, None, abs(forward - backward), abs(forward - backward))


def _check_ladder(case: BehaviourCase, values: Scores, limit: float | None) -> _CaseResult:
    """Check that the scores of a ladder never rise; the pair to show has the largest rise."""
    steps = values[list(case.rows)]
    rises = np.diff(steps)
    worst = int(np.argmax(rises))
    failed = bool(rises[worst] > 0)
    return _CaseResult(case.rows[worst + 1], failed, failed, float(steps[-1] - steps[0]), float(rises[worst]))


def _check_triangle(case: BehaviourCase, values: Scores, limit: float | None) -> _CaseResult | None:
    """Check that A≈C; None unless A≈B and B≈C."""
    first, second, third = values[list(case.rows)]
    if limit is None:
        return _CaseResult(case.rows[2], None, None, nan, 0.0)
    if first < limit or second < limit:
        return None
    return _CaseResult(case.rows[2], bool(third < limit), None, float(third - min(first, second)), float(-third))


_CHECKS: Mapping[ExpectedResult, Callable[[BehaviourCase, Scores, float | None], _CaseResult | None]] = {
    ExpectedResult.SAME: _check_same,
    ExpectedResult.OTHER: _check_different,
    ExpectedResult.LESS: partial(_check_different, crosses=False),
    ExpectedResult.BOTH_WAYS: _check_symmetry,
    ExpectedResult.FALLING: _check_ladder,
    ExpectedResult.TRANSITIVE: _check_triangle,
}


def _opponent_score(case: BehaviourCase, values: Scores) -> float | None:
    """Return the score of the pair that the case is ranked against; None without such a pair or score."""
    if case.against == NO_ROW or np.isnan(values[case.against]):
        return None
    return float(values[case.against])


def _share(part: int | None, total: int) -> Estimate:
    return Estimate() if part is None else estimate_share(part, total)
