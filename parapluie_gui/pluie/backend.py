"""A causal language model made ready to judge: loading, one forward pass to the answer position, greedy writing."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError
from parapluie_gui.pluie.device import choose_device, choose_precision
from parapluie_gui.pluie.loading import load_files, quiet

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from parapluie_gui.pluie.models import ModelFiles

__all__ = ["Backend", "SharedPrefix", "quiet"]


@dataclass(frozen=True)
class SharedPrefix:
    """Tokens that many prompts begin with, computed once.

    Attributes:
        ids: The token ids.
        cache: The model's key-value cache after them, batch size 1. Never written again: `Backend` expands copies.
    """

    ids: tuple[int, ...]
    cache: Any


class Backend:
    """A loaded Hugging Face causal model.

    Attributes:
        model, tokenizer: As transformers loads them.
        device, precision: What it runs on ("bfloat16" ...).
        can_share: Whether a prefix can be computed once and reused (not for state-space models).
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
        self._answer_positions: torch.Tensor | None = None
        self._ends = self._end_tokens()
        self._write_plainly()
        self._install_head()
        self._install_gate(check)
        self.can_share = self._has_plain_cache()

    @classmethod
    def load(
        cls,
        files: ModelFiles,
        device: str = "auto",
        precision: str = "auto",
        check: Callable[[], None] = lambda: None,
    ) -> Backend:
        """Load a model from its local files.

        Raises:
            ModelError: The device is not there, or the files are not a causal language model that loads.
        """
        where = choose_device(device)
        how = choose_precision(precision, where)
        model, tokenizer = load_files(files, where, how)
        return cls(model, tokenizer, where, how, check)

    def describe(self, name: str) -> str:
        """Return one line for the user: "smollm2-135m: 134.5 M parameters, bfloat16 on cuda"."""
        # An untied copy of the head (see _install_head) is not another parameter of the model.
        head = self.model.get_output_embeddings().weight if self.model.config.tie_word_embeddings else None
        parameters = sum(weight.numel() for weight in self.model.parameters() if weight is not head)
        if head is not None and head is self.model.get_input_embeddings().weight:
            parameters += head.numel()
        size = f"{parameters / 1e9:.1f} B" if parameters >= 1e9 else f"{parameters / 1e6:.1f} M"
        return f"{name}: {size} parameters, {self.precision} on {self.device}"

    @property
    def most_tokens(self) -> int:
        """Longest prompt that the model was made for, in tokens."""
        config = self.model.config.get_text_config()
        return int(getattr(config, "max_position_embeddings", 0) or 1_000_000)

    def share(self, ids: Sequence[int]) -> SharedPrefix | None:
        """Compute the tokens that the coming prompts begin with; None where the model cannot reuse them."""
        import torch
        from transformers import DynamicCache

        if not self.can_share or not ids:
            return None
        cache = DynamicCache(config=self.model.config)
        with torch.inference_mode():
            tokens = torch.tensor([list(ids)], device=self.device)
            self._answer_positions = torch.zeros((1, 1), dtype=torch.long, device=self.device)
            self.model(input_ids=tokens, past_key_values=cache, use_cache=True)
        return SharedPrefix(tuple(ids), cache)

    def answer_logits(
        self, rows: Sequence[Sequence[int]], positions: int = 1, prefix: SharedPrefix | None = None
    ) -> torch.Tensor:
        """Run one forward pass and return the logits at the last positions of each row.

        Args:
            rows: Token ids of each prompt, without the prefix; padded on the right here.
            positions: How many of the last positions to return, in order.
            prefix: What the rows are the continuation of.

        Returns:
            float32 tensor (len(rows), positions, vocabulary): the output head is applied in float32 to the last
            hidden states, which halves bfloat16's error against applying it in bfloat16.
        """
        import torch

        lengths = torch.tensor([len(row) for row in rows], device=self.device)
        tokens = torch.zeros((len(rows), int(lengths.max())), dtype=torch.long)
        for number, row in enumerate(rows):
            tokens[number, : len(row)] = torch.as_tensor(row, dtype=torch.long)
        # Padding stands to the right of every answer position, and a causal model never looks to the right.
        self._answer_positions = lengths[:, None] - positions + torch.arange(positions, device=self.device)[None, :]
        arguments: dict[str, Any] = {"use_cache": False}
        if prefix is not None:
            arguments = {"use_cache": True, "past_key_values": _expanded(prefix.cache, len(rows))}
        with torch.inference_mode():
            return self.model(input_ids=tokens.to(self.device), **arguments).logits

    def write(self, rows: Sequence[Sequence[int]], max_new_tokens: int) -> list[str]:
        """Let the model go on greedily after each prompt, until it ends its turn; returns plain text."""
        import torch

        width = max(len(row) for row in rows)
        tokens = torch.zeros((len(rows), width), dtype=torch.long)
        seen = torch.zeros((len(rows), width), dtype=torch.long)
        for number, row in enumerate(rows):
            tokens[number, width - len(row) :] = torch.as_tensor(row, dtype=torch.long)
            seen[number, width - len(row) :] = 1
        self._answer_positions = None
        with torch.inference_mode():
            written = self.model.generate(
                input_ids=tokens.to(self.device), attention_mask=seen.to(self.device), max_new_tokens=max_new_tokens
            )
        return [self._own_turn(row) for row in written[:, width:].tolist()]

    def _own_turn(self, ids: list[int]) -> str:
        end = next((place for place, id in enumerate(ids) if id in self._ends), len(ids))
        return str(self.tokenizer.decode(ids[:end], skip_special_tokens=True)).strip()

    def _end_tokens(self) -> list[int]:
        """Return the ids that end the assistant's turn."""
        configured = getattr(self.model.generation_config, "eos_token_id", None)
        ends = list(configured) if isinstance(configured, list | tuple) else [configured]
        ends.append(self.tokenizer.eos_token_id)
        ends += [id for id, token in self.tokenizer.added_tokens_decoder.items() if token.content in _TURN_ENDS]
        return list(dict.fromkeys(id for id in ends if id is not None))

    def _write_plainly(self) -> None:
        """Replace the model's own ways of writing: a repetition penalty or sampling would not be greedy decoding."""
        from transformers import GenerationConfig

        pad = self._ends[0] if self._ends else 0
        self.model.generation_config = GenerationConfig(
            do_sample=False, eos_token_id=self._ends or None, pad_token_id=pad
        )

    def _install_head(self) -> None:
        """Make the output head work in float32 and only at the answer positions.

        A hook does it for every architecture alike: it cuts the hidden states before the head, whatever the model
        does to the logits afterwards (soft-capping, scaling).
        """
        import torch

        head = self.model.get_output_embeddings()
        if head is None:
            raise ModelError("This model has no output head, so it gives no answer probabilities; use a causal model.")
        if head.weight.dtype != torch.float32:
            # Untied first: the input embeddings keep the model's precision.
            head.weight = torch.nn.Parameter(head.weight.detach().to(torch.float32, copy=True), requires_grad=False)
            if getattr(head, "bias", None) is not None:
                head.bias = torch.nn.Parameter(head.bias.detach().float(), requires_grad=False)

        def cut(_module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            hidden = inputs[0]
            if self._answer_positions is not None:
                places = self._answer_positions[:, :, None].expand(-1, -1, hidden.shape[-1])
                hidden = hidden.gather(1, places)
            return (hidden.float(), *inputs[1:])

        head.register_forward_pre_hook(cut)

    def _install_gate(self, check: Callable[[], None]) -> None:
        """Call `check` before each layer, so that pause and cancel act in the middle of a forward pass."""
        import torch

        stacks = {name: each for name, each in self.model.named_modules() if isinstance(each, torch.nn.ModuleList)}
        for name, stack in stacks.items():
            # Not the lists inside a layer, such as a mixture's experts.
            if not any(name.startswith(f"{other}.") for other in stacks):
                for layer in stack:
                    layer.register_forward_pre_hook(lambda _module, _inputs: check())

    def _has_plain_cache(self) -> bool:
        """Whether the model's whole memory is keys and values, which can be copied for every row of a batch."""
        from transformers import DynamicCache
        from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

        if not getattr(self.model, "_supports_default_dynamic_cache", lambda: True)():
            return False
        if getattr(self.model, "_is_stateful", False):
            return False
        if getattr(self.model.config.get_text_config(), "attention_chunk_size", None):
            return False
        layers = DynamicCache(config=self.model.config).layers
        # Not their subclasses: hybrid models keep convolution and recurrent states beside the keys.
        return all(type(layer) in (DynamicLayer, DynamicSlidingWindowLayer) for layer in layers)


#: Tokens with which chat formats end a turn, where a model's configuration forgets to say so.
_TURN_ENDS = ("<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|end|>", "<|endoftext|>", "<|END_OF_TURN_TOKEN|>")


def _expanded(cache: Any, rows: int) -> Any:
    """Return a cache for a batch whose every row begins with the prefix; the prefix itself is viewed, not copied."""
    batch = copy.copy(cache)
    batch.layers = [copy.copy(layer) for layer in cache.layers]
    for layer in batch.layers:
        layer.keys = layer.keys.expand(rows, -1, -1, -1)
        layer.values = layer.values.expand(rows, -1, -1, -1)
    return batch
