"""What the computer computes with: cores, memory, GPUs, and whether PyTorch can use them."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from collections.abc import Mapping
from typing import Any

from parapluie_gui.doctor.child import ask, last_words
from parapluie_gui.doctor.findings import Section
from parapluie_gui.doctor.versions import wanted
from parapluie_gui.models.computer import memory

#: Seconds that loading PyTorch may take; a cold disk needs many.
PATIENCE = 180.0

_GIB = 2**30
#: Below this the pocket judge with the window has hardly room.
_LITTLE = _GIB


def examine(section: Section) -> None:
    """Note cores, memory and GPUs, and what keeps PyTorch from using them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    section.add("processor", f"{platform.processor() or platform.machine()}, {cores} of {os.cpu_count()} cores usable")
    _examine_memory(section)
    seen = _nvidia()
    for line in seen:
        section.add("NVIDIA GPU", line)
    found = _ask_torch(section)
    if found is not None:
        _examine_torch(section, found, bool(seen))


def _examine_memory(section: Section) -> None:
    total, free = memory()
    if total is None:
        section.add("memory", "unknown")
        return
    section.add("memory", f"{total / _GIB:.1f} GiB" + ("" if free is None else f", {free / _GIB:.1f} GiB free"))
    if free is not None and free < _LITTLE:
        section.complain(f"Only {free / _GIB:.1f} GiB of memory are free.", "Close other programs before scoring.")


def _nvidia() -> list[str]:
    """Return a line for each GPU that NVIDIA's driver sees: name, memory, version of the driver."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    done = ask([program, "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"], 30)
    lines = done.stdout.splitlines() if done is not None and done.returncode == 0 else []
    return [f"{line.strip()} (driver)" for line in lines if line.strip()]


def _ask_torch(section: Section) -> dict[str, Any] | None:
    """Return what PyTorch says of itself."""
    done = ask([sys.executable, "-m", "parapluie_gui.doctor.torch_child"], PATIENCE)
    if done is None:
        section.complain(f"PyTorch was not loaded within {PATIENCE:.0f} s.", "Try again; the second time is quicker.")
        return None
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        anew = f"Install it anew: pip install --force-reinstall '{wanted('torch')}'"
        section.complain(f"PyTorch cannot be loaded: {last_words(done)}.", anew)
        return None
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def _examine_torch(section: Section, found: Mapping[str, Any], gpu: bool) -> None:
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
