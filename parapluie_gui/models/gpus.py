"""NVIDIA's GPUs, as their driver tells of them without PyTorch: their names, and how much of their memory is free."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

#: Seconds that the driver's program may take: it wakes the GPUs up.
_PATIENCE = 20.0


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
    if (smi := program()) is None:
        return []
    command = [smi, "--query-gpu=index,name,memory.free,memory.total", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=_PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return listed(done.stdout, os.environ.get("CUDA_VISIBLE_DEVICES")) if done.returncode == 0 else []


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
