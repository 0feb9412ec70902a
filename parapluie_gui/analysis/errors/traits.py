"""Traits of pairs that a set of them can be special by: kinds of change, words that differ, words, and buckets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal

import numpy as np

from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.buckets import Cut
from parapluie_gui.arrays import Mask, Rows, Scores
from parapluie_gui.metrics.changes.kinds import kind_members
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.difference.words import tokenize
from parapluie_gui.scores.identity import identify

Family = Literal["type", "changed", "word", "bucket"]

#: Fewest pairs that share a trait: one that fewer have says nothing about a set.
LEAST = 5
#: Pairs between two looks at whether the work is to stop.
_PART = 500


@dataclass(frozen=True, eq=False)
class Trait:
    """Something that some pairs have and others do not.

    Attributes:
        family: "type" (a kind of change), "changed" (a word in one of the two sentences), "word" (in either), "bucket".
        name: In words: "negation", "+ not" (only in the hypothesis), "− early" (only in the source),
            "Length between 5 and 9".
        rows: The pairs that have it, ascending.
        cut: What was cut into buckets ("edit_distance"); "" for what is no bucket.
    """

    family: Family
    name: str
    rows: Rows
    cut: str = ""

    def mask(self, rows: int) -> Mask:
        """Return which of n = `rows` pairs have it."""
        found = np.zeros(rows, dtype=bool)
        found[self.rows] = True
        return found


def find_traits(
    corpus: Corpus, kinds: Scores, cuts: Sequence[Cut] = (), tick: Tick = lambda done, total: None
) -> list[Trait]:
    """Return the traits that `LEAST` pairs or more have, and not all of them.

    Args:
        corpus: n pairs.
        kinds: (n,) Their kinds of change, as `metrics.changes.kinds` gives them.
        cuts: Buckets that count as traits.
        tick: Called now and then; what it raises stops the work.
    """
    found: defaultdict[tuple[Family, str], list[int]] = defaultdict(list)
    for row, (source, hypothesis) in enumerate(zip(corpus.source, corpus.hypothesis, strict=True)):
        if row % _PART == 0:
            tick(row, len(corpus))
        here, there = _words(source), _words(hypothesis)
        for word in here | there:
            found["word", word].append(row)
        for word in here - there:
            found["changed", f"− {word}"].append(row)
        for word in there - here:
            found["changed", f"+ {word}"].append(row)
    made = [Trait("type", name, np.flatnonzero(mask)) for name, mask in kind_members(kinds).items()]
    made += [Trait(*key, np.array(rows, dtype=np.int64)) for key, rows in sorted(found.items())]
    return [*bucket_traits(cuts, len(corpus)), *(each for each in made if LEAST <= len(each.rows) < len(corpus))]


def bucket_traits(cuts: Sequence[Cut], pairs: int) -> list[Trait]:
    """Return the score ranges that hold at least `LEAST` of the pairs, but not all of them."""
    made = (
        Trait("bucket", _range_words(cut, number), np.flatnonzero(cut.mask(number)), cut.name)
        for cut in cuts
        for number in range(len(cut.names))
    )
    return [each for each in made if LEAST <= len(each.rows) < pairs]


def _range_words(cut: Cut, number: int) -> str:
    """Return what a bucket is called: "SBERT between 0.81 and 0.9", "group: news"."""
    title, name = shown_name(identify(cut.name)), cut.names[number]
    return f"{title}: {name}" if isnan(cut.low[number]) else f"{title} between {name.replace(' – ', ' and ')}"


def without_own_buckets(known: Sequence[Trait], score: str) -> list[Trait]:
    """Return the traits but a score's own buckets: that its errors lie on one side of its threshold is no news."""
    return [each for each in known if each.cut != score]


def _words(text: str) -> set[str]:
    return {token.key for token in tokenize(text) if token.kind == "word"}
