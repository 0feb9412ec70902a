"""What the program runs on: versions, the computer, PyTorch, the display and Qt."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import shutil
import sqlite3
import sys
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

from parapluie_gui import children
from parapluie_gui.computer import USUALLY_MISSING, memory, platform_of
from parapluie_gui.features.doctor.findings import DoctorSection, ask, last_words
from parapluie_gui.models import gpus
from parapluie_gui.packages import PROGRAM, TOGETHER, is_light, sentence, wanted
from parapluie_gui.version import __version__

QT = "PySide6-Essentials"

#: The first PySide6 that loses a reference to None in every void method on Python 3.11, and aborts after a while.
_ABORTS = Version("6.12")

#: Seconds that loading PyTorch may take; a cold disk needs many.
_TORCH_SECONDS = 180.0

_GIB = 2**30
#: Below this the pocket judge with the window has hardly room.
_LITTLE = _GIB

#: The packages of Debian and Ubuntu that hold what Qt's wheels expect of a system, by library.
_DEBIAN = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libOpenGL.so.0": "libopengl0",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xinerama.so.0": "libxcb-xinerama0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}

#: Seconds that Qt may take to start, and `ldd` for a library.
_QT_SECONDS = 60.0

#: Variables that lead Qt to other plugins or another platform.
_VARIABLES = ("QT_QPA_PLATFORM", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD")


# Versions


def examine_versions(section: DoctorSection) -> None:
    """Note the versions of everything that is used, and what does not go together."""
    section.add("ParaPLUIE Inspector", __version__)
    section.add("Python", f"{platform.python_version()} ({platform.python_implementation()}), {children.interpreter()}")
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


def _requirements(section: DoctorSection) -> list[Requirement]:
    """Return what the program needs, or would use if it were there (its extras)."""
    try:
        lines = importlib.metadata.requires(PROGRAM) or []
    except importlib.metadata.PackageNotFoundError:
        section.complain(
            "The program is not installed as a package, so that what it needs is not known.",
            "Install it with pip, from its folder: pip install .",
        )
        return []
    found = [Requirement(line) for line in lines]
    # An extra of the tests is no concern of a user's.
    return [each for each in found if each.marker is None or 'extra == "test"' not in str(each.marker)]


def _compare(section: DoctorSection, asked: Requirement) -> None:
    needed = asked.marker is None or asked.marker.evaluate({"extra": ""})
    version = _installed(asked.name)
    if version is None:
        section.add(asked.name, "not installed" if needed else f"not installed, {_extra(asked)}")
        if needed and not (asked.name in TOGETHER and is_light()):
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


# Computer


def examine_computer(section: DoctorSection) -> None:
    """Note cores, memory and GPUs, and what keeps PyTorch from using them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    section.add("processor", f"{platform.processor() or platform.machine()}, {cores} of {os.cpu_count()} cores usable")
    _examine_memory(section)
    seen = gpus.described()
    for line in seen:
        section.add("NVIDIA GPU", f"{line} (driver)")
    found = _ask_torch(section)
    if found is not None:
        _examine_torch(section, found, bool(seen))


def _examine_memory(section: DoctorSection) -> None:
    total, free = memory()
    if total is None:
        section.add("memory", "unknown")
        return
    section.add("memory", f"{total / _GIB:.1f} GiB" + ("" if free is None else f", {free / _GIB:.1f} GiB free"))
    if free is not None and free < _LITTLE:
        section.complain(f"Only {free / _GIB:.1f} GiB of memory are free.", "Close other programs before scoring.")


def _ask_torch(section: DoctorSection) -> dict[str, Any] | None:
    """Return what PyTorch says of itself; None without it, and where it cannot say it."""
    if is_light():
        section.add("PyTorch", sentence("torch", "What computes models on this computer"))
        return None
    done = ask(children.call("parapluie_gui.features.doctor.machine:say_torch_facts"), _TORCH_SECONDS)
    if done is None:
        section.complain(
            f"PyTorch was not loaded within {_TORCH_SECONDS:.0f} s.", "Try again; the second time is quicker."
        )
        return None
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        anew = f"Install it anew: pip install --force-reinstall '{wanted('torch')}'"
        section.complain(f"PyTorch cannot be loaded: {last_words(done)}.", anew)
        return None
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def _examine_torch(section: DoctorSection, found: Mapping[str, Any], gpu: bool) -> None:
    section.add("PyTorch", f"{found['version']}, built for {found['build']}, {found['threads']} threads")
    if found["transformers"]:
        section.complain(
            f"transformers cannot be loaded: {found['transformers']}.",
            f"Install it anew: pip install --force-reinstall '{wanted('transformers')}'",
        )
    for device in found["devices"]:
        section.add(device["name"], device["what"])
        if device["error"]:
            section.complain(
                f"{device['what']} does not compute with this PyTorch: {device['error']}.",
                "Choose the device CPU, or install a PyTorch that supports it (https://pytorch.org/get-started).",
            )
    if gpu and not any(device["name"].startswith("cuda") for device in found["devices"]):
        reason = str(found["warning"] or "it says that there is none")
        if found["build"] == "the CPU":
            reason = "it is built for the CPU alone"
        section.complain(
            f"PyTorch does not use the NVIDIA GPU: {reason}.",
            "Install a PyTorch built for CUDA, or update NVIDIA's driver (https://pytorch.org/get-started).",
        )


# PyTorch, in a process of its own


def torch_facts() -> dict[str, Any]:
    """Return version, build, threads, devices, and why transformers cannot be loaded ("" if it can)."""
    import torch

    build = "the CPU"
    if torch.version.cuda:
        build = f"CUDA {torch.version.cuda}"
    elif torch.version.hip:
        build = f"ROCm {torch.version.hip}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        there = torch.cuda.is_available()
    devices = [_cuda(number) for number in range(torch.cuda.device_count())] if there else []
    if torch.backends.mps.is_available():
        devices.append({"name": "mps", "what": "Apple GPU", "error": _fails_on("mps")})
    return {
        "version": torch.__version__,
        "build": build,
        "threads": torch.get_num_threads(),
        "devices": devices,
        "warning": _line(str(caught[0].message)) if caught else "",
        "transformers": _transformers_fail(),
    }


def say_torch_facts() -> None:
    """Print them as one line of JSON."""
    sys.stdout.write(json.dumps(torch_facts()) + "\n")


def _cuda(number: int) -> dict[str, str]:
    import torch

    facts = torch.cuda.get_device_properties(number)
    what = f"{facts.name}, {facts.total_memory / _GIB:.1f} GiB, compute capability {facts.major}.{facts.minor}"
    return {"name": f"cuda:{number}", "what": what, "error": _fails_on(f"cuda:{number}")}


def _fails_on(device: str) -> str:
    """Return why a device does not compute, "" if it does."""
    import torch

    try:
        torch.ones(64, 64, device=device).matmul(torch.ones(64, 64, device=device)).sum().item()
    except RuntimeError as error:
        return _line(str(error))
    return ""


def _transformers_fail() -> str:
    try:
        from transformers import PreTrainedModel  # noqa: F401  (transformers alone puts most of its loading off)
    except Exception as error:  # whatever does not go together shows here
        return _line(f"{type(error).__name__}: {error}")
    return ""


def _line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0].rstrip(".")


# Window


def examine_window(section: DoctorSection) -> None:
    """Note the display and what keeps the window from opening on it."""
    display = platform_of(os.environ, sys.platform)
    section.add("display", display or "none: only pictures, with parapluie gui --screenshot FILE.png")
    for name in _VARIABLES:
        if os.environ.get(name):
            section.add(name, os.environ[name])
    folder = _qt_folder()
    if folder is None:
        section.complain("PySide6 is not installed, so that there is no window.", f"pip install '{wanted(QT)}'")
        return
    missing = missing_libraries(_loaded_by(display, folder))
    if missing:
        section.add("missing libraries", ", ".join(missing))
        names = ", ".join(missing)
        section.complain(f"Qt does not find {names}, so that the window cannot open.", how_to_install(missing))
        return
    _try_window(section, display)


def _qt_folder() -> Path | None:
    package = importlib.util.find_spec("PySide6")
    folders = package.submodule_search_locations if package is not None else None
    return Path(next(iter(folders))) if folders else None


def _loaded_by(display: str, folder: Path) -> list[Path]:
    """Return the libraries of Qt's own wheel that a window on this platform loads; those of a system's Qt are whole."""
    libraries = [folder / "Qt" / "lib" / f"libQt6{name}.so.6" for name in ("Core", "Gui", "Widgets", "Svg")]
    plugins = sorted((folder / "Qt" / "plugins" / "platforms").glob(f"libq{display.split(':')[0] or 'offscreen'}*.so"))
    return [file for file in (*libraries, *plugins) if file.exists()]


def _try_window(section: DoctorSection, display: str) -> None:
    """Start Qt in a process of its own: without what it needs it ends the whole process."""
    where = display or "offscreen"
    done = ask(children.call("parapluie_gui.ui.window.qt_trial:start"), _QT_SECONDS, {"QT_QPA_PLATFORM": where})
    if done is not None and done.returncode == 0:
        section.add("Qt", f"starts on {done.stdout.strip()}")
        return
    if done is None:
        what = f"Qt does not start on {where} within {_QT_SECONDS:.0f} s."
    else:
        # Behind its first line Qt lists what else there is.
        words = next((line.strip() for line in done.stderr.splitlines() if line.strip()), last_words(done))
        what = f"Qt does not start on {where}: {words.rstrip('.')}."
    headless = f"On Debian or Ubuntu: apt-get install {USUALLY_MISSING}."
    section.complain(what, headless if where == "offscreen" else "Check the display, and the variables named above.")


def missing_libraries(files: Iterable[Path]) -> list[str]:
    """Return the libraries that files need and the system does not have; none where that cannot be asked."""
    ldd = shutil.which("ldd") if sys.platform == "linux" else None
    found: dict[str, None] = {}
    for file in files if ldd else ():
        done = ask([str(ldd), str(file)], _QT_SECONDS)
        text = "" if done is None else done.stdout
        found |= dict.fromkeys(re.findall(r"^\s*(\S+) => not found", text, flags=re.MULTILINE))
    return sorted(found)


def how_to_install(libraries: Iterable[str]) -> str:
    """Return a sentence on how libraries come onto the system."""
    known = [_DEBIAN[each] for each in libraries if each in _DEBIAN]
    others = [each for each in libraries if each not in _DEBIAN]
    parts = [f"On Debian or Ubuntu: apt-get install {' '.join(dict.fromkeys(known))}"] if known else []
    if others:
        parts.append(f"Install what holds {', '.join(others)} with the system's package manager")
    return ". ".join(parts) + "."
