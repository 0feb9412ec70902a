"""LoRA adapters as judges: a base model with a small folder of changes to it, in peft's format."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parapluie_gui.errors import ModelError, OwnFileError, first_line
from parapluie_gui.own_files import UNEXPECTED_VALUE, read_json

if TYPE_CHECKING:
    from transformers import PreTrainedModel

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"


@dataclass(frozen=True)
class Adapter:
    """An adapter, as its folder describes it.

    Attributes:
        base: The model that it changes: a catalogue name, a folder or a hub id.
        model_class: Class of the model that it was trained on ("BertForMaskedLM"), "" if unknown.
        modules: Names of modules that it replaces entirely.
    """

    folder: Path
    base: str
    model_class: str = ""
    modules: tuple[str, ...] = ()

    def replaces(self, weight: str) -> bool:
        """Return whether the adapter itself contains a weight, because it replaces the weight's module."""
        return any(f".{module}." in f".{weight}" for module in self.modules)


def is_adapter(folder: Path) -> bool:
    """Return True if the folder holds an adapter without a complete model."""
    return (folder / CONFIG).is_file() and not (folder / "config.json").is_file()


def read_adapter(folder: Path) -> Adapter:
    """Read the description of an adapter.

    Raises:
        ModelError: It is not a LoRA adapter, or is damaged, or its weights are pickled.
    """
    try:
        config: Any = read_json(folder / CONFIG)
        kind, base = config["peft_type"], config["base_model_name_or_path"]
        model_class = (config.get("auto_mapping") or {}).get("base_model_class") or ""
        modules = tuple(config.get("modules_to_save") or ())
    except (OSError, OwnFileError, *UNEXPECTED_VALUE) as error:
        raise ModelError(f"{folder.name}: its {CONFIG} cannot be read. Save the adapter again with peft.") from error
    if kind != "LORA":
        raise ModelError(f"{folder.name} is an adapter of the kind {kind}; only LoRA adapters can be judges.")
    if not isinstance(base, str) or not base:
        raise ModelError(f"{folder.name} does not name its base model. Put base_model_name_or_path into its {CONFIG}.")
    if not (folder / WEIGHTS).is_file():
        raise ModelError(
            f"{folder.name} contains no {WEIGHTS}; pickled weights (.bin) are not read because they can run code."
        )
    return Adapter(folder, base, model_class, modules)


def merge(model: PreTrainedModel, adapter: Adapter) -> PreTrainedModel:
    """Return the base model with the adapter merged into its weights, by peft.

    Raises:
        ModelError: peft is not installed, or the adapter does not fit this model.
    """
    name = adapter.folder.name
    try:
        from peft import PeftModel
    except ImportError as error:
        raise ModelError(
            f"{name} is a LoRA adapter, but the package for adapters is missing. "
            "Install it with `pip install 'parapluie_gui[adapters]'`."
        ) from error
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            joined: Any = PeftModel.from_pretrained(model, str(adapter.folder), torch_device=str(model.device))
            merged: PreTrainedModel = joined.merge_and_unload(safe_merge=True)
    except Exception as error:  # peft, safetensors and torch raise exceptions of different classes
        raise ModelError(f"{name} cannot be used as an adapter of {adapter.base}: {first_line(error)}") from error
    # peft only warns about missing weights (PeftModel.from_pretrained in peft 0.21) and leaves them random.
    if any("missing adapter keys" in str(warning.message) for warning in caught):
        raise ModelError(f"{name} lacks some of the changes that its {CONFIG} names; it does not fit {adapter.base}.")
    return merged


def locate_base(adapter: Adapter) -> str:
    """Return the folder of an adapter's base if its path is relative to the adapter, otherwise the name of the base."""
    folder = adapter.folder / adapter.base
    return str(folder.resolve()) if folder.is_dir() else adapter.base
