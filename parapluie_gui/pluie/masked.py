"""A masked language model made ready to judge: the logits at the gap of a cloze.

The score is that of Lemesle et al. (COLING 2025) for the word that the model puts into the gap instead of the one that
a causal model says next; the normaliser cancels all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Unpack

from parapluie_gui.models.kind import MASKED
from parapluie_gui.pluie.cloze import MOST_TOKENS, ClozeRow
from parapluie_gui.pluie.fast import hooks
from parapluie_gui.pluie.fast.choice import Pass, choose_masked
from parapluie_gui.pluie.judge import ScorerOptions
from parapluie_gui.pluie.masked_scorer import MaskedScorer
from parapluie_gui.pluie.pytorch_judge import PytorchJudge
from parapluie_gui.pluie.templates import Template

if TYPE_CHECKING:
    import torch


class MaskedJudge(PytorchJudge):
    """A loaded model that fills gaps."""

    kind = MASKED

    def _prepare(self, check: Callable[[], None]) -> Pass:
        self._gaps: torch.Tensor | None = None
        self._narrow = False
        self._cuts = self._cut_head()
        self._cut_last_layer()
        head = self.model.get_output_embeddings() if self._cuts else None
        return choose_masked(self.model, head, lambda: self.gap_logits(self._probes()))

    def scorer(self, template: Template, **options: Unpack[ScorerOptions]) -> MaskedScorer:
        """Return what scores pairs under a cloze; see `Judge.scorer`."""
        return MaskedScorer(self, template, **options)

    @property
    def most_tokens(self) -> int:
        """Longest text that the model was made for, in tokens."""
        import torch

        most = int(getattr(self.model.config, "max_position_embeddings", 0) or MOST_TOKENS)
        for name, module in self.model.named_modules():
            if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
                # RoBERTa and its kin count positions from behind the padding's.
                most = module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1)
        return most

    def gap_logits(self, rows: Sequence[ClozeRow]) -> torch.Tensor:
        """Run one forward pass and return the logits at the gaps: float32 tensor (len(rows), vocabulary)."""
        import torch

        ids, types, seen, gaps = (
            tensor.to(self.device) for tensor in padded(rows, int(self.tokenizer.pad_token_id or 0))
        )
        arguments = {"token_type_ids": types} if self._knows_types() else {}
        self._gaps = gaps[:, None] if self._cuts else None
        with torch.inference_mode():
            logits: torch.Tensor = self.model(input_ids=ids, attention_mask=seen, **arguments).logits
            if self._cuts:
                return logits[:, 0].float()
            return logits[torch.arange(len(rows), device=self.device), gaps].float()

    def _knows_types(self) -> bool:
        return int(getattr(self.model.config, "type_vocab_size", 0) or 0) >= 2

    def _cut_head(self) -> bool:
        """Make the output head work only at the gaps, if this gives the same as picking them afterwards."""
        import torch

        if self.model.get_output_embeddings() is None:
            return False
        probes = self._probes()
        self._cuts = False
        plain = self.gap_logits(probes)
        hook = hooks.answer_in_float32(self.model, self._left)
        self._cuts = True
        try:
            cut = self.gap_logits(probes)
            if cut.shape == plain.shape and torch.allclose(cut, plain, rtol=0.1, atol=0.1, equal_nan=True):
                return True
        except (RuntimeError, IndexError):  # something behind the head expects all positions
            pass
        # What a hook cut away, another layer needs: the head goes on in the model's own way, in float32 all the same.
        self._cuts = False
        self._gaps = None
        try:
            self.gap_logits(probes)
        except RuntimeError:  # the layers behind the head do not take float32
            hook.remove()
            self.model.to(next(self.model.base_model.parameters()).dtype)
        return False

    def _cut_last_layer(self) -> None:
        """Make the last layer go on with the gaps alone, if this gives the same."""
        import torch

        if not self._cuts:
            return
        probes = self._probes()
        plain = self.gap_logits(probes)
        hook = hooks.narrow_last_layer(self.model, lambda: self._gaps if self._narrow else None)
        if hook is None:
            return
        self._narrow = True
        try:
            narrow = self.gap_logits(probes)
            self._narrow = narrow.shape == plain.shape and torch.allclose(narrow, plain, rtol=0.05, atol=0.05)
        except (RuntimeError, IndexError):  # something in the layer expects all positions
            self._narrow = False
        if not self._narrow:
            hook.remove()

    def _left(self) -> torch.Tensor | None:
        """Return where the gaps stand among the last hidden states."""
        return self._gaps * 0 if self._narrow and self._gaps is not None else self._gaps

    def _probes(self) -> list[ClozeRow]:
        mask = int(self.tokenizer.mask_token_id or 0)
        return [ClozeRow([mask, mask, 0], [0, 0, 0], 1), ClozeRow([0, mask, mask, 0], [0, 0, 0, 0], 2)]


def padded(rows: Sequence[ClozeRow], pad: int = 0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return rows as int64 tensors: token ids, types and attention mask (n, longest), and gap positions (n,).

    Args:
        rows: n texts.
        pad: Id of the padding token, put on the right.
    """
    import torch

    width = max(len(row.ids) for row in rows)
    ids = torch.full((len(rows), width), pad, dtype=torch.long)
    types = torch.zeros((len(rows), width), dtype=torch.long)
    seen = torch.zeros((len(rows), width), dtype=torch.long)
    for number, row in enumerate(rows):
        length = len(row.ids)
        ids[number, :length] = torch.as_tensor(row.ids)
        types[number, :length] = torch.as_tensor(row.types)
        seen[number, :length] = 1
    return ids, types, seen, torch.tensor([row.gap for row in rows])
