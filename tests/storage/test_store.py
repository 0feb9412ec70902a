"""The score store: stored scores are read back, with several processes and after a kill."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from waiting import in_time

from parapluie_gui.errors import SessionError
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.store import ScoreStore

BLEU = Signature.from_fields("bleu", {"name": "bleu", "version": "1"})
DIRECT = Signature.from_fields("pluie.direct", {"name": "pluie", "template": "direct"})


def keys(count: int) -> list[bytes]:
    return [pair_key(f"source {row}", f"hypothesis {row}") for row in range(count)]


@pytest.fixture
def store(tmp_path):
    with ScoreStore(tmp_path / "scores.sqlite") as store:
        yield store


def test_scores_are_read_back(store):
    store.put(DIRECT, keys(3), [1.5, -2.25, np.inf], p_yes=[0.9, 0.1, 1.0], p_no=[0.05, 0.8, 0.0])
    result = store.known(DIRECT, [keys(5)[index] for index in (4, 2, 0, 2)])
    assert result.known.tolist() == [False, True, True, True]
    np.testing.assert_array_equal(result.value, [np.nan, np.inf, 1.5, np.inf])
    np.testing.assert_array_equal(result.p_yes, [np.nan, 1.0, 0.9, 1.0])
    np.testing.assert_array_equal(result.p_no, [np.nan, 0.0, 0.05, 0.0])


def test_other_signatures_have_no_scores(store):
    store.put(DIRECT, keys(3), [1, 2, 3])
    assert not store.known(BLEU, keys(3)).known.any()


def test_nan_counts_as_known(store):
    store.put(BLEU, keys(2), [np.nan, 0.5])
    result = store.known(BLEU, keys(3))
    assert result.known.tolist() == [True, True, False]
    np.testing.assert_array_equal(result.value, [np.nan, 0.5, np.nan])
    assert np.isnan(result.p_yes).all()


def test_evidence_is_kept_even_if_cut_within_a_character(store):
    store.put(DIRECT, keys(3), [1, 2, 3], evidence=["They differ.", None, "half \ud83d"])
    assert store.evidence(DIRECT, keys(1))[0] == "They differ."
    assert store.evidence(DIRECT, keys(4)) == ["They differ.", None, "half ?", None]
    assert store.evidence(BLEU, keys(1))[0] is None


def test_later_scores_replace_earlier_ones(store):
    store.put(BLEU, keys(2), [0.1, 0.2])
    store.put(BLEU, keys(1), [0.3])
    assert store.known(BLEU, keys(2)).value.tolist() == [0.3, 0.2]


def test_scores_stored_by_another_process_are_seen(store):
    """The keys used last are cached; scores that were added since are found too."""
    for row in range(3):
        with ScoreStore(store.path) as other:
            other.put(DIRECT, keys(3)[row : row + 1], [row], evidence=[f"why {row}"])
        known = store.known(DIRECT, keys(3))
        assert known.known.tolist() == [at <= row for at in range(3)]
        assert store.evidence(DIRECT, keys(3))[row] == f"why {row}"
    store.put(BLEU, keys(1), [0.5])
    assert store.known(BLEU, keys(2)).known.tolist() == [True, False]
    assert store.known(DIRECT, keys(3)).value.tolist() == [0, 1, 2]


def test_hundreds_of_small_batches_are_read(store):
    many = keys(450)
    for row in range(450):
        store.put(BLEU, many[row : row + 1], [row], evidence=[str(row)])
    assert store.known(BLEU, many[::-1]).value.tolist() == list(range(450))[::-1]
    assert store.evidence(BLEU, many[5:440]) == [str(row) for row in range(5, 440)]


def test_a_batch_of_the_wrong_length_is_refused_entirely(store):
    with pytest.raises(ValueError):
        store.put(BLEU, keys(3), [0.1, 0.2])
    assert not store.known(BLEU, keys(3)).known.any()
    assert store.signatures() == []


def test_signatures_are_listed_by_last_use(store):
    store.put(DIRECT, keys(1), [1])
    store.put(BLEU, keys(1), [1])
    assert store.signatures() == [DIRECT, BLEU]
    store.touch(DIRECT)
    assert store.signatures() == [BLEU, DIRECT]
    store.put(DIRECT, keys(1), [2])
    assert store.signatures() == [BLEU, DIRECT]


def test_scores_survive_closing(tmp_path):
    with ScoreStore(tmp_path / "s") as store:
        store.put(BLEU, keys(2), [0.1, 0.2])
    with ScoreStore(tmp_path / "s") as store:
        assert store.known(BLEU, keys(2)).value.tolist() == [0.1, 0.2]
    assert [path.name for path in tmp_path.iterdir()] == ["s"], "the journal is folded in at the end"


def test_locks_are_held_within_a_transaction_only(store):
    assert store._database.row("PRAGMA journal_mode") == ("delete",)
    assert store._database.row("PRAGMA synchronous") == (2,), "FULL"


def test_lookups_are_fast_for_a_hundred_thousand_pairs(store):
    count = 100_000
    many = [row.to_bytes(16, "big") for row in range(count)]
    start = time.process_time()
    store.put(BLEU, many, np.linspace(0, 1, count))
    written = time.process_time() - start
    start = time.process_time()
    result = store.known(BLEU, many)
    read = time.process_time() - start
    assert result.known.all()
    np.testing.assert_array_equal(result.value, np.linspace(0, 1, count))
    assert written < in_time(6) and read < in_time(4), (written, read)  # 0.5 s and 0.3 s on an idle core


# Wrong files


def test_files_of_a_different_kind_are_refused_and_unchanged(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("Dear diary, " * 100)
    with pytest.raises(SessionError, match=r"^notes.txt is damaged or is not a ParaPLUIE score store"):
        ScoreStore(text)
    assert text.read_text() == "Dear diary, " * 100

    foreign = tmp_path / "bookmarks.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE bookmark (url TEXT)")
    connection.close()
    before = foreign.read_bytes()
    with pytest.raises(SessionError, match="is not a ParaPLUIE score store"):
        ScoreStore(foreign)
    assert foreign.read_bytes() == before


def test_a_damaged_file_gives_a_readable_error(tmp_path):
    path = tmp_path / "scores.sqlite"
    with ScoreStore(path) as store:
        store.put(BLEU, keys(2000), np.zeros(2000))
    raw = bytearray(path.read_bytes())
    raw[4096:] = os.urandom(len(raw) - 4096)
    path.write_bytes(raw)
    with pytest.raises(SessionError, match=r"scores.sqlite is damaged"), ScoreStore(path) as store:
        store.known(BLEU, keys(2000))


def test_a_missing_folder_gives_a_readable_error(tmp_path):
    with pytest.raises(SessionError, match=r"cannot be opened. Check that its folder exists"):
        ScoreStore(tmp_path / "no" / "scores.sqlite")


# Several processes

WRITER = """
import sys
import time
import numpy as np
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.store import ScoreStore
signature = Signature.from_fields(sys.argv[2], {"name": sys.argv[2]})
store = ScoreStore(sys.argv[1])

class Endless(list):
    def __iter__(self):
        yield from self[:25]
        print("half", flush=True)
        time.sleep(600)

for batch in range(int(sys.argv[3])):
    keys = [pair_key(f"{batch}", f"{row}") for row in range(50)]
    store.put(signature, keys, np.full(50, float(batch)))
    print(batch, flush=True)
if sys.argv[4:]:
    store.put(signature, Endless(pair_key("last", f"{row}") for row in range(50)), np.zeros(50))
"""


def writer(path: Path, column: str, batches: int, *more: str) -> subprocess.Popen:
    command = [sys.executable, "-c", WRITER, str(path), column, str(batches), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def batch_keys(batch: int | str) -> list[bytes]:
    return [pair_key(f"{batch}", f"{row}") for row in range(50)]


def test_two_processes_write_while_a_third_reads_and_writes(tmp_path):
    path = tmp_path / "scores.sqlite"
    processes = [writer(path, column, 40) for column in ("a", "b")]
    own = Signature.from_fields("own", {"name": "own"})
    with ScoreStore(path) as store:
        rounds = 0
        while any(process.poll() is None for process in processes):
            store.put(own, batch_keys(rounds), np.zeros(50))
            for column in ("a", "b"):
                known = store.known(Signature.from_fields(column, {"name": column}), batch_keys(rounds % 40)).known
                assert known.all() or not known.any(), "half a batch was visible"
            rounds += 1
            time.sleep(0.005)
        for process in processes:
            _, errors = process.communicate()
            assert process.returncode == 0, errors
        assert rounds > 1
        for column in ("a", "b"):
            signature = Signature.from_fields(column, {"name": column})
            for batch in range(40):
                assert store.known(signature, batch_keys(batch)).value.tolist() == [batch] * 50
        assert all(store.known(own, batch_keys(batch)).known.all() for batch in range(rounds))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_a_writer_killed_within_a_batch_leaves_complete_batches(tmp_path):
    path = tmp_path / "scores.sqlite"
    process = writer(path, "a", 20, "stop half way")
    while process.stdout.readline() != "half\n":
        assert process.poll() is None, process.stderr.read()
    signature = Signature.from_fields("a", {"name": "a"})
    # The writer is inside its transaction: readers neither wait for it nor see half a batch.
    start = time.process_time()
    with ScoreStore(path) as store:
        assert store.known(signature, batch_keys(19)).known.all()
        assert not store.known(signature, batch_keys("last")).known.any()
    assert time.process_time() - start < in_time(5)
    process.kill()
    process.communicate()
    with ScoreStore(path) as store:
        for batch in range(20):
            assert store.known(signature, batch_keys(batch)).value.tolist() == [batch] * 50
        assert not store.known(signature, batch_keys("last")).known.any(), "half a batch was kept"
        store.put(signature, batch_keys("last"), np.ones(50))
        assert store.known(signature, batch_keys("last")).known.all()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_a_writer_killed_anywhere_keeps_what_it_reported(tmp_path):
    path = tmp_path / "scores.sqlite"
    process = writer(path, "a", 1_000_000)
    while int(process.stdout.readline()) < 20:
        pass
    process.kill()
    reported = max([20, *(int(number) for number in process.communicate()[0].split()[:-1])])
    with ScoreStore(path) as store:
        signature = Signature.from_fields("a", {"name": "a"})
        whole = [store.known(signature, batch_keys(batch)).known for batch in range(reported + 3)]
        assert all(known.all() for known in whole[: reported + 1]), "a reported batch is lost"
        assert all(known.all() or not known.any() for known in whole), "half a batch was kept"
