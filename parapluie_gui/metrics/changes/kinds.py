"""The kinds of change of each pair as one column, "type": computed and kept like a score, read as words."""

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

#: To be raised when the edits or the rules change: what was found before is then found anew.
REVISION = 2

#: Words in a sentence from which on its changes are not looked for.
LONGEST = 4_000

#: The kinds from the one that changes the meaning most to the one that changes it least.
GRAVITY = (
    *("negation", "antonym", "number", "unit", "date", "name", "quantifier", "modality", "pronoun", "order"),
    *("diathesis", "deletion", "addition", "rewording", "hypernym", "inflection", "derivation", "synonym", "format"),
    *("contraction", "function_word", "spelling", "punctuation", "spacing"),
)

#: What stands between the kinds of a pair.
JOIN = ", "


class ChangeKinds(Metric):
    """The set of the kinds of a pair's edits, as a number with one bit for each kind: no score, though kept like one.

    0 where the sentences are the same; NaN where one of them is too long. `kind_texts` says it in words.
    """

    info = MetricInfo(
        id="change_kinds",
        title="Kinds of change",
        family="lexical",
        low=0.0,
        high=math.inf,
        summary="The kinds of the edits between the two sentences, one bit each.",
        parallel=True,
    )

    def fields(self) -> dict[str, object]:
        return {"revision": REVISION, "wordnet": wordnet.VERSION if has_wordnet() else "none"}

    def _score(self, sources: Texts, hypotheses: Texts, references: References) -> Scores:
        return np.array([_number(*texts) for texts in zip(sources, hypotheses, strict=True)])


def _number(source: str, hypothesis: str) -> float:
    if max(source.count(" "), hypothesis.count(" ")) > LONGEST:
        return math.nan
    return kinds_number(types_of(source, hypothesis, Edits(source, hypothesis).edits))


def kinds_number(ids: Iterable[str]) -> float:
    """Return a set of kinds, by their ids, as a number."""
    places = {id: place for place, id in enumerate(change_types())}
    return float(sum(1 << places[id] for id in set(ids)))


def kind_texts(numbers: Scores) -> Numbers:
    """Return sets of kinds, (n,) as `ChangeKinds` gives them, in words: "number, negation"; objects (n,).

    None where nothing changed, or where it is not known.
    """
    names = [each.name for each in change_types().values()]
    known: dict[float, str | None] = {0.0: None}
    found = np.full(len(numbers), None, dtype=object)
    for row in np.flatnonzero(~np.isnan(numbers)).tolist():
        number = float(numbers[row])
        if number not in known:
            known[number] = JOIN.join(name for place, name in enumerate(names) if int(number) >> place & 1)
        found[row] = known[number]
    return found


def main_kinds(numbers: Scores) -> Labels:
    """Return the main kind of each pair, the gravest it has, int8 (n,): its place in `change_types`, or -1 for none."""
    bits, places = np.where(np.isnan(numbers), 0, numbers).astype(np.int64), list(change_types())
    found = np.full(len(bits), -1, dtype=np.int8)
    for id in reversed(GRAVITY):
        place = places.index(id)
        found[(bits >> place & 1).astype(bool)] = place
    return found


def kind_members(numbers: Scores) -> dict[str, Mask]:
    """Return which pairs have each kind of change, (n,) by its name; kinds that no pair has are left out."""
    bits = np.where(np.isnan(numbers), 0, numbers).astype(np.int64)
    masks = {each.name: (bits >> place & 1).astype(bool) for place, each in enumerate(change_types().values())}
    return {name: mask for name, mask in masks.items() if mask.any()}
