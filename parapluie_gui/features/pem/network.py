"""The confusion network of a sentence, and the bag of pivot language n-grams that it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

#: Longest n-grams.
ORDER = 4

#: n-grams expected at most this often are left out of the bag (section 6.1 of the paper).
LEAST = 0.01

#: Bits of a word's number in an n-gram's key; numbers begin at 1, so that keys of different lengths differ.
BITS = 20

#: n-gram key to the number of times it is expected.
Bag = dict[int, float]


class SegmentTranslations:
    """The translations of one segment, ready for being set in series with others.

    Attributes:
        edges: The translations as word numbers, and their probabilities.
        inner: The n-grams inside the translations, with their expected numbers.
        heads: By the length n of what comes before, the first 1 to 4 - n words of the translations: bits to shift that
            by, their key and their expected number.
        tails: By length, the last 1 to 3 words likewise.
        whole: By length, the translations of one or two words likewise.
    """

    __slots__ = ("edges", "heads", "inner", "tails", "whole")

    def __init__(self, edges: Iterable[tuple[Sequence[int], float]]) -> None:
        self.edges = [(tuple(words), probability) for words, probability in edges]
        inner: Bag = {}
        heads: list[Bag] = [{} for _ in range(ORDER)]
        tails: list[Bag] = [{} for _ in range(ORDER)]
        whole: list[Bag] = [{} for _ in range(ORDER)]
        for words, probability in self.edges:
            for start in range(len(words)):
                key = 0
                for end in range(start, min(start + ORDER, len(words))):
                    key = key << BITS | words[end]
                    inner[key] = inner.get(key, 0.0) + probability
                    if start == 0 and end < ORDER - 1:
                        _add(heads[end + 1], key, probability)
                    if end == len(words) - 1 and end - start < ORDER - 1:
                        _add(tails[end - start + 1], key, probability)
                    if start == 0 and end == len(words) - 1 and end < ORDER - 2:
                        _add(whole[end + 1], key, probability)
        self.inner = list(inner.items())
        self.heads = [
            [(BITS * more, head, share) for more in range(1, ORDER - length + 1) for head, share in heads[more].items()]
            if length
            else []
            for length in range(ORDER)
        ]
        self.whole = [list(each.items()) for each in whole]
        self.tails = tails


def bag(columns: Sequence[SegmentTranslations]) -> Bag:
    """Return the n-grams (n = 1..4) of a confusion network with the number of times each is expected.

    An n-gram that spans segments is expected as often as the product of its edges' probabilities says, summed over all
    paths through the network; exactly, without listing the paths: what a next column needs of all before it are the
    last three words at most, with their weights. Those over `LEAST` are kept.
    """
    found: Bag = {}
    get = found.get
    # By length: the ends of everything before this column that may go on into it.
    before: list[Bag] = [{} for _ in range(ORDER)]
    for column in columns:
        for key, weight in column.inner:
            found[key] = get(key, 0.0) + weight
        for length in range(1, ORDER):
            heads = column.heads[length]
            for key, weight in before[length].items():
                for shift, head, share in heads:
                    joined = key << shift | head
                    found[joined] = get(joined, 0.0) + weight * share
        after = list(column.tails)
        for size in (1, 2):
            if column.whole[size]:
                for length in range(1, ORDER - size):
                    longer = dict(after[length + size])
                    for key, share in column.whole[size]:
                        for earlier, weight in before[length].items():
                            joined = earlier << BITS * size | key
                            longer[joined] = longer.get(joined, 0.0) + weight * share
                    after[length + size] = longer
        before = after
    return {key: weight for key, weight in found.items() if weight > LEAST}


def counts(words: Sequence[int]) -> Bag:
    """Return the n-grams (n = 1..4) of a plain sentence with how often each occurs."""
    found: Bag = {}
    for start in range(len(words)):
        key = 0
        for word in words[start : start + ORDER]:
            key = key << BITS | word
            found[key] = found.get(key, 0.0) + 1.0
    return found


def shared(reference: Bag, candidate: Bag) -> float:
    """Return the sum over all n-grams of the smaller of the two weights."""
    if len(candidate) > len(reference):
        reference, candidate = candidate, reference
    get = reference.get
    total = 0.0
    for key, weight in candidate.items():
        other = get(key)
        if other is not None:
            total += other if other < weight else weight
    return total


def f1(common: float, reference: float, candidate: float) -> float:
    """Return the F1 of two bags in [0, 1]: their common weight over half the sum of their totals."""
    return 2 * common / (reference + candidate) if reference + candidate > 0 else 0.0


def _add(into: Bag, key: int, weight: float) -> None:
    into[key] = into.get(key, 0.0) + weight
