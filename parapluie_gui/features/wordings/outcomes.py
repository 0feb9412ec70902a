"""The results of a wording test: by form of the question, by factor, and by pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from parapluie_gui.arrays import Floats, Mask, Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.wordings.factorial import VarianceTerm, variance_of_cells, variance_of_pairs
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus

#: Maximum number of listed pairs whose verdict hinges on the form.
MOST_HINGES = 50


@dataclass(frozen=True)
class FormResult:
    """The result of one form of the question, a combination of levels.

    Attributes:
        levels: The name of the level of each factor.
        accuracy: The share of labelled pairs whose verdict (score above 0) equals the label; NaN without labels.
        mean: The mean score.
        flips: The share of pairs whose verdict differs from that of most forms.
    """

    levels: tuple[str, ...]
    accuracy: float
    mean: float
    flips: float


@dataclass(frozen=True)
class HingingPair:
    """A pair whose verdict hinges on the form of the question.

    Attributes:
        row: The row in the corpus.
        source, hypothesis, label: The pair; `label` is None if it has none.
        minority: The share of forms with the less frequent verdict, above 0 and up to 0.5.
        lowest, highest: The range of its scores.
        factor: The factor with the largest effect on its score.
        low_level, high_level: The levels of this factor with the lowest and the highest mean score.
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
    """The comparison of all forms of a question.

    Attributes:
        factors, levels: The names of the factors, and of the levels of each factor.
        pairs: The number of pairs with a score in every form; pairs with a missing score are left out.
        labelled: The number of those pairs with a label.
        forms: The result of each form, the last factor varying fastest.
        of_scores: The terms of the variance of the scores.
        of_accuracy: The terms of the variance of the forms' accuracies; () without labels.
        hinging: The number of pairs without the same verdict in all forms.
        hinges: Up to MOST_HINGES of those pairs, the most divided first.
    """

    factors: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    pairs: int
    labelled: int
    forms: tuple[FormResult, ...]
    of_scores: tuple[VarianceTerm, ...]
    of_accuracy: tuple[VarianceTerm, ...]
    hinging: int
    hinges: tuple[HingingPair, ...]


def compare_wordings(
    corpus: Corpus, factors: Sequence[str], levels: Sequence[Sequence[str]], scores: Sequence[Floats]
) -> WordingComparison:
    """Compare the scores of all forms.

    Args:
        corpus: n pairs.
        factors: The names of the factors.
        levels: The names of the levels of each factor.
        scores: Scores (n,) for each combination of levels, the last factor varying fastest; NaN for a missing score.

    Raises:
        ParapluieError: No pair has a score in every form.
    """
    shape = tuple(map(len, levels))
    rows, is_flip = find_flips(scores)
    if not len(rows):
        raise ParapluieError("No pair has a score in every form of the question. Leave out the forms that fail.")
    matrix = np.stack(scores, axis=1)[rows]
    verdicts = matrix > 0
    share = verdicts.mean(axis=1)
    label = corpus.labels
    known = label[rows] != UNLABELLED
    right = verdicts[known] == (label[rows][known] == 1)[:, None]
    accuracy = right.mean(axis=0) if known.any() else np.full(matrix.shape[1], np.nan)
    flips, means = is_flip.mean(axis=0), matrix.mean(axis=0)
    forms = tuple(
        FormResult(names, float(accuracy[at]), float(means[at]), float(flips[at]))
        for at, names in enumerate(product(*levels))
    )
    cube = matrix.reshape(len(rows), *shape)
    minority = np.minimum(share, 1 - share)
    spread = matrix.max(axis=1) - matrix.min(axis=1)
    order = [at for at in np.lexsort((-spread, -minority)).tolist() if minority[at] > 0]
    return WordingComparison(
        factors=tuple(factors),
        levels=tuple(map(tuple, levels)),
        pairs=len(rows),
        labelled=int(known.sum()),
        forms=forms,
        of_scores=variance_of_pairs(cube, factors),
        of_accuracy=variance_of_cells(accuracy.reshape(shape), factors) if known.any() else (),
        hinging=len(order),
        hinges=tuple(
            _hinging_pair(corpus, int(rows[at]), cube[at], float(minority[at]), factors, levels)
            for at in order[:MOST_HINGES]
        ),
    )


def find_flips(scores: Sequence[Floats]) -> tuple[Rows, Mask]:
    """Return the rows (k,) of pairs with a score in every form, and which verdicts (k, forms) are flips.

    A flip is a verdict that differs from that of most forms; in a tie, from the verdict of the mean score.

    Args:
        scores: Scores (n,) for each form; NaN for a missing score.
    """
    matrix = np.stack(scores, axis=1)
    rows = np.flatnonzero(np.isfinite(matrix).all(axis=1))
    matrix = matrix[rows]
    verdicts = matrix > 0
    share = verdicts.mean(axis=1)
    majority = (share > 0.5) | ((share == 0.5) & (matrix.mean(axis=1) > 0))
    return rows, verdicts != majority[:, None]


def _hinging_pair(
    corpus: Corpus, row: int, cells: Floats, minority: float, factors: Sequence[str], levels: Sequence[Sequence[str]]
) -> HingingPair:
    means = [cells.mean(axis=tuple(axis for axis in range(cells.ndim) if axis != at)) for at in range(cells.ndim)]
    strongest = int(np.argmax([level_means.var() for level_means in means]))
    pair = corpus.pair(row)
    return HingingPair(
        row,
        pair.source,
        pair.hypothesis,
        pair.label,
        minority,
        float(cells.min()),
        float(cells.max()),
        factors[strongest],
        levels[strongest][int(means[strongest].argmin())],
        levels[strongest][int(means[strongest].argmax())],
    )
