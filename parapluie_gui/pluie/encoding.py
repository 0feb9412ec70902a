"""Encodes the prompts of pairs as token ids; the text that all prompts of a template share is encoded once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from parapluie_gui.pluie.prompt import EXAMPLES_MARK, MARKS, PromptFrame, drop_columns, join_columns
from parapluie_gui.pluie.rendering import TemplateRenderer, common_prefix

#: Pairs that begin differently, so that their prompts share only text of the template.
_PROBES = (("a", "b"), ("Ωμ", "7"), ("«É", " x"), ('"q', "漢"), ("(", "I"))

#: Number of positions to try for the cut between the text encoded once and the text encoded for each pair.
_CUTS = 4


@dataclass(frozen=True)
class EncodedPrompt:
    """The token ids of one pair's prompt.

    Attributes:
        row: The pair's number.
        ids: Token ids.
        neutralised: Whether control tokens inside the sentences were broken up.
        explanation: The judge's own explanation in the prompt (INDIRECT), or None.
        examples: The examples drawn for the pair, or None.
    """

    row: int
    ids: list[int]
    neutralised: bool = False
    explanation: str | None = None
    examples: str | None = None

    @property
    def evidence_fields(self) -> dict[str, Any]:
        """The fields of an `AnswerEvidence` that describe the prompt."""
        return {
            "tokens": len(self.ids),
            "explanation": self.explanation,
            "neutralised": self.neutralised,
            "examples": self.examples,
        }


class PromptEncoder:
    """Encodes the prompts of one frame; `draw` returns the examples of a pair, if the frame has a place for them.

    Attributes:
        shared: The token ids with which the prompts begin (an unusual first letter may merge with the last of them).
    """

    def __init__(
        self, renderer: TemplateRenderer, frame: PromptFrame, draw: Callable[[str, str], str] | None = None
    ) -> None:
        self._renderer = renderer
        self._frame = frame
        self._draw = draw if EXAMPLES_MARK in frame.text else None
        self._head: list[int] = []
        self._tail = frame
        self._controls: list[int] | None = None
        self._split_head()
        probes = self.encode(range(len(_PROBES)), [s for s, _ in self._probes()], [h for _, h in self._probes()])
        first = probes[0].ids
        self._controls = self._find_controls(first)
        self.shared = first[: min(common_prefix(first, other.ids) for other in probes[1:])]

    def encode(
        self,
        rows: Sequence[int],
        sources: Sequence[str],
        hypotheses: Sequence[str],
        explanations: Sequence[str] | None = None,
    ) -> list[EncodedPrompt]:
        """Return the prompts of n pairs, in their order.

        Each prompt contains only the control tokens of the frame, whatever is in the sentences.
        """
        written = explanations if explanations is not None else [""] * len(rows)
        pairs = [(*parts, self._examples(*parts[:2])) for parts in zip(sources, hypotheses, written, strict=True)]
        filled = [self._tail.fill(*parts) for parts in pairs]
        prompts = []
        for row, ids, parts, (_, broken) in zip(
            rows, self._renderer.encode([text for text, _ in filled]), pairs, filled, strict=True
        ):
            prompt_ids = self._head + ids
            if self._controls is not None and self._find_controls(prompt_ids) != self._controls:
                # A normaliser made a control token from other text: separate all letters, so that no control token can
                # form.
                text, broken = self._tail.fill(*parts, letter_by_letter=True)[0], True
                prompt_ids = self._head + self._renderer.encode([text])[0]
            explanation = None if explanations is None else parts[2]
            prompts.append(
                EncodedPrompt(row, prompt_ids, broken, explanation, None if self._draw is None else parts[3])
            )
        return prompts

    def _examples(self, source: str, hypothesis: str) -> str:
        return "" if self._draw is None else self._draw(drop_columns(source), hypothesis)

    def _probes(self) -> list[tuple[str, str]]:
        """Return the probes; further columns that the frame shows contain the hypothesis."""
        count = len(self._frame.columns)
        return [(join_columns(source, [hypothesis] * count), hypothesis) for source, hypothesis in _PROBES]

    def _find_controls(self, ids: Sequence[int]) -> list[int]:
        return [id for id in ids if id in self._renderer.control_ids]

    def _split_head(self) -> None:
        """Encode the text before the last turn with sentences once, if that gives the same ids.

        Tokenisers first cut the text at special tokens, so the two sides of a special token can be encoded separately,
        except by tokenisers that treat the very beginning of a text differently. The probes check this.
        """
        text, controls = self._frame.text, self._frame.controls
        start = min(text.find(mark) for mark in MARKS if mark in text)
        places = sorted({text.rfind(control, 0, start) for control in controls}, reverse=True)
        for cut in places[:_CUTS]:
            head, tail = replace(self._frame, text=text[:cut]), replace(self._frame, text=text[cut:])
            if cut > 0 and (ids := self._encode_apart(head, tail)):
                self._head, self._tail = ids, tail
                return

    def _encode_apart(self, head: PromptFrame, tail: PromptFrame) -> list[int]:
        """Return the ids of the head, or [] if a probe's ids differ when it is encoded in two parts."""
        first: list[int] = []
        for source, hypothesis in self._probes():
            parts = (source, hypothesis, "", self._examples(source, hypothesis))
            complete, first, second = self._renderer.encode(
                [self._frame.fill(*parts)[0], head.text, tail.fill(*parts)[0]]
            )
            if complete != first + second:
                return []
        return first
