"""Looking up keys among stored ones, compared with a dictionary."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.storage.keys import KeyFinder, key_array


def random_keys(count: int, different: int, seed: int = 0) -> list[bytes]:
    random = np.random.default_rng(seed)
    pool = random.bytes(16 * different)
    return [pool[16 * at : 16 * at + 16] for at in random.integers(0, different, count).tolist()]


def expected(wanted: list[bytes], stored: list[bytes]) -> list[int]:
    places = {key: at for at, key in enumerate(stored)}  # the last occurrence counts
    return [places.get(key, -1) for key in wanted]


@pytest.mark.parametrize("count", [1, 5, 2000], ids="{} wanted".format)
def test_keys_are_found_at_their_last_occurrence(count):
    stored, wanted = random_keys(3000, 1500), random_keys(count, 1800)
    assert KeyFinder(key_array(wanted)).find(key_array(stored)).tolist() == expected(wanted, stored)


def test_keys_that_share_their_first_half_are_found():
    stored = [bytes(8) + number.to_bytes(8, "big") for number in range(500)] * 2
    wanted = [*stored[100:200], bytes(15) + b"\xff", b"\x01" * 16]
    assert KeyFinder(key_array(wanted)).find(key_array(stored)).tolist() == expected(wanted, stored)


def test_empty_lookups_and_empty_stores_work():
    some = key_array(random_keys(40, 40))
    none = key_array([])
    assert none.shape == (0, 2)
    assert KeyFinder(some).find(none).tolist() == [-1] * 40
    assert KeyFinder(none).find(some).tolist() == []


def test_lookups_for_different_signatures_are_independent():
    wanted = random_keys(100, 100)
    finder = KeyFinder(key_array(wanted))
    for seed in (0, 1, 0):
        stored = random_keys(100, 100, seed)
        assert finder.find(key_array(stored)).tolist() == expected(wanted, stored)
