"""The kinds of change of each pair as one column, "type": computed and stored like a score, shown as words."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from parapluie_gui.arrays import Labels, Mask, Numbers, Scores
from parapluie_gui.metrics.base import Metric, MetricInfo, References, Texts
from parapluie_gui.metrics.changes.edits import Edits
from parapluie_gui.metrics.changes.types import change_types, types_of
from parapluie_gui.metrics.changes.vocabulary import has_wordnet
from parapluie_gui.metrics.lexical import wordnet

#: The column's name in filters, tables and files.
COLUMN = "type"

#: Increase it when the edits or the rules change, so that stored kinds are computed again.
REVISION = 4

#: Length of the longest sentence whose kinds of change are computed, in spaces.
LONGEST_SENTENCE = 4_000

#: The kinds of change, ordered from the greatest effect on the meaning to the least.
GRAVITY = (
    *("negation", "antonym", "number", "unit", "date", "name", "quantifier", "modality", "pronoun", "order"),
    *("diathesis", "deletion", "addition", "rewording", "hypernym", "inflection", "derivation", "synonym", "format"),
    *("contraction", "function_word", "spelling", "punctuation", "spacing"),
)

#: The separator of a pair's kinds.
JOIN = ", "


class ChangeKinds(Metric):
    """The set of kinds of a pair's edits, as a number with one bit per kind; it is stored like a score but is not one.

    0 if the sentences are the same; NaN if one of them is too long. `kind_texts` converts it to words.
    """

    info = MetricInfo(
        id="change_kinds",
        title="Kinds of change",
        family="lexical",
        low=0.0,
        high=math.inf,
        summary="The kinds of change between the two sentences, one bit each.",
        parallel=True,
    )

    def fields(self) -> dict[str, object]:
        return {"revision": REVISION, "wordnet": wordnet.VERSION if has_wordnet() else "none"}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        return np.array([_kinds_of_pair(*texts) for texts in zip(sources, hypotheses, strict=True)])


def _kinds_of_pair(source: str, hypothesis: str) -> float:
    if max(source.count(" "), hypothesis.count(" ")) > LONGEST_SENTENCE:
        return math.nan
    return kinds_number(types_of(source, hypothesis, Edits(source, hypothesis).edits))


def kinds_number(ids: Iterable[str]) -> float:
    """Encode a set of kinds, by their ids, as a number."""
    places = {id: place for place, id in enumerate(change_types())}
    return float(sum(1 << places[id] for id in set(ids)))


def kind_texts(numbers: Scores) -> Numbers:
    """Convert the numbers of `ChangeKinds`, (n,), to words such as "number, negation"; an object array (n,).

    An element is None where nothing changed or the kinds are unknown.
    """
    names = [kind.name for kind in change_types().values()]
    known: dict[float, str | None] = {0.0: None}
    texts = np.full(len(numbers), None, dtype=object)
    for row in np.flatnonzero(~np.isnan(numbers)).tolist():
        number = float(numbers[row])
        if number not in known:
            known[number] = JOIN.join(name for place, name in enumerate(names) if int(number) >> place & 1)
        texts[row] = known[number]
    return texts


def main_kinds(numbers: Scores) -> Labels:
    """Return the most serious kind of each pair, int8 (n,): its index in `change_types`, or -1 if nothing changed."""
    bits, places = np.where(np.isnan(numbers), 0, numbers).astype(np.int64), list(change_types())
    main = np.full(len(bits), -1, dtype=np.int8)
    for id in reversed(GRAVITY):
        place = places.index(id)
        main[(bits >> place & 1).astype(bool)] = place
    return main


def kind_members(numbers: Scores) -> dict[str, Mask]:
    """Return a mask of pairs (n,) for each kind of change, by its name, without kinds that no pair has."""
    bits = np.where(np.isnan(numbers), 0, numbers).astype(np.int64)
    masks = {kind.name: (bits >> place & 1).astype(bool) for place, kind in enumerate(change_types().values())}
    return {name: mask for name, mask in masks.items() if mask.any()}
