"""Which versions are installed, which of them this program does not work with, and why."""

from __future__ import annotations

import importlib.metadata
import platform
import sqlite3
import sys

from packaging.requirements import Requirement
from packaging.version import Version

from parapluie_gui import __version__
from parapluie_gui.doctor.findings import Section

_PROGRAM = "parapluie_gui"
QT = "PySide6-Essentials"

#: The first PySide6 that loses a reference to None in every void method on Python 3.11, and aborts after a while.
_ABORTS = Version("6.12")


def examine(section: Section) -> None:
    """Note the versions of everything that is used, and what does not go together."""
    section.add("ParaPLUIE Inspector", __version__)
    section.add("Python", f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}")
    section.add("system", platform.platform())
    section.add("SQLite", sqlite3.sqlite_version)
    for requirement in _requirements(section):
        _compare(section, requirement)
    qt, glue = _installed(QT), _installed("shiboken6")
    if qt and glue and qt != glue:
        section.complain(
            f"PySide6-Essentials is {qt} and shiboken6, which belongs to it, is {glue}: the window cannot be loaded.",
            f"pip install 'PySide6-Essentials=={qt}' 'shiboken6=={qt}'",
        )


def wanted(name: str) -> str:
    """Return what pip is to be asked for to get a package that this program works with ("torch<2.14,>=2.6")."""
    try:
        needed = map(Requirement, importlib.metadata.requires(_PROGRAM) or [])
    except importlib.metadata.PackageNotFoundError:
        return name
    return next((_bare(each) for each in needed if each.name == name), name)


def _requirements(section: Section) -> list[Requirement]:
    """Return what the program needs, or would use if it were there (its extras)."""
    try:
        lines = importlib.metadata.requires(_PROGRAM) or []
    except importlib.metadata.PackageNotFoundError:
        section.complain(
            "The program is not installed as a package, so that what it needs is not known.",
            "Install it with pip, from its folder: pip install .",
        )
        return []
    found = [Requirement(line) for line in lines]
    # An extra of the tests is no concern of a user's.
    return [each for each in found if each.marker is None or 'extra == "test"' not in str(each.marker)]


def _compare(section: Section, asked: Requirement) -> None:
    needed = asked.marker is None or asked.marker.evaluate({"extra": ""})
    version = _installed(asked.name)
    if version is None:
        section.add(asked.name, "not installed" if needed else f"not installed, {_extra(asked)}")
        if needed:
            section.complain(f"{asked.name} is not installed.", f"pip install '{_bare(asked)}'")
        return
    section.add(asked.name, version)
    if asked.specifier.contains(version, prereleases=True):
        return
    why = f"this program works with {asked.specifier}"
    if asked.name == QT and Version(version) >= _ABORTS and sys.version_info[:2] == (3, 11):
        why = f"from {_ABORTS} on it aborts on Python 3.11"
    section.complain(f"{asked.name} is {version}, and {why}.", f"pip install '{_bare(asked)}'")


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _extra(asked: Requirement) -> str:
    """Return which extra brings a package, in words."""
    extra = str(asked.marker).partition('extra == "')[2].partition('"')[0]
    return f"comes with the extra {extra}" if extra else "not needed here"


def _bare(asked: Requirement) -> str:
    return f"{asked.name}{asked.specifier}"
