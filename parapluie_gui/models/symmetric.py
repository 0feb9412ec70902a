"""The parameters that symmetric judges, which treat both sentences alike, have in addition to those of a BERT.

`across` controls how much each attention head attends to the other sentence, `cosine` the weight and the midpoint of
the similarity of the sentences' mean states; `parapluie_gui.pluie.symmetric` computes with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError

if TYPE_CHECKING:
    import torch

#: The entry of a model's configuration that marks a symmetric judge.
_MARK = "parapluie_both"
#: The module of the model with these parameters.
TERMS = "both"

#: Initial values for training: in the first third of the layers no head attends across; in the others, a third of the
#: heads does and the rest hardly do.
_SHUT, _CLOSED, _OPEN = -30.0, -4.0, 0.0
_WEIGHT, _MIDDLE = 8.0, 0.75


def is_symmetric(model: Any) -> bool:
    """Return True if a model, or a model's configuration, belongs to a symmetric judge."""
    return bool(getattr(getattr(model, "config", model), _MARK, False))


def is_symmetric_bert(config: Mapping[str, Any]) -> bool:
    """Return True if the entries of a `config.json` are those of a BERT trained as a symmetric judge."""
    usual = {"model_type": "bert", "hidden_act": "gelu", "is_decoder": False, "position_embedding_type": "absolute"}
    return bool(config.get(_MARK)) and all(config.get(name, value) == value for name, value in usual.items())


def may_be_symmetric(model: Any) -> bool:
    """Return True if a model is a BERT with the usual attention and positions, which can become a symmetric judge."""
    config = model.config
    return type(model).__name__ == "BertForMaskedLM" and config.hidden_act == "gelu" and not config.is_decoder


def separate_layers(model: Any) -> int:
    """Return how many layers, from the first, read each sentence separately, like a sentence encoder."""
    return int(model.config.num_hidden_layers) // 3


def add_terms(model: Any, weights: Mapping[str, torch.Tensor] | None = None) -> None:
    """Turn a BERT into a symmetric judge, with the parameters in `weights` or initial ones for training.

    Raises:
        ModelError: The weights lack these parameters.
    """
    import torch

    layers, heads = model.config.num_hidden_layers, model.config.num_attention_heads
    across = torch.full((layers, heads), _CLOSED)
    across[:, : max(1, heads // 3)] = _OPEN
    across[: separate_layers(model)] = _SHUT
    initial = {"across": across, "cosine": torch.tensor([_WEIGHT, _MIDDLE])}
    terms: Any = torch.nn.Module()
    for name, value in initial.items():
        if weights is not None:
            if (trained := weights.get(f"{TERMS}.{name}")) is None or trained.shape != value.shape:
                raise ModelError(f"The weights lack {TERMS}.{name}. Install or fetch them again.")
            value = trained
        terms.register_parameter(name, torch.nn.Parameter(value.to(model.dtype)))
    model.add_module(TERMS, terms.to(model.device))
    setattr(model.config, _MARK, True)
