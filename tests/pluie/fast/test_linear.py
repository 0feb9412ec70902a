"""Packed products against PyTorch's, with every operation that may be fused with them."""

from __future__ import annotations

import pytest
import torch

from parapluie_gui.pluie.fast.choice import explain_missing_products
from parapluie_gui.pluie.fast.linear import LinearLayer, pack_layers

CPU = torch.device("cpu")


def is_close(found: torch.Tensor, exact: torch.Tensor, dtype: torch.dtype) -> bool:
    loose = 1e-5 if dtype == torch.float32 else 0.02
    return found.dtype == dtype and torch.allclose(
        found.double(), exact, rtol=loose, atol=loose * float(exact.abs().max())
    )


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_products_and_fused_operations_agree_with_pytorch(dtype, bias, packed):
    if packed and explain_missing_products(CPU, dtype):
        pytest.skip("this processor's products are not packed")
    torch.manual_seed(0)
    layer = torch.nn.Linear(24, 40, bias=bias, dtype=dtype)
    matrix = LinearLayer(layer)
    for rows in (1, 7):
        x, other = torch.randn(rows, 24, dtype=dtype), torch.randn(rows, 40, dtype=dtype)
        with torch.inference_mode():
            if layer.weight is not None:
                weight = layer.weight.double()
            exact = torch.nn.functional.linear(x.double(), weight, layer.bias.double() if bias else None)
            if packed:
                matrix.pack()
            assert is_close(matrix(x), exact, dtype)
            assert is_close(matrix(x, "silu"), torch.nn.functional.silu(exact), dtype)
            assert is_close(matrix(x, "gelu"), torch.nn.functional.gelu(exact), dtype)
            assert is_close(matrix(x, "add", other), exact + other.double(), dtype)
            assert is_close(matrix(x, "mul", other), exact * other.double(), dtype)
            # The model's own layer still works, on batches of rows too.
            assert is_close(layer(x[None].expand(2, -1, -1))[1], exact, dtype)


def test_packed_weights_are_stored_once():
    if explain_missing_products(CPU, torch.float32):
        pytest.skip("this processor's products are not packed")
    layer = torch.nn.Linear(8, 8)
    matrix = LinearLayer(layer)
    weight = layer.weight
    matrix.pack()
    matrix.pack()
    assert layer.weight is None
    matrix.unpack()
    matrix.unpack()
    assert torch.equal(layer.weight, weight)


def test_unsupported_layers_are_not_packed():
    assert explain_missing_products(torch.device("cuda"), torch.float32) == "packed products need the CPU"
    assert explain_missing_products(CPU, torch.float16) == "no packed products in float16"


class Reader(torch.nn.Module):
    """A model that accesses its layer's weights besides calling it, as some do for their dtype."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x.to(self.layer.weight.dtype))


def test_a_model_that_accesses_its_weights_keeps_them():
    if explain_missing_products(CPU, torch.float32):
        pytest.skip("this processor's products are not packed")
    x = torch.randn(3, 8)
    with torch.inference_mode():
        plain = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU(), torch.nn.Linear(8, 4))
        expected = plain(x)
        assert pack_layers(plain, None, lambda: plain(x)) == "" and plain[0].weight is None
        assert torch.allclose(plain(x), expected, atol=1e-5)
        reader = Reader()
        expected = reader(x)
        assert pack_layers(reader, None, lambda: reader(x)).startswith("packed products fail for this model: ")
        assert "forward" not in vars(reader.layer)
        assert torch.equal(reader(x), expected)
