"""Run as a program: says in one line of JSON what PyTorch is, and which devices it computes on."""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

_GIB = 2**30


def ask() -> dict[str, Any]:
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
        devices.append({"name": "mps", "what": "Apple GPU", "error": _try("mps")})
    return {
        "version": torch.__version__,
        "build": build,
        "threads": torch.get_num_threads(),
        "devices": devices,
        "warning": _line(str(caught[0].message)) if caught else "",
        "transformers": _try_transformers(),
    }


def _cuda(number: int) -> dict[str, str]:
    import torch

    facts = torch.cuda.get_device_properties(number)
    what = f"{facts.name}, {facts.total_memory / _GIB:.1f} GiB, compute capability {facts.major}.{facts.minor}"
    return {"name": f"cuda:{number}", "what": what, "error": _try(f"cuda:{number}")}


def _try(device: str) -> str:
    """Return why a device does not compute, "" if it does."""
    import torch

    try:
        torch.ones(64, 64, device=device).matmul(torch.ones(64, 64, device=device)).sum().item()
    except RuntimeError as error:
        return _line(str(error))
    return ""


def _try_transformers() -> str:
    try:
        from transformers import PreTrainedModel  # noqa: F401  (transformers alone puts most of its loading off)
    except Exception as error:  # whatever does not go together shows here
        return _line(f"{type(error).__name__}: {error}")
    return ""


def _line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0].rstrip(".")


if __name__ == "__main__":
    sys.stdout.write(json.dumps(ask()) + "\n")
