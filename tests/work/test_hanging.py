"""Workers that hang (stopped by a signal, unresponsive or silent): nothing waits for them, and the user is informed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time

import fake_workers
import numpy as np
import pytest
from listening import AT_ONCE, make_job, wait_for_end, worker_pid
from waiting import in_time

from parapluie_gui.work.events import ColumnStarted, JobFailed, JobFinished, ScoreBatch

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="Windows stops no process")

#: Seconds of silence that count as hanging in these tests.
PATIENCE = min(in_time(0.6), 3.0)

#: More pairs than the pipe to the worker holds.
LARGE = 60_000


@pytest.fixture
def stopped(drive):
    """A driver whose worker was ready and is now stopped."""
    recorder = drive(fake_workers.main, patience=PATIENCE)
    job = make_job()
    recorder.driver.submit(job)
    wait_for_end(recorder, job)
    os.kill(worker_pid(), signal.SIGSTOP)
    return recorder


def test_a_large_job_for_a_stopped_worker_is_cancelled_at_once(stopped):
    job, after = make_job(LARGE), make_job()
    pid = worker_pid()
    stopped.driver.submit(job)
    stopped.listen(0.2)
    asked = time.monotonic()
    stopped.driver.cancel(job.id)
    assert wait_for_end(stopped, job).cancelled
    assert stopped.times(job.id, JobFinished)[0] < asked + in_time(AT_ONCE)
    stopped.driver.submit(after)
    assert not wait_for_end(stopped, after).cancelled
    assert worker_pid() != pid


@pytest.mark.parametrize("pairs", [1, LARGE])
def test_closing_does_not_wait_for_a_stopped_worker(stopped, pairs):
    stopped.driver.submit(make_job(pairs))
    stopped.listen(0.2)
    asked = time.monotonic()
    stopped.driver.close()
    assert time.monotonic() < asked + in_time(1)
    assert not multiprocessing.active_children()


def test_a_worker_stopped_within_a_message_does_not_block(drive):
    recorder = drive(fake_workers.stopped_midway, patience=PATIENCE)
    job = make_job()
    recorder.driver.submit(job)
    recorder._qtbot.waitUntil(lambda: recorder.silences == [True])
    asked = time.monotonic()
    recorder.driver.cancel(job.id)
    assert wait_for_end(recorder, job).cancelled
    assert recorder.times(job.id, JobFinished)[0] < asked + in_time(AT_ONCE)
    recorder.driver.submit(make_job())
    recorder.listen(0.1)
    asked = time.monotonic()
    recorder.driver.close()
    assert time.monotonic() < asked + in_time(1)


def test_silence_is_reported_once_and_withdrawn(drive, qtbot):
    recorder = drive(fake_workers.main, patience=PATIENCE)
    job = make_job(400, metrics=("slow",))
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch)
    pid = worker_pid()
    os.kill(pid, signal.SIGSTOP)
    since = time.monotonic()
    qtbot.waitUntil(lambda: bool(recorder.silences))
    assert time.monotonic() > since + PATIENCE * 0.7
    recorder.listen(2 * PATIENCE)
    assert recorder.silences == [True]
    os.kill(pid, signal.SIGCONT)
    qtbot.waitUntil(lambda: len(recorder.silences) > 1)
    assert recorder.silences == [True, False]
    assert isinstance(wait_for_end(recorder, job), JobFinished)
    assert recorder.rows(job.id) == list(range(400))
    assert recorder.silences == [True, False] and worker_pid() == pid


def test_a_new_worker_continues_after_a_restart(drive, qtbot, tmp_path):
    recorder = drive(fake_workers.main, patience=PATIENCE)
    job = make_job(200, metrics=("slow",), stores=(tmp_path / "scores.sqlite",))
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch, 3)
    pid = worker_pid()
    os.kill(pid, signal.SIGSTOP)
    qtbot.waitUntil(lambda: recorder.silences == [True])
    before = len(recorder.events(job.id, ScoreBatch))
    scored = set(recorder.rows(job.id))
    recorder.driver.restart()
    assert isinstance(wait_for_end(recorder, job), JobFinished)
    known, *fresh = recorder.events(job.id, ScoreBatch)[before:]
    assert not known.fresh and set(known.rows.tolist()) >= scored, "scored pairs are not scored again"
    rows = np.concatenate([batch.rows for batch in (known, *fresh)])
    assert sorted(rows.tolist()) == list(range(200))
    assert recorder.silences == [True, False] and worker_pid() != pid


def test_a_long_batch_does_not_count_as_silence(drive):
    recorder = drive(fake_workers.main, patience=PATIENCE)
    job = make_job(metrics=("deaf",))
    recorder.driver.submit(job)
    recorder.wait(job.id, ColumnStarted)
    recorder.listen(4 * PATIENCE)
    assert recorder.silences == [] and not recorder.events(job.id, JobFinished)


def test_a_stopped_worker_without_a_job_is_not_restarted(stopped):
    pid = worker_pid()
    stopped.listen(2 * PATIENCE)
    assert stopped.silences == []
    job = make_job()
    since = time.monotonic()
    stopped.driver.submit(job)
    stopped._qtbot.waitUntil(lambda: stopped.silences == [True])
    assert time.monotonic() > since + PATIENCE * 0.7, "the time limit starts with the job"
    os.kill(pid, signal.SIGCONT)
    assert isinstance(wait_for_end(stopped, job), JobFinished)
    assert stopped.silences == [True, False]


def test_a_process_that_never_answers_is_reported(drive, qtbot):
    recorder = drive(fake_workers.never_ready, patience=PATIENCE)
    since = time.monotonic()
    job = make_job()
    recorder.driver.submit(job)
    qtbot.waitUntil(lambda: recorder.silences == [True], timeout=30_000)
    assert time.monotonic() > since + 2 * PATIENCE, "a process takes its time to start"
    recorder.driver.cancel(job.id)
    assert wait_for_end(recorder, job).cancelled
    qtbot.waitUntil(lambda: recorder.silences == [True, False])


def test_sleep_of_the_computer_does_not_count_as_silence(drive, qtbot, monkeypatch):
    """The clock jumps by an hour while a worker is computing."""
    recorder = drive(fake_workers.main, patience=PATIENCE)
    job = make_job(200, metrics=("slow",))
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch)
    real = time.monotonic
    monkeypatch.setattr("parapluie_gui.ui.state.driver.time.monotonic", lambda: real() + 3600)
    recorder.listen(2 * PATIENCE)
    assert recorder.silences == []
    assert isinstance(wait_for_end(recorder, job), JobFinished)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows forks no process")
def test_a_workers_death_is_noticed_even_if_a_child_holds_the_pipe(drive, home):
    recorder = drive(fake_workers.survived_by_a_child, patience=PATIENCE)
    job = make_job()
    recorder.driver.submit(job)
    assert "exit status 3" in recorder.wait(job.id, JobFailed)[0].text
    home.mkdir(exist_ok=True)
    (home / "go").touch()
