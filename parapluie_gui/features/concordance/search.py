"""Search for a concordance: hits in sources and hypotheses, sorted lines, counts by class, and collocates.

A line belongs to one pair: it has a hit in the source, one in the hypothesis, or both.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Literal, get_args

import numpy as np
import regex

from parapluie_gui.analysis.pattern import APOSTROPHES, SearchPattern, Tick
from parapluie_gui.analysis.statistics.log_likelihood import log_likelihood, log_ratio
from parapluie_gui.arrays import Labels, Mask, Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.corpus import Corpus

#: The sentences that must have a hit: either, the source, the hypothesis, both, or exactly one.
Side = Literal["either", "source", "hypothesis", "both", "one"]
SIDES: tuple[Side, ...] = get_args(Side)

#: Positions of words around a hit, from left to right; "hit" is the hit itself.
PLACES = ("5L", "4L", "3L", "2L", "1L", "hit", "1R", "2R", "3R", "4R", "5R")
#: Named sort orders of the lines: the positions of the words to compare, in turn.
ORDERS: Mapping[str, tuple[str, ...]] = {
    "corpus": (),
    "left": ("1L", "2L", "3L", "4L", "5L", "hit"),
    "right": ("1R", "2R", "3R", "4R", "5R", "hit"),
    "hit": ("hit", "1R", "2R", "3R", "4R", "5R"),
}

#: Characters of a text that are split first, for each requested word.
_PER_WORD = 40
#: Minimum number of occurrences of a collocate near hits.
LEAST = 2

_PLAIN_WORD = regex.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = regex.compile(rf"(?V1)[{_UNSPACED}]|[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+(?:'[\p{{L}}\p{{M}}\p{{N}}]+)*")
_ONE_APOSTROPHE = str.maketrans(dict.fromkeys(APOSTROPHES, "'"))

#: A word cut off at the end, and at the beginning, of a text.
_IN_WORD = rf"[\w{regex.escape(APOSTROPHES)}]+"
_WORD_END, _WORD_BEGIN = regex.compile(rf"(?r){_IN_WORD}"), regex.compile(_IN_WORD)


@dataclass(frozen=True, eq=False)
class SearchHits:
    """The k hits in the sources or in the hypotheses, in order: pair rows, starts and ends, (k,) each."""

    texts: Sequence[str]
    rows: Rows
    starts: Rows
    ends: Rows

    def cut(self, hit: int) -> tuple[str, str, str]:
        """Return the text before a hit, the hit, and the text after it."""
        text, start, end = self.texts[self.rows[hit]], self.starts[hit], self.ends[hit]
        return text[:start], text[start:end], text[end:]


@dataclass(frozen=True, eq=False)
class Concordance:
    """The hits of a search, arranged in m lines.

    Attributes:
        source, hypothesis: The hits of each side.
        rows: The pair of each line, (m,).
        in_source, in_hypothesis: The hit of each line in each side, or -1, (m,).
    """

    source: SearchHits
    hypothesis: SearchHits
    rows: Rows
    in_source: Rows
    in_hypothesis: Rows

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, lines: Rows) -> Concordance:
        """Return the given lines in the given order."""
        return Concordance(
            self.source, self.hypothesis, self.rows[lines], self.in_source[lines], self.in_hypothesis[lines]
        )

    @property
    def hits(self) -> int:
        """The number of hits in both sides."""
        return int((self.in_source >= 0).sum() + (self.in_hypothesis >= 0).sum())

    @property
    def pairs(self) -> Rows:
        """The rows of the pairs with a hit, in the corpus's order."""
        return np.unique(self.rows)

    def first(self, line: int) -> tuple[SearchHits, int]:
        """Return the hit that a line is sorted by: the source's if there is one."""
        if self.in_source[line] >= 0:
            return self.source, int(self.in_source[line])
        return self.hypothesis, int(self.in_hypothesis[line])


def find_lines(
    corpus: Corpus,
    pattern: SearchPattern,
    side: Side = "either",
    where: Mask | None = None,
    tick: Tick = lambda done: None,
) -> Concordance:
    """Search a corpus; returns the lines in the corpus's order.

    Args:
        corpus: The pairs.
        pattern: The pattern to find.
        side: The sentences that must have a hit.
        where: The pairs to search, (n,); by default all.
        tick: Called with the number of sentences searched; an exception from it stops the search.

    Raises:
        FilterError: The expression takes too long.
    """
    searched = np.arange(len(corpus)) if where is None else np.flatnonzero(where)
    sides = []
    for number, (name, texts) in enumerate((("source", corpus.source), ("hypothesis", corpus.hypothesis))):
        if side in ("source", "hypothesis") and side != name:
            sides.append(_make_hits(texts, searched, np.zeros((0, 3), dtype=np.int64)))
            continue
        chosen = texts if where is None else [texts[row] for row in searched.tolist()]
        before = number * len(chosen)
        spans = pattern.spans(chosen, lambda done, before=before: tick(before + done))  # type: ignore[misc]
        sides.append(_make_hits(texts, searched, spans))
    source, hypothesis = sides
    has = [np.bincount(side_hits.rows, minlength=len(corpus)) > 0 for side_hits in sides]
    wanted = {"both": has[0] & has[1], "one": has[0] ^ has[1]}.get(side, has[0] | has[1])
    lines = _combine_hits(source, hypothesis)
    return lines.take(np.flatnonzero(wanted[lines.rows])) if len(lines) else lines


def _make_hits(texts: Sequence[str], searched: Rows, spans: Rows) -> SearchHits:
    return SearchHits(texts, searched[spans[:, 0]], spans[:, 1], spans[:, 2])


def _combine_hits(source: SearchHits, hypothesis: SearchHits) -> Concordance:
    """Combine the first hit in a pair's source with the first in its hypothesis, and so on."""
    most = max(len(source.rows), len(hypothesis.rows), 1)
    keys = [
        side.rows * most + np.arange(len(side.rows)) - np.searchsorted(side.rows, side.rows)
        for side in (source, hypothesis)
    ]
    together = np.sort(np.concatenate(keys), kind="stable")  # a stable sort merges sorted runs
    together = together[np.diff(together, prepend=-1) > 0]
    places = []
    for side_keys in keys:
        at = np.searchsorted(side_keys, together)
        matches = np.zeros(len(together), dtype=bool)
        matches[at < len(side_keys)] = side_keys[at[at < len(side_keys)]] == together[at < len(side_keys)]
        places.append(np.where(matches, at, -1))
    return Concordance(source, hypothesis, together // most, places[0], places[1])


def order_places(order: str) -> tuple[str, ...]:
    """Return the word positions that an order (a name in `ORDERS`, or "1L 2L 1R") compares in turn.

    Raises:
        ParapluieError: There is no such order.
    """
    if order.strip().casefold() in ORDERS:
        return ORDERS[order.strip().casefold()]
    by_name = {place.casefold(): place for place in PLACES}
    places = [by_name.get(part.casefold()) for part in order.replace(",", " ").split()]
    if not places or None in places:
        raise ParapluieError(
            f'Lines cannot be sorted by "{order}". Use {", ".join(ORDERS)}, or the places of words around the hit, as '
            f"in 1L 2L 1R ({PLACES[0]} to {PLACES[-1]})."
        )
    return tuple(filter(None, places))


def sort_lines(lines: Concordance, order: str, tick: Tick = lambda done: None) -> Concordance:
    """Sort lines; equal lines stay in the corpus's order.

    Args:
        lines: The lines.
        order: A name in `ORDERS`, or positions of words as in "1L 2L 1R".
        tick: Called with the number of lines processed.

    Raises:
        ParapluieError: There is no such order.
    """
    places = order_places(order)
    if not places:
        return lines
    deepest = {side: max([int(place[:-1]) for place in places if place.endswith(side)], default=0) for side in "LR"}
    keys: list[list[str]] = []
    for line in range(len(lines)):
        if line % 5000 == 0:
            tick(line)
        hits, number = lines.first(line)
        before, hit, after = hits.cut(number)
        before, after = _outside_words(before, hit, after)
        left = _last_words(before, deepest["L"])[::-1] if deepest["L"] else []
        right = _first_words(after, deepest["R"]) if deepest["R"] else []
        near = {f"{place}L": word for place, word in enumerate(left, start=1)}
        near |= {f"{place}R": word for place, word in enumerate(right, start=1)}
        near["hit"] = " ".join(words(hit)) or hit.casefold()
        keys.append([near.get(place, "") for place in places])
    return lines.take(np.array(sorted(range(len(lines)), key=keys.__getitem__), dtype=np.int64))


def words(text: str) -> list[str]:
    """Split a text into case-folded, composed words; in scripts without spaces, each character is a word.

    All apostrophes become ASCII apostrophes.
    """
    folded = text.casefold()
    if folded.isascii():
        plain: list[str] = _PLAIN_WORD.findall(folded)
        return plain
    result: list[str] = _WORD.findall(unicodedata.normalize("NFC", folded).translate(_ONE_APOSTROPHE))
    return result


def _first_words(text: str, count: int) -> list[str]:
    """Return `words(text)[:count]` without splitting all of a long text."""
    size = _PER_WORD * count
    while 0 < size < len(text):
        if len(tokens := words(text[:size])) > count:  # the last word may be cut
            return tokens[:count]
        size *= 4
    return words(text)[:count]


def _last_words(text: str, count: int) -> list[str]:
    """Return `words(text)[-count:]` without splitting all of a long text."""
    size = _PER_WORD * count
    while 0 < size < len(text):
        if len(tokens := words(text[-size:])) > count:  # the first word may be cut
            return tokens[-count:]
        size *= 4
    return words(text)[-count:]


# Counts


@dataclass(frozen=True)
class ClassCount:
    """The counts of pairs with a hit in one class.

    Attributes:
        name: The class ("paraphrase", "FP").
        pairs: The number of pairs searched.
        source, hypothesis, both: Pairs with a hit only in the source, only in the hypothesis, in both.
        g2: Log-likelihood of the class's share of pairs with a hit, against that of all other pairs.
        log_ratio: The effect size; positive if the class's share is larger, NaN if no class has a hit.
    """

    name: str
    pairs: int
    source: int
    hypothesis: int
    both: int
    g2: float
    log_ratio: float

    @property
    def pairs_with_hit(self) -> int:
        """The number of pairs with a hit in either sentence."""
        return self.source + self.hypothesis + self.both


def count_by_class(
    lines: Concordance, codes: Labels, names: Mapping[int, str], where: Mask | None = None
) -> tuple[ClassCount, ...]:
    """Count the pairs with a hit in each class of `codes`, (n,), without classes that have no pairs."""
    searched = np.ones(len(codes), dtype=bool) if where is None else where
    has = [np.zeros(len(codes), dtype=bool) for _ in range(2)]
    has[0][lines.rows[lines.in_source >= 0]] = True
    has[1][lines.rows[lines.in_hypothesis >= 0]] = True
    either, total = has[0] | has[1], int(searched.sum())
    result = []
    for code, name in names.items():
        members = (codes == code) & searched
        size, hits = int(members.sum()), int((either & members).sum())
        if not size:
            continue
        others = (int((either & searched).sum()) - hits, total - size)
        compared = others[1] > 0
        result.append(
            ClassCount(
                name,
                size,
                int((has[0] & ~has[1] & members).sum()),
                int((has[1] & ~has[0] & members).sum()),
                int((has[0] & has[1] & members).sum()),
                float(log_likelihood(hits, size, *others)) if compared else 0.0,
                (float(log_ratio(hits, size, *others)) if either.any() else nan) if compared else 0.0,
            )
        )
    return tuple(result)


# Collocates


@dataclass(frozen=True)
class Collocate:
    """A word that is more frequent near hits than elsewhere.

    Attributes:
        word: The case-folded word.
        left, right: Its occurrences on each side of hits, within the span.
        elsewhere: Its other occurrences in the searched sentences.
        g2: Log-likelihood of its frequency near hits, against elsewhere.
        log_ratio: The effect size.
    """

    word: str
    left: int
    right: int
    elsewhere: int
    g2: float
    log_ratio: float


def count_words(texts: Sequence[str], tick: Tick = lambda done: None) -> Counter[str]:
    """Count the words of texts."""
    counts: Counter[str] = Counter()
    for first in range(0, len(texts), 5000):
        tick(first)
        counts.update(words("\n".join(texts[first : first + 5000])))
    return counts


def _outside_words(before: str, hit: str, after: str) -> tuple[str, str]:
    """Return the text before and after a hit without the remainders of words that contain the hit."""
    if hit[:1].isalnum() and (rest := _WORD_END.match(before)):
        before = before[: rest.start()]
    if hit[-1:].isalnum() and (rest := _WORD_BEGIN.match(after)):
        after = after[rest.end() :]
    return before, after


def find_collocates(
    lines: Concordance, totals: Mapping[str, int], span: int = 5, tick: Tick = lambda done: None
) -> tuple[Collocate, ...]:
    """Return the words near hits, by descending log-likelihood.

    Args:
        lines: The hits.
        totals: The count of each word in all searched sentences.
        span: The number of words on each side of a hit.
        tick: Called with the number of lines processed.
    """
    near: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for line in range(len(lines)):
        if line % 5000 == 0:
            tick(line)
        for hits, hit in ((lines.source, lines.in_source[line]), (lines.hypothesis, lines.in_hypothesis[line])):
            if hit >= 0:
                before, match, after = hits.cut(int(hit))
                before, after = _outside_words(before, match, after)
                near[0].update(_last_words(before, span))
                near[1].update(_first_words(after, span))
    both = near[0] + near[1]
    candidates = [word for word, count in both.items() if count >= LEAST]
    counts = np.array([both[word] for word in candidates], dtype=np.float64)
    # a word near two hits is counted twice
    other = np.maximum([totals.get(word, 0) for word in candidates] - counts, 0)
    size = max(both.total(), 1)
    elsewhere = max(sum(totals.values()) - size, 1)
    g2, effect = log_likelihood(counts, size, other, elsewhere), log_ratio(counts, size, other, elsewhere)
    best = [at for at in np.argsort(-g2, kind="stable").tolist() if effect[at] > 0]
    return tuple(
        Collocate(
            candidates[at],
            near[0][candidates[at]],
            near[1][candidates[at]],
            int(other[at]),
            float(g2[at]),
            float(effect[at]),
        )
        for at in best
    )
