"""Hooks of a loaded model of any architecture: an exact output head, and a last layer at some positions only."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError
from parapluie_gui.models.device import free_bytes

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

#: Count of an output head's numbers that are in float32 at a time if a copy of the head would be too large: 64 MB.
_SLICE = 1 << 24


def answer_in_float32(model: PreTrainedModel, places: Callable[[], torch.Tensor | None]) -> Any:
    """Make the output head compute in float32 and only at some positions; return the hook that selects these.

    The head is copied to float32, or computed in slices on a GPU if the copy would take a tenth of the free memory. The
    hook cuts the hidden states before the head, so it works for every architecture, whatever the model does with the
    logits (soft-capping, scaling). `places` returns the positions, int64 (batch, k), for the current pass; None for all
    positions.

    Raises:
        ModelError: The model has no output head.
    """
    import torch

    head = model.get_output_embeddings()
    if head is None:
        raise ModelError("This model has no output head, so it gives no answer probabilities. Use another model.")
    if head.weight.dtype != torch.float32 and _is_scarce(4 * head.weight.numel(), head.weight.device):
        head.forward = partial(_apply_head_by_slices, head)
    elif head.weight.dtype != torch.float32:
        # A new parameter unties the head: the input embeddings stay in the model's precision.
        head.weight = torch.nn.Parameter(head.weight.detach().to(torch.float32, copy=True), requires_grad=False)
        if getattr(head, "bias", None) is not None:
            head.bias = torch.nn.Parameter(head.bias.detach().float(), requires_grad=False)

    def cut(_module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        hidden, wanted = inputs[0], places()
        if wanted is not None:
            # In a model that is spread over several GPUs, the head and the tokens are on different GPUs.
            hidden = hidden.gather(1, wanted.to(hidden.device)[:, :, None].expand(-1, -1, hidden.shape[-1]))
        return (hidden.float(), *inputs[1:])

    return head.register_forward_pre_hook(cut)


def _is_scarce(bytes_more: int, device: torch.device) -> bool:
    """Return whether `bytes_more` would take a tenth or more of a GPU's free memory."""
    free = free_bytes(device)
    return free is not None and bytes_more > free / 10


def _apply_head_by_slices(head: torch.nn.Module, hidden: torch.Tensor) -> torch.Tensor:
    """Apply a head to float32 hidden states (..., hidden size), with some rows of the head in float32 at a time."""
    import torch

    weight, bias = head.weight, getattr(head, "bias", None)
    assert isinstance(weight, torch.Tensor)
    hidden = hidden.to(weight.device)
    rows = max(_SLICE // weight.shape[1], 1)
    logits = torch.cat([hidden @ part.float().T for part in weight.split(rows)], dim=-1)
    return logits if bias is None else logits + bias.float()


def narrow_last_layer(model: PreTrainedModel, places: Callable[[], torch.Tensor | None]) -> Any:
    """Make the last layer of a BERT encoder compute only some positions after its attention; return the hook.

    The other positions are not needed after the attention, which is only a quarter of a layer's work. The last hidden
    states contain only the positions of `places` (see `answer_in_float32`), in this order. The hook's `remove()` undoes
    the change; the result is None if the model has a different architecture.
    """
    layers = getattr(getattr(model.base_model, "encoder", None), "layer", None)
    after = getattr(getattr(layers[-1], "attention", None), "output", None) if layers else None
    if after is None:
        return None

    def cut(_module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...] | None:
        wanted = places()
        if wanted is None:
            return None
        return tuple(states.gather(1, wanted[:, :, None].expand(-1, -1, states.shape[-1])) for states in inputs)

    return after.register_forward_pre_hook(cut)
