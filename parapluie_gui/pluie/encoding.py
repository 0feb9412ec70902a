"""Pairs turned into token ids: what all prompts of a template share is encoded once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parapluie_gui.pluie.prompt import EXPLANATION_MARK, HYPOTHESIS_MARK, SOURCE_MARK, Frame
from parapluie_gui.pluie.rendering import Renderer, common_prefix

#: Pairs that begin differently, so that what their prompts share belongs to the template and not to a sentence.
_PROBES = (("a", "b"), ("Ωμ", "7"), ("«É", " x"), ('"q', "漢"), ("(", "I"))


@dataclass(frozen=True)
class Prompt:
    """The token ids of one pair's prompt.

    Attributes:
        row: The pair's number.
        ids: The whole prompt.
        neutralised: Whether control tokens inside the sentences were broken up.
        explanation: The judge's own words that the prompt contains (INDIRECT), or None.
    """

    row: int
    ids: list[int]
    neutralised: bool = False
    explanation: str | None = None


class Encoder:
    """Encodes the prompts of one frame.

    Attributes:
        shared: The token ids with which the prompts begin (an unusual first letter may melt with the last of them).
    """

    def __init__(self, renderer: Renderer, frame: Frame) -> None:
        self._renderer = renderer
        self._frame = frame
        self._head: list[int] = []
        self._tail = frame
        self._split_head()
        probes = self.encode(range(len(_PROBES)), [s for s, _ in _PROBES], [h for _, h in _PROBES])
        first = probes[0].ids
        self.shared = first[: min(common_prefix(first, other.ids) for other in probes[1:])]

    def encode(
        self,
        rows: Sequence[int],
        sources: Sequence[str],
        hypotheses: Sequence[str],
        explanations: Sequence[str] | None = None,
    ) -> list[Prompt]:
        """Return the prompts of n pairs, in their order."""
        written = explanations if explanations is not None else [""] * len(rows)
        filled = [self._tail.fill(*parts) for parts in zip(sources, hypotheses, written, strict=True)]
        encoded = self._renderer.encode([text for text, _ in filled])
        return [
            Prompt(row, self._head + ids, broken, None if explanations is None else explanation)
            for row, ids, (_, broken), explanation in zip(rows, encoded, filled, written, strict=True)
        ]

    def _split_head(self) -> None:
        """Encode the text before the last turn with sentences once, if that gives the same ids.

        Tokenisers cut the text at special tokens before anything else, so both sides of one can be encoded apart,
        except by tokenisers that treat the very beginning of a text differently: the probes tell.
        """
        text = self._frame.text
        marks = [text.find(mark) for mark in (SOURCE_MARK, HYPOTHESIS_MARK, EXPLANATION_MARK) if mark in text]
        cut = max((text.rfind(control, 0, min(marks)) for control in self._frame.controls), default=-1)
        if cut <= 0:
            return
        head, tail = Frame(text[:cut], self._frame.controls), Frame(text[cut:], self._frame.controls)
        for source, hypothesis in _PROBES:
            whole, first, second = self._renderer.encode(
                [self._frame.fill(source, hypothesis)[0], head.text, tail.fill(source, hypothesis)[0]]
            )
            if whole != first + second:
                return
        self._head, self._tail = first, tail
