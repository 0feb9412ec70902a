"""Matrix products with weights packed once for this processor, joined with what follows them (oneDNN)."""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import torch

#: What may be done to a product x·W + b on the way: SiLU of it, or another tensor added or multiplied to it.
Then = Literal["none", "silu", "add", "mul"]


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

        if self._packed is not None:
            bias = self._linear.bias
            if other is not None:
                return torch.ops.mkldnn._linear_pointwise.binary(x, other, self._packed, bias, then)
            return torch.ops.mkldnn._linear_pointwise(
                x, self._packed, bias, "swish" if then == "silu" else "none", [], ""
            )
        product = torch.nn.functional.linear(x, self._linear.weight, self._linear.bias)
        if then == "silu":
            return torch.nn.functional.silu(product, inplace=True)
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


def pack_layers(body: torch.nn.Module, probe: Callable[[], torch.Tensor]) -> bool:
    """Compute a model's linear layers with packed weights if this gives the same; returns whether it does.

    Args:
        body: The layers' module; on a device and in a precision that `can_pack` allows.
        probe: Runs the model on a few tokens and returns what comes out.
    """
    import torch

    plain = probe()
    kept = [(each, each.weight) for each in body.modules() if type(each) is torch.nn.Linear]
    for layer, _ in kept:
        Matrix(layer).pack()
    try:
        packed = probe()
        if packed.shape == plain.shape and torch.allclose(packed, plain, rtol=0.05, atol=0.05, equal_nan=True):
            return True
    except (RuntimeError, AttributeError, TypeError):  # a layer's weights are read by somebody else as well
        pass
    for layer, weight in kept:
        del layer.forward
        layer.weight = weight
    return False


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
