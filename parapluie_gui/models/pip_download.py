"""Downloads a file from the user's package index, with pip if it is installed."""

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

#: Beginnings of pip's error messages; the second kind is followed by notes and hints.
_ERROR = ("ERROR: ", "× ")
_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")


def progress_bar(pip: str) -> str:
    """Return the value of --progress-bar that prints plain numbers, or "off" for pip before 24.1, which lacks it."""
    return "raw" if tuple(map(int, re.findall(r"\d+", pip)[:2])) >= (24, 1) else "off"


def download(
    package: str, version: str, sha256: str, folder: Path, progress: Callable[[int, int], None], *, source: bool = False
) -> Path:
    """Download a package's wheel or source archive without its dependencies, and return the file.

    Args:
        package: Name on the index.
        version: Its version.
        sha256: SHA-256 of the file, hexadecimal.
        folder: An empty folder.
        progress: Called with the bytes downloaded and the bytes in total.
        source: Whether to download the source archive.

    Raises:
        DownloadError: The download failed.
    """
    if children.is_portable() or importlib.util.find_spec("pip") is None:
        return index_download.download(package, version, sha256, folder, progress, source=source)
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{package}=={version} --hash=sha256:{sha256}\n", encoding="utf-8")
    command = children.python("-m", "pip", "download", "--no-deps", "--require-hashes")
    command += [f"--no-binary={package}" if source else "--only-binary=:all:"]
    command += [
        f"--progress-bar={progress_bar(version_of('pip'))}",
        "--disable-pip-version-check",
        "--no-input",
        "--retries=1",
    ]
    command += ["-d", str(folder), "-r", str(requirements)]
    lines: list[str] = []
    # Unbuffered, so that progress comes at once. From 25.1 on, pip resumes a broken download; older versions refuse the
    # option, but not this variable.
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PIP_DEFAULT_TIMEOUT": "15", "PIP_RESUME_RETRIES": "10"}
    environment["PYTHONIOENCODING"] = "utf-8"
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env=environment,
    ) as pip:
        assert pip.stdout is not None
        try:
            for line in pip.stdout:
                if match := _PROGRESS.search(line):
                    progress(int(match[1]), max(int(match[2]), 1))
                else:
                    lines.append(line.strip())
        except BaseException:  # raised by Ctrl+C, or when the window cancels
            pip.kill()
            raise
    files = list(folder.glob("*.tar.gz" if source else "*.whl"))
    # pip fails after downloading a source archive if it cannot get its build tools, which are not needed.
    if files and (source or pip.returncode == 0):
        return files[0]
    messages = [line for line in lines if line]
    errors = (line.removeprefix(mark) for line in reversed(messages) for mark in _ERROR if line.startswith(mark))
    reason = next(errors, "".join(messages[-1:]))
    raise DownloadError(reason, checksum="hash" in "\n".join(lines).lower())
