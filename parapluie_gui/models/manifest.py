"""The manifest of a model: SHA-256 of every file that is read from its folder, stored and compared later."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any

from parapluie_gui import places
from parapluie_gui.computer import format_bytes
from parapluie_gui.errors import ModelError, OwnFileError
from parapluie_gui.files import write_text
from parapluie_gui.own_files import UNEXPECTED_VALUE, read_json, read_json_or_none

#: Written into a model's folder last, so that a fetched folder without it is an unfinished download.
MANIFEST = "parapluie-model.json"

#: Endings of the files that loading a model reads: weights, configuration, tokeniser, chat template.
READ = frozenset({".safetensors", ".json", ".jinja", ".model", ".txt"})

#: Entries of the manifest: SHA-256 of each file by its path in the folder, and of the list; older manifests have only
#: the SHA-256 of the weights. All are hexadecimal.
_FILES, _LIST, _WEIGHTS = "files", "files_sha256", "weights_sha256"
#: The entry with the SHA-256 of the model's GGUF file by its name in the folder, hexadecimal.
_GGUF = "gguf"
#: The entry that marks folders to which other programs add files, such as those of the hub.
_SHARED = "shared"

#: Minimum size in bytes of files whose checksum is cached while they are unchanged; hashing takes 0.7 ms per MB.
_LARGE = 8 * 2**20
_REMEMBERED = 1000
#: Size in bytes from which hashing takes seconds and is announced.
_SLOW = 2 * 2**30
#: Age in nanoseconds from which a file's time of change shows every later change: file systems round it, to 2 s on FAT.
_SETTLED = 3_000_000_000
#: The files that this process hashed or looked up, by path: size, times and inode, and the checksum.
_checked: dict[str, tuple[list[int], str]] = {}


def write_manifest(folder: Path, **facts: object) -> None:
    """Write the manifest of a complete model, with its properties and the SHA-256 of every file that is read."""
    files = checksums(folder)
    manifest = {**facts, _FILES: files, _LIST: list_checksum(files)}
    write_text(folder / MANIFEST, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


def check_files(folder: Path, known: str = "") -> None:
    """Compare the files of a model with its manifest and with the published checksum, if there are any.

    Args:
        folder: The model's folder.
        known: The published checksum of the list of its files (see `list_checksum`), or "".

    Raises:
        ModelError: A file was changed, removed or added.
    """
    manifest = _read_manifest(folder)
    _check_gguf(folder, manifest)
    listed: Mapping[str, str] = manifest.get(_FILES) or {}
    if not listed and not known:
        expected, weights = manifest.get(_WEIGHTS), folder / "model.safetensors"
        if expected is not None and not (weights.is_file() and sha256(weights) == expected):
            raise damaged_file_error(folder)
        return
    actual = checksums(folder)
    shared = bool(manifest.get(_SHARED))
    # A hub folder is named after the revision, not the model.
    model = Path(str(manifest.get("name"))) if shared else folder
    for name in sorted(listed.keys() | actual.keys() if listed else ()):
        if name not in actual:
            raise ModelError(f"{name} of {model.name} is missing. Install or fetch the model again.")
        if name not in listed and not shared:
            raise ModelError(f"{name} was added to the model {model.name}. Remove it, or fetch the model again.")
        if name in listed and actual[name] != listed[name]:
            raise damaged_file_error(model, name)
    if known and list_checksum(actual) != known:
        raise ModelError(f"The files in {folder} are not those of the published model. Install or fetch it again.")


def check_gguf(folder: Path, file: str) -> None:
    """Compare a GGUF file with its folder's manifest, if that lists it.

    Raises:
        ModelError: The file was changed or removed.
    """
    if (folder / MANIFEST).is_file():
        manifest = _read_manifest(folder)
        if file in (manifest.get(_GGUF) or {}):
            _check_gguf(folder, manifest)


def _check_gguf(folder: Path, manifest: Mapping[str, Any]) -> None:
    listed: Mapping[str, str] = manifest.get(_GGUF) or {}
    for name, checksum in listed.items():
        if not (folder / name).is_file() or sha256_once(folder / name) != checksum:
            raise ModelError(f"{name} of {folder.name} is missing, damaged or was changed. Fetch the model again.")


def checksums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file that loading a model reads, by its path in the folder, sorted."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix.lower() in READ}
    return {name: sha256_once(paths[name]) for name in sorted(paths) if name != MANIFEST and paths[name].is_file()}


def list_checksum(files: Mapping[str, str]) -> str:
    """Return the SHA-256 of a list of files as `sha256sum` prints it, hexadecimal."""
    lines = "".join(f"{files[name]}  {name}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


def damaged_file_error(folder: Path, file: str = "model.safetensors") -> ModelError:
    """Return the error for a file that has changed since it was saved."""
    if file.endswith(".safetensors"):
        return ModelError(f"The weights of {folder.name} are damaged. Install or fetch them again.")
    return ModelError(f"{file} of {folder.name} is damaged or was changed. Install or fetch the model again.")


def sha256(file: Path | BufferedReader) -> str:
    """Return the SHA-256 of a file, or of the unread part of an open one, hexadecimal."""
    with file.open("rb") if isinstance(file, Path) else contextlib.nullcontext(file) as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest, {} if there is none."""
    try:
        manifest = read_json(folder / MANIFEST)
        files = manifest.get(_FILES)
        is_complete = files is None or list_checksum(files) == manifest[_LIST]
    except FileNotFoundError:
        return {}
    except (OSError, OwnFileError, *UNEXPECTED_VALUE) as error:
        raise damaged_file_error(folder, MANIFEST) from error
    if not is_complete:
        raise damaged_file_error(folder, MANIFEST)
    assert isinstance(manifest, dict)
    return manifest


def sha256_once(file: Path, say: Callable[[str], None] = lambda text: None) -> str:
    """Return the SHA-256 of a file; the SHA-256 of a large file is cached until the file changes.

    A file changed if its size, its times of modification and change, or its inode differ. `say` receives a sentence
    before a file is read that takes seconds.
    """
    state = file.stat()
    if state.st_size < _LARGE:
        return sha256(file)
    # Only the system sets the time of the last change (ctime).
    current = [state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino]
    name = os.fspath(file.resolve())
    match _checked.get(name):
        case [stored, checksum] if stored == current:
            return checksum
    known: dict[str, Any] = {}
    memory: Path | None = None
    with contextlib.suppress(OSError):  # without a data folder nothing is remembered
        memory = places.models() / "checked.json"
        read = read_json_or_none(memory)
        known = read if isinstance(read, dict) else {}
    match known.get(name):
        case [stored, str(checksum)] if stored == current:
            _checked[name] = current, checksum
            return checksum
    if state.st_size >= _SLOW:
        say(f"Reading {file.name} once, to identify it ({format_bytes(state.st_size)}) …")
    checksum = sha256(file)
    if memory is not None and time.time_ns() - max(state.st_mtime_ns, state.st_ctime_ns) > _SETTLED:
        _checked[name] = current, checksum
        known = {**dict(list(known.items())[1 - _REMEMBERED :]), name: [current, checksum]}
        with contextlib.suppress(OSError):
            write_text(memory, json.dumps(known), private=True)
    return checksum
