"""A Python environment that hides installed packages, by a folder in PYTHONPATH, which child processes inherit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: Packages that a light installation lacks, and those that its libraries would import from the tests' installation.
HEAVY = (
    *("torch", "transformers", "accelerate", "gguf", "huggingface_hub", "pandas", "pip"),
    *("sklearn", "xllamacpp", "peft", "sentence_transformers", "matplotlib", "requests", "certifi", "joblib"),
)

_SITE = """
import sys
from importlib.machinery import PathFinder

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        absent = fullname in {names!r} or fullname.partition(".")[0] in {names!r}
        return None if absent else super().find_spec(fullname, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Finder
"""


def environment(folder: Path, names: Sequence[str] = HEAVY) -> dict[str, str]:
    """Return environment variables that hide the packages; `folder` is created for the files that do so."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(_SITE.format(names=frozenset(names)))
    paths = os.pathsep.join([str(folder), str(ROOT)])
    home = str(folder / "home")
    return {**os.environ, "PYTHONPATH": paths, "QT_QPA_PLATFORM": "offscreen", "PARAPLUIE_HOME": home}


def run(script: str, folder: Path, where: Path, names: Sequence[str] = HEAVY) -> subprocess.CompletedProcess[str]:
    """Run a script without the packages, in the folder `where`."""
    command = [sys.executable, "-c", script]
    return subprocess.run(
        command, cwd=where, env=environment(folder, names), capture_output=True, text=True, timeout=280
    )
