"""Reads the metadata of a GGUF file once per load, where transformers would read it four times."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator

#: Held while gguf's reader is replaced.
_REPLACED = threading.Lock()


@contextlib.contextmanager
def parse_gguf_once() -> Iterator[None]:
    """Parse the metadata of a GGUF file once while the context is active, however often transformers asks for it.

    transformers 5.24 opens the file for the configuration (twice), the tokenizer and the weights. The reader of the
    package gguf makes half a million slices of a memory map for the vocabulary of Qwen; those of a plain array over the
    same memory take a third of the time. Loads in several threads wait for each other.
    """
    import gguf
    import numpy as np

    with _REPLACED:
        original = gguf.GGUFReader

        class ArrayReader(original):  # type: ignore[misc, valid-type]
            @property
            def data(self) -> np.ndarray:
                return self._array

            @data.setter
            def data(self, memory: np.memmap) -> None:
                self._array = memory.view(np.ndarray)

        gguf.GGUFReader = functools.lru_cache(maxsize=1)(ArrayReader)  # type: ignore[assignment, misc]
        try:
            yield
        finally:
            gguf.GGUFReader = original  # type: ignore[misc]
