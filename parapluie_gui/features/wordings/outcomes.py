"""What a judge makes of the same pairs when it is asked in many forms: by form, by factor, and by pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from parapluie_gui.arrays import Floats, Mask, Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.wordings.factorial import Term, variance_of_cells, variance_of_pairs
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus

#: Most pairs that hinge on the form which are listed.
MOST_HINGES = 50


@dataclass(frozen=True)
class Combination:
    """One combination of levels.

    Attributes:
        levels: The name of its level of each factor.
        accuracy: Share of the labelled pairs whose verdict (score above 0) is their label; NaN without labels.
        mean: Mean score.
        flips: Share of the pairs whose verdict is not that of most forms.
    """

    levels: tuple[str, ...]
    accuracy: float
    mean: float
    flips: float


@dataclass(frozen=True)
class Hinge:
    """A pair whose verdict hinges on the form of the question.

    Attributes:
        row: Its number in the corpus.
        minority: Share of the forms with the verdict of the fewer, above 0 and up to 0.5.
        lowest, highest: Its scores.
        factor: The factor that moves its score most, and the levels at which it is lowest and highest on average.
    """

    row: int
    source: str
    hypothesis: str
    label: int | None
    minority: float
    lowest: float
    highest: float
    factor: str
    low_level: str
    high_level: str


@dataclass(frozen=True, eq=False)
class WordingComparison:
    """A whole sweep.

    Attributes:
        factors, levels: Their names.
        pairs: How many pairs have a score in every form; the others are left out.
        labelled: How many of them have a label.
        forms: In the order of the levels, the last factor varying fastest.
        of_scores: How the variance of the scores is shared out.
        of_accuracy: How that of the forms' accuracies is; () without labels.
        hinging: How many pairs do not have the same verdict in all forms.
        hinges: Those whose forms are most divided, at most MOST_HINGES.
    """

    factors: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    pairs: int
    labelled: int
    forms: tuple[Combination, ...]
    of_scores: tuple[Term, ...]
    of_accuracy: tuple[Term, ...]
    hinging: int
    hinges: tuple[Hinge, ...]


def compare_wordings(
    corpus: Corpus, factors: Sequence[str], levels: Sequence[Sequence[str]], scores: Sequence[Floats]
) -> WordingComparison:
    """Return what the scores of all forms say.

    Args:
        corpus: n pairs.
        factors: What is varied.
        levels: The names of the levels of each factor.
        scores: (n,) of each combination of levels, the last factor varying fastest; NaN where there is none.

    Raises:
        ParapluieError: No pair has a score in every form.
    """
    shape = tuple(map(len, levels))
    rows, others = flipped(scores)
    if not len(rows):
        raise ParapluieError("No pair has a score in every form of the question. Leave out the forms that fail.")
    whole = np.stack(scores, axis=1)[rows]
    verdicts = whole > 0
    share = verdicts.mean(axis=1)
    label = corpus.labels
    known = label[rows] != UNLABELLED
    right = verdicts[known] == (label[rows][known] == 1)[:, None]
    accuracy = right.mean(axis=0) if known.any() else np.full(whole.shape[1], np.nan)
    flips, means = others.mean(axis=0), whole.mean(axis=0)
    forms = tuple(
        Combination(names, float(accuracy[at]), float(means[at]), float(flips[at]))
        for at, names in enumerate(product(*levels))
    )
    cube = whole.reshape(len(rows), *shape)
    minority = np.minimum(share, 1 - share)
    spread = whole.max(axis=1) - whole.min(axis=1)
    order = [at for at in np.lexsort((-spread, -minority)).tolist() if minority[at] > 0]
    return WordingComparison(
        tuple(factors),
        tuple(map(tuple, levels)),
        len(rows),
        int(known.sum()),
        forms,
        variance_of_pairs(cube, factors),
        variance_of_cells(accuracy.reshape(shape), factors) if known.any() else (),
        len(order),
        tuple(
            _hinge(corpus, int(rows[at]), cube[at], float(minority[at]), factors, levels) for at in order[:MOST_HINGES]
        ),
    )


def flipped(scores: Sequence[Floats]) -> tuple[Rows, Mask]:
    """Return the k pairs with a score in every form, and where (k, forms) the verdict is not that of most forms.

    Where the forms are evenly divided, the verdict of most is that of the mean score.

    Args:
        scores: (n,) of each form; NaN where there is none.
    """
    whole = np.stack(scores, axis=1)
    rows = np.flatnonzero(np.isfinite(whole).all(axis=1))
    whole = whole[rows]
    verdicts = whole > 0
    share = verdicts.mean(axis=1)
    most = (share > 0.5) | ((share == 0.5) & (whole.mean(axis=1) > 0))
    return rows, verdicts != most[:, None]


def _hinge(
    corpus: Corpus, row: int, cells: Floats, minority: float, factors: Sequence[str], levels: Sequence[Sequence[str]]
) -> Hinge:
    means = [cells.mean(axis=tuple(axis for axis in range(cells.ndim) if axis != at)) for at in range(cells.ndim)]
    most = int(np.argmax([each.var() for each in means]))
    pair = corpus.pair(row)
    return Hinge(
        row,
        pair.source,
        pair.hypothesis,
        pair.label,
        minority,
        float(cells.min()),
        float(cells.max()),
        factors[most],
        levels[most][int(means[most].argmin())],
        levels[most][int(means[most].argmax())],
    )
