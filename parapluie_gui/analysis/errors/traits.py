"""Traits of pairs: kinds of change, words, words that differ, and buckets of scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal

import numpy as np

from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.buckets import CutColumn
from parapluie_gui.arrays import Mask, Rows, Scores
from parapluie_gui.metrics.changes.kinds import kind_members
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.difference.words import tokenize
from parapluie_gui.scores.identity import identify

Family = Literal["type", "changed", "word", "bucket"]

#: Minimum number of pairs with a trait; rarer traits are not informative.
LEAST = 5
#: Number of pairs between two calls of `tick`.
_TICK_PAIRS = 500


@dataclass(frozen=True, eq=False)
class ErrorTrait:
    """A trait that some pairs have.

    Attributes:
        family: "type" (a kind of change), "changed" (a word in only one of the two sentences), "word" (a word in either
            sentence) or "bucket".
        name: "negation", "+ not" (only in the hypothesis), "− early" (only in the source), "Length between 5 and 9".
        rows: The rows of the pairs that have it, ascending.
        cut: The column cut into buckets ("edit_distance"); "" if it is not a bucket.
    """

    family: Family
    name: str
    rows: Rows
    cut: str = ""

    def mask(self, rows: int) -> Mask:
        """Return a mask (n,) of the pairs that have the trait, where n = `rows`."""
        mask = np.zeros(rows, dtype=bool)
        mask[self.rows] = True
        return mask


def find_traits(
    corpus: Corpus, kinds: Scores, cuts: Sequence[CutColumn] = (), tick: Tick = lambda done, total: None
) -> list[ErrorTrait]:
    """Find the traits that at least `LEAST` pairs have, but not all pairs.

    Args:
        corpus: n pairs.
        kinds: Their kinds of change, (n,), as computed by `metrics.changes.kinds`.
        cuts: Buckets that count as traits.
        tick: Called as tick(done, total); an exception it raises stops the work.
    """
    rows_of: defaultdict[tuple[Family, str], list[int]] = defaultdict(list)
    for row, (source, hypothesis) in enumerate(zip(corpus.source, corpus.hypothesis, strict=True)):
        if row % _TICK_PAIRS == 0:
            tick(row, len(corpus))
        source_words, hypothesis_words = _words(source), _words(hypothesis)
        for word in source_words | hypothesis_words:
            rows_of["word", word].append(row)
        for word in source_words - hypothesis_words:
            rows_of["changed", f"− {word}"].append(row)
        for word in hypothesis_words - source_words:
            rows_of["changed", f"+ {word}"].append(row)
    found_traits = [ErrorTrait("type", name, np.flatnonzero(mask)) for name, mask in kind_members(kinds).items()]
    found_traits += [ErrorTrait(*key, np.array(rows, dtype=np.int64)) for key, rows in sorted(rows_of.items())]
    return [
        *bucket_traits(cuts, len(corpus)),
        *(trait for trait in found_traits if LEAST <= len(trait.rows) < len(corpus)),
    ]


def bucket_traits(cuts: Sequence[CutColumn], pairs: int) -> list[ErrorTrait]:
    """Return as traits the buckets that hold at least `LEAST` pairs, but not all pairs."""
    buckets = (
        ErrorTrait("bucket", _bucket_name(cut, number), np.flatnonzero(cut.mask(number)), cut.name)
        for cut in cuts
        for number in range(len(cut.names))
    )
    return [trait for trait in buckets if LEAST <= len(trait.rows) < pairs]


def _bucket_name(cut: CutColumn, number: int) -> str:
    """Return the name of a bucket: "SBERT between 0.81 and 0.9", "group: news"."""
    title, name = shown_name(identify(cut.name)), cut.names[number]
    return f"{title}: {name}" if isnan(cut.low[number]) else f"{title} between {name.replace(' – ', ' and ')}"


def without_own_buckets(traits: Sequence[ErrorTrait], score: str) -> list[ErrorTrait]:
    """Remove a score's own buckets from traits: its errors are always on one side of its threshold."""
    return [trait for trait in traits if trait.cut != score]


def _words(text: str) -> set[str]:
    return {token.key for token in tokenize(text) if token.kind == "word"}
