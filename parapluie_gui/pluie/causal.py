"""A causal language model as a judge that answers a conversation about the pair, and as a writer of paraphrases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Unpack

import numpy as np

from parapluie_gui.errors import ModelError
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.pluie.causal_model import CausalModel
from parapluie_gui.pluie.causal_scorer import CausalScorer
from parapluie_gui.pluie.encoding import EncodedPrompt, PromptEncoder
from parapluie_gui.pluie.judge import ScorerOptions
from parapluie_gui.pluie.templates import Template
from parapluie_gui.pluie.writing import SamplingSettings, WrittenParaphrase
from parapluie_gui.pluie.writing_templates import WritingTemplate

if TYPE_CHECKING:
    import torch

    from parapluie_gui.pluie.causal_model import CausalModel


class TokenSampler:
    """Draws the next token of each row from the row's own random sequence."""

    def __init__(self, sampling: SamplingSettings, generators: Sequence[np.random.Generator]) -> None:
        self._sampling = sampling
        self._generators = generators

    def __call__(self, logits: torch.Tensor, rows: Sequence[int]) -> list[int]:
        """Return a token for each of n rows from their logits (n, vocabulary) and their numbers."""
        if not self._sampling.temperature:
            likeliest: list[int] = logits.argmax(-1).tolist()
            return likeliest
        exact = logits.cpu().double()  # on the CPU: Apple's devices have no float64
        shares, order = (exact / self._sampling.temperature).softmax(-1).sort(-1, descending=True)
        cumulative = shares.cumsum(-1)
        # The token that completes the nucleus is part of it.
        nucleus = (cumulative - shares < self._sampling.top_p).sum(-1)
        drawn = []
        for place, row in enumerate(rows):
            most = int(nucleus[place])
            point = self._generators[row].random() * float(cumulative[place, most - 1])
            drawn.append(int(order[place, min(int((cumulative[place, :most] <= point).sum()), most - 1)]))
        return drawn


class CausalWriter:
    """A writer of paraphrases with one judge under one template.

    Raises:
        TemplateError: The model's chat template refuses the conversation.
    """

    def __init__(
        self, judge: CausalModel, template: WritingTemplate, sampling: SamplingSettings, warn: Callable[[str], None]
    ) -> None:
        self._judge, self._template, self._sampling = judge, template, sampling
        frame, notices = judge.renderer.render_opening(template.turns, template.name)
        for notice in notices:
            warn(notice)
        self._memory = judge.writing_memory(warn)
        self._encoder = PromptEncoder(judge.renderer, frame)
        self._prefix = judge.share(self._encoder.shared)

    def write(self, sources: Sequence[str], numbers: Sequence[int]) -> list[WrittenParaphrase]:
        """Return one numbered candidate for each of n sentences; see `ParaphraseWriter.write`."""
        prompts = self._encoder.encode(range(len(sources)), sources, [""] * len(sources))
        limit = self._template.max_new_tokens
        most = self._judge.length_limits.most
        if any(len(prompt.ids) + limit > most for prompt in prompts):
            raise ModelError(
                f"A sentence with the template {self._template.name} and room for {limit} tokens is longer than the "
                f"{most:,} tokens that this model reads. Leave this sentence out, or choose a different model."
            )
        # Longer texts have different positions: each is computed alone and reuses nothing from a shorter text.
        longest_alike = self._judge.length_limits.alike - limit
        candidates: dict[int, WrittenParaphrase] = {}
        for part in (
            [one for one in prompts if len(one.ids) <= longest_alike],
            *([one] for one in prompts if len(one.ids) > longest_alike),
        ):
            written = self._memory.run_within_budget(part, partial(self._write_batch, sources, numbers), len)
            candidates |= {prompt.row: candidate for prompt, candidate in zip(part, written, strict=True)}
        return [candidates[prompt.row] for prompt in prompts]

    def _write_batch(
        self, sources: Sequence[str], numbers: Sequence[int], prompts: list[EncodedPrompt]
    ) -> list[WrittenParaphrase]:
        generators = [self._sampling.generator(sources[prompt.row], numbers[prompt.row]) for prompt in prompts]
        prefix, limit = self._prefix, self._template.max_new_tokens
        long = len(prompts[0].ids) > self._judge.length_limits.alike - limit
        if prefix is not None and (long or any(tuple(one.ids[: len(prefix.ids)]) != prefix.ids for one in prompts)):
            # a prompt may not begin with the prefix: its first letter may merge with the quotation mark before it
            prefix = None
        shared = 0 if prefix is None else len(prefix.ids)
        rows = [prompt.ids[shared:] for prompt in prompts]
        answers = self._judge.sample(rows, limit, prefix, TokenSampler(self._sampling, generators))
        extract_own_turn = self._judge.renderer.extract_own_turn
        return [
            WrittenParaphrase(numbers[prompt.row], self._template.paraphrase(extract_own_turn(text)), cut)
            for prompt, (text, cut) in zip(prompts, answers, strict=True)
        ]


class CausalJudge(CausalModel):
    """A causal language model as a judge; see `Judge`."""

    kind = CAUSAL

    def scorer(self, template: Template, **options: Unpack[ScorerOptions]) -> CausalScorer:
        """Return a scorer of pairs under a conversation; see `Judge.scorer`."""
        return CausalScorer(self, template, **options)

    def writer(
        self, template: WritingTemplate, sampling: SamplingSettings, warn: Callable[[str], None]
    ) -> CausalWriter:
        """Return a writer of paraphrases; see `Judge.writer`."""
        return CausalWriter(self, template, sampling, warn)
