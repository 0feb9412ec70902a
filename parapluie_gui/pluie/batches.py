"""Batches: prompts of like length together, and half as many when memory runs out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from parapluie_gui.errors import ModelError
from parapluie_gui.models.device import free_memory, out_of_memory

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Pairs that are sorted by length together: enough to waste little on padding, few enough to come soon.
WINDOW = 512


def grouped(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Return the numbers of n prompts in batches of like length, each of at most `budget` tokens with its padding.

    A prompt longer than the budget is a batch of its own.
    """
    batches: list[list[int]] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        # Sorted upwards, so this prompt is the widest of the batch it joins.
        if batches and (len(batches[-1]) + 1) * lengths[number] <= budget:
            batches[-1].append(number)
        else:
            batches.append([number])
    return batches


class BatchMemory:
    """Most tokens of one forward pass that the device's memory allows: halved whenever it runs out."""

    def __init__(self, budget: int, device: str, warn: Callable[[str], None]) -> None:
        self.budget = budget
        self._device = device
        self._warn = warn

    def halving(self, batch: list[Item], work: Callable[[list[Item]], list[Result]]) -> list[Result]:
        """Do the work on a batch; out of memory halves the batch, and the batches to come with it.

        Raises:
            ModelError: Not even one pair fits.
        """
        if not batch:
            return []
        try:
            return work(batch)
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
        if len(batch) == 1:
            raise ModelError(
                f"Not even one pair fits into the memory of {self._device}. Choose a smaller model, "
                "another precision or the CPU."
            )
        free_memory()
        half = len(batch) // 2
        self.budget = max(self.budget // 2, 1)
        self._warn(f"Memory ran out with {len(batch)} pairs at a time; the run goes on with {half}.")
        return self.halving(batch[:half], work) + self.halving(batch[half:], work)
