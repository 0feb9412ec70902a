"""ParaPLUIE with a masked language model: the score read at the gap of a cloze.

Lemesle et al. (COLING 2025) define score = log p(yes | Tpl(S, H)) − log p(no | Tpl(S, H)) for the word that a causal
model says next. Here it is the word that a masked model puts into the gap; the normaliser cancels all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from parapluie_gui.models.device import choose_device, choose_precision
from parapluie_gui.models.kind import MASKED
from parapluie_gui.models.loading import load_files
from parapluie_gui.pluie.batches import WINDOW, BatchMemory, grouped
from parapluie_gui.pluie.causal_scorer import BATCH_TOKENS, Guard, Scored, pluie_signature
from parapluie_gui.pluie.cloze import MOST_TOKENS, ClozeEncoder, ClozeRow
from parapluie_gui.pluie.evidence import evidences
from parapluie_gui.pluie.fast import hooks
from parapluie_gui.pluie.fast.linear import can_pack, pack_layers
from parapluie_gui.pluie.prompt import Frame
from parapluie_gui.pluie.templates import Template

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from parapluie_gui.models.catalogue import ModelFiles


class MaskedJudge:
    """A loaded Hugging Face model that fills gaps.

    Attributes:
        model, tokenizer: As transformers loads them.
        device, precision: What it runs on ("bfloat16" ...).
    """

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        device: torch.device,
        precision: str,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.device = device
        self.precision = precision
        self._gaps: torch.Tensor | None = None
        self._narrow = False
        self._cuts = self._cut_head()
        self._cut_last_layer()
        # Before the weights are packed, when they are all there to be counted.
        self._described = hooks.describe("", self.model, precision, device)
        if can_pack(device, self.model.dtype):
            head = self.model.get_output_embeddings() if self._cuts else None
            pack_layers(self.model.base_model, head, lambda: self.gap_logits(self._probes()))
        hooks.check_before_layers(self.model, check)

    @classmethod
    def load(
        cls,
        files: ModelFiles,
        device: str = "auto",
        precision: str = "auto",
        check: Callable[[], None] = lambda: None,
    ) -> MaskedJudge:
        """Load a model from its local files.

        Raises:
            ModelError: The device is not there, or the files are not a masked language model that loads.
        """
        where = choose_device(device)
        how = choose_precision(precision, where)
        model, tokenizer = load_files(files, where, how, MASKED)
        return cls(model, tokenizer, where, how, check)

    def describe(self, name: str) -> str:
        """Return one line for the user: "pocket: 22.7 M parameters, bfloat16 on cpu"."""
        return name + self._described

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


class MaskedScorer:
    """Scores pairs under one cloze with one masked model; used like `pluie.causal_scorer.CausalScorer`.

    Args:
        backend: The loaded model.
        files: What it was loaded from, for the signature.
        template: The cloze.
        exact: One pair at a time, for reproduction.
        batch_tokens: Most tokens of one forward pass; 0 = the device's default.
        warn: Told, in a sentence, what the user should know.
        guard: Runs the work on one batch; may do it again when it was interrupted on the way.

    Raises:
        TemplateError: The template's answers are no words of this model, or its own text is too long.
    """

    def __init__(
        self,
        backend: MaskedJudge,
        files: ModelFiles,
        template: Template,
        *,
        exact: bool = False,
        batch_tokens: int = 0,
        warn: Callable[[str], None] = lambda text: None,
        guard: Guard = lambda work: work(),
    ) -> None:
        self.backend = backend
        self.template = template
        self.exact = exact
        self.signature = pluie_signature(files, template, backend.precision, exact=exact)
        self._encoder = ClozeEncoder(backend.tokenizer, template, backend.most_tokens)
        self._warn = warn
        self._guard = guard
        self._memory = BatchMemory(batch_tokens or BATCH_TOKENS[backend.device.type], backend.device, warn)

    @property
    def frame(self) -> Frame:
        """The exact text, with marks where the sentences go."""
        return self._encoder.frame

    @property
    def answers(self) -> tuple[int, int]:
        """The token ids of "yes" and "no"."""
        return self._encoder.yes, self._encoder.no

    def score(self, sources: Sequence[str], hypotheses: Sequence[str], seed: int = 0) -> Iterator[list[Scored]]:
        """Yield the scores of all pairs, batch by batch in random order.

        Args:
            sources: n sentences.
            hypotheses: n sentences.
            seed: Of the order.

        Raises:
            ModelError: Not even one pair fits into memory.
        """
        # As for a causal judge: sorted by length within a window of random pairs, so that little is padding and the
        # first batches are already a fair sample of the corpus.
        random = np.random.default_rng(seed)
        order = random.permutation(len(sources))
        for start in range(0, len(order), WINDOW):
            numbers = order[start : start + WINDOW].tolist()
            rows = self._encoder.encode([sources[row] for row in numbers], [hypotheses[row] for row in numbers])
            batches = [[one] for one in range(len(rows))]
            if not self.exact:
                batches = grouped([len(row.ids) for row in rows], self._memory.budget)
            for number in random.permutation(len(batches)):
                batch = [(numbers[place], rows[place]) for place in batches[number]]
                yield self._guard(partial(self._memory.halving, batch, self._forward))

    def _forward(self, batch: list[tuple[int, ClozeRow]]) -> list[Scored]:
        rows = [row for _, row in batch]
        logits = self.backend.gap_logits(rows)
        logs = logits.log_softmax(-1)
        yes, no = self._encoder.yes, self._encoder.no
        if any(row.cut for row in rows):
            self._warn(
                f"{self.template.name}: pairs longer than the {self._encoder.most_tokens} tokens that this judge reads "
                "were cut at the end of the longer sentence."
            )
        rest = [{"tokens": len(row.ids), "neutralised": row.neutralised, "cut": row.cut} for row in rows]
        found = evidences(logs[:, yes], logs[:, no], logs, self.backend.tokenizer.decode, rest)
        # Of the logits themselves: the normaliser cancels, and nothing is lost to rounding it.
        scores = (logits[:, yes] - logits[:, no]).tolist()
        return [Scored(number, score, each) for (number, _), score, each in zip(batch, scores, found, strict=True)]
