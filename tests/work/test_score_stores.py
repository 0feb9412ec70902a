"""Keeping scores in several stores, some of which fail."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from parapluie_gui.errors import SessionError
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.work.score_stores import ScoreStores

SIGNATURE = Signature.from_fields("pluie.direct", {"name": "pluie.direct"})
KEYS = [pair_key("source", str(number)) for number in range(4)]


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    return [tmp_path / "first.sqlite", tmp_path / "second.pluie"]


def put(path: Path, rows: list[int]) -> None:
    numbers = np.array(rows, dtype=float)
    texts = [f"why {row}" for row in rows]
    with ScoreStore(path) as store:
        store.put(SIGNATURE, [KEYS[row] for row in rows], numbers, numbers / 10, numbers / 20, texts)


@pytest.mark.parametrize("where", [([0, 1], [1, 2]), ([], [0, 1, 2]), ([0, 1, 2], [])])
def test_stores_are_completed_from_each_other(paths, where):
    for path, rows in zip(paths, where, strict=True):
        put(path, rows)
    warnings: list[str] = []
    with ScoreStores(paths, warnings.append) as keeper:
        result = keeper.stored_scores(SIGNATURE, KEYS)
        assert keeper.evidence(SIGNATURE, KEYS) == ["why 0", "why 1", "why 2", None]
    assert result.known.tolist() == [True, True, True, False]
    np.testing.assert_array_equal(result.value, [0, 1, 2, np.nan])
    for path in paths:
        with ScoreStore(path) as store:
            here = store.known(SIGNATURE, KEYS)
            assert here.known.tolist() == [True, True, True, False]
            np.testing.assert_array_equal(here.p_yes, [0, 0.1, 0.2, np.nan])
            np.testing.assert_array_equal(here.p_no, [0, 0.05, 0.1, np.nan])
            assert store.evidence(SIGNATURE, KEYS) == ["why 0", "why 1", "why 2", None]
    assert not warnings


def test_nan_is_stored(paths):
    with ScoreStores(paths, pytest.fail) as keeper:
        keeper.put(SIGNATURE, KEYS[:2], np.array([np.nan, 1.0]))
    with ScoreStores(paths, pytest.fail) as keeper:
        result = keeper.stored_scores(SIGNATURE, KEYS)
    assert result.known.tolist() == [True, True, False, False]
    assert np.isnan(result.value[0])


def test_a_used_signature_becomes_the_latest(paths):
    put(paths[0], [0])
    other = Signature.from_fields("bleu", {"name": "bleu"})
    with ScoreStore(paths[0]) as store:
        store.put(other, KEYS[:1], [1.0])
        assert store.signatures()[-1] == other
    with ScoreStores(paths, pytest.fail) as keeper:
        keeper.stored_scores(SIGNATURE, KEYS)
    with ScoreStore(paths[0]) as store:
        assert store.signatures()[-1] == SIGNATURE


def test_scoring_works_without_a_store(paths):
    with ScoreStores([], pytest.fail) as keeper:
        keeper.put(SIGNATURE, KEYS, np.zeros(4))
        assert not keeper.stored_scores(SIGNATURE, KEYS).known.any()
        assert keeper.evidence(SIGNATURE, KEYS) == [None] * 4


@pytest.mark.parametrize("broken", [0, 1])
def test_a_damaged_store_is_skipped(paths, broken):
    paths[broken].write_bytes(b"no database" * 1000)
    warnings: list[str] = []
    with ScoreStores(paths, warnings.append) as keeper:
        keeper.put(SIGNATURE, KEYS, np.ones(4))
        assert keeper.stored_scores(SIGNATURE, KEYS).known.all()
    (warning,) = warnings
    assert paths[broken].name in warning
    with ScoreStore(paths[1 - broken]) as store:
        assert store.known(SIGNATURE, KEYS).known.all()


def test_a_store_in_a_missing_folder_is_skipped(tmp_path):
    warnings: list[str] = []
    with ScoreStores([tmp_path / "no" / "scores.sqlite"], warnings.append) as keeper:
        keeper.put(SIGNATURE, KEYS, np.ones(4))
    assert len(warnings) == 1


class Failing(ScoreStore):
    """A store that fails from some moment on, as with a full disk."""

    fails = ""

    def known(self, *arguments):
        self._fail("known")
        return super().known(*arguments)

    def put(self, *arguments):
        self._fail("put")
        return super().put(*arguments)

    def evidence(self, *arguments):
        self._fail("evidence")
        return super().evidence(*arguments)

    def touch(self, *arguments):
        self._fail("touch")
        return super().touch(*arguments)

    def close(self):
        super().close()
        self._fail("close")

    def _fail(self, what):
        if self.fails == what:
            raise SessionError("The disk is full. Make room and try again.")


@pytest.mark.parametrize("fails", ["known", "touch", "put", "evidence", "close"])
@pytest.mark.parametrize("number", [0, 1])
def test_a_store_that_fails_later_is_reported_once(paths, monkeypatch, fails, number):
    put(paths[0], [0, 1])
    put(paths[1], [1, 2])
    monkeypatch.setattr("parapluie_gui.work.score_stores.ScoreStore", Failing)
    warnings: list[str] = []
    with ScoreStores(paths, warnings.append) as keeper:
        keeper._stores[number].fails = fails
        result = keeper.stored_scores(SIGNATURE, KEYS)
        assert result.known[1]
        if fails != "known":
            assert result.known.tolist() == [True, True, True, False], "readable scores are used"
        keeper.put(SIGNATURE, KEYS, np.ones(4))
        assert len(keeper.evidence(SIGNATURE, KEYS)) == 4
    assert len(warnings) == 1
    assert (
        warnings[0]
        == f"Scores are no longer stored in {paths[number].name}: The disk is full. Make room and try again."
    )
    with ScoreStore(paths[1 - number]) as store:
        assert store.known(SIGNATURE, KEYS).known.all()


def test_two_programs_can_use_a_store_at_once(paths):
    with ScoreStores(paths, pytest.fail) as keeper, sqlite3.connect(paths[0]) as other:
        other.execute("SELECT count(*) FROM batch").fetchone()
        keeper.put(SIGNATURE, KEYS, np.ones(4))
    other.close()
    with ScoreStore(paths[0]) as store:
        assert store.known(SIGNATURE, KEYS).known.all()
