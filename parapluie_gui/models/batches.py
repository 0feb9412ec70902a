"""Groups prompts of similar length into batches that fit into memory and, on a GPU, take only a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from parapluie_gui.errors import ModelError
from parapluie_gui.models.device import free_memory, is_out_of_memory

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Number of pairs that are sorted by length together: enough to save padding, few enough for scores to arrive in random
#: order.
WINDOW = 512
#: Target duration in seconds of a pass that cannot be interrupted: on a GPU, all of its layers are queued at once.
PASS_SECONDS = 0.12
#: Minimum number of tokens in a pass that is shortened to save time: with fewer, a GPU is idle between passes.
LEAST_TOKENS = 512
#: Number of successful passes near the budget before a larger one is tried, and before a failed size is forgotten.
TRY_AFTER, FORGET_AFTER = 16, 256


def group_by_length(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Divide n prompts by length into batches of up to `budget` tokens, padding included; return their numbers.

    A prompt longer than the budget forms a batch by itself.
    """
    batches: list[list[int]] = []
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        # Lengths ascend, so this prompt is the longest of its batch.
        if batches and (len(batches[-1]) + 1) * lengths[number] <= budget:
            batches[-1].append(number)
        else:
            batches.append([number])
    return batches


class BatchMemory:
    """The token budget of a forward pass, halved when memory runs out and increased again after successes.

    Args:
        most: The initial budget, which is never exceeded.
        device: Name of the device, for the user.
        warn: Called with a sentence when the budget reaches a new minimum.
        seconds: Target duration of a pass; None if passes can be interrupted.
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
        """Maximum number of tokens in the next passes."""
        return min(self._fits, self._soon)

    def run_within_budget(
        self, batch: list[Item], work: Callable[[list[Item]], list[Result]], cost: Callable[[list[Item]], int]
    ) -> list[Result]:
        """Do the work on a batch, in parts that fit into the budget and memory; `cost` returns tokens.

        Raises:
            ModelError: A single pair does not fit into memory.
        """
        waiting, results = [batch] if batch else [], []
        while waiting:
            part = waiting.pop()
            tokens = cost(part)
            if tokens > self.budget and len(part) > 1:
                size = -(-len(part) // -(-tokens // self.budget))
                waiting += reversed([part[start : start + size] for start in range(0, len(part), size)])
                continue
            started = time.monotonic()
            try:
                results += work(part)
            except (MemoryError, RuntimeError) as error:
                if not is_out_of_memory(error):
                    raise
            else:
                self._record_success(tokens, time.monotonic() - started)
                continue
            # Outside of `except`, since the error keeps the tensors of the failed pass alive.
            free_memory()
            if len(part) == 1:
                raise ModelError(
                    f"Not even one pair fits into the memory of {self._device}. Choose a smaller model, "
                    "a lower precision or the CPU."
                )
            self._record_failure(tokens)
            if self._fits < self._smallest:
                self._smallest = self._fits
                self._warn(f"Memory ran out with {len(part)} pairs at a time; continuing with {len(part) // 2}.")
            waiting.append(part)
        return results

    def _record_failure(self, tokens: int) -> None:
        if tokens <= self._good:  # this size has fitted before, so another program has taken memory
            self._good = 0
        self._failed, self._well = tokens, 0
        self._fits = max(self._good, tokens // 2, 1)

    def _record_success(self, tokens: int, seconds: float) -> None:
        self._good = max(self._good, tokens)
        if self._seconds is not None:
            self._soon = paced_budget(self._soon, tokens, seconds / self._seconds, self._most)
        if self._fits == self._most or 2 * tokens < self._fits:
            return
        self._well += 1
        if self._well % FORGET_AFTER == 0:
            self._failed = None
        if self._well % TRY_AFTER == 0:
            self._fits = next_budget(self._fits, self._failed, self._most)


def next_budget(fits: int, failed: int | None, most: int) -> int:
    """Return the next budget to try: half-way to the failed size, or twice the budget if none failed.

    A budget near the failed size is not changed.
    """
    if failed is None:
        return min(2 * fits, most)
    return fits if failed - fits <= fits // 4 else min((fits + failed) // 2, most)


def paced_budget(budget: int, tokens: int, times: float, most: int) -> int:
    """Return the budget after a pass over some tokens that took `times` the target duration.

    The budget falls immediately and at most doubles; a quick pass over few tokens does not change it.
    """
    if times <= 1 and 2 * tokens < budget:
        return budget
    right = int(tokens / max(times, 1e-6))
    return max(min(right, 2 * budget, most), min(LEAST_TOKENS, most))
