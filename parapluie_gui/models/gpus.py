"""Lists NVIDIA GPUs, with names and free memory, by asking the driver instead of PyTorch."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

#: Seconds allowed for the driver's program, which wakes the GPUs.
_PATIENCE = 30.0


@dataclass(frozen=True)
class Gpu:
    """A GPU; `device` is its name in PyTorch, `free` and `total` are bytes of memory."""

    device: str
    name: str
    free: int
    total: int


def driver_program() -> str | None:
    """Return the path of `nvidia-smi`, None without a driver."""
    return shutil.which("nvidia-smi")


def list_gpus() -> list[Gpu]:
    """Return the GPUs that PyTorch may use, in its order; waits for the driver."""
    return parse_gpus(_query("index,name,memory.free,memory.total", ",nounits"), os.environ.get("CUDA_VISIBLE_DEVICES"))


def describe_gpus() -> list[str]:
    """Return a line for each GPU of the driver: name, memory and driver version; waits for the driver."""
    return [line.strip() for line in _query("name,memory.total,driver_version").splitlines() if line.strip()]


def _query(fields: str, form: str = "") -> str:
    """Return the output of the driver's program, a line for each GPU, "" if it fails."""
    if (smi := driver_program()) is None:
        return ""
    command = [smi, f"--query-gpu={fields}", f"--format=csv,noheader{form}"]
    try:
        result = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=_PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "" if result.returncode else result.stdout


def parse_gpus(output: str, visible: str | None) -> list[Gpu]:
    """Parse the driver's lines; `visible` lists the numbers of the GPUs that this process may use.

    The result is empty if `visible` names GPUs in another way, which only PyTorch understands.
    """
    gpus: dict[str, tuple[str, int, int]] = {}
    for line in output.splitlines():
        number, *name, free, total = (part.strip() for part in line.split(",")) if line.count(",") >= 3 else ("",) * 4
        if number.isdecimal() and free.isdecimal() and total.isdecimal():
            gpus[number] = ", ".join(name), int(free) << 20, int(total) << 20
    order: Sequence[str] = list(gpus) if visible is None else [number.strip() for number in visible.split(",")]
    if not all(number in gpus for number in order):
        return []
    return [Gpu(f"cuda:{place}", *gpus[number]) for place, number in enumerate(order)]
