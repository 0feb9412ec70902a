"""Reads the memory and display of the computer, and pauses Python's garbage collector."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_CGROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))

#: Packages of Debian and Ubuntu that Qt needs and that are usually missing on a computer without a desktop.
USUALLY_MISSING = (
    "libegl1 libgl1 libfontconfig1 libdbus-1-3 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 "
    "libxcb-shape0"
)

_collector = threading.Lock()
_pauses = 0
_was_enabled = True


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Disable Python's garbage collector in all threads.

    The collector belongs to the process, so nested and concurrent uses are counted; the last one to end enables it.
    """
    global _pauses, _was_enabled
    with _collector:
        if not _pauses:
            _was_enabled = gc.isenabled()
            gc.disable()
        _pauses += 1
    try:
        yield
    finally:
        with _collector:
            _pauses -= 1
            if not _pauses and _was_enabled:
                gc.enable()


def is_gc_disabled() -> bool:
    """Return whether the garbage collector is disabled by `gc_disabled`."""
    return _pauses > 0


def format_bytes(size: float) -> str:
    """Format a number of bytes as "1.5 GB" or "24 MB"."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{round(size / 1e6)} MB"


def memory() -> tuple[int | None, int | None]:
    """Return the total and the free memory of this computer or container in bytes, None if unknown."""
    if sys.platform == "win32":
        return _windows_memory()
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None, None
    free = None
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        pass
    for file in _CGROUPS:
        try:
            limit = int(file.read_text(encoding="ascii"))
        except (OSError, ValueError):  # "max" means no limit
            continue
        total = min(total, limit)
        free = None if free is None else min(free, limit)
    return total, free


def _windows_memory() -> tuple[int | None, int | None]:
    # MEMORYSTATUSEX: two numbers of 32 bits, the first its own size, then seven of 64 bits: total, free, ...
    numbers = (ctypes.c_uint64 * 8)()
    ctypes.cast(numbers, ctypes.POINTER(ctypes.c_uint32))[0] = ctypes.sizeof(numbers)
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009  (unknown to mypy elsewhere)
    if not kernel.GlobalMemoryStatusEx(ctypes.byref(numbers)):
        return None, None
    return numbers[1], numbers[2]


def qt_platform(environment: Mapping[str, str], system: str) -> str:
    """Return Qt's platform for windows ("xcb", "wayland", "windows", ...), "" without a display."""
    if chosen := environment.get("QT_QPA_PLATFORM"):
        return chosen
    if system in ("win32", "darwin"):
        return "windows" if system == "win32" else "cocoa"
    if environment.get("WAYLAND_DISPLAY"):
        return "wayland"
    return "xcb" if environment.get("DISPLAY") else ""
