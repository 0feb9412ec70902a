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
from parapluie_gui.scores.identity import Identity


@dataclass(frozen=True)
class SharedErrors:
    """How often several verdicts on a pair are wrong together (PARAPHRASUS, section 6.3 and table 5).

    Attributes:
        pairs: Pairs with a label and all of the verdicts.
        by_all: Those of them on which every verdict is wrong.
        by_any: Those on which at least one is.
    """

    pairs: int = 0
    by_all: int = 0
    by_any: int = 0

    @property
    def all_share(self) -> float:
        """Share of the pairs that are wrong by all, in [0, 1]; NaN without pairs."""
        return self.by_all / self.pairs if self.pairs else nan

    @property
    def any_share(self) -> float:
        """Share of the pairs that are wrong by at least one, in [0, 1]; NaN without pairs."""
        return self.by_any / self.pairs if self.pairs else nan

    @property
    def right_by_one(self) -> float:
        """Share of the pairs wrong by one or more that at least one gets right (the paper's 92 %); NaN without any."""
        return 1 - self.by_all / self.by_any if self.by_any else nan

    def __add__(self, other: SharedErrors) -> SharedErrors:
        return SharedErrors(self.pairs + other.pairs, self.by_all + other.by_all, self.by_any + other.by_any)


def opinions(scores: Iterable[Identity]) -> list[str]:
    """Return the scores whose verdicts are taken together: of judges, of templates, otherwise all of them.

    Of several judges each has one, by `one_per_judge`; of one judge they are its templates', if there are two. Two
    directions of one template are not two opinions: the second is left out.
    """
    forward = [each for each in scores if not each.reverse]
    judges = one_per_judge(forward)
    if len(judges) > 1:
        return judges
    templates = [each.column for each in forward if each.judged]
    return templates if len(templates) > 1 else [each.column for each in forward]


def one_per_judge(scores: Iterable[Identity]) -> list[str]:
    """Return a score of each judge: under the template that most of them have in common, else under its first.

    So a judge with three templates counts once, and judges are compared in what they were asked alike. A judge who is
    not known is none beside these.
    """
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for each in scores:
        maker = each.maker
        if each.judged and maker and maker.judge and not maker.reverse:
            found.setdefault(maker.who, {})[maker.template] = each.column
    asked = Counter(template for columns in found.values() for template in columns)
    common = max(asked, key=lambda template: asked[template], default="")
    return [columns.get(common, next(iter(columns.values()))) for columns in found.values()]


def wrong_by(verdicts: Floats, expected: Labels | Floats) -> tuple[Mask, Mask, Mask]:
    """Return the pairs that count, those wrong by all, and those wrong by at least one, (n,) each.

    Args:
        verdicts: 1 paraphrase, 0 not, NaN for none; (n, verdicts).
        expected: What is right, 1 or 0; anything else where that is not known.
    """
    expected = np.asarray(expected, dtype=np.float64)
    known = (expected == 0) | (expected == 1)
    counted = known & ~np.isnan(verdicts).any(axis=1) & (verdicts.shape[1] > 0)
    wrong = verdicts != expected[:, None]
    return counted, counted & wrong.all(axis=1), counted & wrong.any(axis=1)


def shared_errors(verdicts: Floats, expected: Labels | Floats) -> SharedErrors:
    """Return how often the verdicts on the same pairs are wrong together; arguments as for `wrong_by`."""
    return SharedErrors(*(int(mask.sum()) for mask in wrong_by(verdicts, expected)))


def score_verdicts(
    score_columns: Sequence[ScoreColumn], labels: Labels, thresholds: Sequence[float] | None = None
) -> Floats:
    """Return what scores say of each pair, (n, scores): 1 paraphrase, 0 not, NaN for a missing score or threshold.

    Without thresholds each is judged at its natural one or, lacking that, at the best on these pairs.
    """
    if thresholds is None:
        thresholds = [default_threshold(each, labels) for each in score_columns]
    columns = [
        np.where(np.isnan(each.values) | isnan(threshold), nan, each.predicted_positive(threshold))
        for each, threshold in zip(score_columns, thresholds, strict=True)
    ]
    return np.column_stack(columns) if columns else np.empty((len(labels), 0))
