"""Which judge is asked for and how it is run: what the user chooses, as it crosses to the worker process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class JudgeSettings:
    """Which language model judges, and how it is run.

    Attributes:
        model: A catalogue name, a folder, a GGUF file or a hub id.
        device: "auto", "cpu", "cuda", "cuda:1", "cuda:all", "cuda:each", "mps".
        precision: "auto", "float32", "bfloat16", "float16".
        exact: One pair at a time without a shared cache, for reproduction.
        batch_tokens: Most tokens in one forward pass; 0 = chosen for the device.
    """

    model: str
    device: str = "auto"
    precision: str = "auto"
    exact: bool = False
    batch_tokens: int = 0
