"""How much memory a judge needs where it could be computed here, foreseen from its configuration alone."""

from __future__ import annotations

import json
import sys
import tomllib
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
from parapluie_gui.pluie.budget import ModelShape

#: Tokens of a prompt that are kept (FS-DIRECT's examples), and of a pass that keeps a device busy.
_PROMPT, _PASS = 600, 1024
#: Bytes of a weight in a GGUF file of the type Q4_K_M, tokens of llama.cpp's context, and bytes of a kept number there.
_Q4, _CONTEXT, _KEPT = 0.61, 4096, 2
#: What the context of a GGUF file takes beside weights of which nothing but the size is known: as with Mistral-7B.
_CONTEXT_SHARE = 0.125
#: Bytes that the program takes beside the model: Python with PyTorch, CUDA's own memory, llama.cpp.
_PYTORCH, _CUDA, _LLAMACPP = 0.8e9, 0.6e9, 0.2e9
#: The share of the memory that a judge may take: the rest is for the system, and for what is not foreseen.
_SHARE = 0.85

#: Where a judge can be computed.
GPU, CPU, LLAMACPP = "GPU", "CPU", "llama.cpp"


@dataclass(frozen=True)
class JudgePlacement:
    """One way to compute a judge on this computer: where, in which type of numbers, in how many bytes of memory."""

    where: str
    type: str
    room: int

    def __str__(self) -> str:
        """Return it in words: "GPU, bfloat16"."""
        return f"{self.where}, {self.type}"

    def fits(self, need: float) -> bool:
        """Return True if a judge that needs so many bytes is likely to run."""
        return need <= _SHARE * self.room


class _Config:
    """A configuration as transformers has it: its entries are attributes."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self.__dict__.update(entries)


@dataclass(frozen=True)
class JudgeSize:
    """What a judge's memory depends on.

    Attributes:
        parameters: How many numbers its weights are.
        head: How many of them the output head has, which is kept in float32 beside weights of 16 bits; 0: unknown.
        shape: The sizes of its layers, of one byte a number; None: unknown.
        licence, note: What the list of known judges says of it.
    """

    name: str
    parameters: int
    head: int = 0
    shape: ModelShape | None = None
    licence: str = ""
    note: str = ""

    @classmethod
    def of(cls, name: str, parameters: int, config: Mapping[str, Any], licence: str = "", note: str = "") -> JudgeSize:
        """Read it from the entries of a `config.json`; what is not there is unknown."""
        config = {**config, **(config.get("text_config") or {})}
        try:
            shape = ModelShape.of(_Config(config), 1)
            return cls(name, parameters, int(config["vocab_size"]) * shape.hidden, shape, licence, note)
        except (AttributeError, KeyError, TypeError, ValueError):
            return cls(name, parameters, licence=licence, note=note)

    def estimate_memory(self, way: JudgePlacement) -> float:
        """Return how many bytes of memory this judge takes: weights, what is kept of prompts, and a pass."""
        kept = 0 if self.shape is None else self.shape.memory
        if way.where == LLAMACPP:
            return _Q4 * self.parameters + _CONTEXT * _KEPT * kept + _LLAMACPP
        width = 4 if way.type == "float32" else 2
        shape = None if self.shape is None else replace(self.shape, size=width)
        tokens = 0 if shape is None else _PROMPT * shape.memory + _PASS * (shape.memory + shape.working)
        head = 4 * self.head if width == 2 else 0
        return width * self.parameters + head + tokens + (_CUDA if way.where == GPU else _PYTORCH)


@cache
def list_known_judges() -> tuple[JudgeSize, ...]:
    """Return the judges that many use, the smallest first."""
    listed = tomllib.loads((places.resources() / "judges.toml").read_text("utf-8"))["judge"]
    return tuple(
        JudgeSize.of(each["name"], each["parameters"], each, each["licence"], each.get("note", ""))
        for each in sorted(listed, key=lambda each: int(each["parameters"]))
    )


def estimate_hub_memory(
    name: str, size: int, parameters: int | None, placements: Sequence[JudgePlacement]
) -> Iterator[tuple[JudgePlacement, float]]:
    """Yield what a model of the hub needs in each way that its files allow, as far as they tell.

    `size` is that of its files, `parameters` how many numbers its weights are; a GGUF file has `None`.
    """
    known_size = next((each for each in list_known_judges() if each.name == name), JudgeSize(name, parameters or 0))
    for way in placements:
        if parameters:
            yield way, known_size.estimate_memory(way)
        elif way.where == LLAMACPP and hub_cache.is_gguf(name):
            yield replace(way, type="as in the file"), size * (1 + _CONTEXT_SHARE) + _LLAMACPP


def list_local_judges() -> Iterator[JudgeSize]:
    """Yield the judges on this computer whose files say what they need."""
    names = [item.name for item in catalogue.CATALOGUE if item.kind == "judge" and catalogue.is_ready(item)]
    for name in (*names, *hub_cache.downloaded_hub_models()):
        try:
            files = catalogue.find_model(name)
            numbers = catalogue.memory_estimate(files, "float32")
            config = json.loads((files.folder / "config.json").read_text("utf-8"))
        except (ParapluieError, OSError, ValueError):
            continue
        if numbers and isinstance(config, dict) and files.kind == CAUSAL and files.adapter is None:
            yield JudgeSize.of(name, numbers // 4, config)


def list_placements(gpus: Sequence[Gpu]) -> list[JudgePlacement]:
    """Return the ways to compute a judge on a computer with these GPUs, the fastest first."""
    found = []
    if gpus and may_have_gpu():
        # Older ones take float16, which is as large.
        found.append(JudgePlacement(GPU, "bfloat16", max(each.total for each in gpus)))
    total, _ = memory()
    if total is not None:
        # Elsewhere only PyTorch knows, which the window does not load.
        fast = sys.platform == "linux" and cpu_has_fast_bfloat16()
        found += [JudgePlacement(CPU, "bfloat16" if fast else "float32", total), JudgePlacement(LLAMACPP, "Q4", total)]
    return found
