"""ParaPLUIE by a conversation's likeliest first tokens: a bound where an answer is not among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parapluie_gui.pluie.evidence import SHOWN, AnswerTokens, Evidence
from parapluie_gui.pluie.examples import HYPOTHESIS, SOURCE
from parapluie_gui.pluie.judge import Guard, Scored
from parapluie_gui.pluie.prompt import EXAMPLES_MARK, EXPLANATION_MARK, HYPOTHESIS_MARK, SOURCE_MARK, Frame, clean
from parapluie_gui.pluie.served.bounds import bounded, nothing_told
from parapluie_gui.pluie.served.conversation import Conversation, TooLong
from parapluie_gui.pluie.served.flow import RequestScorer
from parapluie_gui.pluie.templates import EXAMPLES, Template
from parapluie_gui.scores.signature import Signature


@dataclass(frozen=True)
class _Pair:
    row: int


class ChatScorer(RequestScorer[_Pair]):
    """Scores pairs under one conversation, sent as such: the server renders and tokenises it.

    A score is exact where both answers are among the tokens that are told. Where one is not, its probability is at most
    that of the least likely token told, and the score a bound; `p_yes` or `p_no` is NaN then.
    """

    def __init__(
        self,
        engine: Conversation,
        template: Template,
        signature: Signature,
        check: Callable[[], None],
        *,
        exact: bool = False,
        batch_tokens: int = 0,
        warn: Callable[[str], None] = lambda text: None,
        guard: Guard = lambda work: work(),
    ) -> None:
        super().__init__(check, 1 if exact else engine.at_once, guard)
        self.template, self.signature = template, signature
        self._engine, self._warn = engine, warn
        self._draw = template.drawer()

    @property
    def frame(self) -> Frame:
        """The conversation as it is sent, with marks where the sentences go."""
        lines = [
            f"{turn.role}: {EXPLANATION_MARK if turn.generate else _marked(turn.text)}\n"
            for turn in self.template.turns
        ]
        return Frame("".join(lines))

    @property
    def answer_tokens(self) -> AnswerTokens:
        """The answers as they are looked for among the tokens that are told."""
        return tuple(tuple((text, (text,)) for text in side) for side in self.template.spellings)

    def _items(self, rows: list[int], sources: Sequence[str], hypotheses: Sequence[str]) -> list[_Pair]:
        return [_Pair(row) for row in rows]

    def _ask(self, item: _Pair, source: str, hypothesis: str) -> Scored:
        examples = self._draw(source, hypothesis) if self._draw is not None else None
        messages: list[dict[str, str]] = []
        explanation = None
        for turn in self.template.turns:
            if turn.generate:
                explanation = self._engine.write(messages, turn.max_new_tokens)
                text = explanation
            else:
                # In one pass, so that {hypothesis} in a source stays what it is.
                frame = Frame(_marked(turn.text))
                text = frame.fill(clean(source), clean(hypothesis), examples=examples or "")[0]
            messages.append({"role": turn.role, "content": text})
        try:
            told = self._engine.first(messages)
        except TooLong:
            self._warn(f"{self.template.name}: pairs longer than the server's context get no score.")
            return Scored(item.row, math.nan, Evidence(math.nan, math.nan, examples=examples), asked=False)
        yes, no = (told.bounds(side) for side in self.template.spellings)
        score, p_yes, p_no = bounded(yes, no)
        if math.isnan(score):
            self._warn(nothing_told(self.template, len(told.chances)))
        top = tuple(told.chances.items())[:SHOWN]
        evidence = Evidence(p_yes, p_no, top, told.prompt, explanation, examples=examples)
        return Scored(item.row, score, evidence, asked=not math.isnan(score))


def _marked(text: str) -> str:
    for name, mark in ((SOURCE, SOURCE_MARK), (HYPOTHESIS, HYPOTHESIS_MARK), (EXAMPLES, EXAMPLES_MARK)):
        text = text.replace(name, mark)
    return text
