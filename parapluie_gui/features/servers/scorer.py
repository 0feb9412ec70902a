"""Computes ParaPLUIE scores with an engine that takes token ids, with the same prompts as locally, token for token."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.features.servers.bounds import Range, missing_answers_notice, score_from_ranges
from parapluie_gui.features.servers.engine import NextToken, TokenEngine, UnsendablePrompt
from parapluie_gui.features.servers.flow import RequestScorer
from parapluie_gui.pluie.encoding import EncodedPrompt, PromptEncoder
from parapluie_gui.pluie.evidence import AnswerEvidence, AnswerTokens, answer_tokens
from parapluie_gui.pluie.judge import BatchGuard, PairScore
from parapluie_gui.pluie.prompt import PromptFrame
from parapluie_gui.pluie.rendering import AnswerSpelling, TemplateRenderer
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature

if TYPE_CHECKING:
    from parapluie_gui.pluie.evidence import Spellings


class ServedScorer(RequestScorer[EncodedPrompt]):
    """A scorer of pairs under one template with one engine.

    Args:
        check: Called often; an exception from it ends or interrupts the work.
        options: As in `ScorerOptions`; `batch_tokens` is ignored, since an engine makes its own batches.

    Raises:
        TemplateError: The model's chat template refuses the conversation.
    """

    def __init__(
        self,
        engine: TokenEngine,
        renderer: TemplateRenderer,
        template: Template,
        signature: Signature,
        check: Callable[[], None],
        *,
        exact: bool = False,
        batch_tokens: int = 0,
        warn: Callable[[str], None] = lambda text: None,
        guard: BatchGuard = lambda work: work(),
    ) -> None:
        self.template, self.signature = template, signature
        super().__init__(check, 1 if exact else engine.at_once, engine.drop, guard)
        self._renderer, self._warn = renderer, warn
        self.rendering = renderer.render(template)
        for notice in self.rendering.notices:
            warn(notice)
        draw = template.make_drawer()
        before = self.rendering.before
        self._question = PromptEncoder(renderer, self.rendering.frame, draw)
        self._opening = None if before is None else PromptEncoder(renderer, before, draw)
        shared = (self._opening or self._question).shared
        self._engine = engine.in_exact_mode() if exact else engine.with_beginning(shared)

    @property
    def frame(self) -> PromptFrame:
        """The exact prompt, with placeholders for the sentences."""
        return self.rendering.frame

    @property
    def answer_tokens(self) -> AnswerTokens:
        """The tokens of yes and of no."""
        return answer_tokens(self.rendering.spellings, self._renderer.tokenizer.decode)

    def _items(self, rows: list[int], sources: Sequence[str], hypotheses: Sequence[str]) -> list[EncodedPrompt]:
        sentences = [sources[row] for row in rows], [hypotheses[row] for row in rows]
        return (self._opening or self._question).encode(rows, *sentences)

    def _ask(self, item: EncodedPrompt, source: str, hypothesis: str) -> PairScore:
        try:
            return self._score_pair(item, source, hypothesis)
        except UnsendablePrompt:
            self._warn(
                f"{self.template.name}: pairs whose prompt cannot be sent as text get no score from this server."
            )
            return self._without_score(item)

    def _score_pair(self, item: EncodedPrompt, source: str, hypothesis: str) -> PairScore:
        prompt = item
        if self._opening is not None:
            if len(prompt.ids) + self.rendering.max_new_tokens > self._engine.most_tokens:
                return self._too_long(prompt)
            written = self._renderer.extract_own_turn(self._engine.write(prompt.ids, self.rendering.max_new_tokens))
            prompt = self._question.encode([prompt.row], [source], [hypothesis], [written])[0]
        if len(prompt.ids) + self.rendering.most_tokens > self._engine.most_tokens:
            return self._too_long(prompt)
        ids = prompt.ids[: len(prompt.ids) - self.rendering.drop]
        yes, no = self.rendering.spellings
        first = self._engine.next_token(ids, list(dict.fromkeys(spelling.ids[0] for spelling in (*yes, *no))))
        logs = [[self._log(ids, spelling, first) for spelling in side] for side in (yes, no)]
        score, p_yes, p_no = score_from_ranges(*map(_sum_spellings, logs))
        several = any(len(side) > 1 for side in (yes, no))
        probabilities: tuple[Spellings, ...] = tuple(
            tuple((spelling.text, math.exp(low)) for spelling, (low, _) in zip(side, ranges, strict=True))
            for side, ranges in zip((yes, no), logs, strict=True)
        )
        evidence = AnswerEvidence(
            p_yes, p_no, first.top, spellings=probabilities if several else (), **prompt.evidence_fields
        )
        if math.isnan(score):
            self._warn(missing_answers_notice(self.template, len(first.logs)))
        return PairScore(prompt.row, score, evidence, asked=not math.isnan(score))

    def _log(self, ids: list[int], answer: AnswerSpelling, first: NextToken) -> Range:
        """Return the bounds of an answer's log-probability; they are equal if every token of it is listed."""
        total, answered = 0.0, first
        for place, token in enumerate(answer.ids):
            if place:
                answered = self._engine.next_token([*ids, *answer.ids[:place]], [token])
            if token not in answered.logs:
                return -math.inf, total + answered.unlisted_bound
            total += answered.logs[token]
        return total, total

    def _too_long(self, prompt: EncodedPrompt) -> PairScore:
        most = self._engine.most_tokens
        self._warn(f"{self.template.name}: pairs longer than the {most:,} tokens that the engine reads get no score.")
        return self._without_score(prompt)

    def _without_score(self, prompt: EncodedPrompt) -> PairScore:
        unknown = float("nan")
        return PairScore(prompt.row, unknown, AnswerEvidence(unknown, unknown, **prompt.evidence_fields), asked=False)


def _sum_spellings(logs: list[Range]) -> Range:
    """Return the range of the log-probability of several spellings together."""
    low, high = (float(np.logaddexp.reduce(bounds)) for bounds in zip(*logs, strict=True))
    return low, min(high, 0.0) if high > low else high
