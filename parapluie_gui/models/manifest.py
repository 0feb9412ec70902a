"""A model's manifest: every file that is read from its folder with its SHA-256, written down and compared later."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any

from parapluie_gui import places
from parapluie_gui.errors import ModelError
from parapluie_gui.files import write_text

#: Written into a model's folder as the last step, so that a fetched folder without it is an unfinished download.
MANIFEST = "parapluie-model.json"

#: Endings of the files that loading a model reads: weights, configuration, tokeniser, chat template.
READ = frozenset({".safetensors", ".json", ".jinja", ".model", ".txt"})

#: Entries of the manifest: the SHA-256 of each file by its path in the folder, that of the list, and what older
#: manifests have instead of either, the SHA-256 of the weights. All are hexadecimal.
_FILES, _LIST, _WEIGHTS = "files", "files_sha256", "weights_sha256"
#: Another entry: other programs may add files to the folder, as they do to the hub's.
_SHARED = "shared"

#: Hashing takes 0.7 ms of a processor's time per MB; a file above this size is not read again while it stays as it was.
_LARGE = 256 * 2**20
_REMEMBERED = 20


def write_manifest(folder: Path, **facts: object) -> None:
    """Write down what a finished model is, and the SHA-256 of every file that will be read from its folder."""
    files = checksums(folder)
    manifest = {**facts, _FILES: files, _LIST: list_checksum(files)}
    write_text(folder / MANIFEST, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


def check_files(folder: Path, known: str = "") -> None:
    """Compare the files of a model with what was written down when it was saved or published, if anything was.

    Args:
        folder: The model's.
        known: The checksum of the list of its files (see `list_checksum`) where the program knows it, or "".

    Raises:
        ModelError: A file is another one, is missing, or was added.
    """
    manifest = _read(folder)
    listed: Mapping[str, str] = manifest.get(_FILES) or {}
    if not listed and not known:
        wanted, weights = manifest.get(_WEIGHTS), folder / "model.safetensors"
        if wanted is not None and not (weights.is_file() and sha256(weights) == wanted):
            raise damaged(folder)
        return
    found = checksums(folder)
    shared = bool(manifest.get(_SHARED))
    # The name of a folder of the hub is that of a revision.
    model = Path(str(manifest.get("name"))) if shared else folder
    for name in sorted(listed.keys() | found.keys() if listed else ()):
        if name not in found:
            raise ModelError(f"{name} of {model.name} is missing. Install or fetch the model anew.")
        if name not in listed and not shared:
            raise ModelError(f"{name} was added to the model {model.name}. Remove it, or fetch the model anew.")
        if name in listed and found[name] != listed[name]:
            raise damaged(model, name)
    if known and list_checksum(found) != known:
        raise ModelError(
            f"The files in {folder} are not those that the model was published with. Install or fetch it anew."
        )


def checksums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file that loading a model reads, by its path in the folder, in order."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix.lower() in READ}
    return {name: sha256_once(paths[name]) for name in sorted(paths) if name != MANIFEST and paths[name].is_file()}


def list_checksum(files: Mapping[str, str]) -> str:
    """Return the SHA-256 of a list of files as `sha256sum` prints it, hexadecimal."""
    lines = "".join(f"{files[name]}  {name}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


def damaged(folder: Path, file: str = "model.safetensors") -> ModelError:
    """Return the error of a file that is not what was once saved."""
    if file.endswith(".safetensors"):
        return ModelError(f"The weights of {folder.name} are damaged. Install or fetch them anew.")
    return ModelError(f"{file} of {folder.name} is damaged or was changed. Install or fetch the model anew.")


def sha256(file: Path | BufferedReader) -> str:
    """Return the SHA-256 of a file, or of what is left of an open one, hexadecimal."""
    with file.open("rb") if isinstance(file, Path) else contextlib.nullcontext(file) as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _read(folder: Path) -> dict[str, Any]:
    """Return the manifest, {} where there is none."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files = manifest.get(_FILES)
        whole = files is None or list_checksum(files) == manifest[_LIST]
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise damaged(folder, MANIFEST) from error
    if not whole:
        raise damaged(folder, MANIFEST)
    assert isinstance(manifest, dict)
    return manifest


def sha256_once(file: Path) -> str:
    """Return a file's SHA-256; that of a large one is remembered for as long as the file is not touched."""
    state = file.stat()
    if state.st_size < _LARGE:
        return sha256(file)
    # Nobody but the system sets the time of the last change (ctime).
    now = [state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino]
    memory, name = places.models() / "checked.json", os.fspath(file.resolve())
    known: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError, RecursionError):
        read = json.loads(memory.read_text(encoding="utf-8"))
        known = read if isinstance(read, dict) else {}
    match known.get(name):
        case [state_then, str(checksum)] if state_then == now:
            return checksum
    known = {**dict(list(known.items())[1 - _REMEMBERED :]), name: [now, sha256(file)]}
    with contextlib.suppress(OSError):
        write_text(memory, json.dumps(known), private=True)
    return str(known[name][1])
