"""The device and the precision a judge runs on when the user leaves the choice to the program, and its memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parapluie_gui.errors import ModelError

if TYPE_CHECKING:
    import torch

PRECISIONS = ("float32", "bfloat16", "float16")


def choose_device(wanted: str = "auto") -> torch.device:
    """Return the device: CUDA before Apple's MPS before the CPU, unless the user names one.

    Raises:
        ModelError: The named device is not there.
    """
    import torch

    if wanted == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(wanted)
    except RuntimeError as error:
        raise ModelError(f"There is no device called {wanted}. Use auto, cpu, cuda or mps.") from error
    missing = (device.type == "cuda" and not torch.cuda.is_available()) or (
        device.type == "mps" and not torch.backends.mps.is_available()
    )
    if missing or device.type not in ("cpu", "cuda", "mps"):
        raise ModelError(f"This computer has no {wanted} device that PyTorch can use. Choose auto or cpu.")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ModelError(f"This computer has {torch.cuda.device_count()} CUDA device(s); {wanted} is not one of them.")
    return device


def choose_precision(wanted: str, device: torch.device) -> str:
    """Return "float32", "bfloat16" or "float16": bfloat16 where the hardware multiplies it fast, unless named."""
    if wanted != "auto":
        if wanted not in PRECISIONS:
            raise ModelError(f"There is no precision called {wanted}. Use auto, {', '.join(PRECISIONS)}.")
        return wanted
    if device.type == "cuda":
        import torch

        return "bfloat16" if torch.cuda.get_device_capability(device) >= (8, 0) else "float16"
    return "bfloat16" if device.type == "cpu" and cpu_has_fast_bfloat16() else "float32"


def cpu_has_fast_bfloat16() -> bool:
    """Return True if this processor multiplies bfloat16 in hardware (AVX512-BF16 or AMX)."""
    import torch

    probes = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, probe, bool)() for probe in probes)


#: What PyTorch says on the CPU, on Apple's GPUs and inside CUDA's libraries, where it raises a plain RuntimeError.
_MEMORY_WORDS = ("can't allocate memory", "out of memory", "ALLOC_FAILED")


def out_of_memory(error: BaseException) -> bool:
    """Return True if an error says that memory ran out, on whatever device."""
    import torch

    named = isinstance(error, MemoryError | torch.OutOfMemoryError)
    return named or any(words in str(error) for words in _MEMORY_WORDS)


def free_memory() -> None:
    """Give back what PyTorch holds in reserve."""
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
