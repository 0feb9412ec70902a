"""Confusion networks of sentences, and their bags of pivot language n-grams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

#: Length of the longest n-grams.
ORDER = 4

#: Expected count up to which n-grams are left out of the bag (section 6.1 of the paper).
LEAST = 0.01

#: Bits of a word's number in an n-gram's key; numbers begin at 1, so that keys of different lengths differ.
BITS = 20

#: Expected number of occurrences by an n-gram's key.
Bag = dict[int, float]


class SegmentTranslations:
    """The translations of one segment, prepared for concatenation with other segments.

    Attributes:
        edges: The translations as word numbers, and their probabilities.
        inner: The n-grams inside the translations, with their expected counts.
        heads: By the length n of the words before, the first 1 to 4 - n words of the translations: bits by which to
            shift the words before, the key of the head, and its expected count.
        tails: By length, the last 1 to 3 words of the translations: their keys and expected counts.
        complete: By length, the translations of one or two words: their keys and expected counts.
    """

    __slots__ = ("complete", "edges", "heads", "inner", "tails")

    def __init__(self, edges: Iterable[tuple[Sequence[int], float]]) -> None:
        self.edges = [(tuple(words), probability) for words, probability in edges]
        inner: Bag = {}
        heads: list[Bag] = [{} for _ in range(ORDER)]
        tails: list[Bag] = [{} for _ in range(ORDER)]
        complete: list[Bag] = [{} for _ in range(ORDER)]
        for words, probability in self.edges:
            for start in range(len(words)):
                key = 0
                for end in range(start, min(start + ORDER, len(words))):
                    key = key << BITS | words[end]
                    inner[key] = inner.get(key, 0.0) + probability
                    if start == 0 and end < ORDER - 1:
                        _add_weight(heads[end + 1], key, probability)
                    if end == len(words) - 1 and end - start < ORDER - 1:
                        _add_weight(tails[end - start + 1], key, probability)
                    if start == 0 and end == len(words) - 1 and end < ORDER - 2:
                        _add_weight(complete[end + 1], key, probability)
        self.inner = list(inner.items())
        self.heads = [
            [(BITS * more, head, share) for more in range(1, ORDER - length + 1) for head, share in heads[more].items()]
            if length
            else []
            for length in range(ORDER)
        ]
        self.complete = [list(ngrams.items()) for ngrams in complete]
        self.tails = tails


def bag(columns: Sequence[SegmentTranslations]) -> Bag:
    """Return the expected counts of the n-grams (n = 1..4) of a confusion network that exceed `LEAST`.

    The expected count of an n-gram that spans segments is the product of its edges' probabilities, summed over all
    paths through the network. The sum is exact without listing the paths: the next column needs only the last one to
    three words before it, with their weights.
    """
    result: Bag = {}
    get = result.get
    # By length: the word sequences that end before this column and can continue into it.
    before: list[Bag] = [{} for _ in range(ORDER)]
    for column in columns:
        for key, weight in column.inner:
            result[key] = get(key, 0.0) + weight
        for length in range(1, ORDER):
            heads = column.heads[length]
            for key, weight in before[length].items():
                for shift, head, share in heads:
                    joined = key << shift | head
                    result[joined] = get(joined, 0.0) + weight * share
        after = list(column.tails)
        for size in (1, 2):
            if column.complete[size]:
                for length in range(1, ORDER - size):
                    longer = dict(after[length + size])
                    for key, share in column.complete[size]:
                        for earlier, weight in before[length].items():
                            joined = earlier << BITS * size | key
                            longer[joined] = longer.get(joined, 0.0) + weight * share
                    after[length + size] = longer
        before = after
    return {key: weight for key, weight in result.items() if weight > LEAST}


def count_ngrams(words: Sequence[int]) -> Bag:
    """Count the n-grams (n = 1..4) of a sentence."""
    result: Bag = {}
    for start in range(len(words)):
        key = 0
        for word in words[start : start + ORDER]:
            key = key << BITS | word
            result[key] = result.get(key, 0.0) + 1.0
    return result


def shared_weight(reference: Bag, candidate: Bag) -> float:
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


def _add_weight(into: Bag, key: int, weight: float) -> None:
    into[key] = into.get(key, 0.0) + weight
