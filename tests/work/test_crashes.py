"""Errors in the worker, and workers that die: a message, nothing lost, and the next job runs."""

from __future__ import annotations

import os
import signal
from multiprocessing.process import BaseProcess

import fake_workers
import pytest
from listening import make_job, wait_for_end, worker_pid

from parapluie_gui.work.events import ColumnStarted, JobFailed, JobFinished, ScoreBatch


def test_an_exception_is_reported_and_the_worker_survives(drive):
    recorder = drive(fake_workers.main)
    job, after = make_job(metrics=("broken", "edit_distance")), make_job()
    recorder.driver.submit(job)
    end = wait_for_end(recorder, job)
    assert end.text == "broken failed: no such word."
    assert "ValueError" in end.detail
    assert recorder.rows(job.id) == list(range(10)), "the other metric is computed anyway"
    pid = worker_pid()
    recorder.driver.submit(after)
    assert isinstance(wait_for_end(recorder, after), JobFinished)
    assert worker_pid() == pid


def test_an_unknown_metric_is_reported(drive):
    recorder = drive(fake_workers.main)
    job = make_job(metrics=("rouge-9000",))
    recorder.driver.submit(job)
    assert wait_for_end(recorder, job).text.startswith('There is no metric "rouge-9000"')


def test_a_lost_gpu_restarts_the_process(drive):
    recorder = drive(fake_workers.main)
    job, after = make_job(metrics=("cuda",)), make_job()
    recorder.driver.submit(job)
    recorder.wait(job.id, ColumnStarted)
    assert wait_for_end(recorder, job).text == "cuda failed: CUDA error: device-side assert triggered."
    recorder.driver.submit(after)
    assert isinstance(wait_for_end(recorder, after), JobFinished)


@pytest.mark.parametrize(
    ("metric", "text"),
    [
        ("killed", "was killed, most likely because the computer's memory ran out"),
        ("segfault", "crashed (segmentation fault)"),
        (
            "truncated",
            "ended because a model file was changed or truncated while it was being read. "
            "Copy or download the model again",
        ),
    ],
)
def test_a_crash_is_reported_in_a_sentence(drive, metric, text):
    recorder = drive(fake_workers.main)
    job, after = make_job(metrics=(metric,)), make_job()
    recorder.driver.submit(job)
    end = wait_for_end(recorder, job)
    assert end.text == f"The scoring process {text}. Scores computed so far are kept. Press Run to continue."
    recorder.driver.submit(after)
    assert isinstance(wait_for_end(recorder, after), JobFinished)


def test_a_killed_worker_loses_no_scores(drive, tmp_path):
    recorder = drive(fake_workers.main)
    store = tmp_path / "scores.sqlite"
    job = make_job(100, metrics=("slow",), stores=(store,))
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch, 4)
    os.kill(worker_pid(), signal.SIGKILL)
    assert isinstance(wait_for_end(recorder, job), JobFailed)
    scored = set(recorder.rows(job.id))
    assert 0 < len(scored) < 100

    again = make_job(100, metrics=("slow",), stores=(store,))
    recorder.driver.submit(again)
    assert isinstance(wait_for_end(recorder, again), JobFinished)
    first, *rest = recorder.events(again.id, ScoreBatch)
    known = set(first.rows.tolist())
    # One batch that was stored but not yet reported may be counted in addition.
    assert not first.fresh and known >= scored
    assert all(batch.fresh and not known & set(batch.rows.tolist()) for batch in rest)
    assert recorder.rows(again.id) == list(range(100))


def test_a_worker_that_cannot_start_is_reported(drive):
    recorder = drive(fake_workers.broken_at_once)
    for job in (make_job(), make_job()):
        recorder.driver.submit(job)
        assert "ended unexpectedly (exit status 3)" in wait_for_end(recorder, job).text


def test_a_process_that_the_system_refuses_is_reported(drive, monkeypatch):
    def refuse(self):
        raise OSError(11, "Resource temporarily unavailable")

    recorder = drive(fake_workers.main)
    with monkeypatch.context() as patch:
        patch.setattr(BaseProcess, "start", refuse)
        job = make_job()
        recorder.driver.submit(job)
        assert "cannot be started" in wait_for_end(recorder, job).text
    after = make_job()
    recorder.driver.submit(after)
    assert isinstance(wait_for_end(recorder, after), JobFinished)
