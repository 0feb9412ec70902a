"""The number of tokens per pass, on a device with a fixed memory limit and speed."""

from __future__ import annotations

import pytest

from parapluie_gui.errors import ModelError
from parapluie_gui.models import batches
from parapluie_gui.models.batches import FORGET_AFTER, LEAST_TOKENS, TRY_AFTER, BatchMemory, next_budget, paced_budget


class Device:
    """Returns items (numbers of tokens) unchanged, and runs out of memory above `holds` tokens."""

    def __init__(self, holds: int) -> None:
        self.holds = holds
        self.passes: list[int] = []
        self.failures = 0

    def work(self, batch: list[int]) -> list[int]:
        if sum(batch) > self.holds:
            self.failures += 1
            raise RuntimeError("CUDA out of memory")
        self.passes.append(sum(batch))
        return list(batch)


def test_the_largest_fitting_budget_is_found_and_kept():
    device, warnings = Device(5000), []
    memory = BatchMemory(16_384, "cuda", warnings.append)
    for _ in range(3):
        assert memory.run_within_budget([64] * 256, device.work, sum) == [64] * 256
    assert device.failures == 2 and memory.budget == 4096
    assert set(device.passes) == {4096}
    assert warnings == [
        "Memory ran out with 256 pairs at a time; continuing with 128.",
        "Memory ran out with 128 pairs at a time; continuing with 64.",
    ]


def test_the_budget_grows_again_without_endless_failed_attempts():
    device, warnings = Device(6000), []
    memory = BatchMemory(16_384, "cuda", warnings.append)
    for _ in range(40):
        memory.run_within_budget([64] * 256, device.work, sum)
    assert 4096 < max(device.passes) <= 6000
    assert device.failures <= 4
    # Another program has freed its memory.
    device.holds = 10**9
    for _ in range(2 * FORGET_AFTER):
        memory.run_within_budget([64] * (memory.budget // 64), device.work, sum)
    assert memory.budget == 16_384
    assert len(warnings) == 2, "the user is informed of new minima only"


def test_the_budget_shrinks_if_another_program_takes_memory():
    device = Device(5000)
    memory = BatchMemory(16_384, "cuda")
    memory.run_within_budget([64] * 256, device.work, sum)
    device.holds = 1500
    memory.run_within_budget([64] * 128, device.work, sum)
    assert memory.budget == 1024


def test_the_largest_pair_affects_only_its_own_batch():
    device = Device(5000)
    memory = BatchMemory(16_384, "cuda")
    assert memory.run_within_budget([4999, 4000, 20], device.work, sum) == [4999, 4000, 20]
    with pytest.raises(ModelError, match="Not even one pair fits into the memory of cuda"):
        memory.run_within_budget([6000], device.work, sum)
    assert memory.run_within_budget([], device.work, sum) == []


def test_the_next_budget_lies_between_success_and_failure():
    assert next_budget(4096, 8192, 16_384) == 6144
    assert next_budget(7000, 8192, 16_384) == 7000
    assert next_budget(4096, None, 16_384) == 8192 and next_budget(12_000, None, 16_384) == 16_384


@pytest.mark.parametrize(
    ("budget", "tokens", "times", "next_one"),
    [
        (16_384, 16_000, 5.0, 3200),
        (3200, 3200, 0.9, 3555),
        (512, 512, 0.01, 1024),
        (4096, 100, 1.5, LEAST_TOKENS),
        (16_384, 16_384, 0.1, 16_384),
        (4096, 100, 0.9, 4096),
        (4096, 4096, 100.0, LEAST_TOKENS),
    ],
)
def test_the_budget_follows_the_target_duration(budget, tokens, times, next_one):
    assert paced_budget(budget, tokens, times, 16_384) == next_one


def test_passes_approach_the_target_duration(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(batches.time, "monotonic", lambda: clock[0])
    took: list[float] = []

    def work(batch: list[int]) -> list[int]:
        took.append(sum(batch) / 20_000)  # 20,000 tokens a second
        clock[0] += took[-1]
        return batch

    memory = BatchMemory(16_384, "cuda", seconds=0.12)
    for _ in range(4):
        memory.run_within_budget([50] * 500, work, sum)
    assert took[0] > 0.6 and max(took[1:]) < 0.13 and sorted(took)[len(took) // 2] > 0.1
    # Without a target duration nothing is divided.
    patient = BatchMemory(16_384, "cpu")
    patient.run_within_budget([50] * 300, work, sum)
    assert took[-1] == 0.75


def test_larger_budgets_are_tried_after_some_passes():
    assert 1 < TRY_AFTER < FORGET_AFTER and FORGET_AFTER % TRY_AFTER == 0
