"""A round: which pairs somebody judges, in which order, and how far they are."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.arrays import Rows
from parapluie_gui.judgements.scheme import Scheme


@dataclass(frozen=True)
class Round:
    """One annotator's pairs in the order in which they are shown.

    Attributes:
        scheme: Id of the scheme.
        annotator: The annotator's name.
        seed: Of the draw.
        rows: The pairs, 0-based.
    """

    scheme: str
    annotator: str
    seed: int
    rows: tuple[int, ...]

    @property
    def key(self) -> str:
        """The end of the setting that keeps it."""
        return f"{self.scheme}.{self.annotator}"

    def to_setting(self) -> dict[str, object]:
        """Return it as JSON can hold it."""
        return {"scheme": self.scheme, "annotator": self.annotator, "seed": self.seed, "rows": list(self.rows)}

    @classmethod
    def from_setting(cls, value: object, pairs: int) -> Round | None:
        """Return the round of a setting, or None if it does not fit a corpus of `pairs` pairs."""
        if not isinstance(value, Mapping):
            return None
        scheme, annotator, seed, rows = (value.get(name) for name in ("scheme", "annotator", "seed", "rows"))
        if not isinstance(scheme, str) or not isinstance(annotator, str) or type(seed) is not int:
            return None
        if not isinstance(rows, list) or not all(type(row) is int and 0 <= row < pairs for row in rows):
            return None
        return cls(scheme, annotator, seed, tuple(dict.fromkeys(rows)))


@dataclass(frozen=True)
class Dealing:
    """How pairs are dealt out to several judges: some to all of them, the others to one each (ParaPLUIE, A.3).

    Attributes:
        judges: How many judges there are.
        number: Which of them this one is, from 1.
        overlap: Pairs that all judge, of those that each judges.
    """

    judges: int
    number: int
    overlap: int

    def hand(self, order: Rows, pairs: int) -> Rows:
        """Return one judge's share, at most `pairs`, of pairs in the order in which they are dealt out."""
        common, rest = order[: min(self.overlap, pairs)], order[min(self.overlap, pairs) :]
        stacks = np.array_split(rest[: self.judges * (pairs - len(common))], self.judges)
        return np.concatenate([common, stacks[self.number - 1]])

    def judged(self, total: int, pairs: int) -> int:
        """Return how many of all pairs have a judge, where each judges at most `pairs`."""
        common = min(self.overlap, pairs, total)
        return common + min(total - common, self.judges * (pairs - common))


def draw(scheme: str, annotator: str, among: Rows, pairs: int, seed: int, dealing: Dealing | None = None) -> Round:
    """Draw pairs at random, each annotator's in an order of their own.

    With the same seed they are the same for every annotator, or as they are dealt out to several.

    Args:
        scheme: Id of the scheme.
        annotator: Who judges.
        among: The rows to draw from.
        pairs: How many each judges, or all there are.
        seed: Of the draw.
        dealing: How they are dealt out; None for the same pairs to everybody.
    """
    order = np.random.default_rng(seed).permutation(np.sort(among))
    drawn = np.sort(order[:pairs] if dealing is None else dealing.hand(order, pairs))
    own = np.random.default_rng([seed, zlib.crc32(annotator.encode("utf-8", "surrogatepass"))])
    return Round(scheme, annotator, seed, tuple(own.permutation(drawn).tolist()))


#: Gives the annotator's answer to a question on a pair, "" for none.
AnswerOf = Callable[[int, str], str]


def next_open(rows: Sequence[int], scheme: Scheme, answer_of: AnswerOf, after: int = -1) -> int | None:
    """Return the place of the next pair that lacks an answer, behind a place and then from the beginning; or None."""
    places = [*range(after + 1, len(rows)), *range(min(after + 1, len(rows)))]
    return next((place for place in places if not answered(rows[place], scheme, answer_of)), None)


def answered(row: int, scheme: Scheme, answer_of: AnswerOf) -> bool:
    """Tell whether all questions on a pair have an answer."""
    return all(answer_of(row, question.id) for question in scheme.questions)
