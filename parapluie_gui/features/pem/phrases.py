"""Extracts phrases and their translations from a word alignment, and segments sentences into phrases."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from parapluie_gui.features.pem.alignment import Links

#: Maximum number of words of a phrase, on either side.
LONGEST = 4

#: Probability up to which translations are left out of confusion networks (section 6.1 of the paper).
EDGE = 0.1

#: The count assumed for a word that is not in the phrase table.
UNKNOWN = 0.5

#: Bits of a word's number in a phrase's key; numbers begin at 1, so that keys of different lengths differ.
BITS = 16

Phrase = tuple[str, ...]


def phrase_pairs(source: Sequence[str], pivot: Sequence[str], links: Links) -> Iterator[tuple[Phrase, list[Phrase]]]:
    """Yield each source phrase of a sentence that has consistent translations, with those translations.

    A pair of phrases is consistent if a link connects them and no link leads out of either (Koehn, Och and Marcu,
    2003). Unlinked pivot words may be added at the edges.
    """
    to_pivot: list[list[int]] = [[] for _ in source]
    to_source: list[list[int]] = [[] for _ in pivot]
    for i, j in links:
        to_pivot[i].append(j)
        to_source[j].append(i)
    for start in range(len(source)):
        low, high = len(pivot), -1
        for end in range(start, min(start + LONGEST, len(source))):
            for j in to_pivot[end]:
                low, high = min(low, j), max(high, j)
            if high < low or high - low >= LONGEST:
                continue
            if any(not start <= i <= end for j in range(low, high + 1) for i in to_source[j]):
                continue
            translations = []
            first = low
            while True:
                last = high
                while last - first < LONGEST:
                    translations.append(tuple(pivot[first : last + 1]))
                    last += 1
                    if last >= len(pivot) or to_source[last]:
                        break
                first -= 1
                if first < 0 or to_source[first] or high - first >= LONGEST:
                    break
            yield tuple(source[start : end + 1]), translations


class PhraseCounts:
    """Counter of phrases and their translations in a parallel text.

    Attributes:
        occurrences: N(p), the number of occurrences of a source phrase with any translation.
        translations: The number of occurrences of each translation, by source phrase.
    """

    def __init__(self) -> None:
        self.occurrences: Counter[Phrase] = Counter()
        self.translations: defaultdict[Phrase, Counter[Phrase]] = defaultdict(Counter)

    def add(self, source: Sequence[str], pivot: Sequence[str], links: Links) -> None:
        """Count the phrases of one pair of aligned sentences."""
        for phrase, translations in phrase_pairs(source, pivot, links):
            self.occurrences[phrase] += 1
            self.translations[phrase].update(translations)

    def edges(self, phrase: Phrase) -> list[tuple[Phrase, float]]:
        """Return the translations f of a phrase e with Pr(f|e) > `EDGE`, likeliest first.

        If no probability exceeds it, the likeliest translation alone, so that the network has no gaps.
        """
        counts = self.translations[phrase]
        total = counts.total()
        ranked = sorted(((text, count / total) for text, count in counts.items()), key=lambda edge: (-edge[1], edge[0]))
        return [edge for edge in ranked if edge[1] > EDGE] or ranked[:1]


def segment(words: Sequence[int], phrases: Mapping[int, int], log_counts: Sequence[float], unknown: float) -> list[int]:
    """Return the ends of a sentence's segments, for the segmentation that maximises the product of N(p) / sum of N.

    Dynamic programming over the word positions; of equally likely segmentations, the one with the longer last segment.

    Args:
        words: The numbers of the words, from 1; 0 for a word in no phrase.
        phrases: Key (the words' numbers, `BITS` bits each) to the phrase's number.
        log_counts: log(N(p) / sum of N) by the phrase's number.
        unknown: The same for a single word that is not a phrase, log(UNKNOWN / sum of N).
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
