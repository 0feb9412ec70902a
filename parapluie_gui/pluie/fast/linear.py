"""Matrix products with weights packed once for this processor, joined with what follows them (oneDNN)."""

from __future__ import annotations

import platform
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import torch

#: What may be done to a product x·W + b on the way: SiLU or GELU of it, or another tensor added or multiplied to it.
Then = Literal["none", "silu", "gelu", "add", "mul"]


class Matrix:
    """One linear layer of a model, for the forward pass of our own.

    Args:
        linear: The layer. Once packed, it computes with the packed weights as well and has lost its own.
    """

    def __init__(self, linear: torch.nn.Linear) -> None:
        self._linear = linear
        self._packed: torch.Tensor | None = None

    def __call__(self, x: torch.Tensor, then: Then = "none", other: torch.Tensor | None = None) -> torch.Tensor:
        """Return the product for x (..., inputs): (..., outputs)."""
        import torch

        product: torch.Tensor
        if self._packed is not None:
            bias = self._linear.bias
            if other is not None:
                product = torch.ops.mkldnn._linear_pointwise.binary(x, other, self._packed, bias, then)
            else:
                name, how = {"silu": ("swish", ""), "gelu": ("gelu", "none")}.get(then, ("none", ""))
                product = torch.ops.mkldnn._linear_pointwise(x, self._packed, bias, name, [], how)
            return product
        product = torch.nn.functional.linear(x, self._linear.weight, self._linear.bias)
        if then == "silu":
            return torch.nn.functional.silu(product, inplace=True)
        if then == "gelu":
            return torch.nn.functional.gelu(product)
        if other is None:
            return product
        return product.add_(other) if then == "add" else product.mul_(other)

    def pack(self) -> None:
        """Lay the weights out as the processor reads them best; the model's own layer gives its weights up."""
        import torch

        if self._packed is None:
            self._packed = torch.ops.mkldnn._reorder_linear_weight(self._linear.weight.detach())
            # The layer still works: whoever else calls it computes with the same packed weights.
            self._linear.forward = self.__call__  # type: ignore[assignment]
            self._linear.weight = None  # type: ignore[assignment]


def pack_layers(body: torch.nn.Module, head: torch.nn.Module | None, probe: Callable[[], torch.Tensor]) -> bool:
    """Compute a model's linear layers with packed weights if this gives the same; returns whether it does.

    Where a layer of BERT's build takes GELU of a product, this happens on the way.

    Args:
        body: The layers' module; on a device and in a precision that `can_pack` allows.
        head: The output head, or None.
        probe: Runs the model on a few tokens and returns what comes out.
    """
    import torch

    plain = probe()
    modules = [*body.modules(), *([head] if head is not None else [])]
    kept = {each: each.weight for each in modules if type(each) is torch.nn.Linear}
    matrices = {layer: Matrix(layer) for layer in kept}
    joined = [each for each in modules if getattr(each, "dense", None) in matrices and _takes_gelu(each)]
    for matrix in matrices.values():
        matrix.pack()
    for module in joined:
        module.forward = partial(matrices[module.dense], then="gelu")  # type: ignore[index]
    try:
        packed = probe()
        if packed.shape == plain.shape and torch.allclose(packed, plain, rtol=0.05, atol=0.05, equal_nan=True):
            return True
    except (RuntimeError, AttributeError, TypeError):  # a layer's weights are read by somebody else as well
        pass
    for changed in (*kept, *joined):
        del changed.forward
    for layer, weight in kept.items():
        layer.weight = weight
    return False


def _takes_gelu(module: torch.nn.Module) -> bool:
    """Whether a module is BERT's or RoBERTa's `dense`, then GELU, and nothing else."""
    return {name for name, _ in module.named_children()} == {"dense", "intermediate_act_fn"} and (
        type(module.intermediate_act_fn).__name__ == "GELUActivation"
    )


def can_pack(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether weights can be packed here: an x86 processor, and a precision that oneDNN knows on it."""
    import torch

    if device.type != "cpu" or platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    if not torch.backends.mkldnn.is_available():
        return False
    if dtype == torch.bfloat16:
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    return dtype == torch.float32
