"""The platform that Qt will draw on, and the system libraries that it expects there; light, for every start."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from parapluie_gui.doctor.child import ask

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

#: What a computer without a desktop usually lacks, for those who do not want to look closer.
USUALLY_MISSING = (
    "libegl1 libgl1 libfontconfig1 libdbus-1-3 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 "
    "libxcb-shape0"
)

_PATIENCE = 60.0


def platform_of(environment: Mapping[str, str], system: str) -> str:
    """Return what Qt will draw its windows on ("xcb", "wayland", "windows", ...), "" where there is no display."""
    if chosen := environment.get("QT_QPA_PLATFORM"):
        return chosen
    if system in ("win32", "darwin"):
        return "windows" if system == "win32" else "cocoa"
    if environment.get("WAYLAND_DISPLAY"):
        return "wayland"
    return "xcb" if environment.get("DISPLAY") else ""


def missing_libraries(files: Iterable[Path]) -> list[str]:
    """Return the libraries that files need and the system does not have; none where that cannot be asked."""
    ldd = shutil.which("ldd") if sys.platform == "linux" else None
    found: dict[str, None] = {}
    for file in files if ldd else ():
        done = ask([str(ldd), str(file)], _PATIENCE)
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
