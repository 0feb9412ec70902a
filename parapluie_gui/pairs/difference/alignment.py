"""Puts the words of two sentences side by side: equal runs, phrases that moved, words that replaced one another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

import Levenshtein

from parapluie_gui.pairs.difference.words import Token

# Longest-run matching reads best but compares all equal words with each other, again for every block it finds;
# beyond this many the fewest edits are taken.
_READABLE_PAIRS = 40_000
# A gap with more word pairs than this is a different text rather than a rewording.
_GAP_PAIRS = 2_500
_ALL_GAP_PAIRS = 40_000
# Words that occur this often (product of both sides' counts) start no moved phrase.
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

#: Words without content of their own: alone, or only among themselves, they never count as moved.
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())

# Likeness from which two words count as forms of one another: where each plainly replaces the other, and elsewhere.
_SIMILAR_IN_PLACE = 0.5
_SIMILAR = 0.6


#: Longer words are compared by their beginning, and marked as a whole: nobody reads letter marks in them.
LONGEST_WORD = 60


def likeness(left: str, right: str) -> float:
    """Return how much of two words is common, 0 to 1: twice the letters kept in order over all letters."""
    return Levenshtein.ratio(left[:LONGEST_WORD], right[:LONGEST_WORD])


class Gap(NamedTuple):
    """Words of the left (i1 up to i2) and of the right (j1 up to j2) that stand where the texts are not equal."""

    i1: int
    i2: int
    j1: int
    j2: int


def align_equal(left: Sequence[Token], right: Sequence[Token]) -> tuple[list[tuple[int, int]], list[Gap]]:
    """Return the pairs of equal words in order, and the gaps between them."""
    ours, theirs = [token.key for token in left], [token.key for token in right]
    counts = Counter(theirs)
    codes: Sequence[tuple[str, int, int, int, int]]
    if sum(counts[key] for key in ours) <= _READABLE_PAIRS:
        codes = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    else:
        codes = Levenshtein.opcodes(ours, theirs)
    pairs: list[tuple[int, int]] = []
    gaps: list[Gap] = []
    for tag, i1, i2, j1, j2 in codes:
        if tag == "equal":
            pairs += zip(range(i1, i2), range(j1, j2), strict=True)
        elif gaps and gaps[-1].i2 == i1 and gaps[-1].j2 == j1:
            gaps[-1] = Gap(gaps[-1].i1, i2, gaps[-1].j1, j2)
        else:
            gaps.append(Gap(i1, i2, j1, j2))
    return pairs, gaps


def find_moved(left: Sequence[Token], right: Sequence[Token], gaps: Sequence[Gap]) -> list[tuple[int, int, int]]:
    """Return phrases that are gone from one place and appear at another, longest first.

    A phrase is two words or more with one that is no function word, or a content word of three letters or more.

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
    found: list[tuple[int, int, int]] = []
    for i, j, length in sorted(runs, key=lambda run: (-run[2], run[0], run[1])):
        for start, size in _free_parts(i, j, length, free_left, free_right):
            start, size = _trimmed(left, start, size)
            if size and _is_phrase(left[start : start + size]):
                found.append((start, start - i + j, size))
                free_left.difference_update(range(start, start + size))
                free_right.difference_update(range(start - i + j, start - i + j + size))
    return found


def _free_parts(i: int, j: int, length: int, free_left: set[int], free_right: set[int]) -> list[tuple[int, int]]:
    """Return the parts of a run (first word on the left, length) that belong to no longer phrase."""
    parts: list[tuple[int, int]] = []
    for free, steps in groupby(range(length), lambda step: i + step in free_left and j + step in free_right):
        run = list(steps)
        if free:
            parts.append((i + run[0], len(run)))
    return parts


def _trimmed(words: Sequence[Token], start: int, size: int) -> tuple[int, int]:
    """Cut punctuation off both ends."""
    while size and words[start].kind == "mark":
        start, size = start + 1, size - 1
    while size and words[start + size - 1].kind == "mark":
        size -= 1
    return start, size


def _is_phrase(phrase: Sequence[Token]) -> bool:
    words = [token for token in phrase if token.kind == "word"]
    content = [token for token in words if token.key not in FUNCTION_WORDS]
    if len(words) == 1:
        return bool(content) and len(words[0].text) >= 3
    return bool(content)


def pair_changed(
    left: Sequence[Token], right: Sequence[Token], gaps: Sequence[Gap], moved: Sequence[tuple[int, int, int]]
) -> list[tuple[int, int]]:
    """Return the words that replaced one another within each gap, in order.

    Similar words are paired (tsunami, tiramisu); dissimilar ones only where the gap has equally few words on both
    sides, so that each plainly stands in the other's place.
    """
    gone = {i + step for i, _, length in moved for step in range(length)}
    come = {j + step for _, j, length in moved for step in range(length)}
    pairs: list[tuple[int, int]] = []
    budget = _ALL_GAP_PAIRS
    for gap in gaps:
        ours = [i for i in range(gap.i1, gap.i2) if i not in gone]
        theirs = [j for j in range(gap.j1, gap.j2) if j not in come]
        work = len(ours) * len(theirs)
        if not work or work > min(_GAP_PAIRS, budget):
            continue
        budget -= work
        pairs += _best_pairs(left, right, ours, theirs)
    return pairs


def _best_pairs(
    left: Sequence[Token], right: Sequence[Token], ours: Sequence[int], theirs: Sequence[int]
) -> list[tuple[int, int]]:
    """Align the words of one gap in order, so that the likeness of the pairs sums up highest."""
    words = sum(left[i].kind == "word" for i in ours)
    one_for_one = words == sum(right[j].kind == "word" for j in theirs) and words <= 3

    def worth(i: int, j: int) -> float:
        if left[i].kind != right[j].kind:
            return 0.0
        if left[i].kind == "mark":
            return 0.01
        ours_key, theirs_key = left[i].key, right[j].key
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
