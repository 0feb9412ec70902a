"""Reads the download folder of the Hugging Face library without that library."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

#: The ref of the revision that `parapluie models get` fetched; other programs move "main".
PIN = "parapluie"

_HUB_NAME = re.compile(r"(\w[\w.-]*/\w[\w.-]*)(?::(\w[\w./-]*\.gguf))?", re.IGNORECASE)
#: The suffix that llama.cpp appends to the names of a model's parts.
_PART = re.compile(r"-(\d{5})-of-(\d{5})(?=\.gguf$)", re.IGNORECASE)


def hub_name(model: str) -> tuple[str, str] | None:
    """Return the hub id and the GGUF file ("" for none) of a name like owner/name or owner/name:FILE.gguf."""
    match = _HUB_NAME.fullmatch(model)
    return None if match is None else (match[1], match[2] or "")


def is_gguf(name: str) -> bool:
    """Return True for a name like owner/name:FILE.gguf."""
    return bool((hub_name(name) or ("", ""))[1])


def gguf_parts(file: str) -> list[str]:
    """Return the names of all files that belong to a GGUF file, the one with the header first."""
    match = _PART.search(file)
    if match is None:
        return [file]
    stem, ending, last = file[: match.start()], file[match.end() :], match[2]
    return [f"{stem}-{part:05}-of-{last}{ending}" for part in range(1, int(last) + 1)]


def hub_cache() -> Path:
    """Return the download folder of the Hugging Face library."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = os.environ.get("HF_HOME") or cache / "huggingface"
    return Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub").expanduser()


def model_folder(name: str) -> Path:
    """Return the download folder of a model, which may not exist."""
    return hub_cache() / f"models--{name.partition(':')[0].replace('/', '--')}"


def snapshot(hub_id: str) -> Path | None:
    """Return the folder of a model's files: the revision fetched by this program, otherwise the latest revision."""
    folder = model_folder(hub_id)
    for name in (PIN, "main"):
        try:
            commit = (folder / "refs" / name).read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            continue
        if commit and (folder / "snapshots" / commit).is_dir():
            return folder / "snapshots" / commit
    snapshots = [path for path in (folder / "snapshots").glob("*") if path.is_dir()]
    return max(snapshots, key=lambda path: path.stat().st_mtime, default=None)


def downloaded_hub_models() -> Iterator[str]:
    """Yield the names of the hub models on this computer: those with safetensors weights, and GGUF files."""
    cache = hub_cache()
    for folder in sorted(cache.glob("models--*--*")) if cache.is_dir() else ():
        hub_id = folder.name.removeprefix("models--").replace("--", "/", 1)
        files = snapshot(hub_id)
        if files is None:
            continue
        if any(files.glob("*.safetensors")):
            yield hub_id
        for file in sorted(path.relative_to(files).as_posix() for path in files.rglob("*.gguf")):
            if gguf_parts(file)[0] == file:
                yield f"{hub_id}:{file}"
