"""Scores of pairs at the gap of a cloze, by any judge that fills gaps."""

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

#: A pair's number and its encoded text.
NumberedRow = tuple[int, ClozeRow]


def _count_tokens(batch: list[NumberedRow]) -> int:
    return len(batch) * max(len(row.ids) for _, row in batch)


class GapJudge(BatchJudge):
    """A judge that fills gaps.

    Attributes:
        symmetric: Whether it reads both sentences in the same way.
        tokenizer: The model's tokeniser.
    """

    symmetric: bool
    tokenizer: Any

    @property
    @abstractmethod
    def most_tokens(self) -> int:
        """Length of the longest text that the model can read, in tokens."""

    @property
    @abstractmethod
    def vocabulary(self) -> int:
        """Number of tokens in the model's vocabulary."""

    @abstractmethod
    def answer(self, rows: Sequence[ClozeRow], answers: AnswerIds) -> tuple[list[float], JudgeAnswers]:
        """Return the scores of n texts, log p(yes) − log p(no), and the other answers at their gaps.

        `answers` are the ids of every "yes" and "no".
        """

    def scorer(self, template: Template, **options: Unpack[ScorerOptions]) -> MaskedScorer:
        """Return a scorer of pairs under a cloze; see `Judge.scorer`."""
        return MaskedScorer(self, template, **options)


class MaskedScorer(BatchScorer[NumberedRow]):
    """A scorer of pairs under one cloze with one masked judge; see `ScorerOptions` for the options.

    Raises:
        TemplateError: An answer is not one token of this model, or the template's own text is too long.
    """

    def __init__(self, judge: GapJudge, template: Template, **options: Unpack[ScorerOptions]) -> None:
        super().__init__(judge, template, **options)
        self.judge = judge
        self._encoder = ClozeEncoder(judge.tokenizer, template, judge.most_tokens, symmetric=judge.symmetric)
        yes, no = ([spelling.ids[0] for spelling in side] for side in self._encoder.spellings)
        self.answers: AnswerIds = yes, no

    @property
    def frame(self) -> PromptFrame:
        """The exact text, with placeholders for the sentences."""
        return self._encoder.frame

    @property
    def answer_tokens(self) -> AnswerTokens:
        """The tokens of yes and of no."""
        return answer_tokens(self._encoder.spellings, self.judge.tokenizer.decode)

    def _encode_pairs(self, rows: list[int], sources: Sequence[str], hypotheses: Sequence[str]) -> list[NumberedRow]:
        texts = self._encoder.encode([sources[row] for row in rows], [hypotheses[row] for row in rows])
        return list(zip(rows, texts, strict=True))

    def _group_batches(self, items: list[NumberedRow]) -> list[list[NumberedRow]]:
        return self._group_by_length(items, [len(row.ids) for _, row in items])

    def _score_batch(
        self, batch: list[NumberedRow], sources: Sequence[str], hypotheses: Sequence[str]
    ) -> list[PairScore]:
        return self._memory.run_within_budget(batch, self._score_rows, _count_tokens)

    def _score_rows(self, batch: list[NumberedRow]) -> list[PairScore]:
        rows = [row for _, row in batch]
        scores, answers = self.judge.answer(rows, self.answers)
        if any(row.cut for row in rows):
            self._warn(
                f"{self.template.name}: pairs longer than the {self._encoder.most_tokens} tokens that this judge reads "
                "were cut at the end of the longer sentence."
            )
        fields = [{"tokens": len(row.ids), "neutralised": row.neutralised, "cut": row.cut} for row in rows]
        evidence = answers.make_evidence(self._encoder.spellings, self.judge.tokenizer.decode, fields)
        return [PairScore(number, score, one) for (number, _), score, one in zip(batch, scores, evidence, strict=True)]
