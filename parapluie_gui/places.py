"""Folders and files: what ships in the package, and what belongs to the user."""

from __future__ import annotations

import contextlib
import os
import stat
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

#: What the data folder holds of the user's pairs, scores and choices.
_PRIVATE = (
    "scores.sqlite*",
    "unsaved*",
    "sessions/*",
    "window.json*",
    "allowed-metric-files.json*",
    "thresholds.json*",
)


def resources() -> Path:
    """Return the folder of files that ship with the program (templates, demo corpus, icons)."""
    installed = Path(__file__).with_name("resources")
    # In the repository it lies beside the package.
    return installed if installed.is_dir() else Path(__file__).parents[1] / "resources"


def pocket() -> Path:
    """Return the folder of the judge that ships with the program (it may hold no weights)."""
    return resources() / "pocket"


@cache
def model_list() -> dict[str, Any]:
    """Return `models.toml`: the catalogue of models and the layers of encoders."""
    return tomllib.loads((resources() / "models.toml").read_text("utf-8"))


def data_folder() -> Path:
    """Return where the user's data folder is, or would be; the variable PARAPLUIE_HOME names another one."""
    return Path(os.environ.get("PARAPLUIE_HOME") or platformdirs.user_data_path("parapluie", appauthor=False))


def user_data() -> Path:
    """Return the user's data folder, created."""
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _make_private(folder)
    return folder


@cache
def _make_private(folder: Path) -> None:
    """Let nobody but the user into the folder, or read what is private in it, as far as that can be done.

    Once in a process: older versions let every user of the computer read the data folder. One that others may write to
    was shared on purpose and stays so; so does one that the home folder lies in.
    """
    with contextlib.suppress(OSError, RuntimeError):
        rights = stat.S_IMODE(folder.stat().st_mode)
        shared = rights & (stat.S_IWGRP | stat.S_IWOTH | stat.S_ISVTX) or Path.home().is_relative_to(folder.resolve())
        if rights & 0o077 and not shared:
            folder.chmod(rights & 0o700)
    for pattern in _PRIVATE:
        with contextlib.suppress(OSError):
            for path in folder.glob(pattern):
                state = path.lstat()
                if stat.S_ISREG(state.st_mode) and state.st_mode & 0o077:
                    path.chmod(0o600)


def expand_user_path(path: str | Path) -> Path:
    """Return the path that a user typed, with ~ and ~name as their home; a ~name of nobody's stays as it is.

    The shell expands a word that begins with ~, but not --output=~/table.csv.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def models() -> Path:
    """Return the folder that holds the downloaded models."""
    return user_data() / "models"


def user_templates() -> Path:
    """Return the folder in which users put their own templates (it may not exist)."""
    return user_data() / "templates"


def user_schemes() -> Path:
    """Return the folder in which users put their own schemes of questions for people (it may not exist)."""
    return user_data() / "schemes"


def thresholds() -> Path:
    """Return the file with the thresholds the user has kept under names (it may not exist)."""
    return user_data() / "thresholds.json"


def score_cache() -> Path:
    """Return the SQLite file in which every score that was ever computed is kept."""
    return user_data() / "scores.sqlite"
