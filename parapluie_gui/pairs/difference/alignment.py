"""Aligns the words of two sentences: equal runs, moved phrases, and words that replaced each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

import Levenshtein

from parapluie_gui.pairs.difference.words import TextToken

# Matching the longest runs reads best, but compares all pairs of equal words for each block. With more pairs than this,
# the alignment with the fewest edits is used.
_READABLE_PAIRS = 40_000
# A gap with more pairs of words than this is a different text rather than a rewording.
_GAP_PAIRS = 2_500
_ALL_GAP_PAIRS = 40_000
# Words more frequent than this (product of both sides' counts) do not start a moved phrase.
_COMMON = 400

_FUNCTION_WORDS = """
    a an the of to in on at by for from with without into onto over under about after before between through during
    and or but nor so yet if then than that this these those which who whom whose what when where while because as
    is are was were be been being am do does did has have had having will would shall should can could may might must
    not no i you he she it we they me him her us them my your his its our their there here also just only very such
    le la les un une des du de d l au aux en dans sur sous par pour avec sans entre et ou mais donc car ni que qui quoi
    dont où ce cet cette ces il elle on nous vous ils elles je tu se sa son ses leur leurs lui y est sont était étaient
    être été a ont avait avaient avoir ne pas plus
    der die das den dem des ein eine einen einem einer und oder aber im am auf aus bei mit nach von vom zu zum zur
    für ist sind war waren sein hat haben hatte nicht er sie es wir ihr
    el los las una unos unas del al o pero con sin para como son era eran ser ha han había su sus lo
"""

#: Words without content; a phrase made up only of these never counts as moved.
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())

# Minimum likeness at which two words count as forms of each other: in the same place, and in different places.
_SIMILAR_IN_PLACE = 0.5
_SIMILAR = 0.6


#: Longer words are compared by their beginnings and marked as a whole, because letter marks would be unreadable.
LONGEST_WORD = 60


def likeness(left: str, right: str) -> float:
    """Return the similarity of two words, 0 to 1: twice the letters common in order, divided by all letters."""
    return Levenshtein.ratio(left[:LONGEST_WORD], right[:LONGEST_WORD])


class AlignmentGap(NamedTuple):
    """Unequal stretches of the left text (words i1 to i2) and the right one (j1 to j2), ends excluded."""

    i1: int
    i2: int
    j1: int
    j2: int


def align_equal(
    left: Sequence[TextToken], right: Sequence[TextToken]
) -> tuple[list[tuple[int, int]], list[AlignmentGap]]:
    """Return the pairs of equal words in order, and the gaps between them."""
    ours, theirs = [token.key for token in left], [token.key for token in right]
    counts = Counter(theirs)
    codes: Sequence[tuple[str, int, int, int, int]]
    if sum(counts[key] for key in ours) <= _READABLE_PAIRS:
        codes = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    else:
        codes = Levenshtein.opcodes(ours, theirs)
    pairs: list[tuple[int, int]] = []
    gaps: list[AlignmentGap] = []
    for tag, i1, i2, j1, j2 in codes:
        if tag == "equal":
            pairs += zip(range(i1, i2), range(j1, j2), strict=True)
        elif gaps and gaps[-1].i2 == i1 and gaps[-1].j2 == j1:
            gaps[-1] = AlignmentGap(gaps[-1].i1, i2, gaps[-1].j1, j2)
        else:
            gaps.append(AlignmentGap(i1, i2, j1, j2))
    return pairs, gaps


def find_moved(
    left: Sequence[TextToken], right: Sequence[TextToken], gaps: Sequence[AlignmentGap]
) -> list[tuple[int, int, int]]:
    """Return phrases that moved from one place to another, longest first.

    A phrase has at least two words, not all function words, or is a content word of at least three letters.

    Returns:
        Triples of the first word on the left, the first on the right, and the number of tokens.
    """
    free_left = {i for gap in gaps for i in range(gap.i1, gap.i2)}
    free_right = {j for gap in gaps for j in range(gap.j1, gap.j2)}
    ours, theirs = [token.key for token in left], [token.key for token in right]
    places: defaultdict[str, list[int]] = defaultdict(list)
    for j in sorted(free_right):
        if right[j].kind == "word":
            places[theirs[j]].append(j)
    frequency = Counter(ours[i] for i in free_left)
    runs: set[tuple[int, int, int]] = set()
    for i in sorted(free_left):
        key = ours[i]
        if left[i].kind != "word" or key not in places or frequency[key] * len(places[key]) > _COMMON:
            continue
        for j in places[key]:
            first, last = 0, 1
            while (
                i + first - 1 in free_left
                and j + first - 1 in free_right
                and ours[i + first - 1] == theirs[j + first - 1]
            ):
                first -= 1
            while i + last in free_left and j + last in free_right and ours[i + last] == theirs[j + last]:
                last += 1
            runs.add((i + first, j + first, last - first))
    phrases: list[tuple[int, int, int]] = []
    for i, j, length in sorted(runs, key=lambda run: (-run[2], run[0], run[1])):
        for start, size in _free_parts(i, j, length, free_left, free_right):
            start, size = _trim_marks(left, start, size)
            if size and _is_phrase(left[start : start + size]):
                phrases.append((start, start - i + j, size))
                free_left.difference_update(range(start, start + size))
                free_right.difference_update(range(start - i + j, start - i + j + size))
    return phrases


def _free_parts(i: int, j: int, length: int, free_left: set[int], free_right: set[int]) -> list[tuple[int, int]]:
    """Return the parts of a run (first word on the left, length) that are not in a longer phrase."""
    parts: list[tuple[int, int]] = []
    for free, steps in groupby(range(length), lambda step: i + step in free_left and j + step in free_right):
        run = list(steps)
        if free:
            parts.append((i + run[0], len(run)))
    return parts


def _trim_marks(words: Sequence[TextToken], start: int, size: int) -> tuple[int, int]:
    """Cut punctuation off both ends."""
    while size and words[start].kind == "mark":
        start, size = start + 1, size - 1
    while size and words[start + size - 1].kind == "mark":
        size -= 1
    return start, size


def _is_phrase(phrase: Sequence[TextToken]) -> bool:
    words = [token for token in phrase if token.kind == "word"]
    content = [token for token in words if token.key not in FUNCTION_WORDS]
    if len(words) == 1:
        return bool(content) and len(words[0].text) >= 3
    return bool(content)


def pair_changed(
    left: Sequence[TextToken],
    right: Sequence[TextToken],
    gaps: Sequence[AlignmentGap],
    moved: Sequence[tuple[int, int, int]],
) -> list[tuple[int, int]]:
    """Return pairs of words that replaced each other within each gap, in order.

    Similar words are paired (tsunami, tiramisu). Dissimilar words are paired only if the gap has the same small number
    of words on both sides, so that the replacement is obvious.
    """
    moved_left = {i + step for i, _, length in moved for step in range(length)}
    moved_right = {j + step for _, j, length in moved for step in range(length)}
    pairs: list[tuple[int, int]] = []
    budget = _ALL_GAP_PAIRS
    for gap in gaps:
        ours = [i for i in range(gap.i1, gap.i2) if i not in moved_left]
        theirs = [j for j in range(gap.j1, gap.j2) if j not in moved_right]
        work = len(ours) * len(theirs)
        if not work or work > min(_GAP_PAIRS, budget):
            continue
        budget -= work
        pairs += _best_pairs(left, right, ours, theirs)
    return pairs


def _best_pairs(
    left: Sequence[TextToken], right: Sequence[TextToken], ours: Sequence[int], theirs: Sequence[int]
) -> list[tuple[int, int]]:
    """Align the words of one gap in order with the highest total likeness."""
    words = sum(left[i].kind == "word" for i in ours)
    one_for_one = words == sum(right[j].kind == "word" for j in theirs) and words <= 3

    def worth(i: int, j: int) -> float:
        if left[i].kind != right[j].kind:
            return 0.0
        if left[i].kind == "mark":
            return 0.01
        ours_key = left[i].key
        theirs_key = right[j].key
        alike = likeness(ours_key, theirs_key)
        if one_for_one:
            return alike if alike >= _SIMILAR_IN_PLACE else 0.1
        # short words and function words resemble one another by chance ("for", "before")
        telling = min(len(ours_key), len(theirs_key)) >= 4 and not FUNCTION_WORDS & {ours_key, theirs_key}
        return alike if telling and alike >= _SIMILAR else 0.0

    rows, columns = len(ours), len(theirs)
    value = [[worth(i, j) for j in theirs] for i in ours]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for a in range(rows - 1, -1, -1):
        for b in range(columns - 1, -1, -1):
            together = best[a + 1][b + 1] + value[a][b] if value[a][b] else 0.0
            best[a][b] = max(together, best[a + 1][b], best[a][b + 1])
    pairs: list[tuple[int, int]] = []
    a = b = 0
    while a < rows and b < columns:
        if value[a][b] and best[a][b] == best[a + 1][b + 1] + value[a][b]:
            pairs.append((ours[a], theirs[b]))
            a, b = a + 1, b + 1
        elif best[a][b] == best[a + 1][b]:
            a += 1
        else:
            b += 1
    return pairs
