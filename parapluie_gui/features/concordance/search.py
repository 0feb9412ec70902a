"""Concordance of a corpus: each hit with the words around it, in sources and hypotheses, counted and sorted.

A line is a pair: its hit in the source beside its hit in the hypothesis, or one of them alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import regex

from parapluie_gui.analysis.pattern import Pattern, Tick
from parapluie_gui.analysis.statistics.log_likelihood import log_likelihood, log_ratio
from parapluie_gui.arrays import Labels, Mask, Rows
from parapluie_gui.pairs.corpus import Corpus

#: Where the hits have to be: in either sentence, in the source, in the hypothesis, in both, in one and not the other.
Side = Literal["either", "source", "hypothesis", "both", "one"]
#: By what lines are sorted: the corpus, the words to the left or right of the hit, or the hit itself.
Order = Literal["corpus", "left", "right", "hit"]
SIDES: tuple[Side, ...] = get_args(Side)
ORDERS: tuple[Order, ...] = get_args(Order)

#: Characters to each side that decide the order: some six words.
_NEAR = 40
#: Characters of a text that are looked at first for each word that is wanted of it.
_PER_WORD = 40
#: A collocate stands so near at least this often.
LEAST = 2

_PLAIN_WORD = regex.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = regex.compile(rf"(?V1)[{_UNSPACED}]|[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+(?:['’][\p{{L}}\p{{M}}\p{{N}}]+)*")


@dataclass(frozen=True, eq=False)
class Hits:
    """Every hit in the sentences of one side: the pair's row, and where it starts and ends, (k,) each, in order."""

    texts: Sequence[str]
    rows: Rows
    starts: Rows
    ends: Rows

    def cut(self, hit: int) -> tuple[str, str, str]:
        """Return what is before a hit, the hit, and what is behind it."""
        text, start, end = self.texts[self.rows[hit]], self.starts[hit], self.ends[hit]
        return text[:start], text[start:end], text[end:]


@dataclass(frozen=True, eq=False)
class Concordance:
    """What was found.

    Attributes:
        source, hypothesis: The hits of either side.
        rows: The pair of each line, (m,).
        in_source, in_hypothesis: The hit of each line on either side, or -1, (m,).
    """

    source: Hits
    hypothesis: Hits
    rows: Rows
    in_source: Rows
    in_hypothesis: Rows

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, lines: Rows) -> Concordance:
        """Return some lines, in another order."""
        return Concordance(
            self.source, self.hypothesis, self.rows[lines], self.in_source[lines], self.in_hypothesis[lines]
        )

    @property
    def hits(self) -> int:
        """Hits on both sides together."""
        return int((self.in_source >= 0).sum() + (self.in_hypothesis >= 0).sum())

    @property
    def pairs(self) -> Rows:
        """The pairs with a hit, each once, in the corpus's order."""
        return np.unique(self.rows)

    def first(self, line: int) -> tuple[Hits, int]:
        """Return the hit that a line is sorted by: the source's if there is one."""
        if self.in_source[line] >= 0:
            return self.source, int(self.in_source[line])
        return self.hypothesis, int(self.in_hypothesis[line])


def find(
    corpus: Corpus, pattern: Pattern, side: Side = "either", where: Mask | None = None, tick: Tick = lambda done: None
) -> Concordance:
    """Return the lines of a pattern in a corpus's order.

    Args:
        corpus: The pairs.
        pattern: What to find.
        side: Where the hits have to be.
        where: Only these pairs, (n,).
        tick: Called with the sentences searched so far; what it raises stops the search.

    Raises:
        FilterError: The expression takes too long.
    """
    searched = np.arange(len(corpus)) if where is None else np.flatnonzero(where)
    sides = []
    for number, (name, texts) in enumerate((("source", corpus.source), ("hypothesis", corpus.hypothesis))):
        if side in ("source", "hypothesis") and side != name:
            sides.append(_hits(texts, searched, np.zeros((0, 3), dtype=np.int64)))
            continue
        chosen = texts if where is None else [texts[row] for row in searched.tolist()]
        before = number * len(chosen)
        found = pattern.spans(chosen, lambda done, before=before: tick(before + done))  # type: ignore[misc]
        sides.append(_hits(texts, searched, found))
    source, hypothesis = sides
    has = [np.bincount(each.rows, minlength=len(corpus)) > 0 for each in sides]
    wanted = {"both": has[0] & has[1], "one": has[0] ^ has[1]}.get(side, has[0] | has[1])
    lines = _lines(source, hypothesis)
    return lines.take(np.flatnonzero(wanted[lines.rows])) if len(lines) else lines


def _hits(texts: Sequence[str], searched: Rows, found: Rows) -> Hits:
    return Hits(texts, searched[found[:, 0]], found[:, 1], found[:, 2])


def _lines(source: Hits, hypothesis: Hits) -> Concordance:
    """Put the first hit of a pair's source beside the first of its hypothesis, and so on."""
    most = max(len(source.rows), len(hypothesis.rows), 1)
    keys = [
        each.rows * most + np.arange(len(each.rows)) - np.searchsorted(each.rows, each.rows)
        for each in (source, hypothesis)
    ]
    together = np.sort(np.concatenate(keys), kind="stable")  # which merges what is sorted
    together = together[np.diff(together, prepend=-1) > 0]
    places = []
    for own in keys:
        at = np.searchsorted(own, together)
        there = np.zeros(len(together), dtype=bool)
        there[at < len(own)] = own[at[at < len(own)]] == together[at < len(own)]
        places.append(np.where(there, at, -1))
    return Concordance(source, hypothesis, together // most, places[0], places[1])


def ordered(lines: Concordance, order: Order, tick: Tick = lambda done: None) -> Concordance:
    """Return the lines sorted; those that are equal stay in the corpus's order."""
    if order == "corpus":
        return lines
    keys: list[list[str]] = []
    for line in range(len(lines)):
        if line % 5000 == 0:
            tick(line)
        before, hit, behind = _near(*lines.first(line))
        left, right = words(before)[::-1], words(behind)
        keys.append({"left": [*left, "", hit], "right": [*right, "", hit], "hit": [hit, *right]}[order])
    return lines.take(np.array(sorted(range(len(lines)), key=keys.__getitem__), dtype=np.int64))


def _near(hits: Hits, hit: int) -> tuple[str, str, str]:
    before, middle, behind = hits.cut(hit)
    return before[-_NEAR:], middle.casefold(), behind[:_NEAR]


def words(text: str) -> list[str]:
    """Return the words of a text, folded; one character each in scripts that write no spaces."""
    folded = text.casefold()
    found: list[str] = (_PLAIN_WORD if folded.isascii() else _WORD).findall(folded)
    return found


def _first_words(text: str, count: int) -> list[str]:
    """Return `words(text)[:count]`, of a very long text without reading all of it."""
    size = _PER_WORD * count
    while 0 < size < len(text):
        if len(found := words(text[:size])) > count:  # the last one may be cut
            return found[:count]
        size *= 4
    return words(text)[:count]


def _last_words(text: str, count: int) -> list[str]:
    """Return the last words of a text in the same way."""
    size = _PER_WORD * count
    while 0 < size < len(text):
        if len(found := words(text[-size:])) > count:  # the first one may be cut
            return found[-count:]
        size *= 4
    return words(text)[-count:]


# Counts


@dataclass(frozen=True)
class ClassCount:
    """How often pairs of one class have a hit.

    Attributes:
        name: The class ("paraphrase", "FP").
        pairs: Its pairs that were searched.
        source, hypothesis, both: Those with a hit in the source alone, in the hypothesis alone, in both.
        g2: Log-likelihood of the class's share of pairs with a hit against all other pairs'.
        log_ratio: The effect that goes with it; positive where the class has more.
    """

    name: str
    pairs: int
    source: int
    hypothesis: int
    both: int
    g2: float
    log_ratio: float

    @property
    def found(self) -> int:
        """Pairs with a hit in either sentence."""
        return self.source + self.hypothesis + self.both


def by_class(
    lines: Concordance, codes: Labels, names: Mapping[int, str], where: Mask | None = None
) -> tuple[ClassCount, ...]:
    """Count the pairs with a hit in each class, `codes` (n,); classes without pairs are left out."""
    searched = np.ones(len(codes), dtype=bool) if where is None else where
    has = [np.zeros(len(codes), dtype=bool) for _ in range(2)]
    has[0][lines.rows[lines.in_source >= 0]] = True
    has[1][lines.rows[lines.in_hypothesis >= 0]] = True
    either, total = has[0] | has[1], int(searched.sum())
    result = []
    for code, name in names.items():
        own = (codes == code) & searched
        size, found = int(own.sum()), int((either & own).sum())
        if not size:
            continue
        rest = (int((either & searched).sum()) - found, total - size)
        compared = rest[1] > 0
        result.append(
            ClassCount(
                name,
                size,
                int((has[0] & ~has[1] & own).sum()),
                int((has[1] & ~has[0] & own).sum()),
                int((has[0] & has[1] & own).sum()),
                float(log_likelihood(found, size, *rest)) if compared else 0.0,
                float(log_ratio(found, size, *rest)) if compared else 0.0,
            )
        )
    return tuple(result)


# Collocates


@dataclass(frozen=True)
class Collocate:
    """A word that stands near the hits more often than elsewhere.

    Attributes:
        word: Folded.
        left, right: How often it stands to either side, within the span.
        elsewhere: How often it stands anywhere else in the sentences searched.
        g2: Log-likelihood of near against elsewhere.
        log_ratio: The effect that goes with it.
    """

    word: str
    left: int
    right: int
    elsewhere: int
    g2: float
    log_ratio: float


def word_counts(texts: Sequence[str], tick: Tick = lambda done: None) -> Counter[str]:
    """Count the words of texts."""
    counts: Counter[str] = Counter()
    for first in range(0, len(texts), 5000):
        tick(first)
        counts.update(words("\n".join(texts[first : first + 5000])))
    return counts


def collocates(
    lines: Concordance, totals: Mapping[str, int], span: int = 5, tick: Tick = lambda done: None
) -> tuple[Collocate, ...]:
    """Return the words within `span` words of the hits, the surest first.

    Args:
        lines: The hits.
        totals: How often each word is in all sentences that were searched.
        span: Words to either side.
        tick: Called with the lines looked at.
    """
    near: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for line in range(len(lines)):
        if line % 5000 == 0:
            tick(line)
        for hits, hit in ((lines.source, lines.in_source[line]), (lines.hypothesis, lines.in_hypothesis[line])):
            if hit >= 0:
                before, _, behind = hits.cut(int(hit))
                near[0].update(_last_words(before, span))
                near[1].update(_first_words(behind, span))
    together = near[0] + near[1]
    found = [word for word, count in together.items() if count >= LEAST]
    counts = np.array([together[word] for word in found], dtype=np.float64)
    # near two hits a word is counted twice
    other = np.maximum([totals.get(word, 0) for word in found] - counts, 0)
    size = max(together.total(), 1)
    rest = max(sum(totals.values()) - size, 1)
    sure, effect = log_likelihood(counts, size, other, rest), log_ratio(counts, size, other, rest)
    best = [at for at in np.argsort(-sure, kind="stable").tolist() if effect[at] > 0]
    return tuple(
        Collocate(found[at], near[0][found[at]], near[1][found[at]], int(other[at]), float(sure[at]), float(effect[at]))
        for at in best
    )
