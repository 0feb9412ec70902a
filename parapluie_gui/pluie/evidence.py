"""What is kept beside a ParaPLUIE score so that a person can see where it comes from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import first_line

if TYPE_CHECKING:
    import torch

    from parapluie_gui.pluie.rendering import Spelling

#: Texts with their probabilities.
Spellings = tuple[tuple[str, float], ...]

#: How many of the likeliest tokens are kept.
_SHOWN = 5

#: What few evidences have is left out of the others.
_RARE = {"examples": None, "spellings": ()}


@dataclass(frozen=True)
class Evidence:
    """The judge's answer position for one pair under one template.

    Attributes:
        p_yes, p_no: Probabilities of the two answers, 0..1.
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


def stored_evidence(text: str | None) -> Evidence | None:
    """Return what a store holds beside a score; None where there is none, or none that can be read."""
    try:
        return None if text is None else Evidence.from_json(text)
    except ValueError:
        return None


def spelt(
    sides: Iterable[Sequence[Spelling]], log_yes: torch.Tensor, log_no: torch.Tensor
) -> list[tuple[Spellings, ...]]:
    """Return what `Evidence.spellings` says of n pairs, from the log-probabilities of all spellings, (n, spellings)."""
    words = [[each.text for each in side] for side in sides]
    if all(len(each) == 1 for each in words):
        return [()] * len(log_yes)
    chances = zip(log_yes.exp().tolist(), log_no.exp().tolist(), strict=True)
    return [tuple(tuple(zip(side, p, strict=True)) for side, p in zip(words, both, strict=True)) for both in chances]


def evidences(
    log_yes: torch.Tensor,
    log_no: torch.Tensor,
    logs: torch.Tensor,
    decode: Callable[[list[int]], Any],
    rest: Iterable[Mapping[str, Any]],
) -> list[Evidence]:
    """Return the evidence of n pairs from the log-probabilities of the two answers, (n,), and of all tokens.

    `logs` (n, vocabulary) is at the answer's first position, `decode` is the tokeniser's, and `rest` holds n times the
    fields of `Evidence` that are not probabilities.
    """
    top = logs.topk(_SHOWN)
    columns = (log_yes.exp().tolist(), log_no.exp().tolist(), top.indices.tolist(), top.values.exp().tolist())
    return [
        Evidence(p_yes, p_no, tuple(zip([str(decode([token])) for token in tokens], chances, strict=True)), **more)
        for p_yes, p_no, tokens, chances, more in zip(*columns, rest, strict=True)
    ]
