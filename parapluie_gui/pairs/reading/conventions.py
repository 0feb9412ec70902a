"""Recognises label conventions of published corpora: votes of annotators, and the classes of inference corpora."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.arrays import Scores
from parapluie_gui.pairs.column import MISSING
from parapluie_gui.pairs.reading.raw_table import as_text

_VOTES = re.compile(r"[(\[]\s*(\d+)\s*,\s*(\d+)\s*[)\]]")
#: A pair is a paraphrase from the first share of votes on, not one up to the second, and debatable in between, as in
#: PIT-2015 (3 of 5, 1 of 5) and Twitter-URL (4 of 6, 2 of 6).
_FOR, _AGAINST = 0.6, 0.34

_INFERENCE = {
    **dict.fromkeys(["entailment", "entails"], "e"),
    **dict.fromkeys(["neutral", "contradiction", "contradicts", "not_entailment", "not entailment"], "n"),
}
#: The abbreviations of ANLI.
_SHORT = {"e": "e", "n": "n", "c": "n"}
#: A grade of the Turku Paraphrase Corpus and its marks: one direction only (< >), style (s), minor deviation (i).
_TURKU = re.compile(r"([1-4])([<>is]*)")
#: The mark of that corpus for a pair without a grade.
_NO_GRADE = "x"
#: A name in layouts.toml for the digits of PIT-2015's test part, of which 4 and 5 mean a paraphrase.
PIT_DIGITS = "pit digits"


@dataclass(frozen=True)
class LabelConvention:
    """The meaning of a column of labels.

    Attributes:
        labels: 1, 0, or None for each cell.
        human: The shares of votes for a paraphrase, or the grades; None if there are neither.
        description: A short description for the user.
    """

    labels: list[int | None]
    human: list[float | None] | None
    description: str

    def scores(self) -> Scores | None:
        """Return `human` as float64 (n,), NaN for missing values."""
        if self.human is None:
            return None
        return np.array([np.nan if score is None else score for score in self.human], dtype=np.float64)


def follows_convention(kinds: Collection[str]) -> bool:
    """Return whether the values of a column of labels, in lower case, follow a convention."""
    return (
        all(_VOTES.fullmatch(text) for text in kinds)
        or _are_turku_grades(kinds)
        or set(kinds) <= set(_INFERENCE)
        or (set(kinds) <= set(_SHORT) and {"e", "c"} <= set(kinds))
    )


def _are_turku_grades(kinds: Collection[str]) -> bool:
    grades = [text for text in kinds if text != _NO_GRADE]
    return all(_TURKU.fullmatch(text) for text in grades) and any(len(text) > 1 for text in grades)


def find_convention(
    cells: Sequence[object], source: Sequence[str], hypothesis: Sequence[str], named: str = ""
) -> LabelConvention | None:
    """Recognise the convention of a column of labels, given the sentences of the pairs; None if it follows none.

    `named` is the convention of a layout.
    """
    kinds = {as_text(cell).strip().casefold() for cell in set(cells)} - MISSING
    if not kinds or (named != PIT_DIGITS and not follows_convention(kinds)):
        return None
    texts = [as_text(cell).strip() for cell in cells]
    if named == PIT_DIGITS:
        return _digits(texts)
    if all(_VOTES.fullmatch(text) for text in kinds):
        return _votes(texts)
    if _are_turku_grades(kinds):
        return _grades(texts)
    if kinds <= set(_INFERENCE):
        return _inference([_INFERENCE.get(text.casefold()) for text in texts], source, hypothesis)
    if kinds <= set(_SHORT) and {"e", "c"} <= kinds:
        return _inference([_SHORT.get(text.casefold()) for text in texts], source, hypothesis)
    return None


def _votes(texts: Sequence[str]) -> LabelConvention:
    """Interpret (k, n) as k of n votes if n is constant and never less than k, otherwise as k against n votes."""
    votes = [(int(match[1]), int(match[2])) if (match := _VOTES.fullmatch(text)) else None for text in texts]
    present = [vote for vote in votes if vote is not None]
    sums = {sum(vote) for vote in present}
    of_all = len({vote[1] for vote in present}) == 1 and len(sums) > 1 and all(k <= n for k, n in present)
    shares = [None if vote is None else _share(vote[0], vote[1] if of_all else sum(vote)) for vote in votes]
    labels = [None if share is None or _AGAINST < share < _FOR else int(share >= _FOR) for share in shares]
    return LabelConvention(labels, shares, "labels by votes")


def _grades(texts: Sequence[str]) -> LabelConvention:
    """Label grade 4 as a paraphrase unless it holds in one direction only, and grades 1 and 2 as not a paraphrase."""
    matches = [_TURKU.fullmatch(text.casefold()) for text in texts]
    grades = [None if match is None else int(match[1]) for match in matches]
    labels: list[int | None] = []
    for match, grade in zip(matches, grades, strict=True):
        directed = match is not None and bool({"<", ">"} & set(match[2]))
        labels.append(1 if grade == 4 and not directed else 0 if grade in (1, 2) else None)
    without = sum(text.casefold() == _NO_GRADE for text in texts)
    note = f' ("{_NO_GRADE}" is not a grade: {without:,} without a label)' if without else ""
    scores = [None if grade is None else float(grade) for grade in grades]
    return LabelConvention(labels, scores, f"labels by grade and mark{note}")


def _digits(texts: Sequence[str]) -> LabelConvention:
    """Label 4 and 5 of PIT-2015's expert digits a paraphrase, 0 to 2 not, and leave 3 unlabelled."""
    digits = [int(text) if text.isdecimal() else None for text in texts]
    labels = [None if digit in (None, 3) else int(digit > 3) for digit in digits]
    return LabelConvention(
        labels, [None if digit is None else float(digit) for digit in digits], "labels by the expert's digit"
    )


def _share(votes: int, total: int) -> float | None:
    return votes / total if total else None


def _inference(classes: Sequence[str | None], source: Sequence[str], hypothesis: Sequence[str]) -> LabelConvention:
    """Label a pair as a paraphrase if each sentence entails the other, and as not a paraphrase if one does not.

    If only one direction is annotated, an entailment leaves the pair unlabelled.
    """
    known = {(s, h): kind for s, h, kind in zip(source, hypothesis, classes, strict=True) if kind is not None}
    labels: list[int | None] = []
    for s, h, kind in zip(source, hypothesis, classes, strict=True):
        back = known.get((h, s))
        both = (kind, back)
        labels.append(None if kind is None else 0 if "n" in both else 1 if both == ("e", "e") else None)
    return LabelConvention(labels, None, "labels by entailment in both directions")
