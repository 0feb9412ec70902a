"""The device and precision of judges: automatic choice, checks, and free memory."""

from __future__ import annotations

import gc
import importlib.util
import os
import platform
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from parapluie_gui.errors import ModelError
from parapluie_gui.packages import is_installed, require

if TYPE_CHECKING:
    import torch

#: The device for all CUDA GPUs together, with a model's layers distributed over them.
ALL_GPUS = "cuda:all"
#: The device for each CUDA GPU separately, with a copy of the model on each.
EACH_GPU = "cuda:each"
PRECISIONS = ("float32", "bfloat16", "float16")


def choose_device(wanted: str = "auto") -> torch.device:
    """Return the device: the one that the user names, otherwise CUDA, Apple's MPS or the CPU, in this order.

    Raises:
        ModelError: The named device or PyTorch is missing.
    """
    # Makes PyTorch number GPUs as NVIDIA's driver does.
    os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    require("torch", what="A model that runs here" if wanted == "auto" else f"The device {wanted}")
    import torch

    if wanted in (ALL_GPUS, EACH_GPU):
        wanted = "cuda:0"
    if wanted == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(wanted)
    except RuntimeError as error:
        raise ModelError(
            f"There is no device called {wanted}. Use auto, cpu, cuda, cuda:1, cuda:all, cuda:each or mps."
        ) from error
    missing = (device.type == "cuda" and not torch.cuda.is_available()) or (
        device.type == "mps" and not torch.backends.mps.is_available()
    )
    if missing or device.type not in ("cpu", "cuda", "mps"):
        raise ModelError(f"This computer has no {wanted} device that PyTorch can use. Choose auto or cpu.")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ModelError(f"This computer has {torch.cuda.device_count()} CUDA device(s); {wanted} is not one of them.")
    return device


def gpu_devices() -> list[str]:
    """Return the names of the CUDA GPUs.

    Raises:
        ModelError: There is no GPU.
    """
    choose_device("cuda:0")
    import torch

    return [f"cuda:{number}" for number in range(torch.cuda.device_count())]


def foresee(device: str, precision: str) -> tuple[str, str]:
    """Return the device type and the precision that the settings will select on this computer.

    PyTorch is loaded only if it may find a GPU, or if only PyTorch can identify the processor.

    Raises:
        ModelError: There is no such device or precision.
    """
    if device == "cpu" or (device == "auto" and not may_have_gpu()):
        return "cpu", _cpu_precision(precision)
    chosen = choose_device(device)
    return chosen.type, choose_precision(precision, chosen)


def half_precision_on(device: str, precision: str) -> dict[str, str]:
    """Return the signature's field for the device type; "" for the CPU, and in float32.

    In float32 the device changes only digits that are never shown. In half precision a GPU rounds the sums within a
    layer differently from a CPU, and scores differ within that precision.
    """
    return {} if device == "cpu" or precision == "float32" else {"device": device}


def may_have_gpu() -> bool:
    """Return False without PyTorch, with a PyTorch for the CPU only, or without a GPU driver."""
    if not is_installed("torch"):
        return False
    spec = importlib.util.find_spec("torch")
    version = Path(spec.origin).with_name("version.py") if spec is not None and spec.origin else None
    if sys.platform == "darwin" or version is None or not version.is_file():
        return True
    if not re.search(r"^(cuda|hip)\b[^=\n]*= *['\"]", version.read_text(encoding="utf-8"), re.MULTILINE):
        return False
    drivers = ("/dev/nvidiactl", "/dev/nvhost-ctrl", "/dev/dxg", "/dev/kfd")
    return sys.platform != "linux" or any(Path(driver).exists() for driver in drivers)


def choose_precision(wanted: str, device: torch.device) -> str:
    """Return "float32", "bfloat16" or "float16": the named precision, or bfloat16 if it is fast, else float32."""
    if device.type == "cpu":
        return _cpu_precision(wanted)
    if wanted != "auto" or device.type not in ("cuda", "mps"):
        return _named_precision(wanted) or "float32"
    import torch

    if device.type == "mps":  # macOS 14 is the first version whose Metal computes in bfloat16
        mps = torch.backends.mps
        return "bfloat16" if mps.is_available() and mps.is_macos_or_newer(14, 0) else "float32"
    return "bfloat16" if torch.cuda.get_device_capability(device) >= (8, 0) else "float16"


def _cpu_precision(wanted: str) -> str:
    return _named_precision(wanted) or ("bfloat16" if cpu_has_fast_bfloat16() else "float32")


def _named_precision(wanted: str) -> str:
    """Return a named precision, "" for "auto"."""
    if wanted not in ("auto", *PRECISIONS):
        raise ModelError(f"There is no precision called {wanted}. Use auto, {', '.join(PRECISIONS)}.")
    return "" if wanted == "auto" else wanted


def cpu_has_fast_bfloat16() -> bool:
    """Return True if this processor multiplies bfloat16 in hardware (AVX512-BF16 or AMX)."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    flags = re.search(r"^flags\s*:(.*)$", _processor(), re.MULTILINE)
    if flags is not None:
        return not {"avx512_bf16", "amx_tile"}.isdisjoint(flags[1].split())
    if not is_installed("torch"):
        return False
    import torch

    probes = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, probe, bool)() for probe in probes)


def _processor() -> str:
    """Return Linux's description of the processors, "" on other systems."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


#: Words in the plain RuntimeErrors that PyTorch raises on the CPU, on Apple's GPUs and in CUDA's libraries.
_MEMORY_WORDS = ("can't allocate memory", "out of memory", "ALLOC_FAILED")


def is_out_of_memory(error: BaseException) -> bool:
    """Return True if an error means that memory ran out, on any device."""
    if (torch := sys.modules.get("torch")) is not None and isinstance(error, torch.OutOfMemoryError):
        return True
    return isinstance(error, MemoryError) or any(words in str(error) for words in _MEMORY_WORDS)


def free_memory() -> None:
    """Release the memory that PyTorch holds in reserve, if it is loaded."""
    gc.collect()
    if (torch := sys.modules.get("torch")) is None:
        return
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    if torch.backends.mps.is_available():
        torch.mps.empty_cache()


def free_bytes(device: torch.device) -> int | None:
    """Return the bytes available for a pass on a device, including PyTorch's reserve; None if unknown."""
    import torch

    if device.type == "mps":
        return max(torch.mps.recommended_max_memory() - torch.mps.current_allocated_memory(), 0)
    if device.type != "cuda":
        return None
    free, _ = torch.cuda.mem_get_info(device)
    return int(free + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device))
