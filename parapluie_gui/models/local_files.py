"""GGUF files that other programs have on this computer: llama.cpp, Ollama and LM Studio. Nothing is loaded or run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from parapluie_gui.models.hub_cache import gguf_parts
from parapluie_gui.own_files import read_json_or_none, skipping_damage

#: Maximum number of files that are listed.
_MOST = 200

#: Maximum depth of folders below a program's own.
_DEEPEST = 4

#: The kind of an Ollama layer that holds a model's weights.
_WEIGHTS = "application/vnd.ollama.image.model"


@dataclass(frozen=True)
class LocalFile:
    """A GGUF file of another program.

    Attributes:
        path: The file.
        name: The model's name in that program ("llama3.2:1b").
        program: The program ("Ollama").
        size: Bytes.
    """

    path: Path
    name: str
    program: str
    size: int


def list_local_files() -> list[LocalFile]:
    """Return the GGUF files of other programs by name, each file once; folders that cannot be read are left out."""
    listed: dict[Path, LocalFile] = {}
    for file in islice(chain(_llamacpp_files(), _lmstudio_files(), _ollama_files()), _MOST):
        listed.setdefault(file.path.resolve(), file)
    return sorted(listed.values(), key=lambda file: (file.program, file.name.lower()))


def find_ollama_name(path: Path) -> str:
    """Return the name under which Ollama has a file ("llama3.2:1b"); "" if it is not one of Ollama's."""
    if not path.name.startswith("sha256-"):
        return ""
    resolved = path.resolve()
    return next((file.name for file in _ollama_files() if file.path.resolve() == resolved), "")


def _caches() -> Path:
    """Return the system's folder of caches."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _llamacpp_files() -> Iterator[LocalFile]:
    folder = os.environ.get("LLAMA_CACHE")
    yield from _files_below(Path(folder) if folder else _caches() / "llama.cpp", "llama.cpp")


def _lmstudio_files() -> Iterator[LocalFile]:
    for folder in (Path.home() / ".lmstudio" / "models", Path.home() / ".cache" / "lm-studio" / "models"):
        yield from _files_below(folder, "LM Studio")


def _files_below(folder: Path, program: str) -> Iterator[LocalFile]:
    for inner, folders, names in os.walk(folder):
        if len(Path(inner).relative_to(folder).parts) >= _DEEPEST:
            folders.clear()
        for name in sorted(names):
            path = Path(inner, name)
            # A projector turns pictures into tokens; it is not a model by itself.
            if path.suffix.lower() == ".gguf" and not name.startswith("mmproj") and gguf_parts(name)[0] == name:
                yield from _existing(path, path.stem, program)


def _ollama_files() -> Iterator[LocalFile]:
    """Yield Ollama's models by their manifests: manifests/HOST/OWNER/NAME/TAG names the blob of the weights."""
    folder = Path(os.environ.get("OLLAMA_MODELS") or Path.home() / ".ollama" / "models")
    for manifest in sorted((folder / "manifests").glob("*/*/*/*")):
        owner, name = manifest.parts[-3:-1]
        model = f"{name}:{manifest.name}" if owner == "library" else f"{owner}/{name}:{manifest.name}"
        record = read_json_or_none(manifest)
        with skipping_damage():
            digests = [str(layer["digest"]) for layer in record["layers"] if layer["mediaType"] == _WEIGHTS]
            for digest in digests[:1]:
                blob = digest.replace(":", "-")
                if Path(blob).name == blob:
                    yield from _existing(folder / "blobs" / blob, model, "Ollama")


def _existing(path: Path, name: str, program: str) -> Iterator[LocalFile]:
    try:
        size = path.stat().st_size
    except OSError:
        return
    yield LocalFile(path, name, program, size)
