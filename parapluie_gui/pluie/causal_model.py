"""A loaded causal language model: a forward pass to the answer position, and writing after a prompt.

Models built like Llama are computed by the packed pass on the CPU and on CUDA (`fast/`), all others by transformers.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from parapluie_gui.models.loading import cache_argument
from parapluie_gui.pluie.budget import ModelShape, count_copied_tokens
from parapluie_gui.pluie.fast import hooks
from parapluie_gui.pluie.fast.attention import PastKeysValues
from parapluie_gui.pluie.fast.choice import PassChoice, choose_causal
from parapluie_gui.pluie.fast.forward import PackedForward, read_prefix
from parapluie_gui.pluie.fast.packing import pack
from parapluie_gui.pluie.fast.writing import TokenChooser, WrittenTokens, choose_likeliest, write
from parapluie_gui.pluie.positions import LengthLimits, forget_lengths, length_limits
from parapluie_gui.pluie.pytorch_judge import PytorchJudge
from parapluie_gui.pluie.rendering import TemplateRenderer, common_prefix

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class SharedPrefix:
    """Tokens that many prompts begin with, and the model's read-only key-value cache for them."""

    ids: tuple[int, ...]
    cache: Any


class CausalModel(PytorchJudge):
    """A loaded causal language model and its passes over prompts.

    Attributes:
        can_share: Whether a prefix can be computed once and reused (not for state-space models).
        packs: Whether rows after a prefix are computed end to end, without padding.
        packs_beginnings: Whether the packed pass also computes common beginnings only once.
    """

    def _prepare(self, check: Callable[[], None]) -> PassChoice:
        self._answer_positions: torch.Tensor | None = None
        self._ends = self._end_tokens()
        self._forward, choice = choose_causal(self.model, check)
        self._write_plainly()
        hooks.answer_in_float32(self.model, lambda: self._answer_positions)
        self.can_share = self._has_plain_cache()
        return choice

    @property
    def packs(self) -> bool:
        return self._forward is not None

    @property
    def packs_beginnings(self) -> bool:
        return self._forward is not None and self._forward.shares_beginnings

    @cached_property
    def renderer(self) -> TemplateRenderer:
        """The renderer of templates in the model's chat format."""
        return TemplateRenderer(self.tokenizer)

    @cached_property
    def length_limits(self) -> LengthLimits:
        """The longest prompts that the model can read."""
        return length_limits(self.model.config.get_text_config())

    def count_copied_tokens(self, shared: int) -> int:
        """Return the memory that each row's copy of a prefix of `shared` tokens takes, counted in tokens of a pass.

        It is 0 on a CPU, where the budget limits time and the copies are small.
        """
        if self.packs or self.device.type == "cpu":
            return 0
        return count_copied_tokens(ModelShape.from_config(self.model.config.get_text_config(), self.size), shared)

    def share(self, ids: Sequence[int]) -> SharedPrefix | None:
        """Compute a prefix of prompts; return None if the model cannot reuse it."""
        import torch
        from transformers import DynamicCache

        if not self.can_share or not ids or len(ids) > self.length_limits.alike:
            return None
        cache = DynamicCache(config=self.model.config)
        self._forget_lengths()
        with torch.inference_mode():
            tokens = torch.tensor([list(ids)], device=self.device)
            self._answer_positions = torch.zeros((1, 1), dtype=torch.long, device=self.device)
            self.model(input_ids=tokens, **cache_argument(self.model, cache))
        return SharedPrefix(tuple(ids), cache)

    def answer_logits(
        self,
        rows: Sequence[Sequence[int]],
        positions: int = 1,
        prefix: SharedPrefix | None = None,
        pasts: Sequence[PastKeysValues | None] = (),
    ) -> torch.Tensor:
        """Run one forward pass and return the logits at the last positions of each row.

        Args:
            rows: Token ids of each prompt, without the prefix and without padding.
            positions: How many of the last positions to return, in order.
            prefix: The prefix that the rows continue.
            pasts: For each row the keys and values of an earlier pass after the same prefix, or None; may be empty.

        Returns:
            float32 tensor (len(rows), positions, vocabulary). The output head is applied in float32 to the last
            hidden states, which halves the error of a bfloat16 head.
        """
        import torch

        if self._forward is not None and prefix is not None:
            with torch.inference_mode():
                return self._packed_logits(self._forward, rows, positions, prefix, pasts)
        lengths = torch.tensor([len(row) for row in rows], device=self.device)
        tokens = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
        # The padding is to the right of every answer position, and a causal model never looks to the right.
        self._answer_positions = lengths[:, None] - positions + torch.arange(positions, device=self.device)[None, :]
        arguments: dict[str, Any] = {"use_cache": False}
        if prefix is not None:
            arguments = cache_argument(self.model, _expand_cache(prefix.cache, len(rows)))
        self._forget_lengths()
        with torch.inference_mode():
            logits: torch.Tensor = self.model(input_ids=tokens.to(self.device), **arguments).logits
            return logits

    def _packed_logits(
        self,
        forward: PackedForward,
        rows: Sequence[Sequence[int]],
        positions: int,
        prefix: SharedPrefix,
        pasts: Sequence[PastKeysValues | None],
    ) -> torch.Tensor:
        # The number of leading tokens of each row that are already in its past.
        cached = [0] * len(rows)
        for number, past in enumerate(pasts):
            if past is not None:
                cached[number] = min(common_prefix(rows[number], past.ids), len(rows[number]) - positions)
        own = [row[done:] for row, done in zip(rows, cached, strict=True)]
        packing = pack(own, positions, share=forward.shares_beginnings and not any(cached))
        places = [place + len(prefix.ids) for place in packing.positions]
        memories: list[torch.Tensor | None] = []
        if any(cached):
            for (start, end), past, done in zip(packing.stretches, pasts, cached, strict=True):
                memories.append(None if past is None or not done else past.memory[:, :, :, :done])
                places[start:end] = [place + done for place in places[start:end]]
        wanted = [end - back for end in packing.ends for back in range(positions, 0, -1)]
        hidden = forward(
            packing.tokens, places, forward.row_attention(packing, read_prefix(prefix.cache), memories), wanted
        )
        return self._logits(hidden).view(len(rows), positions, -1)

    def _logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """Apply the output head to hidden states (n, hidden size); return float32 (n, vocabulary)."""
        self._answer_positions = None
        logits: torch.Tensor = self.model.get_output_embeddings()(hidden)
        return logits

    def write(
        self, rows: Sequence[Sequence[int]], max_new_tokens: int, prefix: SharedPrefix | None = None
    ) -> list[tuple[str, PastKeysValues | None]]:
        """Continue each prompt (ids without the prefix) greedily until the model ends its turn.

        Returns:
            For each row the plain text, and the keys and values that `answer_logits` can continue from (None: not
                stored).
        """
        written = self._write_rows(rows, max_new_tokens, prefix, choose_likeliest)
        return [(self._decode(row.ids), row.past) for row in written]

    def sample(
        self, rows: Sequence[Sequence[int]], max_new_tokens: int, prefix: SharedPrefix | None, choose: TokenChooser
    ) -> list[tuple[str, bool]]:
        """Continue each prompt with the tokens that `choose` returns until the model ends its turn.

        Returns:
            For each row the plain text, and whether it was cut at `max_new_tokens`.
        """
        written = self._write_rows(rows, max_new_tokens, prefix, choose)
        return [(self._decode(row.ids), len(row.ids) == max_new_tokens) for row in written]

    def _write_rows(
        self, rows: Sequence[Sequence[int]], max_new_tokens: int, prefix: SharedPrefix | None, choose: TokenChooser
    ) -> list[WrittenTokens]:
        import torch

        if self._forward is not None and prefix is not None:
            with torch.inference_mode():
                before = (len(prefix.ids), read_prefix(prefix.cache))
                return write(self._forward, self._logits, rows, before, max_new_tokens, self._ends, choose)
        rows = rows if prefix is None else [[*prefix.ids, *row] for row in rows]
        tokens, attention = (
            torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_side="left")
            for tensors in (
                [torch.tensor(row) for row in rows],
                [torch.ones(len(row), dtype=torch.long) for row in rows],
            )
        )
        self._answer_positions = None
        self._forget_lengths()
        with torch.inference_mode():
            written = self.model.generate(
                input_ids=tokens.to(self.device),
                attention_mask=attention.to(self.device),
                max_new_tokens=max_new_tokens,
                logits_processor=[] if choose is choose_likeliest else [_allow_only_chosen(choose)],
            )
        new = written[:, tokens.shape[1] :].tolist()
        return [WrittenTokens(list(takewhile(lambda id: id not in self._ends, ids))) for ids in new]

    def _forget_lengths(self) -> None:
        if self.length_limits.alike < self.length_limits.most:
            forget_lengths(self.model)

    def _decode(self, ids: list[int]) -> str:
        return str(self.tokenizer.decode(ids, skip_special_tokens=True)).strip()

    def _end_tokens(self) -> list[int]:
        """Return the ids that end the assistant's turn."""
        configured = getattr(self.model.generation_config, "eos_token_id", None)
        ends = list(configured) if isinstance(configured, list | tuple) else [configured]
        ends.append(self.tokenizer.eos_token_id)
        ends += [id for id, token in self.tokenizer.added_tokens_decoder.items() if token.content in _TURN_ENDS]
        return list(dict.fromkeys(id for id in ends if id is not None))

    def _write_plainly(self) -> None:
        """Reset the model's generation settings, such as a repetition penalty, so that decoding is greedy."""
        from transformers import GenerationConfig

        pad = self._ends[0] if self._ends else 0
        self.model.generation_config = GenerationConfig(
            do_sample=False, eos_token_id=self._ends or None, pad_token_id=pad
        )

    def _has_plain_cache(self) -> bool:
        """Return whether the model's cache holds only keys and values, which can be copied for every row of a batch."""
        from transformers import DynamicCache
        from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

        if not getattr(self.model, "_supports_default_dynamic_cache", lambda: True)():
            return False
        if getattr(self.model, "_is_stateful", False):
            return False
        if getattr(self.model.config.get_text_config(), "attention_chunk_size", None):
            return False
        layers = DynamicCache(config=self.model.config).layers
        # Not their subclasses: hybrid models also store convolution and recurrent states
        # (LinearAttentionAndFullAttentionLayer in transformers/cache_utils.py).
        return all(type(layer) in (DynamicLayer, DynamicSlidingWindowLayer) for layer in layers)


def _allow_only_chosen(choose: TokenChooser) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """Return a logits processor that leaves only the chosen token for greedy decoding in transformers."""
    import torch

    def process(ids: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
        chosen = torch.tensor(choose(logits, range(len(logits))), device=logits.device)
        return torch.full_like(logits, -torch.inf).scatter_(1, chosen[:, None], 0.0)

    return process


#: Tokens that end a turn in chat formats, for models whose configuration does not name them.
_TURN_ENDS = ("<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|end|>", "<|endoftext|>", "<|END_OF_TURN_TOKEN|>")


def _expand_cache(cache: Any, rows: int) -> Any:
    """Return a cache for a batch in which every row begins with the prefix; the prefix is a view, not a copy."""
    batch = copy.copy(cache)
    batch.layers = [copy.copy(layer) for layer in cache.layers]
    for layer in batch.layers:
        layer.keys = layer.keys.expand(rows, -1, -1, -1)
        layer.values = layer.values.expand(rows, -1, -1, -1)
    return batch
