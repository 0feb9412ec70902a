"""The evidence that is stored with a ParaPLUIE score: the judge's probabilities, likeliest tokens and explanation."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import first_line
from parapluie_gui.own_files import parse_json

if TYPE_CHECKING:
    import torch

    from parapluie_gui.pluie.rendering import AnswerSpelling

#: Texts with their probabilities.
Spellings = tuple[tuple[str, float], ...]

#: The spellings of yes and of no, each with its tokens as text.
AnswerTokens = tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]

#: Number of likeliest tokens in the evidence.
SHOWN = 5

#: Fields that are left out of the JSON when they have these values, as they usually do.
_RARE = {"examples": None, "spellings": ()}


@dataclass(frozen=True)
class AnswerEvidence:
    """The judge's predictions at the answer position, for one pair under one template.

    Attributes:
        p_yes, p_no: Probabilities of the two answers, 0..1; NaN if a server did not return one.
        top: The five likeliest next tokens as text, with their probabilities, likeliest first.
        tokens: Number of tokens of the prompt.
        explanation: The explanation that the judge wrote before its answer (INDIRECT), or None.
        neutralised: Whether control tokens inside the sentences were broken up.
        cut: Number of tokens of the sentences that were left out because the judge cannot read longer texts.
        examples: The solved examples that were drawn for the pair, or None.
        spellings: The spellings of yes and of no with their probabilities; empty if each answer has one spelling.
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
        """1 if the score is a lower bound (p(no) unknown), -1 if it is an upper bound (p(yes) unknown), 0 if exact."""
        return int(math.isnan(self.p_no)) - int(math.isnan(self.p_yes))

    @property
    def mass(self) -> float:
        """p(yes) + p(no), the probability of either answer."""
        return self.p_yes + self.p_no

    def to_json(self) -> str:
        """Return the evidence as compact JSON for `from_json`."""
        fields = {name: value for name, value in asdict(self).items() if name not in _RARE or value != _RARE[name]}
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> AnswerEvidence:
        """Read evidence written by `to_json`.

        Raises:
            ValueError: The text is not evidence.
        """
        try:
            data = parse_json(text)
            data["top"] = _parse_probabilities(data["top"])
            data["spellings"] = tuple(map(_parse_probabilities, data.get("spellings", ())))
            evidence = cls(**data)
        except (AttributeError, KeyError, TypeError, OverflowError) as error:
            raise ValueError(f"not evidence: {first_line(error)}") from error
        counts = all(type(number) is int for number in (evidence.tokens, evidence.cut))
        chances = all(type(number) in (int, float) for number in (evidence.p_yes, evidence.p_no))
        texts = isinstance(evidence.explanation, str | None) and isinstance(evidence.examples, str | None)
        if not (counts and chances and texts and len(evidence.spellings) in (0, 2)):
            raise ValueError("not evidence: a value has the wrong type")
        return evidence


def _parse_probabilities(items: Iterable[tuple[object, Any]]) -> Spellings:
    return tuple((str(text), float(p)) for text, p in items)


def parse_stored_evidence(text: str | None) -> AnswerEvidence | None:
    """Return the evidence in a store's text; None without text, or if it cannot be read."""
    try:
        return None if text is None else AnswerEvidence.from_json(text)
    except ValueError:
        return None


def answer_tokens(sides: Iterable[Sequence[AnswerSpelling]], decode: Callable[[list[int]], Any]) -> AnswerTokens:
    """Return the tokens of the spellings of yes and of no; `decode` is the tokeniser's method."""
    return tuple(
        tuple((spelling.text, tuple(str(decode([id])) for id in spelling.ids)) for spelling in side) for side in sides
    )


@dataclass(frozen=True)
class JudgeAnswers:
    """A judge's probabilities at the answer position of n pairs, in lists of length n.

    Attributes:
        yes, no: The probabilities of all spellings of the two answers.
        tokens, chances: The ids of the five likeliest tokens, likeliest first, and their probabilities.
    """

    yes: list[list[float]]
    no: list[list[float]]
    tokens: list[list[int]]
    chances: list[list[float]]

    @classmethod
    def from_logs(cls, log_yes: torch.Tensor, log_no: torch.Tensor, logs: torch.Tensor) -> JudgeAnswers:
        """Return the answers from log-probabilities of all spellings (n, spellings) and all tokens (n, vocabulary)."""
        top = logs.topk(SHOWN)
        return cls(log_yes.exp().tolist(), log_no.exp().tolist(), top.indices.tolist(), top.values.exp().tolist())

    def make_evidence(
        self,
        sides: Iterable[Sequence[AnswerSpelling]],
        decode: Callable[[list[int]], Any],
        fields: Iterable[Mapping[str, Any]],
    ) -> list[AnswerEvidence]:
        """Return the evidence of the n pairs.

        `sides` are the spellings of yes and of no, `decode` is the tokeniser's method, and `fields` holds for each pair
        the fields of `AnswerEvidence` that are not probabilities.
        """
        yes_words, no_words = ([spelling.text for spelling in side] for side in sides)
        several = len(yes_words) > 1 or len(no_words) > 1
        evidence = []
        for yes, no, tokens, chances, more in zip(self.yes, self.no, self.tokens, self.chances, fields, strict=True):
            top = tuple(zip([str(decode([token])) for token in tokens], chances, strict=True))
            spellings = (tuple(zip(yes_words, yes, strict=True)), tuple(zip(no_words, no, strict=True)))
            evidence.append(AnswerEvidence(sum(yes), sum(no), top, spellings=spellings if several else (), **more))
        return evidence


#: The earlier name, which other packages may import.
Evidence = AnswerEvidence
