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
    recorder = drive(fake_workers.main)
    job = make_job(60, metrics=("slow",))
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch, 2)
    recorder.driver.pause()
    asked = time.monotonic()
    recorder.listen(0.6)
    assert recorder.times(job.id, ScoreBatch)[-1] < asked + in_time(AT_ONCE)
    recorder.driver.resume()
    asked = time.monotonic()
    recorder.wait(job.id, ScoreBatch, len(recorder.events(job.id, ScoreBatch)) + 1)
    assert recorder.times(job.id, ScoreBatch)[-1] < asked + in_time(AT_ONCE)
    wait_for_end(recorder, job)
    assert recorder.rows(job.id) == list(range(60))


def test_a_pause_works_before_the_worker_has_started(drive):
    recorder = drive(fake_workers.main)
    job = make_job()
    recorder.driver.submit(job)
    recorder.driver.pause()
    recorder.listen(1.0)
    assert not recorder.events(job.id, ScoreBatch)
    recorder.driver.resume()
    assert not wait_for_end(recorder, job).cancelled


def test_a_job_is_cancelled_while_running(drive, tmp_path):
    recorder = drive(fake_workers.main)
    job = make_job(500, metrics=("slow",), stores=(tmp_path / "scores.sqlite",))
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch, 3)
    pid = worker_pid()
    asked = time.monotonic()
    recorder.driver.cancel(job.id)
    assert wait_for_end(recorder, job).cancelled
    assert recorder.times(job.id, JobFinished)[0] < asked + in_time(AT_ONCE)
    assert worker_pid() == pid, "a worker that ends its job is not killed"
    with ScoreStore(tmp_path / "scores.sqlite") as store:
        pairs = job.request.pairs
        keys = [pair_key(*pair) for pair in zip(pairs.sources, pairs.hypotheses, strict=True)]
        signature = recorder.events(job.id, ColumnStarted)[0].signature
        assert np.flatnonzero(store.known(signature, keys).known).tolist() == recorder.rows(job.id)


def test_a_worker_that_does_not_check_is_killed_on_cancel(drive):
    recorder = drive(fake_workers.main)
    job, after = make_job(metrics=("deaf",)), make_job()
    recorder.driver.submit(job)
    recorder.driver.submit(after)
    recorder.wait(job.id, ColumnStarted)
    recorder.listen(0.1)
    pid = worker_pid()
    asked = time.monotonic()
    recorder.driver.cancel(job.id)
    assert wait_for_end(recorder, job).cancelled
    assert recorder.times(job.id, JobFinished)[0] < asked + in_time(AT_ONCE)
    assert not wait_for_end(recorder, after).cancelled
    assert worker_pid() != pid


def test_an_uninterruptible_pass_is_waited_for(drive):
    recorder = drive(fake_workers.main)
    # As on a GPU, which is given all layers of a pass at once: half a second between two checks.
    job, after = make_job(20, metrics=("lasting",)), make_job()
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch, 2)
    pid = worker_pid()
    asked = time.monotonic()
    recorder.driver.cancel(job.id)
    recorder.driver.cancel(job.id)
    assert wait_for_end(recorder, job).cancelled
    assert recorder.times(job.id, JobFinished)[0] < asked + 0.5 + in_time(AT_ONCE)
    recorder.driver.submit(after)
    assert not wait_for_end(recorder, after).cancelled
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
        assert gate.guard(lambda: last(0.5)) == 0  # the first batch has not been measured yet
        assert last(60) == 0
        assert gate.guard(lambda: last(0.125)) == 0.5
        assert gate.guard(lambda: last(0.125)) == 0.125


def test_impatient_cancelling_does_not_delay_the_end(drive):
    recorder = drive(fake_workers.main)
    job = make_job(metrics=("deaf",))
    recorder.driver.submit(job)
    recorder.wait(job.id, ColumnStarted)
    asked = time.monotonic()
    while not recorder.events(job.id, JobFinished) and time.monotonic() < asked + 2:
        recorder.driver.cancel(job.id)
        recorder.listen(0.02)
    assert recorder.times(job.id, JobFinished)[0] < asked + in_time(AT_ONCE)


def test_cancelling_ends_one_job_only(drive):
    recorder = drive(fake_workers.main)
    running, waiting, last = make_job(60, metrics=("slow",)), make_job(), make_job()
    for job in (running, waiting, last):
        recorder.driver.submit(job)
    recorder.wait(running.id, ScoreBatch)
    asked = time.monotonic()
    recorder.driver.cancel(waiting.id)
    assert wait_for_end(recorder, waiting).cancelled
    assert recorder.times(waiting.id, JobFinished)[0] < asked + in_time(AT_ONCE)
    assert not wait_for_end(recorder, running).cancelled
    assert not wait_for_end(recorder, last).cancelled


def test_a_job_is_cancelled_while_the_worker_starts(drive):
    recorder = drive(fake_workers.never_ready)
    job = make_job(200_000)  # more than the pipe holds, so that sending it would block the driver
    recorder.driver.submit(job)
    recorder.listen(0.3)
    asked = time.monotonic()
    recorder.driver.cancel(job.id)
    assert wait_for_end(recorder, job).cancelled
    assert recorder.times(job.id, JobFinished)[0] < asked + in_time(AT_ONCE)


def test_cancelling_a_paused_job_ends_the_pause(drive):
    recorder = drive(fake_workers.main)
    job, after = make_job(500, metrics=("slow",)), make_job()
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch)
    recorder.driver.pause()
    recorder.listen(0.2)
    recorder.driver.cancel(job.id)
    assert wait_for_end(recorder, job).cancelled
    recorder.driver.submit(after)
    assert not wait_for_end(recorder, after).cancelled


def test_cancelling_finished_or_unknown_jobs_does_nothing(drive):
    recorder = drive(fake_workers.main)
    job, after = make_job(), make_job()
    recorder.driver.submit(job)
    wait_for_end(recorder, job)
    recorder.driver.cancel(job.id)
    recorder.driver.cancel(after.id)
    recorder.driver.submit(after)
    assert not wait_for_end(recorder, after).cancelled
