"""A round of judging: its pairs and their order, how they are drawn, and the next open pair."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.arrays import Rows
from parapluie_gui.judgements.scheme import Scheme


@dataclass(frozen=True)
class AnnotationRound:
    """The pairs of one annotator's round, in the order shown.

    Attributes:
        scheme: Id of the scheme.
        annotator: The annotator's name.
        seed: Seed of the draw.
        rows: The corpus rows of the pairs.
    """

    scheme: str
    annotator: str
    seed: int
    rows: tuple[int, ...]

    @property
    def key(self) -> str:
        """End of the name of the setting that stores the round."""
        return f"{self.scheme}.{self.annotator}"

    def to_setting(self) -> dict[str, object]:
        """Return the round as JSON values."""
        return {"scheme": self.scheme, "annotator": self.annotator, "seed": self.seed, "rows": list(self.rows)}

    @classmethod
    def from_setting(cls, value: object, pairs: int) -> AnnotationRound | None:
        """Return the round stored in a setting; None if it does not fit a corpus of `pairs` pairs."""
        if not isinstance(value, Mapping):
            return None
        scheme, annotator, seed, rows = (value.get(name) for name in ("scheme", "annotator", "seed", "rows"))
        if not isinstance(scheme, str) or not isinstance(annotator, str) or type(seed) is not int:
            return None
        if not isinstance(rows, list) or not all(type(row) is int and 0 <= row < pairs for row in rows):
            return None
        return cls(scheme, annotator, seed, tuple(dict.fromkeys(rows)))


@dataclass(frozen=True)
class PairAllocation:
    """Distribution of pairs to several judges: some to all of them, each of the rest to one (ParaPLUIE, A.3).

    Attributes:
        judges: Number of judges.
        number: Number of this judge, from 1.
        overlap: Number of pairs that all judge, included in each judge's pairs.
    """

    judges: int
    number: int
    overlap: int

    def deal(self, order: Rows, pairs: int) -> Rows:
        """Return this judge's share, at most `pairs`, of shuffled pairs."""
        common, rest = order[: min(self.overlap, pairs)], order[min(self.overlap, pairs) :]
        stacks = np.array_split(rest[: self.judges * (pairs - len(common))], self.judges)
        return np.concatenate([common, stacks[self.number - 1]])

    def count_judged(self, total: int, pairs: int) -> int:
        """Return the number of pairs that have a judge, if each judges at most `pairs`."""
        common = min(self.overlap, pairs, total)
        return common + min(total - common, self.judges * (pairs - common))


def draw_round(
    scheme: str, annotator: str, among: Rows, pairs: int, seed: int, dealing: PairAllocation | None = None
) -> AnnotationRound:
    """Draw pairs at random, in a different order for each annotator.

    The same seed draws the same pairs for all annotators, or deals them out among the annotators.

    Args:
        scheme: Id of the scheme.
        annotator: Name of the annotator.
        among: The rows to draw from.
        pairs: Maximum number of pairs per annotator.
        seed: Seed of the draw.
        dealing: Distribution to several judges; None if all get the same pairs.
    """
    order = np.random.default_rng(seed).permutation(np.sort(among))
    drawn = np.sort(order[:pairs] if dealing is None else dealing.deal(order, pairs))
    own = np.random.default_rng([seed, zlib.crc32(annotator.encode("utf-8", "surrogatepass"))])
    return AnnotationRound(scheme, annotator, seed, tuple(own.permutation(drawn).tolist()))


#: A function that returns the annotator's answer to a question on a pair, "" for none.
FindAnswer = Callable[[int, str], str]


def find_next_open(rows: Sequence[int], scheme: Scheme, find_answer: FindAnswer, after: int = -1) -> int | None:
    """Return the index of the next pair that lacks an answer, after `after` or else from the start; or None."""
    places = [*range(after + 1, len(rows)), *range(min(after + 1, len(rows)))]
    return next((place for place in places if not is_answered(rows[place], scheme, find_answer)), None)


def is_answered(row: int, scheme: Scheme, find_answer: FindAnswer) -> bool:
    """Return whether all questions on a pair have an answer."""
    return all(find_answer(row, question.id) for question in scheme.questions)
