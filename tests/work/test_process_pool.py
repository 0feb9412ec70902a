"""Several processes give the scores of one, and end when they should."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from waiting import in_time

from parapluie_gui import children as starting
from parapluie_gui.errors import MetricError, WorkerError
from parapluie_gui.metrics.catalogue import metric
from parapluie_gui.work import process_pool
from parapluie_gui.work.process_pool import ProcessPool, is_worthwhile

SOURCES = [f"the cat {number} sat on the mat \ud800" for number in range(300)]
HYPOTHESES = [f"the cat {number % 7} sat on a mat" for number in range(300)]


def pids(helpers: ProcessPool) -> list[int]:
    return [child.process.pid for child in helpers._children]


def alive(pid: int) -> bool:
    try:
        state = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0]  # noqa: PTH123, SIM115
    except OSError:
        return False
    return state != "Z"


def test_several_processes_give_the_same_numbers_in_order():
    parts = [slice(start, start + 17) for start in range(0, 300, 17)]
    before = set(threading.enumerate())
    with ProcessPool("sacrebleu", count=2) as helpers:
        got: list[np.ndarray] = []
        sent = 0
        while len(got) < len(parts):
            while sent < len(parts) and helpers.has_room:
                helpers.send(SOURCES[parts[sent]], HYPOTHESES[parts[sent]])
                sent += 1
            assert sent - len(got) <= 4
            got.append(helpers.receive())
    np.testing.assert_array_equal(np.concatenate(got), metric("sacrebleu").score(SOURCES, HYPOTHESES))
    assert not set(threading.enumerate()) - before


def test_references_and_variants_are_passed_on():
    references = [None if number % 3 else "the cat sat on a mat" for number in range(300)]
    for name in ("ibleu", "chrf.ref"):
        with ProcessPool(name, count=1) as helpers:
            helpers.send(SOURCES, HYPOTHESES, references)
            got = helpers.receive()
        np.testing.assert_array_equal(got, metric(name).score(SOURCES, HYPOTHESES, references))


def test_the_with_block_ends_busy_processes():
    with ProcessPool("bleu", count=2) as helpers:
        running = pids(helpers)
        for _ in range(4):
            helpers.send(SOURCES * 50, HYPOTHESES * 50)
        start = time.monotonic()
    assert time.monotonic() - start < in_time(5)
    assert not any(map(alive, running))


def test_a_check_that_raises_loses_nothing():
    class Interrupted(Exception):
        pass

    def check():
        raise Interrupted

    with ProcessPool("wer", count=1) as helpers:
        helpers.send(SOURCES, HYPOTHESES)
        with pytest.raises(Interrupted):
            helpers.receive(check)
        np.testing.assert_array_equal(helpers.receive(), metric("wer").score(SOURCES, HYPOTHESES))


def test_errors_in_processes_are_reported():
    with ProcessPool("no_such_metric", count=1) as helpers:
        helpers.send(["a"], ["a"])
        with pytest.raises(MetricError, match="no metric"):
            helpers.receive()
    with ProcessPool("wer", count=1) as helpers:
        helpers.send(["a"], ["a"])
        assert helpers.receive().tolist() == [0.0]
        helpers._children[0].process.kill()
        helpers.send(["a"], ["a"])
        with pytest.raises(WorkerError, match="killed"):
            helpers.receive()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_processes_end_when_their_parent_is_killed():
    code = (
        "import sys, time\nfrom parapluie_gui.work.process_pool import ProcessPool\n"
        "helpers = ProcessPool('wer', count=2)\n"
        "while not helpers.ready(): time.sleep(0.01)\n"
        "print(*[child.process.pid for child in helpers._children], flush=True)\ntime.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        children = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(children) == 2 and all(map(alive, children))
        os.kill(parent.pid, signal.SIGKILL)
    while any(map(alive, children)):  # pytest's timeout ends a hang
        time.sleep(0.02)


def test_a_process_with_a_closed_pipe_ends_silently():
    child = subprocess.Popen(
        starting.call(process_pool._SERVE, "edit_distance"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdin and child.stdout and child.stderr
    child.stdout.close()
    child.stdin.write(b'[["a b"], ["a c"], ["a d"]]\n')
    child.stdin.flush()
    assert child.wait() == 0
    assert child.stderr.read() == b""
    child.stdin.close()
    child.stderr.close()


def test_few_pairs_and_metrics_of_compiled_code_stay_in_one_process(monkeypatch):
    monkeypatch.setattr(process_pool, "count_cores", lambda: 2)
    assert is_worthwhile(metric("bleu"), process_pool.WORTH) and not is_worthwhile(
        metric("bleu"), process_pool.WORTH - 1
    )
    assert not is_worthwhile(metric("edit_distance"), 10**6)
    monkeypatch.setattr(process_pool, "count_cores", lambda: 1)
    assert not is_worthwhile(metric("bleu"), 10**6)
