"""Urgent jobs (a pair typed in the Bench) during other jobs, with real worker processes."""

from __future__ import annotations

import time

import fake_workers
import pytest
from listening import AT_ONCE, make_job, wait_for_end
from waiting import in_time

from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.work.events import ColumnStarted, JobFailed, JobFinished, ScoreBatch


@pytest.mark.parametrize("paused", [False, True])
def test_an_urgent_job_runs_during_another(drive, paused):
    recorder = drive(fake_workers.main)
    job, urgent = make_job(90, metrics=("slow",)), make_job(1, urgent=True)
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch, 2)
    if paused:
        recorder.driver.pause()
        recorder.listen(0.2)
    before = len(recorder.events(job.id, ScoreBatch))
    asked = time.monotonic()
    recorder.driver.submit(urgent)
    assert isinstance(wait_for_end(recorder, urgent), JobFinished)
    assert recorder.times(urgent.id, JobFinished)[0] < asked + in_time(0.5)
    assert not recorder.events(job.id, JobFinished)
    if paused:
        recorder.listen(0.2)
        assert len(recorder.events(job.id, ScoreBatch)) == before, "the pause continues"
        recorder.driver.resume()
    wait_for_end(recorder, job)
    assert recorder.rows(job.id) == list(range(90))


def test_a_failing_urgent_job_does_not_affect_the_other(drive):
    recorder = drive(fake_workers.main)
    job, urgent = make_job(100, metrics=("slow",)), make_job(1, metrics=("broken",), urgent=True)
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch)
    recorder.driver.submit(urgent)
    assert isinstance(wait_for_end(recorder, urgent), JobFailed)
    recorder.driver.pause()
    asked = time.monotonic()
    recorder.listen(0.6)
    assert recorder.times(job.id, ScoreBatch)[-1] < asked + in_time(AT_ONCE), "the job can still be paused"
    recorder.driver.resume()
    assert not wait_for_end(recorder, job).cancelled


def test_an_urgent_job_runs_before_waiting_jobs(drive):
    recorder = drive(fake_workers.main)
    first, waiting, urgent = make_job(1, metrics=("lasting",)), make_job(), make_job(1, urgent=True)
    for job in (first, waiting, urgent):
        recorder.driver.submit(job)
    wait_for_end(recorder, waiting)
    assert recorder.times(urgent.id, JobFinished)[0] < recorder.times(waiting.id)[0]


def test_an_urgent_job_with_a_different_model_waits(drive):
    recorder = drive(fake_workers.main)
    one = find_templates(["DIRECT"], load_templates(None)[0])
    job = make_job(50, metrics=("slow",), judge=JudgeSettings("one"), templates=one)
    urgent = make_job(1, judge=JudgeSettings("another"), templates=one, urgent=True)
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch)
    recorder.driver.submit(urgent)
    wait_for_end(recorder, urgent)
    assert recorder.times(urgent.id)[0] >= recorder.times(job.id, (JobFinished, JobFailed))[0]


def test_an_urgent_job_survives_cancelling_another(drive):
    recorder = drive(fake_workers.main)
    job, urgent = make_job(metrics=("deaf",)), make_job(1, urgent=True)
    recorder.driver.submit(job)
    recorder.wait(job.id, ColumnStarted)
    recorder.driver.submit(urgent)
    recorder.listen(0.05)
    recorder.driver.cancel(job.id)
    assert wait_for_end(recorder, job).cancelled
    end = wait_for_end(recorder, urgent)
    assert isinstance(end, JobFinished) and not end.cancelled


def test_a_pause_does_not_stop_an_urgent_job(drive):
    recorder = drive(fake_workers.main)
    recorder.driver.pause()
    urgent = make_job(1, urgent=True)
    recorder.driver.submit(urgent)
    assert not wait_for_end(recorder, urgent).cancelled
