"""The memory and the display of this computer, amounts of memory in words, and when Python's collector rests."""

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

#: The packages of Debian and Ubuntu that Qt needs and a computer without a desktop usually lacks.
USUALLY_MISSING = (
    "libegl1 libgl1 libfontconfig1 libdbus-1-3 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 "
    "libxcb-shape0"
)

_collector = threading.Lock()
_resting = 0
_collects = True


@contextmanager
def uncollected() -> Iterator[None]:
    """Let Python's garbage collector rest meanwhile, in every thread.

    The collector is the process's: whoever turned it on and off alone would wake it for another thread in the middle.
    It wakes when the last of those who let it rest has ended.
    """
    global _resting, _collects
    with _collector:
        if not _resting:
            _collects = gc.isenabled()
            gc.disable()
        _resting += 1
    try:
        yield
    finally:
        with _collector:
            _resting -= 1
            if not _resting and _collects:
                gc.enable()


def collector_rests() -> bool:
    """Return whether somebody lets the collector rest."""
    return _resting > 0


def in_words(size: float) -> str:
    """Return an amount of bytes as "1.5 GB" or "24 MB"."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{round(size / 1e6)} MB"


def memory() -> tuple[int | None, int | None]:
    """Return the bytes of memory that this computer, or the container, has, and those that are free; None: unknown."""
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
        except (OSError, ValueError):  # "max": no limit
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


def platform_of(environment: Mapping[str, str], system: str) -> str:
    """Return what Qt will draw its windows on ("xcb", "wayland", "windows", ...), "" where there is no display."""
    if chosen := environment.get("QT_QPA_PLATFORM"):
        return chosen
    if system in ("win32", "darwin"):
        return "windows" if system == "win32" else "cocoa"
    if environment.get("WAYLAND_DISPLAY"):
        return "wayland"
    return "xcb" if environment.get("DISPLAY") else ""
