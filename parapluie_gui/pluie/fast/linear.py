"""Matrix products with weights packed once for this processor, joined with what follows them (oneDNN)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

from parapluie_gui.errors import first_line

if TYPE_CHECKING:
    import torch

#: What a private operator raises that is missing (AttributeError) or takes other arguments than it did.
FAILURES = (AttributeError, RuntimeError, TypeError)

#: What may be done to a product x·W + b on the way: SiLU or GELU of it, or another tensor added or multiplied to it.
JoinedStep = Literal["none", "silu", "gelu", "add", "mul"]


class LinearLayer:
    """One linear layer of a model, for the forward pass of our own.

    Args:
        linear: The layer. Once packed, it computes with the packed weights as well and has lost its own.
    """

    def __init__(self, linear: torch.nn.Linear) -> None:
        self._linear = linear
        self._packed: torch.Tensor | None = None

    def __call__(self, x: torch.Tensor, then: JoinedStep = "none", other: torch.Tensor | None = None) -> torch.Tensor:
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

    def unpack(self) -> None:
        """Give the layer its weights back, to the last bit."""
        import torch

        if self._packed is not None:
            self._linear.weight = torch.nn.Parameter(self._packed.to_dense(), requires_grad=False)
            del self._linear.forward
            self._packed = None


def products_work(dtype: torch.dtype) -> bool:
    """Return True if the products of a small packed matrix are those of PyTorch, with all that may be joined to them.

    Raises:
        Exception: One of `FAILURES`: an operator is missing, or takes other arguments than it did.
    """
    import torch

    layer = torch.nn.utils.skip_init(torch.nn.Linear, 4, 3, dtype=dtype)  # no random numbers are drawn
    with torch.inference_mode():
        for each in layer.parameters():
            each.copy_(torch.linspace(-1, 1, each.numel()).view_as(each))
        matrix, x, other = (
            LinearLayer(layer),
            torch.linspace(-2, 2, 8).view(2, 4).to(dtype),
            torch.ones(2, 3, dtype=dtype),
        )
        kinds: tuple[tuple[JoinedStep, torch.Tensor | None], ...] = (
            ("none", None), ("silu", None), ("gelu", None), ("add", other), ("mul", other)
        )  # fmt: skip
        plain = [matrix(x, then, None if to is None else to.clone()) for then, to in kinds]
        matrix.pack()
        packed = [matrix(x, then, to) for then, to in kinds]
    return all(torch.allclose(one, two, rtol=0.05, atol=0.05) for one, two in zip(plain, packed, strict=True))


def pack_layers(body: torch.nn.Module, head: torch.nn.Module | None, probe: Callable[[], torch.Tensor]) -> str:
    """Compute a model's linear layers with packed weights if this gives the same; returns why not, or "".

    Where a layer of BERT's build takes GELU of a product, this happens on the way. `head` is the output head or None;
    `probe` runs the model on a few tokens.
    """
    import torch

    plain = probe()
    modules = [*body.modules(), *([head] if head is not None else [])]
    matrices = {each: LinearLayer(each) for each in modules if type(each) is torch.nn.Linear}
    joined = [each for each in modules if getattr(each, "dense", None) in matrices and _takes_gelu(each)]
    try:
        for matrix in matrices.values():
            matrix.pack()
        for module in joined:
            module.forward = partial(matrices[module.dense], then="gelu")  # type: ignore[index]
        packed = probe()
        if packed.shape == plain.shape and torch.allclose(packed, plain, rtol=0.05, atol=0.05, equal_nan=True):
            return ""
        reason = "packed products give other numbers for this model"
    except FAILURES as error:  # a layer's weights are read by somebody else as well
        reason = f"packed products fail for this model: {first_line(error)}"
    for module in joined:
        vars(module).pop("forward", None)
    for matrix in matrices.values():
        matrix.unpack()
    return reason


def _takes_gelu(module: torch.nn.Module) -> bool:
    """Return True if a module is BERT's or RoBERTa's `dense`, then GELU, and nothing else."""
    return {name for name, _ in module.named_children()} == {"dense", "intermediate_act_fn"} and (
        type(module.intermediate_act_fn).__name__ == "GELUActivation"
    )
