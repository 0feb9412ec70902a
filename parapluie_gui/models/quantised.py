"""Whole models in a quarter of their size: every matrix as int8 with a scale for each row, unpacked on loading.

The folder is one that transformers saved, with another `model.safetensors`: a matrix `x` (two dimensions) is an int8
tensor `x` and a float32 tensor `x.scale`, one number a row, and stands for x · scale. Everything else is float32 as it
was. The file's metadata name the format and its version.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from parapluie_gui.errors import ModelError
from parapluie_gui.files import atomic_write
from parapluie_gui.models.gguf_header import weights_type
from parapluie_gui.models.manifest import damaged, sha256

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

WEIGHTS = "model.safetensors"
FORMAT, VERSION = "parapluie-int8", 1

_SCALE = ".scale"
#: Shares of the row's largest number that are tried as the largest one that int8 can say.
_REACHES = (1.0, 0.97, 0.94, 0.9, 0.86, 0.82)


def stored_as(folder: Path, gguf: str | None = None) -> str:
    """Return how another program has quantised the weights of a folder ("bitsandbytes 4 bits"), "" where none has.

    With `gguf` those of that file in it ("Q4_K_M").
    """
    if gguf is not None:
        return weights_type(folder / gguf)
    try:
        found = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("quantization_config")
    except (OSError, ValueError, AttributeError):
        return ""
    if not isinstance(found, dict):
        return ""
    bits = found.get("bits") or (4 if found.get("load_in_4bit") else 8 if found.get("load_in_8bit") else None)
    return f"{found.get('quant_method', 'quantised')}{f' {bits} bits' if isinstance(bits, int) else ''}"


def save_int8(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path) -> str:
    """Write a model with int8 matrices and its tokeniser; returns the SHA-256 of the weights, hexadecimal.

    The model may be in any floating-point type, on any device; an earlier save in the folder is overwritten.
    """
    from safetensors.torch import load_file

    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        # transformers' own file says which tensors are tied and what they are called outside the program.
        model.save_pretrained(scratch, max_shard_size="1000GB")
        plain = load_file(Path(scratch) / WEIGHTS)
        for file in Path(scratch).glob("*.json"):
            file.replace(folder / file.name)
    _write(plain, folder)
    tokenizer.save_pretrained(folder)
    return sha256(folder / WEIGHTS)


def _write(plain: Mapping[str, torch.Tensor], folder: Path) -> None:
    """Write weights in any floating-point type, the matrices as int8."""
    from safetensors.torch import save_file

    packed: dict[str, torch.Tensor] = {}
    for name, tensor in plain.items():
        if tensor.is_floating_point() and tensor.dim() == 2:
            packed[name], packed[name + _SCALE] = quantise(tensor.float())
        else:
            packed[name] = tensor.float() if tensor.is_floating_point() else tensor
    with atomic_write(folder / WEIGHTS) as part:
        save_file(packed, part, {"format": "pt", "parapluie": FORMAT, "parapluie_version": str(VERSION)})


def average_int8(folder: Path, other: Path, share: float = 0.5) -> None:
    """Replace the weights in a folder by a mean of its own and those of another model, which began as the same one.

    The other one's count by their `share`, 0..1.

    Wortsman et al. (ICML 2022): models that were trained apart from one start often are worse than their mean.

    Raises:
        ModelError: The two are not of the same shape.
    """
    import torch

    if not is_int8(other):
        raise ModelError(f"{other} does not hold a judge made by train-judge. Name the folder of one.")
    mine, theirs = (read_int8(each, torch.float32) for each in (folder, other))
    if {name: each.shape for name, each in mine.items()} != {name: each.shape for name, each in theirs.items()}:
        raise ModelError(f"{other} is not of the same shape as {folder}; average judges of one base.")
    _write(
        {
            name: (1.0 - share) * each + share * theirs[name] if each.is_floating_point() else each
            for name, each in mine.items()
        },
        folder,
    )


def quantise(matrix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a float32 matrix (n, m) as int8 (n, m) and float32 scales (n,), of small squared error in each row."""
    import torch

    largest = matrix.abs().amax(1)
    best = torch.zeros_like(matrix, dtype=torch.int8)
    scales = torch.ones_like(largest)
    error = torch.full_like(largest, torch.inf)
    for reach in _REACHES:
        scale = (largest * reach / 127).clamp_min(torch.finfo(torch.float32).tiny)
        rounded = (matrix / scale[:, None]).round().clamp(-127, 127)
        off = (rounded * scale[:, None] - matrix).square().sum(1)
        better = off < error
        best[better], scales[better], error[better] = rounded[better].to(torch.int8), scale[better], off[better]
    return best, scales


def is_int8(folder: Path) -> bool:
    """Return True if the folder holds weights of this format."""
    return FORMAT in str(_metadata(folder / WEIGHTS).get("parapluie", ""))


def meant_precision(folder: Path, wanted: str) -> str:
    """Return what a wanted precision means for a model: "auto" is float32 for weights of this format.

    Such a model is small, and its scores are to be the same on every computer; half precision would move some verdicts.
    """
    return "float32" if wanted == "auto" and is_int8(folder) else wanted


def read_int8(folder: Path, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """Return all weights of a folder in a floating-point type, by their names.

    Raises:
        ModelError: As `read_int8_arrays`.
    """
    import torch

    weights = {name: torch.from_numpy(array) for name, array in read_int8_arrays(folder).items()}
    return {name: each.to(dtype) if each.is_floating_point() else each for name, each in weights.items()}


def read_int8_arrays(folder: Path) -> dict[str, NDArray[Any]]:
    """Return all weights of a folder by their names, the matrices as float32; PyTorch is not loaded.

    Raises:
        ModelError: The file is of a newer version, or damaged.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if (version := _metadata(folder / WEIGHTS).get("parapluie_version", "?")) != str(VERSION):
        raise ModelError(
            f"{folder.name} is written in version {version} of the int8 format, and this program reads {VERSION}. "
            "Update it."
        )
    try:
        packed = load_file(folder / WEIGHTS)
    except (SafetensorError, OSError) as error:
        raise damaged(folder) from error
    weights = {}
    for name, array in packed.items():
        if name.endswith(_SCALE) and name.removesuffix(_SCALE) in packed:
            continue
        if array.dtype == np.int8:
            scale = packed.get(name + _SCALE)
            if scale is None or scale.shape != array.shape[:1] or not np.isfinite(scale).all():
                raise damaged(folder)
            weights[name] = array * scale.astype(np.float32)[:, None]
        else:
            weights[name] = array.copy()  # of its own, and no part of the file any more
    return weights


def shift_words(folder: Path, words: int, by: Mapping[int, float]) -> None:
    """Add to the logits of some words (by token id) whatever the text, in the biases that the output head has for them.

    `words` is the size of the vocabulary.

    Raises:
        ModelError: The head has no biases.
    """
    with rewritten(folder) as tensors:
        # Tied biases stand in the file once, or once under each name.
        biases = [each for name, each in tensors.items() if each.shape == (words,) and not name.endswith(_SCALE)]
        if not biases:
            raise ModelError(
                f"The output head of {folder.name} has no biases to be shifted. Train without --calibrate."
            )
        for bias in biases:
            for word, amount in by.items():
                bias[word] += amount


@contextmanager
def rewritten(folder: Path) -> Iterator[dict[str, torch.Tensor]]:
    """Yield the tensors of a folder's file as they stand in it, and write what was changed of them."""
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / WEIGHTS)
    yield tensors
    with atomic_write(folder / WEIGHTS) as part:
        save_file(tensors, part, _metadata(folder / WEIGHTS))


def _metadata(file: Path) -> dict[str, Any]:
    """Return what a safetensors file says of itself; {} where it says nothing or cannot be read."""
    try:
        with file.open("rb") as opened:
            size = int.from_bytes(opened.read(8), "little")
            header = json.loads(opened.read(min(size, 100_000_000)))
    except (OSError, ValueError, RecursionError):
        return {}
    found = header.get("__metadata__", {}) if isinstance(header, dict) else {}
    return found if isinstance(found, dict) else {}
