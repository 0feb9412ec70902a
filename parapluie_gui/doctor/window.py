"""Whether the window can be opened: the display, the system libraries that Qt expects, and a trial in a process."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from parapluie_gui.doctor.child import ask, last_words
from parapluie_gui.doctor.findings import Section
from parapluie_gui.doctor.libraries import USUALLY_MISSING, how_to_install, missing_libraries, platform_of
from parapluie_gui.doctor.versions import QT, wanted

#: What the window loads, as in pyproject.toml; a trial with less could succeed where the window fails.
_TRIAL = (
    "from PySide6 import QtCore, QtGui, QtSvg, QtWidgets; app = QtWidgets.QApplication(['parapluie']); "
    "print(app.platformName(), QtCore.qVersion())"
)
_PATIENCE = 60.0

#: Variables that lead Qt to other plugins or another platform.
_VARIABLES = ("QT_QPA_PLATFORM", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD")


def examine(section: Section) -> None:
    """Note the display and what keeps the window from opening on it."""
    platform = platform_of(os.environ, sys.platform)
    section.add("display", platform or "none: only pictures, with parapluie gui --screenshot FILE.png")
    for name in _VARIABLES:
        if os.environ.get(name):
            section.add(name, os.environ[name])
    folder = _qt_folder()
    if folder is None:
        section.complain("PySide6 is not installed, so that there is no window.", f"pip install '{wanted(QT)}'")
        return
    missing = missing_libraries(_loaded_by(platform, folder))
    if missing:
        section.add("missing libraries", ", ".join(missing))
        names = ", ".join(missing)
        section.complain(f"Qt does not find {names}, so that the window cannot open.", how_to_install(missing))
        return
    _try_window(section, platform)


def _qt_folder() -> Path | None:
    package = importlib.util.find_spec("PySide6")
    places = package.submodule_search_locations if package is not None else None
    return Path(next(iter(places))) if places else None


def _loaded_by(platform: str, folder: Path) -> list[Path]:
    """Return the libraries of Qt's own wheel that a window on this platform loads; those of a system's Qt are whole."""
    libraries = [folder / "Qt" / "lib" / f"libQt6{name}.so.6" for name in ("Core", "Gui", "Widgets", "Svg")]
    plugins = sorted((folder / "Qt" / "plugins" / "platforms").glob(f"libq{platform.split(':')[0] or 'offscreen'}*.so"))
    return [file for file in (*libraries, *plugins) if file.exists()]


def _try_window(section: Section, platform: str) -> None:
    """Start Qt in a process of its own: without what it needs it ends the whole process."""
    where = platform or "offscreen"
    done = ask([sys.executable, "-c", _TRIAL], _PATIENCE, {"QT_QPA_PLATFORM": where})
    if done is not None and done.returncode == 0:
        section.add("Qt", f"starts on {done.stdout.strip()}")
        return
    if done is None:
        what = f"Qt does not start on {where} within {_PATIENCE:.0f} s."
    else:
        # Behind its first line Qt lists what else there is.
        words = next((line.strip() for line in done.stderr.splitlines() if line.strip()), last_words(done))
        what = f"Qt does not start on {where}: {words.rstrip('.')}."
    headless = f"On Debian or Ubuntu: apt-get install {USUALLY_MISSING}."
    section.complain(what, headless if where == "offscreen" else "Check the display, and the variables named above.")
