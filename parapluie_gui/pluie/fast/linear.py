"""Matrix products with weights packed once for this processor and fused with the next operation (oneDNN)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

from parapluie_gui.errors import first_line

if TYPE_CHECKING:
    import torch

#: Errors raised for a private operator that is missing (AttributeError) or has changed its arguments.
FAILURES = (AttributeError, RuntimeError, TypeError)

#: The operation fused with a product x·W + b: SiLU, GELU, or the addition or multiplication of another tensor.
FusedOperation = Literal["none", "silu", "gelu", "add", "mul"]


class LinearLayer:
    """One linear layer of a model, for the program's own forward pass.

    Args:
        linear: The model's layer. After packing, it has no weights and computes with the packed ones, too.
    """

    def __init__(self, linear: torch.nn.Linear) -> None:
        self._linear = linear
        self._packed: torch.Tensor | None = None

    def __call__(
        self, x: torch.Tensor, then: FusedOperation = "none", other: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return the product (..., outputs) for x (..., inputs), followed by the operation `then`."""
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
        """Arrange the weights for the processor; they replace the weights of the model's own layer."""
        import torch

        if self._packed is None:
            self._packed = torch.ops.mkldnn._reorder_linear_weight(self._linear.weight.detach())
            # The layer still works: other callers compute with the same packed weights.
            self._linear.forward = self.__call__  # type: ignore[assignment]
            self._linear.weight = None  # type: ignore[assignment]

    def unpack(self) -> None:
        """Restore the layer's exact weights."""
        import torch

        if self._packed is not None:
            self._linear.weight = torch.nn.Parameter(self._packed.to_dense(), requires_grad=False)
            del self._linear.forward
            self._packed = None


def products_work(dtype: torch.dtype) -> bool:
    """Return whether products with a small packed matrix equal PyTorch's, for every fused operation.

    Raises:
        Exception: One of `FAILURES`, if an operator is missing or has changed its arguments.
    """
    import torch

    # not random, so that the program's random numbers stay the same
    layer = torch.nn.utils.skip_init(torch.nn.Linear, 4, 3, dtype=dtype)
    with torch.inference_mode():
        for weight in layer.parameters():
            weight.copy_(torch.linspace(-1, 1, weight.numel()).view_as(weight))
        matrix, x, other = (
            LinearLayer(layer),
            torch.linspace(-2, 2, 8).view(2, 4).to(dtype),
            torch.ones(2, 3, dtype=dtype),
        )
        kinds: tuple[tuple[FusedOperation, torch.Tensor | None], ...] = (
            ("none", None), ("silu", None), ("gelu", None), ("add", other), ("mul", other)
        )  # fmt: skip
        plain = [matrix(x, then, None if to is None else to.clone()) for then, to in kinds]
        matrix.pack()
        packed = [matrix(x, then, to) for then, to in kinds]
    return all(torch.allclose(one, two, rtol=0.05, atol=0.05) for one, two in zip(plain, packed, strict=True))


def pack_layers(body: torch.nn.Module, head: torch.nn.Module | None, probe: Callable[[], torch.Tensor]) -> str:
    """Pack a model's linear layers if the results are the same; return the reason if they are not packed, otherwise "".

    In BERT layers GELU is fused with its product. `head` is the output head or None; `probe` runs the model on a few
    tokens.
    """
    import torch

    plain = probe()
    modules = [*body.modules(), *([head] if head is not None else [])]
    matrices = {module: LinearLayer(module) for module in modules if type(module) is torch.nn.Linear}
    fused = [module for module in modules if getattr(module, "dense", None) in matrices and _takes_gelu(module)]
    try:
        for matrix in matrices.values():
            matrix.pack()
        for module in fused:
            module.forward = partial(matrices[module.dense], then="gelu")  # type: ignore[index]
        packed = probe()
        if packed.shape == plain.shape and torch.allclose(packed, plain, rtol=0.05, atol=0.05, equal_nan=True):
            return ""
        reason = "packed products give different numbers for this model"
    except FAILURES as error:  # for example, other code reads the weights of a layer
        reason = f"packed products fail for this model: {first_line(error)}"
    for module in fused:
        vars(module).pop("forward", None)
    for matrix in matrices.values():
        matrix.unpack()
    return reason


def _takes_gelu(module: torch.nn.Module) -> bool:
    """Return whether a module is only the `dense` layer and GELU of BERT or RoBERTa."""
    return {name for name, _ in module.named_children()} == {"dense", "intermediate_act_fn"} and (
        type(module.intermediate_act_fn).__name__ == "GELUActivation"
    )
