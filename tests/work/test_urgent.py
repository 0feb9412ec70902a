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
    ear = drive(fake_workers.main)
    job, urgent = make_job(90, metrics=("slow",)), make_job(1, urgent=True)
    ear.driver.submit(job)
    ear.wait(job.id, ScoreBatch, 2)
    if paused:
        ear.driver.pause()
        ear.listen(0.2)
    before = len(ear.events(job.id, ScoreBatch))
    asked = time.monotonic()
    ear.driver.submit(urgent)
    assert isinstance(wait_for_end(ear, urgent), JobFinished)
    assert ear.times(urgent.id, JobFinished)[0] < asked + in_time(0.5)
    assert not ear.events(job.id, JobFinished)
    if paused:
        ear.listen(0.2)
        assert len(ear.events(job.id, ScoreBatch)) == before, "the pause continues"
        ear.driver.resume()
    wait_for_end(ear, job)
    assert ear.rows(job.id) == list(range(90))


def test_a_failing_urgent_job_does_not_affect_the_other(drive):
    ear = drive(fake_workers.main)
    job, urgent = make_job(100, metrics=("slow",)), make_job(1, metrics=("broken",), urgent=True)
    ear.driver.submit(job)
    ear.wait(job.id, ScoreBatch)
    ear.driver.submit(urgent)
    assert isinstance(wait_for_end(ear, urgent), JobFailed)
    ear.driver.pause()
    asked = time.monotonic()
    ear.listen(0.6)
    assert ear.times(job.id, ScoreBatch)[-1] < asked + in_time(AT_ONCE), "the job can still be paused"
    ear.driver.resume()
    assert not wait_for_end(ear, job).cancelled


def test_an_urgent_job_runs_before_waiting_jobs(drive):
    ear = drive(fake_workers.main)
    first, waiting, urgent = make_job(1, metrics=("lasting",)), make_job(), make_job(1, urgent=True)
    for job in (first, waiting, urgent):
        ear.driver.submit(job)
    wait_for_end(ear, waiting)
    assert ear.times(urgent.id, JobFinished)[0] < ear.times(waiting.id)[0]


def test_an_urgent_job_with_a_different_model_waits(drive):
    ear = drive(fake_workers.main)
    one = find_templates(["DIRECT"], load_templates(None)[0])
    job = make_job(50, metrics=("slow",), judge=JudgeSettings("one"), templates=one)
    urgent = make_job(1, judge=JudgeSettings("another"), templates=one, urgent=True)
    ear.driver.submit(job)
    ear.wait(job.id, ScoreBatch)
    ear.driver.submit(urgent)
    wait_for_end(ear, urgent)
    assert ear.times(urgent.id)[0] >= ear.times(job.id, (JobFinished, JobFailed))[0]


def test_an_urgent_job_survives_cancelling_another(drive):
    ear = drive(fake_workers.main)
    job, urgent = make_job(metrics=("deaf",)), make_job(1, urgent=True)
    ear.driver.submit(job)
    ear.wait(job.id, ColumnStarted)
    ear.driver.submit(urgent)
    ear.listen(0.05)
    ear.driver.cancel(job.id)
    assert wait_for_end(ear, job).cancelled
    end = wait_for_end(ear, urgent)
    assert isinstance(end, JobFinished) and not end.cancelled


def test_a_pause_does_not_stop_an_urgent_job(drive):
    ear = drive(fake_workers.main)
    ear.driver.pause()
    urgent = make_job(1, urgent=True)
    ear.driver.submit(urgent)
    assert not wait_for_end(ear, urgent).cancelled
