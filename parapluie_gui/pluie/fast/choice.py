"""Chooses the forward pass that computes a judge, once for each loaded model.

The packed pass uses private operators of PyTorch: oneDNN's packed products, which PyTorch's own compiler uses
(torch/_inductor/fx_passes/mkldnn_fusion.py in PyTorch 2.13), and the flash attention in
`scaled_dot_product_attention`, because only it returns the sums that are needed to merge attentions over parts. Each
operator is tested before it is used; if one is missing or fails, transformers computes the judge. On CUDA the rows are
padded into one tensor (`aligned.py`), with PyTorch's fused attentions if they pass the same test.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import first_line
from parapluie_gui.pluie.fast.aligned import DEVICES
from parapluie_gui.pluie.fast.forward import PackedForward, UnsuitableModel
from parapluie_gui.pluie.fast.linear import FAILURES, pack_layers, products_work

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

#: The environment variable that switches the packed pass off: 0, off or no.
SWITCH = "PARAPLUIE_PACKED"


@dataclass(frozen=True)
class PassChoice:
    """The forward pass that was chosen to compute a judge.

    Attributes:
        rows: Whether the program's own pass over rows laid end to end is used, not the pass of transformers.
        products: Whether packed products are used.
        reason: The reason why the packed pass is not used, "" if it is.
        light: Whether the pass over rows needs no PyTorch (`parapluie_gui.pluie.fast.bert`).
    """

    rows: bool = False
    products: bool = False
    reason: str = ""
    light: bool = False

    def __str__(self) -> str:
        """Return a name such as "packed pass" or "transformers (this processor is not an x86 processor)"."""
        if self.light:
            name = "packed pass without PyTorch"
        elif self.rows:
            name = "packed pass" if self.products else "packed pass with PyTorch's products"
        else:
            name = "transformers with packed products" if self.products else "transformers"
        return f"{name} ({self.reason})" if self.reason else name

    def in_exact_mode(self) -> PassChoice:
        """Return the choice for computing the same judge one pair at a time."""
        if self.light:
            return replace(self, reason="one pair at a time")
        return replace(self, rows=False, reason="exact mode") if self.rows else self


def choose_causal(model: PreTrainedModel, check: Callable[[], None]) -> tuple[PackedForward | None, PassChoice]:
    """Choose the pass of a causal model; return the packed pass (None: transformers computes the model) and the choice.

    If products are packed, the packed weights replace those of the model's layers. `check` is called before each layer
    of the packed pass.
    """
    import torch

    if reason := explain_switch_off() or explain_unlike_llama(
        type(model).__name__, model.config, model.device.type, model.dtype
    ):
        return None, PassChoice(reason=reason)
    if len(set(getattr(model, "hf_device_map", {}).values())) > 1:
        return None, PassChoice(reason="this model is spread over several GPUs")
    with torch.inference_mode():
        try:
            forward = PackedForward(model)
        except UnsuitableModel as unfit:
            return None, PassChoice(reason=str(unfit))
        except FAILURES as error:
            return None, PassChoice(reason=f"the packed pass fails here: {first_line(error)}")
        reason = explain_missing_products(model.device, model.dtype) or forward.pack()
    forward.check = check
    return forward, PassChoice(rows=True, products=not reason, reason=reason)


def choose_masked(
    model: PreTrainedModel, head: torch.nn.Module | None, probe: Callable[[], torch.Tensor]
) -> PassChoice:
    """Choose the matrix products of a model that fills gaps, whose forward pass is that of transformers.

    `head` is the output head if it may be packed too, otherwise None; `probe` runs the model on a few tokens.
    """
    reason = (
        explain_switch_off()
        or explain_missing_products(model.device, model.dtype)
        or pack_layers(model.base_model, head, probe)
    )
    return PassChoice(products=not reason, reason=reason)


def explain_missing_products(device: torch.device, dtype: torch.dtype) -> str:
    """Return why weights cannot be packed: no x86 processor, or a precision that oneDNN lacks; "" if they can."""
    import torch

    if device.type != "cpu":
        return "packed products need the CPU"
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return "this processor is not an x86 processor"
    if not torch.backends.mkldnn.is_available():
        return f"PyTorch {torch.__version__} comes without oneDNN"
    if dtype not in (torch.float32, torch.bfloat16):
        return f"no packed products in {str(dtype).removeprefix('torch.')}"
    try:
        if dtype == torch.bfloat16 and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
            return "this processor does not multiply bfloat16"
        works = products_work(dtype)
    except FAILURES as error:
        return f"PyTorch {torch.__version__} has no packed products here: {first_line(error)}"
    return "" if works else f"the packed products of PyTorch {torch.__version__} give different numbers"


def explain_switch_off() -> str:
    """Return a description of how packed passes are switched off, "" if they are on."""
    value = os.environ.get(SWITCH, "")
    return f"switched off by {SWITCH}={value}" if value.lower() in ("0", "off", "no", "false") else ""


#: The architectures that the packed pass computes, unless their configuration is unusual.
_ALIKE = ("LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM")
#: Kinds of rotary positions whose angles do not depend on the length of the text.
_FIXED_ROPE = ("default", "linear", "llama3", "yarn")


def explain_unlike_llama(architecture: str, config: Any, device: str, dtype: torch.dtype) -> str:
    """Return why the packed pass cannot compute a model, "" if it can."""
    if device != "cpu" and device not in DEVICES:
        return f"there is no packed pass on {device}"
    if architecture not in _ALIKE:
        return "this model is not built like Llama"
    if str(dtype) not in ("torch.float32", "torch.bfloat16") and (device == "cpu" or str(dtype) != "torch.float16"):
        return f"no packed pass in {str(dtype).removeprefix('torch.')}"
    if getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True):
        return "this model uses sliding-window attention"
    if any(kind != "full_attention" for kind in getattr(config, "layer_types", None) or ()):
        return "this model has several kinds of attention"
    if (getattr(config, "rope_parameters", None) or {}).get("rope_type", "default") not in _FIXED_ROPE:
        return "this model's positions depend on the length of the text"
    return "" if config.hidden_act == "silu" else f"this model uses the activation {config.hidden_act}"
