"""Paths of the program's resources and of the user's data."""

from __future__ import annotations

import contextlib
import os
import stat
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

#: Files in the data folder that hold the user's pairs, scores and choices.
_PRIVATE = (
    "scores.sqlite*",
    "unsaved*",
    "sessions/*",
    "window.json*",
    "allowed-metric-files.json*",
    "thresholds.json*",
    "plans/*",
)


def resources() -> Path:
    """Return the folder of the program's resources (templates, demo corpus, icons)."""
    installed = Path(__file__).with_name("resources")
    # In the repository it is next to the package.
    return installed if installed.is_dir() else Path(__file__).parents[1] / "resources"


def pocket() -> Path:
    """Return the folder of the judge that ships with the program, perhaps without weights."""
    return resources() / "pocket"


@cache
def model_list() -> dict[str, Any]:
    """Return `models.toml`: the catalogue of models and the layers of encoders."""
    return tomllib.loads((resources() / "models.toml").read_text("utf-8"))


def data_folder() -> Path:
    """Return the path of the user's data folder, or the path in the variable PARAPLUIE_HOME; it may not exist."""
    return Path(os.environ.get("PARAPLUIE_HOME") or platformdirs.user_data_path("parapluie", appauthor=False))


def user_data() -> Path:
    """Return the user's data folder, creating it if necessary."""
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _make_private(folder)
    return folder


@cache
def _make_private(folder: Path) -> None:
    """Remove other users' permissions for the folder and its private files, as far as possible.

    Older versions let all users of the computer read the data folder, so this runs once in each process. A folder that
    others may write to is shared on purpose and is not changed, and neither is a folder that contains the home folder.
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
    """Expand ~ and ~name in a path that the user typed; ~name is left unchanged if the user is unknown.

    The shell expands words that begin with ~, but not --output=~/table.csv.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def models() -> Path:
    """Return the folder of downloaded models."""
    return user_data() / "models"


def user_templates() -> Path:
    """Return the folder of the user's own templates (it may not exist)."""
    return user_data() / "templates"


def user_schemes() -> Path:
    """Return the folder of the user's own annotation schemes (it may not exist)."""
    return user_data() / "schemes"


def plans() -> Path:
    """Return the folder of the reading plans that the user saved by name (it may not exist)."""
    return user_data() / "plans"


def thresholds() -> Path:
    """Return the file of thresholds that the user saved by name (it may not exist)."""
    return user_data() / "thresholds.json"


def score_cache() -> Path:
    """Return the SQLite file that stores every computed score."""
    return user_data() / "scores.sqlite"
