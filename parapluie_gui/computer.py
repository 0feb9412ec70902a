"""The memory of this computer, and amounts of memory in words."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_CGROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


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
