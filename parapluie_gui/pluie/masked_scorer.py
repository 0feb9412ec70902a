"""ParaPLUIE by a masked judge: the score of pairs at the gap of one cloze, in batches or one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from parapluie_gui.pluie.cloze import ClozeEncoder, ClozeRow
from parapluie_gui.pluie.evidence import evidences
from parapluie_gui.pluie.judge import Scored, ScorerOptions
from parapluie_gui.pluie.prompt import Frame
from parapluie_gui.pluie.pytorch_judge import BatchScorer
from parapluie_gui.pluie.templates import Template

if TYPE_CHECKING:
    from parapluie_gui.pluie.masked import MaskedJudge

#: A pair's number and its text.
Numbered = tuple[int, ClozeRow]


class MaskedScorer(BatchScorer[Numbered]):
    """Scores pairs under one cloze with one masked judge.

    Args:
        judge: The loaded model.
        template: The cloze.
        options: See `ScorerOptions`.

    Attributes:
        answers: The token ids of "yes" and "no".

    Raises:
        TemplateError: The template's answers are no words of this model, or its own text is too long.
    """

    def __init__(self, judge: MaskedJudge, template: Template, **options: Unpack[ScorerOptions]) -> None:
        super().__init__(judge, template, **options)
        self.judge = judge
        self._encoder = ClozeEncoder(judge.tokenizer, template, judge.most_tokens)
        self.answers = self._encoder.yes, self._encoder.no

    @property
    def frame(self) -> Frame:
        """The exact text, with marks where the sentences go."""
        return self._encoder.frame

    def _encoded(self, rows: list[int], sources: Sequence[str], hypotheses: Sequence[str]) -> list[Numbered]:
        texts = self._encoder.encode([sources[row] for row in rows], [hypotheses[row] for row in rows])
        return list(zip(rows, texts, strict=True))

    def _batches(self, items: list[Numbered]) -> list[list[Numbered]]:
        return self._by_length(items, [len(row.ids) for _, row in items])

    def _judged(self, batch: list[Numbered], sources: Sequence[str], hypotheses: Sequence[str]) -> list[Scored]:
        return self._memory.halving(batch, self._answered)

    def _answered(self, batch: list[Numbered]) -> list[Scored]:
        rows = [row for _, row in batch]
        logits = self.judge.gap_logits(rows)
        logs = logits.log_softmax(-1)
        yes, no = self.answers
        if any(row.cut for row in rows):
            self._warn(
                f"{self.template.name}: pairs longer than the {self._encoder.most_tokens} tokens that this judge reads "
                "were cut at the end of the longer sentence."
            )
        rest = [{"tokens": len(row.ids), "neutralised": row.neutralised, "cut": row.cut} for row in rows]
        found = evidences(logs[:, yes], logs[:, no], logs, self.judge.tokenizer.decode, rest)
        # Of the logits themselves: the normaliser cancels, and nothing is lost to rounding it.
        scores = (logits[:, yes] - logits[:, no]).tolist()
        return [Scored(number, score, each) for (number, _), score, each in zip(batch, scores, found, strict=True)]
