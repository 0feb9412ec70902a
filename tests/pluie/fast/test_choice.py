"""The choice of the forward pass, and the fallback to transformers where PyTorch lacks an operator or one fails."""

from __future__ import annotations

import re
import types

import pytest
import torch
from masked_models import save_masked

from parapluie_gui.commands.main import main
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.cloze import ClozeRow
from parapluie_gui.pluie.fast.choice import SWITCH, PassChoice, explain_missing_products
from parapluie_gui.pluie.foreseen import foresee_pass
from parapluie_gui.pluie.masked import MaskedJudge

CPU = torch.device("cpu")
ROWS = [[*range(200, 215), 7, 8], [11, 12, 13]]
CLOZES = [ClozeRow([2, 7, 4, 3], [0] * 4, 2), ClozeRow([2, 4, 3], [0] * 3, 1)]

needs_products = pytest.mark.skipif(
    bool(explain_missing_products(CPU, torch.float32)), reason="nothing is packed on this processor"
)


def fail(*arguments: object, **named: object) -> None:
    raise RuntimeError("could not create a primitive descriptor\nand more")


@pytest.fixture(params=["causal", "masked"])
def judge(request, folders, tmp_path):
    """Return a function that loads a judge of either kind, its answers, and its files."""
    if request.param == "causal":
        files = find_model(str(folders("llama")))

        def logits(judge: CausalJudge) -> torch.Tensor:
            return judge.answer_logits(ROWS, 1, judge.share([5, 6, 7]))

        return lambda: CausalJudge.load(files, "cpu", "float32"), logits, files
    files = find_model(str(save_masked(tmp_path / "gaps")))
    return lambda: MaskedJudge.load(files, "cpu", "float32"), lambda judge: judge.gap_logits(CLOZES), files


@needs_products
def test_the_packed_pass_is_used_and_reported(judge, monkeypatch):
    load, logits, files = judge
    monkeypatch.delenv(SWITCH, raising=False)
    packed = load()
    assert (
        packed.computed_by
        == PassChoice(rows=files.kind == "causal", products=True)
        == foresee_pass(files, CPU, "float32")
    )
    name = "packed pass" if files.kind == "causal" else "transformers with packed products"
    assert packed.describe().endswith(f" parameters, float32 on cpu, computed by {name}")
    exact = "transformers with packed products (exact mode)" if files.kind == "causal" else name
    assert packed.describe(exact=True).endswith(f"computed by {exact}")
    monkeypatch.setenv(SWITCH, "0")
    plain = load()
    assert plain.describe().endswith("computed by transformers (switched off by PARAPLUIE_PACKED=0)")
    assert plain.computed_by == foresee_pass(files, CPU, "float32")
    assert all(module.weight is not None for module in plain.model.modules() if type(module) is torch.nn.Linear)
    assert torch.allclose(logits(plain), logits(packed), atol=1e-4)


@needs_products
@pytest.mark.parametrize(
    ("operator", "broken", "reason"),
    [
        ("_linear_pointwise", None, "has no packed products here: "),
        ("_reorder_linear_weight", None, "has no packed products here: "),
        ("_linear_pointwise", fail, "has no packed products here: could not create a primitive descriptor"),
        ("_linear_pointwise", types.SimpleNamespace(binary=fail), "has no packed products here: "),
    ],
)
def test_a_missing_or_broken_product_falls_back_to_pytorch(judge, operator, broken, reason, monkeypatch):
    load, logits, files = judge
    expected = logits(load())
    operators = {name: getattr(torch.ops.mkldnn, name) for name in ("_linear_pointwise", "_reorder_linear_weight")}
    operators[operator] = broken
    kept = {name: each for name, each in operators.items() if each is not None}
    monkeypatch.setattr(torch.ops, "mkldnn", types.SimpleNamespace(**kept))
    plain = load()
    assert not plain.computed_by.products and reason in plain.computed_by.reason
    assert plain.computed_by == foresee_pass(files, CPU, "float32")
    shown = "packed pass with PyTorch's products (" if files.kind == "causal" else "transformers ("
    assert shown + plain.computed_by.reason in plain.describe()
    assert torch.allclose(logits(plain), expected, atol=1e-4)


@needs_products
def test_products_that_fail_only_for_this_model_restore_its_weights(judge, monkeypatch):
    load, logits, _ = judge
    expected = logits(load())
    pack, calls = torch.ops.mkldnn._reorder_linear_weight, []

    def third_fails(weight: torch.Tensor) -> torch.Tensor:
        calls.append(weight.shape)
        return fail() if len(calls) == 4 else pack(weight)  # the first call is the trial

    pointwise = torch.ops.mkldnn._linear_pointwise
    operators = types.SimpleNamespace(_linear_pointwise=pointwise, _reorder_linear_weight=third_fails)
    monkeypatch.setattr(torch.ops, "mkldnn", operators)
    plain = load()
    reason = "packed products fail for this model: could not create a primitive descriptor"
    assert plain.computed_by.reason == reason and not plain.computed_by.products
    layers = [module for module in plain.model.modules() if type(module) is torch.nn.Linear]
    assert all(layer.weight is not None and "forward" not in vars(layer) for layer in layers)
    assert torch.allclose(logits(plain), expected, atol=1e-4)


@pytest.mark.parametrize("broken", [None, fail])
def test_without_flash_attention_transformers_computes(broken, folders, judges, monkeypatch):
    expected = judges("llama").backend.answer_logits(ROWS, 1, judges("llama").backend.share([5, 6, 7]))
    flash = "_scaled_dot_product_flash_attention_for_cpu"

    class Aten:
        """PyTorch's operators without a certain one."""

        def __getattr__(self, name: str) -> object:
            if name == flash and broken is None:
                raise AttributeError(f"no operator {name}")
            return broken if name == flash else getattr(real, name)

    real = torch.ops.aten
    monkeypatch.setattr(torch.ops, "aten", Aten())
    judge = CausalJudge.load(find_model(str(folders("llama"))), "cpu", "float32")
    assert str(judge.computed_by).startswith("transformers (the packed pass fails here: ")
    assert not judge.packs
    assert torch.allclose(judge.answer_logits(ROWS, 1, judge.share([5, 6, 7])), expected, atol=1e-4)


@pytest.mark.parametrize(
    ("family", "precision", "reason"),
    [
        ("gpt2", "float32", "this model is not built like Llama"),
        ("mistral-sliding", "float32", "this model uses sliding-window attention"),
        ("llama", "float16", "no packed pass in float16"),
    ],
)
def test_the_reason_for_using_transformers_is_predicted_and_reported(family, precision, reason, folders):
    files = find_model(str(folders(family)))
    judge = CausalJudge.load(files, "cpu", precision)
    assert judge.computed_by == PassChoice(reason=reason) == foresee_pass(files, CPU, precision)


def test_models_info_names_the_forward_pass(folders, monkeypatch, capsys):
    monkeypatch.setenv(SWITCH, "off")
    assert main(["models", "info", str(folders("llama"))]) == 0
    facts = dict(re.split(r":\s+", line, maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert facts["computed by"].startswith("transformers (switched off by PARAPLUIE_PACKED=off), ")
