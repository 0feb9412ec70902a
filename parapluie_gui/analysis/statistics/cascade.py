"""What a second judge would gain: accuracy against the share of the pairs that the first sends on to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.analysis.statistics.buckets import wilson
from parapluie_gui.arrays import Floats, Labels, Rows
from parapluie_gui.scores.identity import CASCADE
from parapluie_gui.scores.signature import Signature

#: Shares of a curve that are written, among those that the second judge's scores reach.
SHARES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, eq=False)
class CascadeCurve:
    """Accuracy when the pairs that the first judge doubts most are decided by the second.

    Attributes:
        first, then: The names of the two scores.
        centre: The first judge's score that is doubted most.
        pairs: Labelled pairs that have the first score.
        sent: int64 (k,), how many of them go to the second judge, growing from 0.
        distance: (k,), the largest distance of a sent score from the centre; NaN where none is sent.
        right: int64 (k,), how many pairs are decided rightly.
    """

    first: str
    then: str
    centre: float
    pairs: int
    sent: Rows
    distance: Floats
    right: Rows

    @property
    def share(self) -> Floats:
        """Share of the pairs that are sent on, (k,)."""
        return self.sent / max(self.pairs, 1)

    @property
    def accuracy(self) -> Floats:
        """Share of the pairs that are decided rightly, (k,)."""
        return self.right / max(self.pairs, 1)

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """Wilson's 95 % intervals of the accuracies: their lower and upper bounds, (k,) each."""
        bounds = np.array([wilson(right, self.pairs) for right in self.right.tolist()]).reshape(-1, 2)
        return bounds[:, 0], bounds[:, 1]

    def at(self, shares: Sequence[float] = SHARES) -> CascadeCurve:
        """Return the curve at these shares, as far as it goes, and at its end."""
        wanted = np.round(np.array(shares) * self.pairs).astype(np.int64)
        places = np.unique([*wanted[wanted < len(self.sent)], len(self.sent) - 1])
        places = places[places >= 0]
        return CascadeCurve(
            *(self.first, self.then, self.centre, self.pairs),
            *(self.sent[places], self.distance[places], self.right[places]),
        )


def cascade_curve(first: ScoreColumn, then: ScoreColumn, labels: Labels, centre: float | None = None) -> CascadeCurve:
    """Return what each share sent on to a second judge would do, with both scores at their natural thresholds.

    The pairs go in the order of their distance from `centre`, by default the first score's threshold (0 without one).
    The curve ends with the last pair that has a second score. A pair whose second score is missing on the way stays
    decided by the first.
    """
    middle = (first.threshold or 0.0) if centre is None else centre
    usable = ((labels == 0) | (labels == 1)) & ~np.isnan(first.values)
    truth = labels[usable] == 1
    one, two = (
        np.asarray(each.predicted_positive(each.threshold or 0.0)[usable] == truth, dtype=np.int64)
        for each in (first, then)
    )
    answered = ~np.isnan(then.values[usable])
    doubt = np.abs(first.values[usable] - middle)
    order = np.argsort(doubt, kind="stable")
    last = int(np.max(np.flatnonzero(answered[order]), initial=-1)) + 1
    gain = np.where(answered, two - one, 0)[order][:last]
    right = int(one.sum()) + np.concatenate([[0], np.cumsum(gain, dtype=np.int64)])
    distance = np.concatenate([[np.nan], doubt[order][:last]])
    return CascadeCurve(first.name, then.name, middle, len(truth), np.arange(last + 1), distance, right)


def cascade_columns(signatures: Mapping[str, Signature]) -> tuple[str, str]:
    """Return the columns of the first judge and of the second, "" for one that is not there."""
    fields = dict(signatures[CASCADE].fields) if CASCADE in signatures else {}
    first, then = (
        next((name for name, one in signatures.items() if one.key == fields.get(f"{each}_key")), fields.get(each, ""))
        for each in ("first", "then")
    )
    return first, then


def signed_cascade(
    score_columns: Sequence[ScoreColumn], labels: Labels, signatures: Mapping[str, Signature]
) -> CascadeCurve | None:
    """Return the curve of a corpus that was scored by two judges, as the signature says; None for any other."""
    columns = {each.name: each for each in score_columns}
    fields = dict(signatures[CASCADE].fields) if CASCADE in signatures else {}
    first, then = map(columns.get, cascade_columns(signatures))
    if first is None or then is None or not ((labels == 0) | (labels == 1)).any():
        return None
    centre = (float(fields["low"]) + float(fields["high"])) / 2 if "low" in fields else None
    return cascade_curve(first, then, labels, centre)
