"""What a judge that reads both sentences alike has beyond a BERT: a few numbers beside its weights.

`across` says for every layer's attention heads how far they look into the other sentence, `cosine` how much the
likeness of the two sentences' mean states counts and from where on; `parapluie_gui.pluie.symmetric` computes with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError

if TYPE_CHECKING:
    import torch

#: The entry of a model's configuration that says that it is of this kind.
_MARK = "parapluie_both"
#: The module of the model that holds the numbers.
TERMS = "both"

#: What training begins with: the first third of the layers does not look across, of the others' heads a third does and
#: the rest hardly.
_SHUT, _CLOSED, _OPEN = -30.0, -4.0, 0.0
_WEIGHT, _MIDDLE = 8.0, 0.75


def is_symmetric(model: Any) -> bool:
    """Return True if the model, or its configuration, is of this kind."""
    return bool(getattr(getattr(model, "config", model), _MARK, False))


def is_symmetric_bert(config: Mapping[str, Any]) -> bool:
    """Return True if the entries of a `config.json` are those of a BERT that was trained in this way."""
    usual = {"model_type": "bert", "hidden_act": "gelu", "is_decoder": False, "position_embedding_type": "absolute"}
    return bool(config.get(_MARK)) and all(config.get(name, value) == value for name, value in usual.items())


def may_be_symmetric(model: Any) -> bool:
    """Return True if a model is a BERT with the usual attention and positions, and can be trained in this way."""
    config = model.config
    return type(model).__name__ == "BertForMaskedLM" and config.hidden_act == "gelu" and not config.is_decoder


def alone(model: Any) -> int:
    """Return how many of the first layers read each sentence by itself, as the encoder did that the model was."""
    return int(model.config.num_hidden_layers) // 3


def add_terms(model: Any, weights: Mapping[str, torch.Tensor] | None = None) -> None:
    """Make a BERT one that reads both sentences alike, with the numbers among its weights or those of a beginning.

    Raises:
        ModelError: The weights lack them.
    """
    import torch

    layers, heads = model.config.num_hidden_layers, model.config.num_attention_heads
    across = torch.full((layers, heads), _CLOSED)
    across[:, : max(1, heads // 3)] = _OPEN
    across[: alone(model)] = _SHUT
    begin = {"across": across, "cosine": torch.tensor([_WEIGHT, _MIDDLE])}
    terms: Any = torch.nn.Module()
    for name, value in begin.items():
        if weights is not None:
            if (found := weights.get(f"{TERMS}.{name}")) is None or found.shape != value.shape:
                raise ModelError(f"The weights lack {TERMS}.{name}. Install or fetch them anew.")
            value = found
        terms.register_parameter(name, torch.nn.Parameter(value.to(model.dtype)))
    model.add_module(TERMS, terms.to(model.device))
    setattr(model.config, _MARK, True)
