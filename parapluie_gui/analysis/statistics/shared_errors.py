"""Pairs that every one of several scores gets wrong, and pairs that at least one of them gets right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.comparison import default_threshold
from parapluie_gui.arrays import Floats, Labels, Mask
from parapluie_gui.scores.identity import ColumnIdentity


@dataclass(frozen=True)
class SharedErrors:
    """Number of pairs on which several verdicts are wrong together (PARAPHRASUS, section 6.3 and table 5).

    Attributes:
        pairs: Number of pairs with a label and all verdicts.
        by_all: Number of pairs on which every verdict is wrong.
        by_any: Number of pairs on which at least one verdict is wrong.
    """

    pairs: int = 0
    by_all: int = 0
    by_any: int = 0

    @property
    def all_share(self) -> float:
        """Share of the pairs that all scores get wrong, in [0, 1]; NaN without pairs."""
        return self.by_all / self.pairs if self.pairs else nan

    @property
    def any_share(self) -> float:
        """Share of the pairs that at least one score gets wrong, in [0, 1]; NaN without pairs."""
        return self.by_any / self.pairs if self.pairs else nan

    @property
    def right_by_one(self) -> float:
        """Share of the pairs in `by_any` that some score gets right (the paper's 92 %); NaN without such pairs."""
        return 1 - self.by_all / self.by_any if self.by_any else nan

    def __add__(self, other: SharedErrors) -> SharedErrors:
        return SharedErrors(self.pairs + other.pairs, self.by_all + other.by_all, self.by_any + other.by_any)


def independent_scores(scores: Iterable[ColumnIdentity]) -> list[str]:
    """Return the scores whose verdicts are compared: one per judge, or one per template of a single judge, or else all.

    Several judges have one score each, by `one_per_judge`; a single judge has one for each template, if there are two
    or more. The reverse direction of a template is not a separate opinion and is left out.
    """
    forward = [identity for identity in scores if not identity.reverse]
    judges = one_per_judge(forward)
    if len(judges) > 1:
        return judges
    templates = [identity.column for identity in forward if identity.is_from_judge]
    return templates if len(templates) > 1 else [identity.column for identity in forward]


def one_per_judge(scores: Iterable[ColumnIdentity]) -> list[str]:
    """Return one score per judge: under the template that most judges share, otherwise under its first template.

    So a judge with three templates counts once, and judges are compared on the same question. Scores of an unknown
    judge are left out.
    """
    columns_of: dict[tuple[str, str, str], dict[str, str]] = {}
    for identity in scores:
        maker = identity.maker
        if identity.is_from_judge and maker and maker.judge and not maker.reverse:
            columns_of.setdefault(maker.who, {})[maker.template] = identity.column
    uses = Counter(template for columns in columns_of.values() for template in columns)
    common = max(uses, key=lambda template: uses[template], default="")
    return [columns.get(common, next(iter(columns.values()))) for columns in columns_of.values()]


def wrong_by(verdicts: Floats, expected: Labels | Floats) -> tuple[Mask, Mask, Mask]:
    """Return masks (n,) of the pairs that count, that all verdicts get wrong, and that at least one gets wrong.

    Args:
        verdicts: 1 for a paraphrase, 0 for none, NaN for a missing verdict; (n, verdicts).
        expected: The right verdict, 1 or 0; any other value if unknown.
    """
    expected = np.asarray(expected, dtype=np.float64)
    known = (expected == 0) | (expected == 1)
    counted = known & ~np.isnan(verdicts).any(axis=1) & (verdicts.shape[1] > 0)
    wrong = verdicts != expected[:, None]
    return counted, counted & wrong.all(axis=1), counted & wrong.any(axis=1)


def shared_errors(verdicts: Floats, expected: Labels | Floats) -> SharedErrors:
    """Count the pairs on which the verdicts are wrong together; arguments as for `wrong_by`."""
    return SharedErrors(*(int(mask.sum()) for mask in wrong_by(verdicts, expected)))


def score_verdicts(
    score_columns: Sequence[ScoreColumn], labels: Labels, thresholds: Sequence[float] | None = None
) -> Floats:
    """Return the verdicts of scores, (n, scores): 1 for a paraphrase, 0 for none, NaN if score or threshold is missing.

    Without `thresholds`, each score is judged at its natural threshold or, if it has none, at the best on these pairs.
    """
    if thresholds is None:
        thresholds = [default_threshold(score_column, labels) for score_column in score_columns]
    columns = [
        np.where(np.isnan(score_column.values) | isnan(threshold), nan, score_column.predicted_positive(threshold))
        for score_column, threshold in zip(score_columns, thresholds, strict=True)
    ]
    return np.column_stack(columns) if columns else np.empty((len(labels), 0))
