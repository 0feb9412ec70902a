"""Looks up models on the Hugging Face hub, and fetches them at the user's request.

Files go into the library's download folder, where other programs find them too. An interrupted fetch leaves its data
there, and the next fetch continues from them. A model is complete, with its list of checksums, when all of its files
are there and match the hub's checksums.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from parapluie_gui.computer import format_bytes
from parapluie_gui.errors import NO_ROOM, ModelError, first_line
from parapluie_gui.files import write_text
from parapluie_gui.models.hub_cache import PIN, gguf_parts, hub_name, model_folder
from parapluie_gui.models.manifest import MANIFEST, READ, sha256_once, write_manifest
from parapluie_gui.packages import require

#: Called during a fetch with the share done (0..1) and the current step.
Report = Callable[[float, str], None]

#: Names of weights in transformers; other files are copies of them in a different format ("consolidated").
_WEIGHTS = re.compile(r"(adapter_)?model(-\d+-of-\d+)?\.safetensors")
#: Folders of a model that are read: parts of sentence encoders (1_Pooling), and additional chat templates.
_FOLDERS = re.compile(r"\d+_\w+|additional_chat_templates")
_CHECKSUM = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
#: Seconds allowed for an answer from the hub.
_PATIENCE = 20.0


@dataclass(frozen=True)
class HubFile:
    """A file of a model; `checksum`, its SHA-256 or git's SHA-1 for a small file, names it in the download folder."""

    name: str
    size: int
    checksum: str


@dataclass(frozen=True)
class HubModel:
    """A model on the hub.

    Attributes:
        name: The name as the user wrote it: owner/name or owner/name:FILE.gguf.
        hub_id: owner/name.
        commit: Hash of the revision.
        licence: The licence as the model's authors name it, or "".
        files: The files that are needed.
        parameters: Number of parameters, None if the hub does not report it.
        host: Host of the hub.
    """

    name: str
    hub_id: str
    commit: str
    licence: str
    files: tuple[HubFile, ...]
    parameters: int | None
    host: str

    @property
    def size(self) -> int:
        """Size of all files in bytes."""
        return sum(file.size for file in self.files)

    @property
    def downloaded_size(self) -> int:
        """Size in bytes of the files that are already on this computer."""
        files = [(_local_file(self, file), file.size) for file in self.files]
        return sum(min(path.stat().st_size, size) for path, size in files if path is not None)


def look_up(name: str, revision: str | None = None) -> HubModel:
    """Look up a model on the hub, without fetching it.

    Raises:
        ModelError: There is no such model or file, it has no readable weights, access is denied, or the hub cannot be
            reached.
    """
    parts = hub_name(name)
    if parts is None:
        raise ModelError(f"There is no model {name} in the catalogue; a hub id has the form owner/name.")
    hub_id, gguf = parts
    require("huggingface_hub", what="Fetching from the Hugging Face hub")
    from huggingface_hub import HfApi, get_hf_file_metadata

    with _readable_errors(name, revision):
        api = HfApi(endpoint=_endpoint())
        info: Any = api.model_info(hub_id, revision=revision, files_metadata=True, timeout=_PATIENCE)
    siblings = {file.rfilename: file for file in info.siblings or ()}
    chosen = [siblings[file] for file in choose_files(name, list(siblings), gguf)]
    with _readable_errors(name, revision):
        if info.gated:  # only a request for a file shows whether access is granted
            get_hf_file_metadata(_url(hub_id, chosen[0].rfilename, info.sha), headers=_headers(), timeout=_PATIENCE)
    files = [
        HubFile(file.rfilename, int(file.size or 0), str(file.lfs.sha256 if file.lfs else file.blob_id))
        for file in chosen
    ]
    # Checksums become file names here, so they must not contain a path.
    if not all(_CHECKSUM.fullmatch(checksum) for checksum in (str(info.sha), *(file.checksum for file in files))):
        raise ModelError(
            f"{_host()} does not list checksums for {name}. Unset HF_ENDPOINT, or set it to a different hub."
        )
    total = getattr(info.safetensors, "total", None) if not gguf else None
    return HubModel(name, hub_id, info.sha, _licence(info), tuple(files), total, _host())


def choose_files(name: str, files: Sequence[str], gguf: str) -> list[str]:
    """Return the files of a model to fetch: one copy of the weights, and the files that are read with it.

    Raises:
        ModelError: The GGUF file is not among them, or there are no readable weights.
    """
    offered = sorted(file for file in files if file.endswith(".gguf"))
    choice = f"It has {', '.join(offered[:6])}{' and more' if len(offered) > 6 else ''}"
    if gguf:
        parts = gguf_parts(gguf)
        if not set(parts) <= set(files) or ".." in PurePosixPath(gguf).parts:
            raise ModelError(f"{name} is not among the files of this model. {choice if offered else 'It has no GGUF'}.")
        return parts
    weights = [file for file in files if file.endswith(".safetensors") and not {"/", "\\"} & set(file)]
    usual = [file for file in weights if _WEIGHTS.fullmatch(file)]
    unsplit = [file for file in usual if "-of-" not in file]
    weights = unsplit or usual or weights
    if not weights:
        if offered:
            raise ModelError(f"{name} consists of GGUF files. {choice}; write {name}:FILE.gguf.")
        raise ModelError(f"{name} has no safetensors weights, and pickled weights are not read. Choose another model.")
    others = set(files) - {*weights, MANIFEST}  # the program writes its own manifest instead
    return sorted(file for file in others if _is_read(PurePosixPath(file))) + sorted(weights)


def _is_read(file: PurePosixPath) -> bool:
    at_top = len(file.parts) == 1
    inner = len(file.parts) == 2 and _FOLDERS.fullmatch(file.parts[0]) is not None
    read = file.suffix in READ and (inner or file.suffix != ".safetensors") and ".bin." not in file.name
    return (at_top or inner) and "\\" not in file.name and (read or file.stem in ("LICENSE", "LICENCE"))


def fetch(model: HubModel, report: Report = lambda share, text: None) -> Path:
    """Fetch the missing files of a model, compare all files with the hub's checksums, and pin the revision.

    Returns:
        The folder of the model.

    Raises:
        ModelError: The connection was lost, the disk is full, a file is damaged, or another process fetches the model.
    """
    import filelock

    folder = model_folder(model.hub_id)
    (folder / "blobs").mkdir(parents=True, exist_ok=True)
    missing, free = model.size - model.downloaded_size, shutil.disk_usage(folder).free
    if free < missing:
        raise ModelError(
            f"{model.name} needs another {format_bytes(missing)} in {folder}, but only {format_bytes(free)} are free. "
            "Free disk space, or set HF_HOME to a folder on another disk, and try again."
        )
    lock = filelock.FileLock(folder / ".parapluie.lock")
    try:
        with lock.acquire(blocking=False):
            return _fetch(model, folder, report)
    except filelock.Timeout:
        raise ModelError(f"{model.name} is already being fetched. Wait until that has finished, or stop it.") from None


def _fetch(model: HubModel, folder: Path, report: Report) -> Path:
    total, done = max(model.size, 1), 0

    def tell(length: int) -> None:
        share, megabytes = (done + length) / total, (done + length) // 10**6
        # Comparing checksums takes the remaining 5 %.
        report(0.95 * share, f"Downloading {model.name} ({megabytes:,} of {total // 10**6:,} MB)")

    with _readable_errors(model.name, model.commit):
        for file in model.files:
            if not _is_here(model, file):
                _download(model, file, folder / "blobs", tell)
            done += file.size
        for file in model.files:
            report(0.96, f"Comparing {model.name} with its checksums")
            _check(model, file)
        place = folder / "snapshots" / model.commit
        for file in model.files:
            _link(place / file.name, folder / "blobs" / file.checksum)
        facts = {"name": model.hub_id, "licence": model.licence, "from": model.host, "revision": model.commit}
        write_manifest(place, **facts, shared=True)
        (folder / "refs").mkdir(exist_ok=True)
        write_text(folder / "refs" / PIN, model.commit)
    report(1.0, f"{model.name} is ready: {place}")
    return place


def _download(model: HubModel, file: HubFile, blobs: Path, tell: Callable[[int], None]) -> None:
    """Fetch a file, continuing from any part that is already on this computer."""
    from huggingface_hub.file_download import http_get

    part = _part(blobs / file.checksum)
    with contextlib.suppress(FileNotFoundError):
        if part.stat().st_size > file.size:
            part.unlink()
    with _ProgressFile(io.FileIO(part, "a"), tell) as opened:
        start = opened.tell()
        tell(start)
        if start < file.size:
            url: str = _url(model.hub_id, file.name, model.commit)
            with _silence():
                http_get(url, opened, resume_size=start, headers=_headers(), expected_size=file.size)
    part.replace(blobs / file.checksum)


class _ProgressFile(io.BufferedWriter):
    """A file that reports its length after each write."""

    def __init__(self, raw: io.FileIO, tell: Callable[[int], None]) -> None:
        super().__init__(raw)
        self._tell = tell

    def write(self, data: Any) -> int:
        written = super().write(data)
        self._tell(self.tell())
        return written


def _part(blob: Path) -> Path:
    return blob.with_name(f"{blob.name}.{PIN}.incomplete")


def _places(model: HubModel, file: HubFile) -> tuple[Path, Path]:
    """Return the two paths of a file: among the model's files, and under its checksum, where links point."""
    folder = model_folder(model.hub_id)
    return folder / "snapshots" / model.commit / file.name, folder / "blobs" / file.checksum


def _is_here(model: HubModel, file: HubFile) -> bool:
    return any(path.is_file() for path in _places(model, file))


def _local_file(model: HubModel, file: HubFile) -> Path | None:
    """Return the path of a file, or of its downloaded part; None if neither exists."""
    blob = _places(model, file)[1]
    return next((path for path in (*_places(model, file), _part(blob)) if path.is_file()), None)


def _check(model: HubModel, file: HubFile) -> None:
    path = next(path for path in _places(model, file) if path.is_file())
    if len(file.checksum) == 64:
        checksum = sha256_once(path)
    else:
        # Git hashes the length, then the content.
        checksum = hashlib.sha1(
            b"blob %d\0" % path.stat().st_size + path.read_bytes(), usedforsecurity=False
        ).hexdigest()
    if checksum != file.checksum:
        path.resolve().unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        raise ModelError(f"{file.name} of {model.name} arrived damaged and was deleted. Fetch the model again.")


def _link(path: Path, blob: Path) -> None:
    """Add a file to the model's folder, as a link if the system supports links."""
    if path.is_file():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # a broken link
    try:
        path.symlink_to(os.path.relpath(blob, path.parent))
    except OSError:
        blob.replace(path)


def _endpoint() -> str:
    from huggingface_hub import constants

    return (os.environ.get("HF_ENDPOINT") or constants.ENDPOINT).rstrip("/")


def _host() -> str:
    return urlsplit(_endpoint()).netloc


def _url(hub_id: str, file: str, commit: str) -> str:
    from huggingface_hub import hf_hub_url

    return hf_hub_url(hub_id, file, revision=commit, endpoint=_endpoint())


def _headers() -> dict[str, str]:
    """Return the headers for requests, with the user's token if there is one."""
    from huggingface_hub import utils

    headers: dict[str, str] = getattr(utils, "build_hf_headers")(library_name="parapluie")  # noqa: B009  (not exported)
    return headers


def _licence(info: Any) -> str:
    card = info.card_data
    named = (getattr(card, "license_name", None) or getattr(card, "license", None)) if card is not None else None
    tagged = [tag.removeprefix("license:") for tag in info.tags or () if tag.startswith("license:")]
    licence = named or tagged
    return ", ".join(map(str, licence)) if isinstance(licence, list) else str(licence or "")


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress the library's progress bars and warnings."""
    import huggingface_hub

    utils: Any = huggingface_hub.utils
    level = utils.logging.get_verbosity()
    utils.logging.set_verbosity_error()
    utils.disable_progress_bars()
    try:
        yield
    finally:
        utils.enable_progress_bars()
        utils.logging.set_verbosity(level)


@contextlib.contextmanager
def _readable_errors(name: str, revision: str | None) -> Iterator[None]:
    """Turn errors of the library into a `ModelError` with a readable message."""
    from huggingface_hub import errors, get_token

    host, kinds = _host(), (getattr(errors, "HTTPError", OSError), OSError, ValueError)
    login = "Log in with `hf auth login`, or set HF_TOKEN"
    try:
        yield
    except errors.OfflineModeIsEnabled:
        raise ModelError("HF_HUB_OFFLINE is set, so nothing is fetched. Unset it and try again.") from None
    except errors.GatedRepoError as error:
        advice = "Your token does not have access yet" if get_token() else login
        raise ModelError(
            f"{name} is gated: its authors have to grant access. Ask for it on {_endpoint()}/{name.partition(':')[0]}. "
            f"{advice}; then try again."
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise ModelError(
            f"There is no model {name} on {host}, or it is private. Check the name. {login} for a private one."
        ) from error
    except errors.RevisionNotFoundError as error:
        raise ModelError(f"{name} has no revision {revision}. Name one of its branches, tags or commits.") from error
    except errors.HfHubHTTPError as error:
        raise ModelError(f"{host} refused to send {name} ({first_line(error)}). Try again later.") from error
    except kinds as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise ModelError(
                f"The disk filled up while {name} was being fetched. Free disk space and try again; the download will "
                "continue."
            ) from error
        raise ModelError(
            f"{name} could not be fetched from {host} ({first_line(error)}). Check the network and try again; "
            "the download will continue."
        ) from error
