"""Handles models whose rotary positions depend on the length of the text, which limits sharing and batches.

"longrope" (Phi-3, Phi-4-mini) rotates all positions by different angles if the text is longer than the model's first
training texts; "dynamic" changes the angles more and more with the length. A longer text cannot reuse anything computed
for a shorter text, and must be computed alone, because transformers goes by the longest row of a batch
(`dynamic_rope_update` in modeling_rope_utils.py of transformers 5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parapluie_gui.own_files import read_json_or_none

if TYPE_CHECKING:
    import torch

    from parapluie_gui.models.catalogue import ModelFiles

#: Maximum length of texts for a model without a limit in its configuration.
_ENDLESS = 1_000_000

_LONG, _DYNAMIC = "longrope", "dynamic"


@dataclass(frozen=True)
class LengthLimits:
    """Limits on the length of texts, in tokens.

    Attributes:
        most: Length of the longest text that the model can read.
        alike: Length up to which the positions of all texts are rotated by the same angles.
    """

    most: int
    alike: int


def length_limits(config: Any) -> LengthLimits:
    """Return the length limits in the (text) configuration of a causal model."""
    most = int(getattr(config, "max_position_embeddings", 0) or _ENDLESS)
    alike = most
    for rope in _ropes(getattr(config, "rope_parameters", None)):
        kind = rope.get("rope_type")
        if kind == _LONG:
            first = rope.get("original_max_position_embeddings")
            alike = min(alike, int(first or getattr(config, "original_max_position_embeddings", None) or most))
        elif kind == _DYNAMIC:
            # The model can read `factor` times the length of its training texts.
            alike = min(alike, int(getattr(config, "max_position_embeddings", 0) or _ENDLESS))
            most = max(most, int(alike * float(rope.get("factor") or 1.0)))
    return LengthLimits(most, alike)


def forget_lengths(model: torch.nn.Module) -> None:
    """Make a model with "dynamic" positions forget its longest text, which would change the angles of later texts."""
    for module in model.modules():
        if getattr(module, "rope_type", None) == _DYNAMIC and hasattr(module, "original_inv_freq"):
            module.inv_freq = module.original_inv_freq
            module.max_seq_len_cached = module.original_max_seq_len


def length_matters(files: ModelFiles) -> bool:
    """Return whether a model's positions depend on the length of the text, by the configuration in its folder."""
    config = read_json_or_none(files.folder / "config.json")
    if not isinstance(config, dict):
        return False
    sections = [config, *(entry for entry in config.values() if isinstance(entry, dict))]
    kinds = {
        rope.get("rope_type", rope.get("type"))
        for section in sections
        for key in ("rope_parameters", "rope_scaling")
        for rope in _ropes(section.get(key))
    }
    # Older configurations of Phi-3 use different names for "longrope".
    older = {"su", "yarn"} if config.get("model_type") == "phi3" else set()
    return not kinds.isdisjoint({_LONG, _DYNAMIC} | older)


def _ropes(parameters: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(parameters, Mapping):
        yield parameters
        yield from (entry for entry in parameters.values() if isinstance(entry, Mapping))
