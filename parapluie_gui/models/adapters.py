"""LoRA adapters: a judge that is a base model and a small folder of changes to it, in peft's format."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError, first_line

if TYPE_CHECKING:
    from transformers import PreTrainedModel

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"


@dataclass(frozen=True)
class Adapter:
    """What an adapter's folder says of it.

    Attributes:
        base: The model it changes: a catalogue name, a folder or a hub id.
        model_class: Class of the model that it was trained on ("BertForMaskedLM"), "" if it does not say.
        whole: Names of modules that it brings as a whole.
    """

    folder: Path
    base: str
    model_class: str = ""
    whole: tuple[str, ...] = ()

    def brings(self, weight: str) -> bool:
        """Return True if a weight that the base lacks comes with the adapter."""
        return any(f".{module}." in f".{weight}" for module in self.whole)


def is_adapter(folder: Path) -> bool:
    """Return True if the folder holds an adapter, and not a model of its own."""
    return (folder / CONFIG).is_file() and not (folder / "config.json").is_file()


def read_adapter(folder: Path) -> Adapter:
    """Read what an adapter is.

    Raises:
        ModelError: It is no LoRA adapter, it is damaged, or its weights are pickled.
    """
    try:
        config: Any = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        kind, base = config["peft_type"], config["base_model_name_or_path"]
        model_class = (config.get("auto_mapping") or {}).get("base_model_class") or ""
        whole = tuple(config.get("modules_to_save") or ())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"{folder.name}: its {CONFIG} cannot be read. Save the adapter anew with peft.") from error
    if kind != "LORA":
        raise ModelError(f"{folder.name} is an adapter of the kind {kind}; only LoRA adapters can be judges.")
    if not isinstance(base, str) or not base:
        raise ModelError(
            f"{folder.name} does not say which model it changes. Put base_model_name_or_path into its {CONFIG}."
        )
    if not (folder / WEIGHTS).is_file():
        raise ModelError(
            f"{folder.name} holds no {WEIGHTS}; pickled weights (.bin) are not read because they can run code."
        )
    return Adapter(folder, base, model_class, whole)


def merge(model: PreTrainedModel, adapter: Adapter) -> PreTrainedModel:
    """Return the base model with the adapter's changes worked into its weights, by peft.

    Raises:
        ModelError: peft is not installed, or the adapter is not one of this model.
    """
    name = adapter.folder.name
    try:
        from peft import PeftModel
    except ImportError as error:
        raise ModelError(
            f"{name} is a LoRA adapter, and the package that reads those is missing; "
            "`pip install 'parapluie_gui[adapters]'` brings it."
        ) from error
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            joined: Any = PeftModel.from_pretrained(model, str(adapter.folder), torch_device=str(model.device))
            merged: PreTrainedModel = joined.merge_and_unload(safe_merge=True)
    except Exception as error:  # peft, safetensors and torch each raise their own
        raise ModelError(f"{name} is no adapter of {adapter.base} that can be used: {first_line(error)}") from error
    # peft only warns of it (PeftModel.from_pretrained in peft 0.21) and leaves what is missing as it made it up.
    if any("missing adapter keys" in str(warning.message) for warning in caught):
        raise ModelError(f"{name} lacks some of the changes that its {CONFIG} names; it does not fit {adapter.base}.")
    return merged


def base_of(adapter: Adapter) -> str:
    """Return the folder of its base, if it is beside the adapter, otherwise its name."""
    beside = adapter.folder / adapter.base
    return str(beside.resolve()) if beside.is_dir() else adapter.base
