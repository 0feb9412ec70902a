"""Edit distance against its definition and the published figures for MRPC."""

from __future__ import annotations

import random
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from waiting import in_time

from parapluie_gui.metrics.lexical.edit_distance import EditDistance


def by_definition(left: str, right: str) -> float:
    """Wagner and Fischer (1974), over the longer length."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row = row, [i]
        for j, b in enumerate(right, 1):
            row.append(min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a != b)))
    return row[-1] / max(len(left), len(right)) if left or right else 0.0


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("", "", 0.0),
        ("abc", "abc", 0.0),
        ("", "abc", 1.0),
        ("kitten", "sitting", 3 / 7),
        ("Abc", "abc", 1 / 3),
        ("a b", "ab", 1 / 3),
        # ParaScore's toolkit, the pair of its published vector: NED 0.71875
        ("There's a child on a skateboard.", "A young person is skating.", 0.71875),
    ],
)
def test_known_distances_are_reproduced(left, right, expected):
    scores = EditDistance().score([left], [right])
    assert scores.dtype == np.float64
    assert scores.tolist() == [pytest.approx(expected, abs=1e-15)]


@given(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=12))))
def test_the_distance_agrees_with_its_definition(pairs):
    scores = EditDistance().score([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    assert scores.shape == (len(pairs),)
    np.testing.assert_allclose(scores, [by_definition(*pair) for pair in pairs], rtol=0, atol=1e-15)


def test_lists_of_different_length_are_refused():
    with pytest.raises(ValueError):
        EditDistance().score(["a", "b"], ["a"])


def test_lower_is_closer():
    info = EditDistance().info
    assert (info.low, info.high, info.higher_is_closer, info.threshold) == (0.0, 1.0, False, None)
    assert EditDistance().signature().column == info.id == "edit_distance"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no such timer")
def test_very_long_sentences_can_be_interrupted():
    class Stopped(Exception):
        pass

    def stop(number, frame):
        raise Stopped

    rng = random.Random(0)
    long, other = ("".join(rng.choices("abcdefgh ", k=160_000)) for _ in range(2))
    before = signal.signal(signal.SIGALRM, stop)
    started = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Stopped):
            EditDistance().score([long], [other])
        stopped = time.monotonic() - started
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert any(thread.name == "distances" for thread in threading.enumerate()), "it ended without the interruption"
    assert stopped < in_time(2)
    while any(thread.name == "distances" for thread in threading.enumerate()):
        time.sleep(0.05)
