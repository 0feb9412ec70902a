"""Segmentation: the likeliest way to cut a sentence into known phrases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parapluie_gui.metrics.pem.phrases import LONGEST

#: How often a word that the phrase table does not have counts as having been seen.
UNKNOWN = 0.5

#: Bits of a word's number in a phrase's key; numbers begin at 1, so that keys of different lengths differ.
BITS = 16


def segment(words: Sequence[int], phrases: Mapping[int, int], log_counts: Sequence[float], unknown: float) -> list[int]:
    """Return where the segments of a sentence end, for the cut that maximises the product of N(p) / sum of N.

    By dynamic programming over the word positions; of equally likely cuts the one with the longer last segment.

    Args:
        words: The numbers of the words, 1 and more; 0 for a word in no phrase.
        phrases: Key (the words' numbers, `BITS` bits each) to the phrase's number.
        log_counts: log(N(p) / sum of N) by the phrase's number.
        unknown: The same of a single word that is no phrase, log(UNKNOWN / sum of N).
    """
    count = len(words)
    best = [0.0] * (count + 1)
    start_of = [0] * (count + 1)
    for end in range(1, count + 1):
        word = words[end - 1]
        at = phrases.get(word) if word else None
        value = best[end - 1] + (unknown if at is None else log_counts[at])
        chosen = end - 1
        key, shift = word, BITS
        for start in range(end - 2, max(end - 1 - LONGEST, -1), -1):
            earlier = words[start]
            if not word or not earlier:
                break
            key |= earlier << shift
            shift += BITS
            at = phrases.get(key)
            if at is not None and best[start] + log_counts[at] >= value:
                value, chosen = best[start] + log_counts[at], start
        best[end], start_of[end] = value, chosen
    ends = []
    while count:
        ends.append(count)
        count = start_of[count]
    return ends[::-1]
