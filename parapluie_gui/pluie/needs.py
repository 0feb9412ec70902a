"""Estimates the memory that a judge needs on this computer, from its configuration alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from parapluie_gui import places
from parapluie_gui.computer import memory
from parapluie_gui.errors import ParapluieError
from parapluie_gui.models import catalogue, hub_cache
from parapluie_gui.models.device import cpu_has_fast_bfloat16, may_have_gpu
from parapluie_gui.models.gpus import Gpu
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.own_files import read_json_or_none, read_toml
from parapluie_gui.pluie.budget import ModelShape

#: Tokens in the cache of a shared prompt (FS-DIRECT's examples), and number of tokens in a pass that keeps a device
#: busy.
_PROMPT, _PASS = 600, 1024
#: GGUF files of type Q4_K_M: bytes per weight, tokens of llama.cpp's context, and bytes of a number in its cache.
_Q4, _CONTEXT, _CACHED = 0.61, 4096, 2
#: Memory of a GGUF file's context as a share of its size, for files of unknown shape; the share of Mistral-7B.
_CONTEXT_SHARE = 0.125
#: Memory of the program in bytes without the model: of Python with PyTorch, of CUDA itself, of llama.cpp.
_PYTORCH, _CUDA, _LLAMACPP = 0.8e9, 0.6e9, 0.2e9
#: Share of the memory that a judge may take; the remainder is for the system and for errors in the estimate.
_SHARE = 0.85

#: Names of the backends that can run a judge.
GPU, CPU, LLAMACPP = "GPU", "CPU", "llama.cpp"


@dataclass(frozen=True)
class JudgePlacement:
    """A way to run a judge on this computer: the backend, the number type, and its memory in bytes."""

    where: str
    type: str
    room: int

    def __str__(self) -> str:
        """Return a text such as "GPU, bfloat16"."""
        return f"{self.where}, {self.type}"

    def fits(self, need: float) -> bool:
        """Return whether a judge that needs `need` bytes is likely to run."""
        return need <= _SHARE * self.room


class _ModelConfig:
    """A configuration with its entries as attributes, as in transformers."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self.__dict__.update(entries)


@dataclass(frozen=True)
class JudgeSize:
    """The dimensions of a judge that determine its memory.

    Attributes:
        parameters: Number of weights.
        head: Number of weights in the output head, which is in float32 even if the other weights have 16 bits; 0:
            unknown.
        shape: The dimensions of its layers, with one byte for each number; None: unknown.
        licence, note: Licence and note in the list of known judges.
    """

    name: str
    parameters: int
    head: int = 0
    shape: ModelShape | None = None
    licence: str = ""
    note: str = ""

    @classmethod
    def from_config(
        cls, name: str, parameters: int, config: Mapping[str, Any], licence: str = "", note: str = ""
    ) -> JudgeSize:
        """Read the size from the entries of a `config.json`; dimensions without an entry are unknown."""
        config = {**config, **(config.get("text_config") or {})}
        try:
            shape = ModelShape.from_config(_ModelConfig(config), 1)
            return cls(name, parameters, int(config["vocab_size"]) * shape.hidden, shape, licence, note)
        except (AttributeError, KeyError, TypeError, ValueError):
            return cls(name, parameters, licence=licence, note=note)

    def estimate_memory(self, placement: JudgePlacement) -> float:
        """Return the memory of this judge in bytes: its weights, the cache of a prompt, and a pass."""
        cache_bytes = 0 if self.shape is None else self.shape.cache_bytes
        if placement.where == LLAMACPP:
            return _Q4 * self.parameters + _CONTEXT * _CACHED * cache_bytes + _LLAMACPP
        width = 4 if placement.type == "float32" else 2
        shape = None if self.shape is None else replace(self.shape, size=width)
        tokens = 0 if shape is None else _PROMPT * shape.cache_bytes + _PASS * (shape.cache_bytes + shape.working_bytes)
        head = 4 * self.head if width == 2 else 0
        return width * self.parameters + head + tokens + (_CUDA if placement.where == GPU else _PYTORCH)


@cache
def list_known_judges() -> tuple[JudgeSize, ...]:
    """Return the judges in the program's list of common judges, the smallest first."""
    entries = read_toml(places.resources() / "judges.toml")["judge"]
    return tuple(
        JudgeSize.from_config(entry["name"], entry["parameters"], entry, entry["licence"], entry.get("note", ""))
        for entry in sorted(entries, key=lambda entry: int(entry["parameters"]))
    )


def estimate_hub_memory(
    name: str, size: int, parameters: int | None, placements: Sequence[JudgePlacement]
) -> Iterator[tuple[JudgePlacement, float]]:
    """Yield the placements that a hub model's files allow, with the estimated memory in bytes.

    `size` is the size of its files in bytes, and `parameters` its number of weights (None for a GGUF file).
    """
    judge_size = next((judge for judge in list_known_judges() if judge.name == name), JudgeSize(name, parameters or 0))
    for placement in placements:
        if parameters:
            yield placement, judge_size.estimate_memory(placement)
        elif placement.where == LLAMACPP and hub_cache.is_gguf(name):
            yield replace(placement, type="as in the file"), size * (1 + _CONTEXT_SHARE) + _LLAMACPP


def list_local_judges() -> Iterator[JudgeSize]:
    """Yield the installed judges whose memory can be estimated from their files."""
    names = [item.name for item in catalogue.CATALOGUE if item.kind == "judge" and catalogue.is_ready(item)]
    for name in (*names, *hub_cache.downloaded_hub_models()):
        try:
            files = catalogue.find_model(name)
            numbers = catalogue.memory_estimate(files, "float32")
            config = read_json_or_none(files.folder / "config.json")
        except (ParapluieError, OSError, ValueError):
            continue
        if numbers and isinstance(config, dict) and files.kind == CAUSAL and files.adapter is None:
            yield JudgeSize.from_config(name, numbers // 4, config)


def list_placements(gpus: Sequence[Gpu]) -> list[JudgePlacement]:
    """Return the placements of a judge on a computer with these GPUs, the fastest first."""
    placements = []
    if gpus and may_have_gpu():
        # Older GPUs use float16, which has the same size.
        placements.append(JudgePlacement(GPU, "bfloat16", max(gpu.total for gpu in gpus)))
    total, _ = memory()
    if total is not None:
        # On other systems only PyTorch can determine this, and the window does not load it.
        fast = sys.platform == "linux" and cpu_has_fast_bfloat16()
        placements += [
            JudgePlacement(CPU, "bfloat16" if fast else "float32", total),
            JudgePlacement(LLAMACPP, "Q4", total),
        ]
    return placements
