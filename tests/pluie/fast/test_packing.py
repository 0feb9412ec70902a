"""Rows packed end to end: every row is complete, shared parts are stored once, answers are kept apart."""

from __future__ import annotations

import random

from parapluie_gui.pluie.fast.packing import LEAST_SHARED, PackedBatch, pack


def rebuilt(packing: PackedBatch, row: int) -> tuple[list[int], list[int]]:
    """Return a row's tokens and positions as seen by attention."""
    start, end = next(stretch for stretch in packing.stretches if stretch[1] == packing.ends[row])
    before = [each for each in packing.shared if each.end <= start < each.until]
    assert len(before) <= 1
    places = [*(range(before[0].start, before[0].end) if before else ()), *range(start, end)]
    return [packing.tokens[place] for place in places], [packing.positions[place] for place in places]


def check(rows: list[list[int]], apart: int = 1) -> PackedBatch:
    packing = pack(rows, apart)
    assert len(packing.tokens) == len(packing.positions)
    starts = [start for start, _ in packing.stretches]
    assert starts == [0, *(end for _, end in packing.stretches)][:-1] and packing.stretches[-1][1] == len(
        packing.tokens
    )
    for number, row in enumerate(rows):
        assert rebuilt(packing, number) == (row, list(range(len(row))))
        start, end = next(stretch for stretch in packing.stretches if stretch[1] == packing.ends[number])
        assert end - start >= apart
    return packing


def test_pairs_with_the_same_source_store_it_once():
    source = list(range(100, 120))
    packing = check([[*source, 1, 2, 3], [7, 8], [*source, 1, 9], [*source, 4]])
    assert len(packing.tokens) == 20 + 3 + 2 + 2 + 1
    assert len(packing.shared) == 1


def test_a_few_common_words_are_not_shared():
    common = list(range(LEAST_SHARED - 1))
    assert check([[*common, 50], [*common, 60]]).shared == []
    assert len(check([[*common, 49, 50], [*common, 49, 60]]).shared) == 1


def test_equal_rows_keep_separate_answers():
    row = list(range(30))
    for apart in (1, 3):
        assert len(check([row] * 4, apart).tokens) == 30 - apart + 4 * apart


def test_a_long_prefix_of_two_rows_is_preferred_to_a_short_one_of_three():
    long = list(range(100, 140))
    packing = check([[*long, 1], [*long, 2], [*long[:8], 3, 3]])
    assert len(packing.tokens) == 40 + 1 + 1 + 10


def test_without_sharing_rows_are_in_the_given_order():
    rows = [[3, 3, 3], [1] * 20, [1] * 20]
    packing = pack(rows, share=False)
    assert packing.tokens == [token for row in rows for token in row]
    assert packing.ends == [3, 23, 43] and packing.shared == []


def test_random_rows_are_complete():
    chance = random.Random(0)
    for _ in range(200):
        beginnings = [[chance.randrange(3) for _ in range(chance.randrange(40))] for _ in range(3)]
        rows = [
            [*chance.choice(beginnings)[: chance.randrange(41)], *(chance.randrange(3) for _ in range(5))]
            for _ in range(chance.randrange(1, 12))
        ]
        check(rows, chance.randrange(1, 5))
