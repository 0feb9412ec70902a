"""NVIDIA's GPUs, as their driver tells of them without PyTorch: their names, and how much of their memory is free."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

#: Seconds that the driver's program may take: it wakes the GPUs up.
_PATIENCE = 30.0


@dataclass(frozen=True)
class Gpu:
    """A GPU; `device` is what PyTorch calls it, `free` and `total` are bytes of memory."""

    device: str
    name: str
    free: int
    total: int


def program() -> str | None:
    """Return the driver's program, None where there is no driver."""
    return shutil.which("nvidia-smi")


def look() -> list[Gpu]:
    """Return the GPUs that PyTorch may use, in its order; waits for the driver."""
    return listed(_asked("index,name,memory.free,memory.total", ",nounits"), os.environ.get("CUDA_VISIBLE_DEVICES"))


def described() -> list[str]:
    """Return a line for each GPU that the driver sees: name, memory, version of the driver; waits for it."""
    return [line.strip() for line in _asked("name,memory.total,driver_version").splitlines() if line.strip()]


def _asked(fields: str, form: str = "") -> str:
    """Return what the driver's program says of each GPU in a line, "" where it says nothing."""
    if (smi := program()) is None:
        return ""
    command = [smi, f"--query-gpu={fields}", f"--format=csv,noheader{form}"]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=_PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "" if done.returncode else done.stdout


def listed(told: str, visible: str | None) -> list[Gpu]:
    """Read the driver's lines; `visible` names the GPUs that this process may use, by their numbers.

    Nothing is returned where they are named otherwise: then nobody but PyTorch knows which are which.
    """
    found: dict[str, tuple[str, int, int]] = {}
    for line in told.splitlines():
        number, *name, free, total = (part.strip() for part in line.split(",")) if line.count(",") >= 3 else ("",) * 4
        if number.isdecimal() and free.isdecimal() and total.isdecimal():
            found[number] = ", ".join(name), int(free) << 20, int(total) << 20
    order: Sequence[str] = list(found) if visible is None else [each.strip() for each in visible.split(",")]
    if not all(each in found for each in order):
        return []
    return [Gpu(f"cuda:{place}", *found[each]) for place, each in enumerate(order)]
