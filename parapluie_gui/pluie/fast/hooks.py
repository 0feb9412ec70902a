"""Hooks of a loaded model, whatever its architecture: an exact output head, a last layer at some positions only."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError
from parapluie_gui.models.device import free_bytes

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

#: Numbers of an output head that are in float32 at a time where a copy of all would be too large: 64 MB.
_SLICE = 1 << 24


def answer_in_float32(model: PreTrainedModel, places: Callable[[], torch.Tensor | None]) -> Any:
    """Make the output head work in float32 and only at some positions; returns the hook, to be removed for all of them.

    The head is copied in float32, or, on a GPU where the copy would take a tenth of what is free, computed in slices. A
    hook does it for every architecture alike: it cuts the hidden states before the head, whatever the model does to
    the logits afterwards (soft-capping, scaling). `places` returns the positions, int64 (batch, k), for the pass under
    way; None for all of them.

    Raises:
        ModelError: The model has no output head.
    """
    import torch

    head = model.get_output_embeddings()
    if head is None:
        raise ModelError("This model has no output head, so it gives no answer probabilities. Use another model.")
    if head.weight.dtype != torch.float32 and _is_scarce(4 * head.weight.numel(), head.weight.device):
        head.forward = partial(_by_slices, head)
    elif head.weight.dtype != torch.float32:
        # Untied first: the input embeddings keep the model's precision.
        head.weight = torch.nn.Parameter(head.weight.detach().to(torch.float32, copy=True), requires_grad=False)
        if getattr(head, "bias", None) is not None:
            head.bias = torch.nn.Parameter(head.bias.detach().float(), requires_grad=False)

    def cut(_module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        hidden, wanted = inputs[0], places()
        if wanted is not None:
            # The head of a model that is spread over several GPUs is on another one than the tokens.
            hidden = hidden.gather(1, wanted.to(hidden.device)[:, :, None].expand(-1, -1, hidden.shape[-1]))
        return (hidden.float(), *inputs[1:])

    return head.register_forward_pre_hook(cut)


def _is_scarce(bytes_more: int, device: torch.device) -> bool:
    """Return whether so many bytes more are a tenth of what is free on a GPU, or more."""
    free = free_bytes(device)
    return free is not None and bytes_more > free / 10


def _by_slices(head: torch.nn.Module, hidden: torch.Tensor) -> torch.Tensor:
    """Apply a head to float32 hidden states (..., hidden size) with some of its rows in float32 at a time."""
    import torch

    weight, bias = head.weight, getattr(head, "bias", None)
    assert isinstance(weight, torch.Tensor)
    hidden = hidden.to(weight.device)
    rows = max(_SLICE // weight.shape[1], 1)
    found = torch.cat([hidden @ part.float().T for part in weight.split(rows)], dim=-1)
    return found if bias is None else found + bias.float()


def narrow_last_layer(model: PreTrainedModel, places: Callable[[], torch.Tensor | None]) -> Any:
    """Make the last layer of an encoder of BERT's build go on with some positions only, once all have been looked at.

    Nothing looks at the other positions any more, and three quarters of a layer's work come after the looking. The last
    hidden states hold the positions of `places` (see `answer_in_float32`) alone, in this order. Returns the hook, whose
    `remove()` undoes it; None where the model is built otherwise.
    """
    layers = getattr(getattr(model.base_model, "encoder", None), "layer", None)
    after = getattr(getattr(layers[-1], "attention", None), "output", None) if layers else None
    if after is None:
        return None

    def cut(_module: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...] | None:
        wanted = places()
        if wanted is None:
            return None
        return tuple(each.gather(1, wanted[:, :, None].expand(-1, -1, each.shape[-1])) for each in inputs)

    return after.register_forward_pre_hook(cut)
