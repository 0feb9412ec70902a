"""A value is computed once for a state, and again for a different state."""

from __future__ import annotations

import pytest

from parapluie_gui.analysis.cache import StateCache


def test_a_value_is_computed_once_for_a_state():
    cache, made = StateCache(), []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    assert cache.latest("a") is None
    assert [cache.get("a", (1, "x"), make) for _ in range(3)] == [0, 0, 0]
    assert cache.holds("a", (1, "x")) and not cache.holds("a", (2, "x")) and not cache.holds("b", (1, "x"))
    assert cache.get("a", (2, "x"), make) == 1
    assert cache.latest("a") == 1
    assert cache.get("a", (1, "x"), make) == 2, "one value for each key, so the former state is dropped"
    cache.clear()
    assert not cache.holds("a", (1, "x"))


def test_none_is_cached_too():
    cache = StateCache()
    assert cache.get("a", 1, lambda: None) is None
    assert cache.holds("a", 1)
    assert cache.get("a", 1, lambda: pytest.fail("made again")) is None


def test_failed_work_is_not_cached():
    cache = StateCache()
    with pytest.raises(ZeroDivisionError):
        cache.get("a", 1, lambda: 1 / 0)
    assert not cache.holds("a", 1)
