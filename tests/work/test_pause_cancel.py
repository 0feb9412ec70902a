"""Pause and cancel, with real worker processes and by the clock."""

from __future__ import annotations

import time

import fake_workers
import numpy as np
from listening import AT_ONCE, make_job, wait_for_end, worker_pid
from waiting import in_time

from parapluie_gui.scores.signature import pair_key
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.work import worker
from parapluie_gui.work.events import ColumnStarted, JobFinished, ScoreBatch


def test_a_job_pauses_and_resumes(drive):
    ear = drive(fake_workers.main)
    job = make_job(60, metrics=("slow",))
    ear.driver.submit(job)
    ear.wait(job.id, ScoreBatch, 2)
    ear.driver.pause()
    asked = time.monotonic()
    ear.listen(0.6)
    assert ear.times(job.id, ScoreBatch)[-1] < asked + in_time(AT_ONCE)
    ear.driver.resume()
    asked = time.monotonic()
    ear.wait(job.id, ScoreBatch, len(ear.events(job.id, ScoreBatch)) + 1)
    assert ear.times(job.id, ScoreBatch)[-1] < asked + in_time(AT_ONCE)
    wait_for_end(ear, job)
    assert ear.rows(job.id) == list(range(60))


def test_a_pause_works_before_the_worker_has_started(drive):
    ear = drive(fake_workers.main)
    job = make_job()
    ear.driver.submit(job)
    ear.driver.pause()
    ear.listen(1.0)
    assert not ear.events(job.id, ScoreBatch)
    ear.driver.resume()
    assert not wait_for_end(ear, job).cancelled


def test_a_job_is_cancelled_while_running(drive, tmp_path):
    ear = drive(fake_workers.main)
    job = make_job(500, metrics=("slow",), stores=(tmp_path / "scores.sqlite",))
    ear.driver.submit(job)
    ear.wait(job.id, ScoreBatch, 3)
    pid = worker_pid()
    asked = time.monotonic()
    ear.driver.cancel(job.id)
    assert wait_for_end(ear, job).cancelled
    assert ear.times(job.id, JobFinished)[0] < asked + in_time(AT_ONCE)
    assert worker_pid() == pid, "a worker that ends its job is not killed"
    with ScoreStore(tmp_path / "scores.sqlite") as store:
        pairs = job.request.pairs
        keys = [pair_key(*pair) for pair in zip(pairs.sources, pairs.hypotheses, strict=True)]
        signature = ear.events(job.id, ColumnStarted)[0].signature
        assert np.flatnonzero(store.known(signature, keys).known).tolist() == ear.rows(job.id)


def test_a_worker_that_does_not_check_is_killed_on_cancel(drive):
    ear = drive(fake_workers.main)
    job, after = make_job(metrics=("deaf",)), make_job()
    ear.driver.submit(job)
    ear.driver.submit(after)
    ear.wait(job.id, ColumnStarted)
    ear.listen(0.1)
    pid = worker_pid()
    asked = time.monotonic()
    ear.driver.cancel(job.id)
    assert wait_for_end(ear, job).cancelled
    assert ear.times(job.id, JobFinished)[0] < asked + in_time(AT_ONCE)
    assert not wait_for_end(ear, after).cancelled
    assert worker_pid() != pid


def test_an_uninterruptible_pass_is_waited_for(drive):
    ear = drive(fake_workers.main)
    # As on a GPU, which is given all layers of a pass at once: half a second between two checks.
    job, after = make_job(20, metrics=("lasting",)), make_job()
    ear.driver.submit(job)
    ear.wait(job.id, ScoreBatch, 2)
    pid = worker_pid()
    asked = time.monotonic()
    ear.driver.cancel(job.id)
    ear.driver.cancel(job.id)
    assert wait_for_end(ear, job).cancelled
    assert ear.times(job.id, JobFinished)[0] < asked + 0.5 + in_time(AT_ONCE)
    ear.driver.submit(after)
    assert not wait_for_end(ear, after).cancelled
    assert worker_pid() == pid, "the worker keeps its model"


def test_only_the_current_batch_is_waited_for(monkeypatch):
    """Earlier phases do not count: for an idle worker or a loading model, waiting would gain nothing."""
    clock = [0.0]
    monkeypatch.setattr(worker.time, "monotonic", lambda: clock[0])
    gate = worker.WorkerGate(worker.OrderQueue(None, print), print)

    def last(seconds: float) -> float:
        clock[0] += seconds
        return gate.wait

    with gate.running(make_job()):
        last(60)
        assert gate.guard(lambda: last(0.5)) == 0  # nothing is known of the first batch
        assert last(60) == 0
        assert gate.guard(lambda: last(0.125)) == 0.5
        assert gate.guard(lambda: last(0.125)) == 0.125


def test_impatient_cancelling_does_not_delay_the_end(drive):
    ear = drive(fake_workers.main)
    job = make_job(metrics=("deaf",))
    ear.driver.submit(job)
    ear.wait(job.id, ColumnStarted)
    asked = time.monotonic()
    while not ear.events(job.id, JobFinished) and time.monotonic() < asked + 2:
        ear.driver.cancel(job.id)
        ear.listen(0.02)
    assert ear.times(job.id, JobFinished)[0] < asked + in_time(AT_ONCE)


def test_cancelling_ends_one_job_only(drive):
    ear = drive(fake_workers.main)
    running, waiting, last = make_job(60, metrics=("slow",)), make_job(), make_job()
    for job in (running, waiting, last):
        ear.driver.submit(job)
    ear.wait(running.id, ScoreBatch)
    asked = time.monotonic()
    ear.driver.cancel(waiting.id)
    assert wait_for_end(ear, waiting).cancelled
    assert ear.times(waiting.id, JobFinished)[0] < asked + in_time(AT_ONCE)
    assert not wait_for_end(ear, running).cancelled
    assert not wait_for_end(ear, last).cancelled


def test_a_job_is_cancelled_while_the_worker_starts(drive):
    ear = drive(fake_workers.never_ready)
    job = make_job(200_000)  # more than the pipe holds, so that sending it would block the driver
    ear.driver.submit(job)
    ear.listen(0.3)
    asked = time.monotonic()
    ear.driver.cancel(job.id)
    assert wait_for_end(ear, job).cancelled
    assert ear.times(job.id, JobFinished)[0] < asked + in_time(AT_ONCE)


def test_cancelling_a_paused_job_ends_the_pause(drive):
    ear = drive(fake_workers.main)
    job, after = make_job(500, metrics=("slow",)), make_job()
    ear.driver.submit(job)
    ear.wait(job.id, ScoreBatch)
    ear.driver.pause()
    ear.listen(0.2)
    ear.driver.cancel(job.id)
    assert wait_for_end(ear, job).cancelled
    ear.driver.submit(after)
    assert not wait_for_end(ear, after).cancelled


def test_cancelling_finished_or_unknown_jobs_does_nothing(drive):
    ear = drive(fake_workers.main)
    job, after = make_job(), make_job()
    ear.driver.submit(job)
    wait_for_end(ear, job)
    ear.driver.cancel(job.id)
    ear.driver.cancel(after.id)
    ear.driver.submit(after)
    assert not wait_for_end(ear, after).cancelled
