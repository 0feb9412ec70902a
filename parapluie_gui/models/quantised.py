"""Models stored in int8, a quarter of their size: each matrix has a scale for each row and is expanded on loading.

The folder has the layout of transformers, with a different `model.safetensors`: a matrix `x` (two dimensions) is stored
as an int8 tensor `x` and a float32 tensor `x.scale` with a number for each row, and equals x · scale. Everything else
is float32. The file's metadata contain the format and its version.
"""

from __future__ import annotations

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
from parapluie_gui.models.manifest import damaged_file_error, sha256
from parapluie_gui.own_files import parse_json, read_json_or_none

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

WEIGHTS = "model.safetensors"
FORMAT, VERSION = "parapluie-int8", 1

_SCALE = ".scale"
#: Candidates for the clipping point of a row, as shares of its largest number.
_REACHES = (1.0, 0.97, 0.94, 0.9, 0.86, 0.82)


def quantisation_type(folder: Path, gguf: str | None = None) -> str:
    """Return the quantisation of weights by another program ("bitsandbytes 4 bits"), "" if there is none.

    With `gguf`, the quantisation of that file in the folder ("Q4_K_M").
    """
    if gguf is not None:
        return weights_type(folder / gguf)
    content = read_json_or_none(folder / "config.json")
    config = content.get("quantization_config") if isinstance(content, dict) else None
    if not isinstance(config, dict):
        return ""
    bits = config.get("bits") or (4 if config.get("load_in_4bit") else 8 if config.get("load_in_8bit") else None)
    return f"{config.get('quant_method', 'quantised')}{f' {bits} bits' if isinstance(bits, int) else ''}"


def save_int8(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path) -> str:
    """Save a model with int8 matrices and its tokeniser, and return the SHA-256 of the weights, hexadecimal.

    The model may have any floating-point type and device; an earlier save in the folder is overwritten.
    """
    from safetensors.torch import load_file

    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        # transformers resolves tied tensors and the names of tensors in files.
        model.save_pretrained(scratch, max_shard_size="1000GB")
        plain = load_file(Path(scratch) / WEIGHTS)
        for file in Path(scratch).glob("*.json"):
            file.replace(folder / file.name)
    _write(plain, folder)
    tokenizer.save_pretrained(folder)
    return sha256(folder / WEIGHTS)


def _write(plain: Mapping[str, torch.Tensor], folder: Path) -> None:
    """Write weights of any floating-point type, with matrices as int8."""
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
    """Replace the weights in a folder by a weighted mean with those of `other`, trained from the same start.

    `share`, 0..1, is the weight of `other`.

    Wortsman et al. (ICML 2022): the mean of models fine-tuned from one start is often better than any of them.

    Raises:
        ModelError: The models have different shapes.
    """
    import torch

    if not is_int8(other):
        raise ModelError(f"{other} does not contain a judge trained by train-judge. Choose the folder of such a judge.")
    first, second = (read_int8(path, torch.float32) for path in (folder, other))
    if {name: tensor.shape for name, tensor in first.items()} != {
        name: tensor.shape for name, tensor in second.items()
    }:
        raise ModelError(
            f"{other} does not have the same shape as {folder}; only judges with the same base can be averaged."
        )
    _write(
        {
            name: (1.0 - share) * tensor + share * second[name] if tensor.is_floating_point() else tensor
            for name, tensor in first.items()
        },
        folder,
    )


def quantise(matrix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Quantise a float32 matrix (n, m) to int8 (n, m) and float32 scales (n,), with small squared error in each row."""
    import torch

    largest = matrix.abs().amax(1)
    best = torch.zeros_like(matrix, dtype=torch.int8)
    scales = torch.ones_like(largest)
    error = torch.full_like(largest, torch.inf)
    for reach in _REACHES:
        scale = (largest * reach / 127).clamp_min(torch.finfo(torch.float32).tiny)
        rounded = (matrix / scale[:, None]).round().clamp(-127, 127)
        squared_error = (rounded * scale[:, None] - matrix).square().sum(1)
        better = squared_error < error
        best[better] = rounded[better].to(torch.int8)
        scales[better] = scale[better]
        error[better] = squared_error[better]
    return best, scales


def is_int8(folder: Path) -> bool:
    """Return True if the folder holds weights of this format."""
    return FORMAT in str(_metadata(folder / WEIGHTS).get("parapluie", ""))


def resolve_precision(folder: Path, precision: str) -> str:
    """Return the precision for a model: "auto" becomes float32 for weights of this format.

    These models are small, and their scores should be equal on all computers; half precision would change some
    verdicts.
    """
    return "float32" if precision == "auto" and is_int8(folder) else precision


def read_int8(folder: Path, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """Return all weights of a folder by name, in a floating-point type.

    Raises:
        ModelError: In the same cases as `read_int8_arrays`.
    """
    import torch

    weights = {name: torch.from_numpy(array) for name, array in read_int8_arrays(folder).items()}
    return {name: tensor.to(dtype) if tensor.is_floating_point() else tensor for name, tensor in weights.items()}


def read_int8_arrays(folder: Path) -> dict[str, NDArray[Any]]:
    """Return all weights of a folder by name, with matrices as float32; PyTorch is not loaded.

    Raises:
        ModelError: The file is of a newer version, or damaged.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if (version := _metadata(folder / WEIGHTS).get("parapluie_version", "?")) != str(VERSION):
        raise ModelError(
            f"{folder.name} is written in version {version} of the int8 format, but this program reads {VERSION}. "
            "Update this program."
        )
    try:
        packed = load_file(folder / WEIGHTS)
    except (SafetensorError, OSError) as error:
        raise damaged_file_error(folder) from error
    weights = {}
    for name, array in packed.items():
        if name.endswith(_SCALE) and name.removesuffix(_SCALE) in packed:
            continue
        if array.dtype == np.int8:
            scale = packed.get(name + _SCALE)
            if scale is None or scale.shape != array.shape[:1] or not np.isfinite(scale).all():
                raise damaged_file_error(folder)
            weights[name] = array * scale.astype(np.float32)[:, None]
        else:
            weights[name] = array.copy()  # a copy that is independent of the mapped file
    return weights


def shift_words(folder: Path, words: int, by: Mapping[int, float]) -> None:
    """Add constants to the logits of some words (by token id), through the biases of the output head.

    Args:
        folder: The model's folder.
        words: Size of the vocabulary.
        by: The constants, by token id.

    Raises:
        ModelError: The head has no biases.
    """
    with edit_tensors(folder) as tensors:
        # Tied biases are stored once in the file, or once under each name.
        biases = [bias for name, bias in tensors.items() if bias.shape == (words,) and not name.endswith(_SCALE)]
        if not biases:
            raise ModelError(f"The output head of {folder.name} has no biases to shift. Train without --calibrate.")
        for bias in biases:
            for word, amount in by.items():
                bias[word] += amount


@contextmanager
def edit_tensors(folder: Path) -> Iterator[dict[str, torch.Tensor]]:
    """Yield the stored tensors of a folder, and write them back with their changes."""
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / WEIGHTS)
    yield tensors
    with atomic_write(folder / WEIGHTS) as part:
        save_file(tensors, part, _metadata(folder / WEIGHTS))


def _metadata(file: Path) -> dict[str, Any]:
    """Return the metadata of a safetensors file, {} if it has none or cannot be read."""
    try:
        with file.open("rb") as opened:
            size = int.from_bytes(opened.read(8), "little")
            header = parse_json(opened.read(min(size, 100_000_000)))
    except (OSError, ValueError):
        return {}
    metadata = header.get("__metadata__", {}) if isinstance(header, dict) else {}
    return metadata if isinstance(metadata, dict) else {}
