"""What is kept beside a ParaPLUIE score so that a person can see where it comes from."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import first_line

if TYPE_CHECKING:
    import torch

    from parapluie_gui.pluie.rendering import AnswerSpelling

#: Texts with their probabilities.
Spellings = tuple[tuple[str, float], ...]

#: The spellings of yes and those of no, each with its tokens as text.
AnswerTokens = tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]

#: How many of the likeliest tokens are kept.
SHOWN = 5

#: What few evidences have is left out of the others.
_RARE = {"examples": None, "spellings": ()}


@dataclass(frozen=True)
class Evidence:
    """The judge's answer position for one pair under one template.

    Attributes:
        p_yes, p_no: Probabilities of the two answers, 0..1; NaN for one that a server did not tell.
        top: The five likeliest next tokens as text, with their probabilities, likeliest first.
        tokens: Tokens in the whole prompt.
        explanation: What the judge wrote before answering (INDIRECT), or None.
        neutralised: Whether control tokens inside the sentences had to be broken up.
        cut: How many tokens of the sentences were left out because the judge reads no more.
        examples: The solved examples that were drawn for the pair, or None.
        spellings: Where answers have several spellings, those of yes and those of no, each with its probability.
    """

    p_yes: float
    p_no: float
    top: tuple[tuple[str, float], ...] = ()
    tokens: int = 0
    explanation: str | None = None
    neutralised: bool = False
    cut: int = 0
    examples: str | None = None
    spellings: tuple[Spellings, ...] = ()

    @property
    def bound(self) -> int:
        """1 where p(no) is not known and the score is at least what it says, -1 at most (p(yes)), 0 exactly."""
        return int(math.isnan(self.p_no)) - int(math.isnan(self.p_yes))

    @property
    def mass(self) -> float:
        """p(yes) + p(no): the probability of an answer at all."""
        return self.p_yes + self.p_no

    def to_json(self) -> str:
        """Return the evidence as compact JSON, read back by `from_json`."""
        fields = {name: value for name, value in asdict(self).items() if name not in _RARE or value != _RARE[name]}
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Evidence:
        """Read evidence written by `to_json`.

        Raises:
            ValueError: It is not.
        """
        try:
            data = json.loads(text)
            data["top"] = _spellings(data["top"])
            data["spellings"] = tuple(map(_spellings, data.get("spellings", ())))
            found = cls(**data)
        except (AttributeError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise ValueError(f"no evidence: {first_line(error)}") from error
        counts = all(type(number) is int for number in (found.tokens, found.cut))
        chances = all(type(number) in (int, float) for number in (found.p_yes, found.p_no))
        texts = isinstance(found.explanation, str | None) and isinstance(found.examples, str | None)
        if not (counts and chances and texts and len(found.spellings) in (0, 2)):
            raise ValueError("no evidence: a value is of the wrong type")
        return found


def _spellings(items: Iterable[tuple[object, Any]]) -> Spellings:
    return tuple((str(text), float(p)) for text, p in items)


def parse_stored_evidence(text: str | None) -> Evidence | None:
    """Return what a store holds beside a score; None where there is none, or none that can be read."""
    try:
        return None if text is None else Evidence.from_json(text)
    except ValueError:
        return None


def answer_tokens(sides: Iterable[Sequence[AnswerSpelling]], decode: Callable[[list[int]], Any]) -> AnswerTokens:
    """Return the tokens of the spellings of yes and of no; `decode` is the tokeniser's."""
    return tuple(tuple((each.text, tuple(str(decode([id])) for id in each.ids)) for each in side) for side in sides)


@dataclass(frozen=True)
class JudgeAnswers:
    """What a judge says at the answer position of n pairs, lists of n each.

    Attributes:
        yes, no: The probabilities of all spellings of the two answers.
        tokens, chances: The ids of the five likeliest tokens, likeliest first, and their probabilities.
    """

    yes: list[list[float]]
    no: list[list[float]]
    tokens: list[list[int]]
    chances: list[list[float]]

    @classmethod
    def of(cls, log_yes: torch.Tensor, log_no: torch.Tensor, logs: torch.Tensor) -> JudgeAnswers:
        """Take them from the log-probabilities of all spellings, (n, spellings), and of all tokens, (n, vocabulary)."""
        top = logs.topk(SHOWN)
        return cls(log_yes.exp().tolist(), log_no.exp().tolist(), top.indices.tolist(), top.values.exp().tolist())

    def make_evidence(
        self,
        sides: Iterable[Sequence[AnswerSpelling]],
        decode: Callable[[list[int]], Any],
        rest: Iterable[Mapping[str, Any]],
    ) -> list[Evidence]:
        """Return the evidence of the pairs.

        `sides` are the spellings of yes and those of no, `decode` is the tokeniser's, and `rest` holds n times the
        fields of `Evidence` that are not probabilities.
        """
        words = [[each.text for each in side] for side in sides]
        several = any(len(each) > 1 for each in words)
        found = []
        for *both, tokens, chances, more in zip(self.yes, self.no, self.tokens, self.chances, rest, strict=True):
            top = tuple(zip([str(decode([token])) for token in tokens], chances, strict=True))
            each = tuple(tuple(zip(side, p, strict=True)) for side, p in zip(words, both, strict=True))
            found.append(Evidence(sum(both[0]), sum(both[1]), top, spellings=each if several else (), **more))
        return found
