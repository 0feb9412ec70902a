"""The scores of pairs at the gap of a cloze, by any judge that fills gaps."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Unpack

from parapluie_gui.pluie.batch_scorer import BatchJudge, BatchScorer
from parapluie_gui.pluie.cloze import ClozeEncoder, ClozeRow
from parapluie_gui.pluie.evidence import AnswerTokens, JudgeAnswers, answer_tokens
from parapluie_gui.pluie.judge import PairScore, ScorerOptions
from parapluie_gui.pluie.prompt import PromptFrame
from parapluie_gui.pluie.symmetric import AnswerIds
from parapluie_gui.pluie.templates import Template

#: A pair's number and its text.
Numbered = tuple[int, ClozeRow]


def _tokens(batch: list[Numbered]) -> int:
    return len(batch) * max(len(row.ids) for _, row in batch)


class GapJudge(BatchJudge):
    """A judge that fills gaps.

    Attributes:
        symmetric: Whether it reads both sentences alike.
        tokenizer: What makes tokens of texts for it.
    """

    symmetric: bool
    tokenizer: Any

    @property
    @abstractmethod
    def most_tokens(self) -> int:
        """Longest text that the model was made for, in tokens."""

    @property
    @abstractmethod
    def vocabulary(self) -> int:
        """How many tokens the model knows."""

    @abstractmethod
    def answer(self, rows: Sequence[ClozeRow], answers: AnswerIds) -> tuple[list[float], JudgeAnswers]:
        """Return the scores of n texts, log p(yes) − log p(no), and what else is said at their gaps.

        `answers` are the ids of every "yes" and "no".
        """

    def scorer(self, template: Template, **options: Unpack[ScorerOptions]) -> MaskedScorer:
        """Return what scores pairs under a cloze; see `Judge.scorer`."""
        return MaskedScorer(self, template, **options)


class MaskedScorer(BatchScorer[Numbered]):
    """Scores pairs under one cloze with one masked judge; options as `ScorerOptions`.

    Raises:
        TemplateError: The template's answers are no words of this model, or its own text is too long.
    """

    def __init__(self, judge: GapJudge, template: Template, **options: Unpack[ScorerOptions]) -> None:
        super().__init__(judge, template, **options)
        self.judge = judge
        self._encoder = ClozeEncoder(judge.tokenizer, template, judge.most_tokens, symmetric=judge.symmetric)
        yes, no = ([each.ids[0] for each in side] for side in self._encoder.spellings)
        self.answers: AnswerIds = yes, no

    @property
    def frame(self) -> PromptFrame:
        """The exact text, with marks where the sentences go."""
        return self._encoder.frame

    @property
    def answer_tokens(self) -> AnswerTokens:
        """The tokens of yes and of no."""
        return answer_tokens(self._encoder.spellings, self.judge.tokenizer.decode)

    def _encoded(self, rows: list[int], sources: Sequence[str], hypotheses: Sequence[str]) -> list[Numbered]:
        texts = self._encoder.encode([sources[row] for row in rows], [hypotheses[row] for row in rows])
        return list(zip(rows, texts, strict=True))

    def _batches(self, items: list[Numbered]) -> list[list[Numbered]]:
        return self._by_length(items, [len(row.ids) for _, row in items])

    def _judged(self, batch: list[Numbered], sources: Sequence[str], hypotheses: Sequence[str]) -> list[PairScore]:
        return self._memory.run_within_budget(batch, self._answered, _tokens)

    def _answered(self, batch: list[Numbered]) -> list[PairScore]:
        rows = [row for _, row in batch]
        scores, answers = self.judge.answer(rows, self.answers)
        if any(row.cut for row in rows):
            self._warn(
                f"{self.template.name}: pairs longer than the {self._encoder.most_tokens} tokens that this judge reads "
                "were cut at the end of the longer sentence."
            )
        rest = [{"tokens": len(row.ids), "neutralised": row.neutralised, "cut": row.cut} for row in rows]
        found = answers.make_evidence(self._encoder.spellings, self.judge.tokenizer.decode, rest)
        return [PairScore(number, score, each) for (number, _), score, each in zip(batch, scores, found, strict=True)]
