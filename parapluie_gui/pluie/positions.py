"""Models whose rotary positions depend on how long the whole text is, and what that means for sharing and batches.

"longrope" (Phi-3, Phi-4-mini) turns all positions by other angles once the text is longer than the model was first
trained on; "dynamic" does so more and more, the longer the text. Beyond that length nothing computed for a shorter text
may be reused, and a text may not stand in a batch with others: it is computed alone. `transformers` decides by the
longest row of a batch (`dynamic_rope_update` in modeling_rope_utils.py of transformers 5).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from parapluie_gui.models.catalogue import ModelFiles

#: Longest text of a model that names no limit.
_ENDLESS = 1_000_000

_LONG, _DYNAMIC = "longrope", "dynamic"


@dataclass(frozen=True)
class LengthLimits:
    """How long texts may be, in tokens.

    Attributes:
        most: The longest that the model was made for.
        alike: The longest whose positions are turned like those of all shorter ones.
    """

    most: int
    alike: int


def length_limits(config: Any) -> LengthLimits:
    """Return how far a causal model reads, by its (text) configuration."""
    most = int(getattr(config, "max_position_embeddings", 0) or _ENDLESS)
    alike = most
    for rope in _ropes(getattr(config, "rope_parameters", None)):
        kind = rope.get("rope_type")
        if kind == _LONG:
            first = rope.get("original_max_position_embeddings")
            alike = min(alike, int(first or getattr(config, "original_max_position_embeddings", None) or most))
        elif kind == _DYNAMIC:
            # Made for `factor` times the length that it was trained on.
            alike = min(alike, int(getattr(config, "max_position_embeddings", 0) or _ENDLESS))
            most = max(most, int(alike * float(rope.get("factor") or 1.0)))
    return LengthLimits(most, alike)


def forget_lengths(model: torch.nn.Module) -> None:
    """Make a model with "dynamic" positions forget the longest text so far, which it would turn later ones by."""
    for module in model.modules():
        if getattr(module, "rope_type", None) == _DYNAMIC and hasattr(module, "original_inv_freq"):
            module.inv_freq = module.original_inv_freq
            module.max_seq_len_cached = module.original_max_seq_len


def length_matters(files: ModelFiles) -> bool:
    """Return True if a model that is not loaded has such positions, by the configuration in its folder."""
    try:
        config = json.loads((files.folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    if not isinstance(config, dict):
        return False
    configs = [config, *(each for each in config.values() if isinstance(each, dict))]
    kinds = {
        rope.get("rope_type", rope.get("type"))
        for each in configs
        for key in ("rope_parameters", "rope_scaling")
        for rope in _ropes(each.get(key))
    }
    # Older configurations of Phi-3 call "longrope" otherwise.
    older = {"su", "yarn"} if config.get("model_type") == "phi3" else set()
    return not kinds.isdisjoint({_LONG, _DYNAMIC} | older)


def _ropes(parameters: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the settings of rotary positions: one for all layers, or one for each kind of layer."""
    if isinstance(parameters, Mapping):
        yield parameters
        yield from (each for each in parameters.values() if isinstance(each, Mapping))
