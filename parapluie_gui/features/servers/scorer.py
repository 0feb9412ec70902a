"""ParaPLUIE by an engine that takes token ids: the same prompts as our own pass has, token for token."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parapluie_gui.features.servers.bounds import Range, bounded, nothing_told
from parapluie_gui.features.servers.engine import Engine, Next, Unwritable
from parapluie_gui.features.servers.flow import RequestScorer
from parapluie_gui.pluie.encoding import Prompt, PromptEncoder
from parapluie_gui.pluie.evidence import AnswerTokens, Evidence, answer_tokens
from parapluie_gui.pluie.judge import Guard, Scored
from parapluie_gui.pluie.prompt import PromptFrame
from parapluie_gui.pluie.rendering import Renderer, Spelling
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature

if TYPE_CHECKING:
    from parapluie_gui.pluie.evidence import Spellings


class ServedScorer(RequestScorer[Prompt]):
    """Scores pairs under one conversation with one engine.

    Args:
        check: Called often; what it raises ends or interrupts the work.
        options: Those of `ScorerOptions`; an engine makes its own batches.

    Raises:
        TemplateError: The model's chat template refuses the conversation.
    """

    def __init__(
        self,
        engine: Engine,
        renderer: Renderer,
        template: Template,
        signature: Signature,
        check: Callable[[], None],
        *,
        exact: bool = False,
        batch_tokens: int = 0,
        warn: Callable[[str], None] = lambda text: None,
        guard: Guard = lambda work: work(),
    ) -> None:
        self.template, self.signature = template, signature
        super().__init__(check, 1 if exact else engine.at_once, engine.drop, guard)
        self._engine = engine.in_exact_mode() if exact else engine
        self._renderer, self._warn = renderer, warn
        self.rendering = renderer.render(template)
        for notice in self.rendering.notices:
            warn(notice)
        draw = template.drawer()
        before = self.rendering.before
        self._question = PromptEncoder(renderer, self.rendering.frame, draw)
        self._opening = None if before is None else PromptEncoder(renderer, before, draw)

    @property
    def frame(self) -> PromptFrame:
        """The exact prompt, with marks where the sentences go."""
        return self.rendering.frame

    @property
    def answer_tokens(self) -> AnswerTokens:
        """The tokens of yes and of no."""
        return answer_tokens(self.rendering.spellings, self._renderer.tokenizer.decode)

    def _items(self, rows: list[int], sources: Sequence[str], hypotheses: Sequence[str]) -> list[Prompt]:
        sentences = [sources[row] for row in rows], [hypotheses[row] for row in rows]
        return (self._opening or self._question).encode(rows, *sentences)

    def _ask(self, item: Prompt, source: str, hypothesis: str) -> Scored:
        """Return the score of one pair."""
        try:
            return self._asked(item, source, hypothesis)
        except Unwritable:
            self._warn(
                f"{self.template.name}: pairs whose prompt cannot be sent as text get no score from this server."
            )
            return self._unasked(item)

    def _asked(self, item: Prompt, source: str, hypothesis: str) -> Scored:
        prompt = item
        if self._opening is not None:
            if len(prompt.ids) + self.rendering.max_new_tokens > self._engine.most_tokens:
                return self._too_long(prompt)
            written = self._renderer.own_words(self._engine.write(prompt.ids, self.rendering.max_new_tokens))
            prompt = self._question.encode([prompt.row], [source], [hypothesis], [written])[0]
        if len(prompt.ids) + self.rendering.most_tokens > self._engine.most_tokens:
            return self._too_long(prompt)
        ids = prompt.ids[: len(prompt.ids) - self.rendering.drop]
        yes, no = self.rendering.spellings
        first = self._engine.next(ids, list(dict.fromkeys(each.ids[0] for each in (*yes, *no))))
        logs = [[self._log(ids, each, first) for each in side] for side in (yes, no)]
        score, p_yes, p_no = bounded(*map(_summed, logs))
        several = any(len(side) > 1 for side in (yes, no))
        chances: tuple[Spellings, ...] = tuple(
            tuple((each.text, math.exp(low)) for each, (low, _) in zip(side, found, strict=True))
            for side, found in zip((yes, no), logs, strict=True)
        )
        evidence = Evidence(p_yes, p_no, first.top, spellings=chances if several else (), **_rest(prompt))
        if math.isnan(score):
            self._warn(nothing_told(self.template, len(first.logs)))
        return Scored(prompt.row, score, evidence, asked=not math.isnan(score))

    def _log(self, ids: list[int], answer: Spelling, first: Next) -> Range:
        """Return the log-probability of an answer, token by token, as far as it is told."""
        total, after = 0.0, first
        for done, token in enumerate(answer.ids):
            if done:
                after = self._engine.next([*ids, *answer.ids[:done]], [token])
            if token not in after.logs:
                return -math.inf, total + after.rest
            total += after.logs[token]
        return total, total

    def _too_long(self, prompt: Prompt) -> Scored:
        most = self._engine.most_tokens
        self._warn(f"{self.template.name}: pairs longer than the {most:,} tokens that the engine reads get no score.")
        return self._unasked(prompt)

    def _unasked(self, prompt: Prompt) -> Scored:
        unknown = float("nan")
        return Scored(prompt.row, unknown, Evidence(unknown, unknown, **_rest(prompt)), asked=False)


def _rest(prompt: Prompt) -> dict[str, Any]:
    """Return what an evidence says of the prompt."""
    return {
        "tokens": len(prompt.ids),
        "explanation": prompt.explanation,
        "neutralised": prompt.neutralised,
        "examples": prompt.examples,
    }


def _summed(logs: list[Range]) -> Range:
    """Return the range of the probability of several spellings together."""
    low, high = (float(np.logaddexp.reduce(each)) for each in zip(*logs, strict=True))
    return low, min(high, 0.0) if high > low else high
