"""Where ParaScore's authors look closer: at which text is nearer, and at what tells two candidates apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.statistics.correlation import pearson, spearman

#: Shen et al. (EMNLP 2022), section 5: candidates of one source that are equally far (distances differ by at most
#: SAME) and mean differently (similarities differ by at least UNLIKE_MEANING), and the other way round.
SAME = 0.05
UNLIKE_MEANING = 0.15
UNLIKE_WORDS = 0.10

#: The distance at which they part the pairs that differ in words.
NEAR = 0.35


def case_masks(distance_source: np.ndarray, distance_reference: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of case I, where the hypothesis is further from its reference than from its source, and II.

    Shen et al. (EMNLP 2022), section 4: reference-free metrics gain most in case I. Case II has all other pairs with a
    reference, equal distances too.

    Args:
        distance_source: Dist(S, H), float64 (n,).
        distance_reference: Dist(H, R), float64 (n,), NaN without a reference.
    """
    known = ~(np.isnan(distance_source) | np.isnan(distance_reference))
    one = known & (distance_reference > distance_source)
    return one, known & ~one


@dataclass(frozen=True)
class Attribution:
    """What a score sees when two candidates of one source differ in one respect only.

    Attributes:
        candidate_pairs: Pairs of candidates in the subset that have scores.
        decided: Those of them that people find unequally good.
        agreement: Share of the decided ones in which the score prefers the candidate that people prefer, in [0, 1]
            (equal scores count half); NaN without any.
        pearson, spearman: Correlation of the differences of the score with those of the human scores over the
            candidate pairs, each taken in both directions so that the order of the candidates is of no account.
    """

    candidate_pairs: int = 0
    decided: int = 0
    agreement: float = nan
    pearson: float = nan
    spearman: float = nan


@dataclass(frozen=True, eq=False)
class CandidatePairs:
    """Pairs of candidates of one source, as rows of a corpus.

    Attributes:
        first, second: Their rows, int64 (m,) each, first < second.
    """

    first: np.ndarray
    second: np.ndarray

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, eq=False)
class Subsets:
    """The candidate pairs that differ in one respect only.

    Attributes:
        similarity: S_sim: as far from the source as each other, but unlike in meaning.
        divergence: S_div: alike in meaning, but unlike in distance.
        near, far: Those of S_div where both distances are at most 0.35, and where both are more.
    """

    similarity: CandidatePairs
    divergence: CandidatePairs
    near: CandidatePairs
    far: CandidatePairs


def subsets(
    sources: Sequence[str], distance: np.ndarray, similarity: np.ndarray, where: np.ndarray | None = None
) -> Subsets:
    """Return the candidate pairs of the subsets S_sim and S_div.

    Args:
        sources: n source sentences; candidates of equal sources are compared.
        distance: Dist(S, H), float64 (n,).
        similarity: A similarity of meaning, float64 (n,), on a scale like that of BERTScore or a cosine.
        where: The pairs it is about, bool (n,); None for all.
    """
    usable = ~(np.isnan(distance) | np.isnan(similarity))
    if where is not None:
        usable &= where
    alike: list[tuple[np.ndarray, np.ndarray]] = []
    unlike: list[tuple[np.ndarray, np.ndarray]] = []
    for first, second in _neighbours(sources, usable):
        apart = np.abs(distance[first] - distance[second])
        meaning = np.abs(similarity[first] - similarity[second])
        for chosen, found in (
            ((apart <= SAME) & (meaning >= UNLIKE_MEANING), alike),
            ((meaning <= SAME) & (apart >= UNLIKE_WORDS), unlike),
        ):
            if chosen.any():
                found.append((first[chosen], second[chosen]))
    divergence = _joined(unlike)
    further = np.maximum(distance[divergence.first], distance[divergence.second])
    nearer = np.minimum(distance[divergence.first], distance[divergence.second])
    return Subsets(_joined(alike), divergence, _taken(divergence, further <= NEAR), _taken(divergence, nearer > NEAR))


def _neighbours(sources: Sequence[str], usable: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield all pairs of rows of one source, first those next to each other in its list, then those two apart."""
    number: dict[str, int] = {}
    code = np.fromiter((number.setdefault(source, len(number)) for source in sources), np.int64, len(sources))
    rows = np.flatnonzero(usable)
    rows = rows[np.argsort(code[rows], kind="stable")]
    for step in range(1, len(rows)):
        same = code[rows[:-step]] == code[rows[step:]]
        if not same.any():
            return
        yield rows[:-step][same], rows[step:][same]


def _joined(found: list[tuple[np.ndarray, np.ndarray]]) -> CandidatePairs:
    if not found:
        return CandidatePairs(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    return CandidatePairs(
        np.concatenate([first for first, _ in found]), np.concatenate([second for _, second in found])
    )


def _taken(pairs: CandidatePairs, chosen: np.ndarray) -> CandidatePairs:
    return CandidatePairs(pairs.first[chosen], pairs.second[chosen])


def attribution(
    scores: np.ndarray, human: np.ndarray, pairs: CandidatePairs, higher_is_closer: bool = True
) -> Attribution:
    """Return how a score's differences go with those of the human scores on a subset of candidate pairs.

    Args:
        scores: n scores, NaN where there is none.
        human: n human scores, NaN where there is none.
        pairs: The candidate pairs.
        higher_is_closer: False for distances, whose smaller one is preferred.
    """
    ours = scores[pairs.first] - scores[pairs.second]
    theirs = human[pairs.first] - human[pairs.second]
    known = ~(np.isnan(ours) | np.isnan(theirs))
    ours, theirs = ours[known], theirs[known]
    decided = theirs != 0
    # Of equal scores none is preferred: half right.
    sign = 1 if higher_is_closer else -1
    right = (1 + sign * np.sign(ours[decided]) * np.sign(theirs[decided])) / 2
    both = np.concatenate([ours, -ours]), np.concatenate([theirs, -theirs])
    return Attribution(
        candidate_pairs=len(ours),
        decided=int(decided.sum()),
        agreement=float(right.mean()) if len(right) else nan,
        pearson=pearson(*both),
        spearman=spearman(*both),
    )
