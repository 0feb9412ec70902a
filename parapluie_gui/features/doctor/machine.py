"""Examination of versions, the computer, PyTorch, the display and Qt."""

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
from parapluie_gui.computer import USUALLY_MISSING, memory, qt_platform
from parapluie_gui.features.doctor.findings import DoctorSection, last_error_line, run_program
from parapluie_gui.features.doctor.products import examine_products
from parapluie_gui.models import gpus
from parapluie_gui.models.device import cpu_has_fast_bfloat16
from parapluie_gui.packages import PROGRAM, TOGETHER, is_light, missing_package_message, pip_requirement
from parapluie_gui.version import __version__

QT = "PySide6-Essentials"

#: The first PySide6 whose void methods each drop a reference to None on Python 3.11, so that it aborts after a while.
_ABORTS = Version("6.12")

#: Longest time to load PyTorch, in seconds; a cold disk is slow.
_TORCH_SECONDS = 180.0

_GIB = 2**30
#: Free memory in bytes that the pocket judge and the window need.
_LEAST_FREE = _GIB

#: Packages of Debian and Ubuntu with the libraries that Qt's wheels need, by library.
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

#: Maximum time for Qt to start, and for `ldd` on a library, in seconds.
_QT_SECONDS = 60.0

#: Environment variables that change Qt's plugins or platform.
_VARIABLES = ("QT_QPA_PLATFORM", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD")


# Versions


def examine_versions(section: DoctorSection) -> None:
    """Examine the versions of the packages, and whether they fit together."""
    section.add("ParaPLUIE Inspector", __version__)
    section.add("Python", f"{platform.python_version()} ({platform.python_implementation()}), {children.interpreter()}")
    section.add("system", platform.platform())
    section.add("SQLite", sqlite3.sqlite_version)
    for requirement in _requirements(section):
        _compare(section, requirement)
    qt, glue = _installed_version(QT), _installed_version("shiboken6")
    if qt and glue and qt != glue:
        section.complain(
            f"PySide6-Essentials is {qt} but shiboken6 is {glue}: the window cannot be loaded.",
            f"pip install 'PySide6-Essentials=={qt}' 'shiboken6=={qt}'",
        )


def _requirements(section: DoctorSection) -> list[Requirement]:
    """Return the program's requirements, those of its extras included."""
    try:
        lines = importlib.metadata.requires(PROGRAM) or []
    except importlib.metadata.PackageNotFoundError:
        section.complain(
            "The program is not installed as a package, so its requirements are unknown.",
            "Install it with pip in its folder: pip install .",
        )
        return []
    requirements = [Requirement(line) for line in lines]
    # Users do not need the extra that is for tests.
    return [entry for entry in requirements if entry.marker is None or 'extra == "test"' not in str(entry.marker)]


def _compare(section: DoctorSection, required: Requirement) -> None:
    needed = required.marker is None or required.marker.evaluate({"extra": ""})
    version = _installed_version(required.name)
    if version is None:
        section.add(required.name, "not installed" if needed else f"not installed, {_describe_extra(required)}")
        if needed and not (required.name in TOGETHER and is_light()):
            section.complain(f"{required.name} is not installed.", f"pip install '{_without_marker(required)}'")
        return
    section.add(required.name, version)
    if required.specifier.contains(version, prereleases=True):
        return
    why = f"this program needs {required.specifier}"
    if required.name == QT and Version(version) >= _ABORTS and sys.version_info[:2] == (3, 11):
        why = f"version {_ABORTS} and later abort on Python 3.11"
    section.complain(f"{required.name} is {version}, but {why}.", f"pip install '{_without_marker(required)}'")


def _installed_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _describe_extra(required: Requirement) -> str:
    extra = str(required.marker).partition('extra == "')[2].partition('"')[0]
    return f"comes with the extra {extra}" if extra else "not needed here"


def _without_marker(required: Requirement) -> str:
    return f"{required.name}{required.specifier}"


# Computer


def examine_computer(section: DoctorSection) -> None:
    """Examine cores, memory, matrix products and GPUs, and whether PyTorch can use these."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    section.add("processor", f"{platform.processor() or platform.machine()}, {cores} of {os.cpu_count()} cores usable")
    _examine_memory(section)
    examine_products(section)
    lines = gpus.describe_gpus()
    for line in lines:
        section.add("NVIDIA GPU", f"{line} (driver)")
    facts = _read_torch_facts(section)
    if facts is not None:
        _examine_torch(section, facts, bool(lines))


def _examine_memory(section: DoctorSection) -> None:
    total, free = memory()
    if total is None:
        section.add("memory", "unknown")
        return
    section.add("memory", f"{total / _GIB:.1f} GiB" + ("" if free is None else f", {free / _GIB:.1f} GiB free"))
    if free is not None and free < _LEAST_FREE:
        section.complain(f"Only {free / _GIB:.1f} GiB of memory are free.", "Close other programs before scoring.")


def _read_torch_facts(section: DoctorSection) -> dict[str, Any] | None:
    """Return `torch_facts` of a child process; None if PyTorch is missing or cannot be loaded."""
    if is_light():
        section.add("PyTorch", missing_package_message("torch", "Devices that can run models on this computer"))
        return None
    result = run_program(children.call("parapluie_gui.features.doctor.machine:print_torch_facts"), _TORCH_SECONDS)
    if result is None:
        section.complain(
            f"PyTorch was not loaded within {_TORCH_SECONDS:.0f} s.", "Try again; the second time is quicker."
        )
        return None
    lines = result.stdout.splitlines()
    if result.returncode or not lines:
        todo = f"Reinstall it: pip install --force-reinstall '{pip_requirement('torch')}'"
        section.complain(f"PyTorch cannot be loaded: {last_error_line(result)}.", todo)
        return None
    facts: dict[str, Any] = json.loads(lines[-1])
    return facts


def _examine_torch(section: DoctorSection, facts: Mapping[str, Any], gpu: bool) -> None:
    section.add("PyTorch", f"{facts['version']}, built for {facts['build']}, {facts['threads']} threads")
    fast = "multiplied by this processor; faster than float32"
    section.add("bfloat16", fast if facts["bfloat16"] else "not multiplied by this processor; judges use float32 on it")
    if facts["transformers"]:
        section.complain(
            f"transformers cannot be loaded: {facts['transformers']}.",
            f"Reinstall it: pip install --force-reinstall '{pip_requirement('transformers')}'",
        )
    for device in facts["devices"]:
        section.add(device["name"], device["what"])
        if device["error"]:
            section.complain(
                f"{device['what']} does not work with this PyTorch: {device['error']}.",
                "Choose the device CPU, or install a PyTorch that supports it (https://pytorch.org/get-started).",
            )
    if gpu and not any(device["name"].startswith("cuda") for device in facts["devices"]):
        reason = str(facts["warning"] or "it finds no GPU")
        if facts["build"] == "the CPU":
            reason = "it is built for the CPU only"
        section.complain(
            f"PyTorch does not use the NVIDIA GPU: {reason}.",
            "Install a PyTorch built for CUDA, or update NVIDIA's driver (https://pytorch.org/get-started).",
        )


# PyTorch, in a child process


def torch_facts() -> dict[str, Any]:
    """Return PyTorch's version, build, threads, bfloat16 and devices, and the error on loading transformers, or ""."""
    import torch

    build = "the CPU"
    if torch.version.cuda:
        build = f"CUDA {torch.version.cuda}"
    elif torch.version.hip:
        build = f"ROCm {torch.version.hip}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        has_cuda = torch.cuda.is_available()
    devices = [_cuda_facts(number) for number in range(torch.cuda.device_count())] if has_cuda else []
    if torch.backends.mps.is_available():
        devices.append({"name": "mps", "what": "Apple GPU", "error": _try_device("mps")})
    return {
        "version": torch.__version__,
        "build": build,
        "threads": torch.get_num_threads(),
        "bfloat16": cpu_has_fast_bfloat16(),
        "devices": devices,
        "warning": _first_line(str(caught[0].message)) if caught else "",
        "transformers": _try_transformers(),
    }


def print_torch_facts() -> None:
    """Print `torch_facts` as one line of JSON."""
    sys.stdout.write(json.dumps(torch_facts()) + "\n")


def _cuda_facts(number: int) -> dict[str, str]:
    import torch

    facts = torch.cuda.get_device_properties(number)
    what = f"{facts.name}, {facts.total_memory / _GIB:.1f} GiB, compute capability {facts.major}.{facts.minor}"
    return {"name": f"cuda:{number}", "what": what, "error": _try_device(f"cuda:{number}")}


def _try_device(device: str) -> str:
    """Return the error of a small computation on a device, "" if it works."""
    import torch

    try:
        torch.ones(64, 64, device=device).matmul(torch.ones(64, 64, device=device)).sum().item()
    except RuntimeError as error:
        return _first_line(str(error))
    return ""


def _try_transformers() -> str:
    try:
        from transformers import PreTrainedModel  # noqa: F401  (`import transformers` alone loads little)
    except Exception as error:  # incompatible packages raise all kinds of errors
        return _first_line(f"{type(error).__name__}: {error}")
    return ""


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0].rstrip(".")


# Window


def examine_window(section: DoctorSection) -> None:
    """Examine the display, and whether the window can open on it."""
    display = qt_platform(os.environ, sys.platform)
    section.add("display", display or "none, so only images can be made: parapluie gui --screenshot FILE.png")
    for name in _VARIABLES:
        if os.environ.get(name):
            section.add(name, os.environ[name])
    folder = _qt_folder()
    if folder is None:
        section.complain("PySide6 is not installed, so the window cannot open.", f"pip install '{pip_requirement(QT)}'")
        return
    missing = find_missing_libraries(_qt_libraries(display, folder))
    if missing:
        section.add("missing libraries", ", ".join(missing))
        names = ", ".join(missing)
        section.complain(f"Qt does not find {names}, so the window cannot open.", explain_installing(missing))
        return
    _try_window(section, display)


def _qt_folder() -> Path | None:
    package = importlib.util.find_spec("PySide6")
    folders = package.submodule_search_locations if package is not None else None
    return Path(next(iter(folders))) if folders else None


def _qt_libraries(display: str, folder: Path) -> list[Path]:
    """Return the libraries in Qt's wheel that a window on this platform loads; none for a Qt of the system."""
    libraries = [folder / "Qt" / "lib" / f"libQt6{name}.so.6" for name in ("Core", "Gui", "Widgets", "Svg")]
    plugins = sorted((folder / "Qt" / "plugins" / "platforms").glob(f"libq{display.split(':')[0] or 'offscreen'}*.so"))
    return [file for file in (*libraries, *plugins) if file.exists()]


def _try_window(section: DoctorSection, display: str) -> None:
    """Start Qt in a child process, since it aborts the process if a library is missing."""
    where = display or "offscreen"
    start = children.call("parapluie_gui.ui.window.qt_trial:start")
    result = run_program(start, _QT_SECONDS, {"QT_QPA_PLATFORM": where})
    if result is not None and result.returncode == 0:
        section.add("Qt", f"starts on {result.stdout.strip()}")
        return
    if result is None:
        what = f"Qt does not start on {where} within {_QT_SECONDS:.0f} s."
    else:
        # After its first line Qt lists the available platforms.
        words = next((line.strip() for line in result.stderr.splitlines() if line.strip()), last_error_line(result))
        what = f"Qt does not start on {where}: {words.rstrip('.')}."
    headless = f"On Debian or Ubuntu: apt-get install {USUALLY_MISSING}."
    section.complain(what, headless if where == "offscreen" else "Check the display, and the variables named above.")


def find_missing_libraries(files: Iterable[Path]) -> list[str]:
    """Return the libraries that files need and the system lacks; empty if `ldd` is not available."""
    ldd = shutil.which("ldd") if sys.platform == "linux" else None
    missing: set[str] = set()
    for file in files if ldd else ():
        result = run_program([str(ldd), str(file)], _QT_SECONDS)
        text = "" if result is None else result.stdout
        missing.update(re.findall(r"^\s*(\S+) => not found", text, flags=re.MULTILINE))
    return sorted(missing)


def explain_installing(libraries: Iterable[str]) -> str:
    """Return a sentence on how to install libraries."""
    packages = [_DEBIAN[name] for name in libraries if name in _DEBIAN]
    unknown = [name for name in libraries if name not in _DEBIAN]
    parts = [f"On Debian or Ubuntu: apt-get install {' '.join(dict.fromkeys(packages))}"] if packages else []
    if unknown:
        parts.append(f"Install the packages that contain {', '.join(unknown)} with the system's package manager")
    return ". ".join(parts) + "."
