"""Predicts which forward pass would compute a judge, before the judge is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.pluie.fast.choice import (
    PassChoice,
    explain_missing_products,
    explain_switch_off,
    explain_unlike_llama,
)
from parapluie_gui.pluie.light import LightJudge

if TYPE_CHECKING:
    import torch


def foresee_pass(files: ModelFiles, device: torch.device, precision: str) -> PassChoice | None:
    """Return the pass for a model that is not loaded, by its configuration; None if that is not enough to decide."""
    import torch
    from transformers import AutoConfig

    dtype = getattr(torch, precision)
    reason = explain_switch_off()
    products = explain_missing_products(device, dtype)
    if files.kind != CAUSAL:
        if LightJudge.may_load(files, device.type, precision):
            return LightJudge.computed_by
        reason = reason or products
        return PassChoice(products=not reason, reason=reason)
    if files.gguf:
        return None
    try:
        config: Any = AutoConfig.from_pretrained(files.folder, local_files_only=True, trust_remote_code=False)
    except Exception:  # transformers raises many kinds of errors for a damaged configuration
        return None
    reason = reason or explain_unlike_llama((config.architectures or [""])[0], config, device.type, dtype)
    return PassChoice(reason=reason) if reason else PassChoice(rows=True, products=not products, reason=products)
