"""Downloading one file of a package index: through pip where there is one, by the user's index and proxy either way."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from collections.abc import Callable
from importlib.metadata import version as version_of
from pathlib import Path

from parapluie_gui import children
from parapluie_gui.models import index_download
from parapluie_gui.models.index_download import DownloadError

#: What pip's errors begin with; below the second kind come notes and hints.
_ERROR = ("ERROR: ", "× ")
_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")


def progress_bar(pip: str) -> str:
    """Return how that version of pip is asked for its progress in plain numbers; it tells none before 24.1."""
    return "raw" if tuple(map(int, re.findall(r"\d+", pip)[:2])) >= (24, 1) else "off"


def download(
    package: str, version: str, sha256: str, folder: Path, progress: Callable[[int, int], None], *, source: bool = False
) -> Path:
    """Download a package's wheel, or its source archive, without what it depends on; returns the file.

    `sha256` is the file's, `folder` an empty one; `progress` is called with the bytes that are here and all of them.

    Raises:
        DownloadError: It did not come.
    """
    if children.is_portable() or importlib.util.find_spec("pip") is None:
        return index_download.download(package, version, sha256, folder, progress, source=source)
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{package}=={version} --hash=sha256:{sha256}\n", encoding="utf-8")
    command = children.python("-m", "pip", "download", "--no-deps", "--require-hashes")
    command += [f"--no-binary={package}" if source else "--only-binary=:all:"]
    command += [
        f"--progress-bar={progress_bar(version_of('pip'))}",
        "--disable-pip-version-check",
        "--no-input",
        "--retries=1",
    ]
    command += ["-d", str(folder), "-r", str(wanted)]
    lines: list[str] = []
    # Unbuffered, so that the progress comes while it happens. From 25.1 on, pip goes on where a download broke off;
    # an older one would refuse the option, but not this variable.
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PIP_DEFAULT_TIMEOUT": "15", "PIP_RESUME_RETRIES": "10"}
    environment["PYTHONIOENCODING"] = "utf-8"
    pipe, also = subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(
        command, stdout=pipe, stderr=also, encoding="utf-8", errors="replace", env=environment
    ) as pip:
        assert pip.stdout is not None
        try:
            for line in pip.stdout:
                if found := _PROGRESS.search(line):
                    progress(int(found[1]), max(int(found[2]), 1))
                else:
                    lines.append(line.strip())
        except BaseException:  # Ctrl+C, or the window gave up
            pip.kill()
            raise
    files = list(folder.glob("*.tar.gz" if source else "*.whl"))
    # pip fails after it brought a source archive whose build tools it cannot get; the archive is all that is wanted.
    if files and (source or pip.returncode == 0):
        return files[0]
    spoken = [line for line in lines if line]
    errors = (line.removeprefix(mark) for line in reversed(spoken) for mark in _ERROR if line.startswith(mark))
    reason = next(errors, "".join(spoken[-1:]))
    raise DownloadError(reason, checksum="hash" in "\n".join(lines).lower())
