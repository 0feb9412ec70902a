"""Batches: prompts of like length together, no more than memory holds, and off the CPU what is done in a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from parapluie_gui.errors import ModelError
from parapluie_gui.models.device import free_memory, out_of_memory

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Pairs that are sorted by length together: enough to waste little on padding, few enough to come soon.
WINDOW = 512
#: Seconds that a pass should take where nothing can end it half-way: a GPU is given all of its layers at once.
PASS_SECONDS = 0.12
#: Fewest tokens of a pass that is made shorter for time's sake: fewer leave a GPU idle between two of them.
LEAST_TOKENS = 512
#: Passes near the budget that go well before a larger one is tried, and before it is forgotten what did not fit.
TRY_AFTER, FORGET_AFTER = 16, 256


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
    """Most tokens of one forward pass: what did not fit into memory is halved, and grows again while it goes well.

    Args:
        most: The budget to begin with, which it never exceeds.
        device: Its name, for the user.
        warn: Takes a sentence when the budget becomes smaller than ever.
        seconds: How long a pass should take; None where it can be ended half-way, however long it takes.
    """

    def __init__(
        self, most: int, device: str, warn: Callable[[str], None] = lambda text: None, seconds: float | None = None
    ) -> None:
        self._most = most
        self._device = device
        self._warn = warn
        self._seconds = seconds
        self._fits = most
        self._soon = most
        self._failed: int | None = None
        self._good = 0
        self._well = 0
        self._smallest = most

    @property
    def budget(self) -> int:
        """Most tokens of the passes to come."""
        return min(self._fits, self._soon)

    def within(
        self, batch: list[Item], work: Callable[[list[Item]], list[Result]], cost: Callable[[list[Item]], int]
    ) -> list[Result]:
        """Do the work on a batch, in as many parts as the budget and the memory ask for; `cost` is in tokens.

        Raises:
            ModelError: Not even one pair fits.
        """
        waiting, found = [batch] if batch else [], []
        while waiting:
            part = waiting.pop()
            tokens = cost(part)
            if tokens > self.budget and len(part) > 1:
                size = -(-len(part) // -(-tokens // self.budget))
                waiting += reversed([part[start : start + size] for start in range(0, len(part), size)])
                continue
            started = time.monotonic()
            try:
                found += work(part)
            except (MemoryError, RuntimeError) as error:
                if not out_of_memory(error):
                    raise
            else:
                self._went_well(tokens, time.monotonic() - started)
                continue
            # Outside of `except`: the error holds the tensors of the pass that failed.
            free_memory()
            if len(part) == 1:
                raise ModelError(
                    f"Not even one pair fits into the memory of {self._device}. Choose a smaller model, "
                    "another precision or the CPU."
                )
            self._ran_out(tokens)
            if self._fits < self._smallest:
                self._smallest = self._fits
                self._warn(f"Memory ran out with {len(part)} pairs at a time; the run goes on with {len(part) // 2}.")
            waiting.append(part)
        return found

    def _ran_out(self, tokens: int) -> None:
        if tokens <= self._good:  # what went well before does not any more: somebody else has taken memory
            self._good = 0
        self._failed, self._well = tokens, 0
        self._fits = max(self._good, tokens // 2, 1)

    def _went_well(self, tokens: int, seconds: float) -> None:
        self._good = max(self._good, tokens)
        if self._seconds is not None:
            self._soon = paced(self._soon, tokens, seconds / self._seconds, self._most)
        if self._fits == self._most or 2 * tokens < self._fits:
            return
        self._well += 1
        if self._well % FORGET_AFTER == 0:
            self._failed = None
        if self._well % TRY_AFTER == 0:
            self._fits = grown(self._fits, self._failed, self._most)


def grown(fits: int, failed: int | None, most: int) -> int:
    """Return the next budget to try: half-way to what failed, or twice as much where nothing is known to fail.

    A budget that is near to what failed stays.
    """
    if failed is None:
        return min(2 * fits, most)
    return fits if failed - fits <= fits // 4 else min((fits + failed) // 2, most)


def paced(budget: int, tokens: int, times: float, most: int) -> int:
    """Return the budget after a pass over some tokens, which took `times` as long as a pass should.

    It falls at once and at most doubles; a pass over few tokens that was quick says nothing about more of them.
    """
    if times <= 1 and 2 * tokens < budget:
        return budget
    right = int(tokens / max(times, 1e-6))
    return max(min(right, 2 * budget, most), min(LEAST_TOKENS, most))
