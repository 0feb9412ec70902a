"""Cases and subsets of the ParaScore paper: by which text is nearer, and by how two candidates differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from parapluie_gui.analysis.statistics.correlation import pearson, spearman
from parapluie_gui.arrays import Mask, Rows, Scores

#: Shen et al. (EMNLP 2022), sections 4.2 and 4.3: candidates of one source that are equally far from it (distances
#: differ by at most SAME) but differ in meaning (similarities differ by at least UNLIKE_MEANING), and the reverse.
SAME = 0.05
UNLIKE_MEANING = 0.15
UNLIKE_WORDS = 0.10

#: Distance that separates near from far pairs among those that differ in wording (section 4.3).
NEAR = 0.35


def case_masks(distance_source: Scores, distance_reference: Scores) -> tuple[Mask, Mask]:
    """Return the pairs of case I, where Dist(H, R) < Dist(S, H), and of case II, the rest with both distances.

    Shen et al. (EMNLP 2022), section 3.2 and figure 3: in case I metrics do better with the reference, in case II
    without it. The paper does not assign equal distances to a case.
    """
    defined = ~(np.isnan(distance_source) | np.isnan(distance_reference))
    one = defined & (distance_reference < distance_source)
    return one, defined & ~one


@dataclass(frozen=True)
class CandidateRanking:
    """How a score ranks two candidates of one source that differ in one respect only.

    Attributes:
        candidate_pairs: The number of pairs of candidates in the subset that have scores.
        decided: The number of those pairs that have different human scores.
        agreement: Share of the decided pairs in which the score prefers the candidate that people prefer, in [0, 1]
            (equal scores count half); NaN without decided pairs.
        pearson, spearman: Correlation of the differences of the score with those of the human scores over the
            candidate pairs, each in both directions so that the order of the candidates does not matter.
    """

    candidate_pairs: int = 0
    decided: int = 0
    agreement: float = nan
    pearson: float = nan
    spearman: float = nan


@dataclass(frozen=True, eq=False)
class CandidatePairs:
    """Pairs of candidates of one source, as rows of a corpus, (m,) each, first < second."""

    first: Rows
    second: Rows

    def __len__(self) -> int:
        return len(self.first)

    def where(self, chosen: Mask) -> CandidatePairs:
        return CandidatePairs(self.first[chosen], self.second[chosen])


@dataclass(frozen=True, eq=False)
class CandidateSubsets:
    """The candidate pairs that differ in one respect only.

    Attributes:
        base: Equally far from the source, regardless of meaning; S_sim is a subset (table 4, "Base").
        similarity: S_sim: equally far from the source, but different in meaning.
        divergence: S_div: alike in meaning, but at different distances.
        near, far: Pairs of S_div whose smaller distance is at most 0.35, and the rest (equation 6).
    """

    base: CandidatePairs
    similarity: CandidatePairs
    divergence: CandidatePairs
    near: CandidatePairs
    far: CandidatePairs


def find_subsets(sources: Sequence[str], distance: Scores, similarity: Scores, where: Mask) -> CandidateSubsets:
    """Return the candidate pairs of the subsets S_sim and S_div, candidates being pairs of equal sources.

    Args:
        sources: The source sentences.
        distance: Dist(S, H).
        similarity: A similarity of meaning, on a scale such as that of BERTScore or a cosine.
        where: The pairs to use.
    """
    usable = where & ~(np.isnan(distance) | np.isnan(similarity))
    base: list[tuple[Rows, Rows]] = []
    alike: list[tuple[Rows, Rows]] = []
    unlike: list[tuple[Rows, Rows]] = []
    for first, second in _iterate_pairs(sources, usable):
        apart = np.abs(distance[first] - distance[second])
        meaning = np.abs(similarity[first] - similarity[second])
        for chosen, chosen_pairs in (
            (apart <= SAME, base),
            ((apart <= SAME) & (meaning >= UNLIKE_MEANING), alike),
            ((meaning <= SAME) & (apart >= UNLIKE_WORDS), unlike),
        ):
            if chosen.any():
                chosen_pairs.append((first[chosen], second[chosen]))
    divergence = _join_pairs(unlike)
    near = np.minimum(distance[divergence.first], distance[divergence.second]) <= NEAR
    return CandidateSubsets(
        _join_pairs(base), _join_pairs(alike), divergence, divergence.where(near), divergence.where(~near)
    )


def _iterate_pairs(sources: Sequence[str], usable: Mask) -> Iterator[tuple[Rows, Rows]]:
    """Yield all pairs of rows of one source: first adjacent rows of the source, then rows two apart, and so on."""
    number: dict[str, int] = {}
    code = np.fromiter((number.setdefault(source, len(number)) for source in sources), np.int64, len(sources))
    rows = np.flatnonzero(usable)
    rows = rows[np.argsort(code[rows], kind="stable")]
    for step in range(1, len(rows)):
        same = code[rows[:-step]] == code[rows[step:]]
        if not same.any():
            return
        yield rows[:-step][same], rows[step:][same]


def _join_pairs(pairs: list[tuple[Rows, Rows]]) -> CandidatePairs:
    nothing = np.empty(0, dtype=np.int64)
    return CandidatePairs(*(np.concatenate([nothing, *(rows[side] for rows in pairs)]) for side in (0, 1)))


def attribution(
    scores: Scores, human: Scores, pairs: CandidatePairs, higher_is_closer: bool = True
) -> CandidateRanking:
    """Compare a score's differences with those of the human scores on a subset of candidate pairs."""
    ours = scores[pairs.first] - scores[pairs.second]
    theirs = human[pairs.first] - human[pairs.second]
    defined = ~(np.isnan(ours) | np.isnan(theirs))
    ours, theirs = ours[defined], theirs[defined]
    decided = theirs != 0
    # Equal scores prefer neither candidate and count as half right.
    sign = 1 if higher_is_closer else -1
    right = (1 + sign * np.sign(ours[decided]) * np.sign(theirs[decided])) / 2
    both = np.concatenate([ours, -ours]), np.concatenate([theirs, -theirs])
    return CandidateRanking(
        candidate_pairs=len(ours),
        decided=int(decided.sum()),
        agreement=float(right.mean()) if len(right) else nan,
        pearson=pearson(*both),
        spearman=spearman(*both),
    )
