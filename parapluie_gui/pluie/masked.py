"""A masked language model as a judge, which scores by the logits at the gap of a cloze.

The score is that of Lemesle et al. (COLING 2025) for the word that the model puts into the gap, instead of the next
word of a causal model; the normaliser cancels in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from parapluie_gui.models.kind import MASKED
from parapluie_gui.models.symmetric import is_symmetric
from parapluie_gui.pluie import symmetric
from parapluie_gui.pluie.cloze import CLOZE, FIRST, MOST_TOKENS, SECOND, ClozeRow
from parapluie_gui.pluie.evidence import JudgeAnswers
from parapluie_gui.pluie.fast import hooks
from parapluie_gui.pluie.fast.choice import PassChoice, choose_masked
from parapluie_gui.pluie.masked_scorer import GapJudge
from parapluie_gui.pluie.pytorch_judge import PytorchJudge, sum_logs
from parapluie_gui.pluie.symmetric import AnswerIds

if TYPE_CHECKING:
    import torch


class MaskedJudge(GapJudge, PytorchJudge):
    """A loaded model that fills gaps."""

    kind = MASKED

    def _prepare(self, check: Callable[[], None]) -> PassChoice:
        self.symmetric = is_symmetric(self.model)
        self._check = check
        self._gaps: torch.Tensor | None = None
        self._narrow = False
        if self.symmetric:
            hooks.answer_in_float32(self.model, lambda: None)
            return choose_masked(self.model, self.model.get_output_embeddings(), self._probe)
        self._cuts = self._cut_head()
        if self._cuts:
            self._cut_last_layer()
        head = self.model.get_output_embeddings() if self._cuts else None
        return choose_masked(self.model, head, self._probe)

    @property
    def most_tokens(self) -> int:
        """Length of the longest text that the model can read, in tokens."""
        import torch

        most = int(getattr(self.model.config, "max_position_embeddings", 0) or MOST_TOKENS)
        for name, module in self.model.named_modules():
            if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
                # RoBERTa and related models count positions from the one after the position of padding.
                most = module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1)
        return most

    @property
    def vocabulary(self) -> int:
        """Number of tokens in the model's vocabulary."""
        return int(self.model.config.vocab_size)

    def gap_logits(self, rows: Sequence[ClozeRow], answers: AnswerIds | None = None) -> torch.Tensor:
        """Run one forward pass and return the logits at the gaps: float32 tensor (len(rows), vocabulary).

        `answers` are the ids of every "yes" and "no"; a symmetric judge adds the cosine to their logits.
        """
        import torch

        if self.symmetric:
            with torch.inference_mode():
                return symmetric.gap_logits(
                    self.model, rows, int(self.tokenizer.pad_token_id or 0), answers, self._check
                )
        ids, types, attention, gaps = (
            tensor.to(self.device) for tensor in pad_rows(rows, int(self.tokenizer.pad_token_id or 0))
        )
        typed = int(getattr(self.model.config, "type_vocab_size", 0) or 0) >= 2
        arguments = {"token_type_ids": types} if typed else {}
        self._gaps = gaps[:, None] if self._cuts else None
        with torch.inference_mode():
            logits: torch.Tensor = self.model(input_ids=ids, attention_mask=attention, **arguments).logits
            if self._cuts:
                return logits[:, 0].float()
            return logits[torch.arange(len(rows), device=self.device), gaps].float()

    def answer(self, rows: Sequence[ClozeRow], answers: AnswerIds) -> tuple[list[float], JudgeAnswers]:
        """Return the scores of n texts and the other answers at their gaps; see `GapJudge.answer`."""
        logits = self.gap_logits(rows, answers)
        logs = logits.log_softmax(-1)
        yes, no = answers
        # From the logits: the normaliser cancels, so its rounding error stays out.
        scores = sum_logs(logits[:, yes]) - sum_logs(logits[:, no])
        return scores.tolist(), JudgeAnswers.from_logs(logs[:, yes], logs[:, no], logs)

    def _cut_head(self) -> bool:
        """Compute the output head only at the gaps, if the logits are the same; return whether they are."""
        if self.model.get_output_embeddings() is None:
            return False
        self._cuts = False
        plain = self._probe()
        hook = hooks.answer_in_float32(self.model, self._remaining_gaps)
        self._cuts = True
        if self._probe_equals(plain, 0.1):
            return True
        # A different layer needs the positions that the hook cut: compute the head at all positions, still in float32.
        self._cuts = False
        self._gaps = None
        try:
            self._probe()
        except RuntimeError:  # the layers after the head do not accept float32
            hook.remove()
            self.model.to(next(self.model.base_model.parameters()).dtype)
        return False

    def _cut_last_layer(self) -> None:
        """Compute the end of the last layer only at the gaps, if the logits are the same."""
        plain = self._probe()
        hook = hooks.narrow_last_layer(self.model, lambda: self._gaps if self._narrow else None)
        if hook is None:
            return
        self._narrow = True
        if not self._probe_equals(plain, 0.05):
            self._narrow = False
            hook.remove()

    def _remaining_gaps(self) -> torch.Tensor | None:
        """Return the positions of the gaps in the last hidden states."""
        return self._gaps * 0 if self._narrow and self._gaps is not None else self._gaps

    def _probe(self) -> torch.Tensor:
        mask = int(self.tokenizer.mask_token_id or 0)
        types = [FIRST, SECOND, CLOZE, CLOZE] if self.symmetric else [0, 0, 0, 0]
        return self.gap_logits([ClozeRow([mask, mask, 0], types[:3], 1), ClozeRow([0, mask, mask, 0], types, 2)])

    def _probe_equals(self, plain: torch.Tensor, near: float) -> bool:
        """Return whether the probe still has these logits when only some positions are computed."""
        import torch

        try:
            logits = self._probe()
        except (RuntimeError, IndexError):  # something in the model expects all positions
            return False
        return logits.shape == plain.shape and torch.allclose(logits, plain, rtol=near, atol=near, equal_nan=True)


def pad_rows(rows: Sequence[ClozeRow], pad: int = 0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return rows as int64 tensors: token ids, types and attention mask (n, longest), and gap positions (n,).

    `pad` is the id of the padding token, which is added on the right.
    """
    import torch

    fill = partial(torch.nn.utils.rnn.pad_sequence, batch_first=True)
    ids = fill([torch.tensor(row.ids) for row in rows], padding_value=pad)
    types = fill([torch.tensor(row.types) for row in rows])
    attention = fill([torch.ones(len(row.ids), dtype=torch.long) for row in rows])
    return ids, types, attention, torch.tensor([row.gap for row in rows])
