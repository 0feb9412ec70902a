"""A worker with a process for each of two GPUs (both the CPU here): paused, stopped, killed during a job."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import fake_workers
import numpy as np
import pytest
from listening import AT_ONCE, EventRecorder, make_job, replace_fields, wait_for_end, worker_pid
from waiting import in_time

from parapluie_gui.models import catalogue as models
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.work.events import ColumnStarted, JobFailed, JobFinished, JobProgress, ScoreBatch
from parapluie_gui.work.job import Job

pytestmark = [
    pytest.mark.skipif(not models.is_ready(models.POCKET), reason="no pocket judge here"),
    pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux says there who began what"),
]
COLUMN = "pluie.cloze"
#: Large enough that a job is still running when it is paused, stopped or killed.
MANY = 1200
WAIT = in_time(120)


def judging(pairs: int, **rest) -> Job:
    """Return a job of the pocket judge on both GPUs, with sentences of different lengths."""
    cloze = tuple(find_templates(["CLOZE"], load_templates(None)[0]))
    return replace_fields(
        make_job(pairs, metrics=()), judge=JudgeSettings("pocket", "cuda:each"), templates=cloze, **rest
    )


def gpus() -> list[int]:
    """Return the ids of the processes that the worker started for GPUs."""
    pids = {pid for file in Path(f"/proc/{worker_pid()}/task").glob("*/children") for pid in file.read_text().split()}
    return sorted(int(pid) for pid in pids if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes())


def gone(pid: int) -> bool:
    """Return whether a process has ended, even if its exit status was not collected."""
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] in "ZX"


def worked(pids: list[int]) -> int:
    """Return the ticks of CPU time that the processes have used."""
    return sum(sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])) for pid in pids)


def judged(ear: EventRecorder, job: Job) -> np.ndarray:
    """Return the scores received, shape (pairs,); no pair is received twice."""
    result = np.full(len(job.request.pairs), np.nan)
    for batch in ear.events(job.id, ScoreBatch):
        assert np.isnan(result[batch.rows]).all(), "received twice"
        result[batch.rows] = batch.values[COLUMN]
    return result


@pytest.fixture
def running(drive):
    """Return a recorder, a job that runs on both GPUs and already has scores, and the processes."""
    ear, job = drive(fake_workers.two_gpus), judging(MANY)
    ear.driver.submit(job)
    ear.wait(job.id, ScoreBatch, seconds=WAIT)
    pids = gpus()
    assert len(pids) == 2
    return ear, job, pids


def test_pause_stops_both_processes_and_they_resume(running, qtbot):
    ear, job, pids = running
    ear.driver.pause()
    ear.listen(2 * in_time(AT_ONCE))
    told, before = len(ear.events(job.id, ScoreBatch)), worked(pids)
    assert 0 < np.isfinite(judged(ear, job)).sum() < MANY
    ear.listen(1.0)
    assert len(ear.events(job.id, ScoreBatch)) == told and worked(pids) - before < 0.3 * os.sysconf("SC_CLK_TCK")
    typed = replace(judging(1), urgent=True)
    ear.driver.submit(typed)
    assert isinstance(wait_for_end(ear, typed, seconds=WAIT), JobFinished), "a typed pair is scored during the pause"
    assert ear.events(typed.id, ScoreBatch)[-1].evidence[0].p_yes > 0 and len(ear.events(job.id, ScoreBatch)) == told
    ear.driver.resume()
    ear.listen(in_time(0.5))
    ear.driver.pause()
    ear.driver.resume()
    assert isinstance(wait_for_end(ear, job, seconds=WAIT), JobFinished) and gpus() == pids, (
        "with the models that were loaded"
    )
    together = judged(ear, job)
    assert np.isfinite(together).all() and ear.events(job.id, JobProgress)[-1].done == MANY
    assert [event.column for event in ear.events(job.id, ColumnStarted)] == [COLUMN]
    alone = replace_fields(judging(MANY), judge=JudgeSettings("pocket", "cpu"))
    ear.driver.submit(alone)
    assert isinstance(wait_for_end(ear, alone, seconds=WAIT), JobFinished)
    np.testing.assert_allclose(together, judged(ear, alone), atol=1e-4)
    # a different judge runs: the memory of the first is freed
    qtbot.waitUntil(lambda: all(map(gone, pids)), timeout=10_000)


def test_stop_ends_the_job_at_once_and_keeps_the_models(running):
    ear, job, pids = running
    at = time.monotonic()
    ear.driver.cancel(job.id)
    end = wait_for_end(ear, job)
    assert isinstance(end, JobFinished) and end.cancelled and ear.times(job.id)[-1] - at < in_time(AT_ONCE)
    ear.listen(2 * in_time(AT_ONCE))
    before = worked(pids)
    ear.listen(1.0)
    assert worked(pids) - before < 0.3 * os.sysconf("SC_CLK_TCK"), "no process continues"
    again = judging(40)
    ear.driver.submit(again)
    assert isinstance(wait_for_end(ear, again, seconds=WAIT), JobFinished) and gpus() == pids
    assert np.isfinite(judged(ear, again)).all()
    paused = judging(MANY)
    ear.driver.submit(paused)
    ear.wait(paused.id, ScoreBatch, seconds=WAIT)
    ear.driver.pause()
    ear.listen(AT_ONCE)
    ear.driver.cancel(paused.id)
    assert wait_for_end(ear, paused).cancelled, "a paused job can be stopped too"


def test_a_killed_process_is_reported_in_one_sentence_and_its_scores_are_kept(running, tmp_path):
    ear, first, pids = running
    ear.driver.cancel(first.id)
    assert wait_for_end(ear, first).cancelled
    kept = {"stores": (tmp_path / "scores.sqlite",)}
    job = judging(MANY, **kept)
    ear.driver.submit(job)
    ear.wait(job.id, ScoreBatch, count=3, seconds=WAIT)
    os.kill(pids[0], signal.SIGKILL)
    end = wait_for_end(ear, job, seconds=WAIT)
    assert isinstance(end, JobFailed)
    assert (
        end.text == "The process of cpu ended. Scores computed so far are kept; start scoring again." and not end.detail
    )
    half = np.isfinite(judged(ear, job)).sum()
    assert MANY / 2 <= half < MANY, "the other process has completed its part"
    again = judging(MANY, **kept)
    ear.driver.submit(again)
    assert isinstance(wait_for_end(ear, again, seconds=WAIT), JobFinished)
    assert np.isfinite(judged(ear, again)).all() and set(pids).isdisjoint(gpus())
    assert sum(len(batch.rows) for batch in ear.events(again.id, ScoreBatch) if not batch.fresh) >= half


def test_a_process_that_ends_during_a_pause_is_restarted(running):
    ear, job, pids = running
    ear.driver.pause()
    ear.listen(AT_ONCE)
    os.kill(pids[1], signal.SIGKILL)
    ear.listen(AT_ONCE)
    ear.driver.resume()
    assert isinstance(wait_for_end(ear, job, seconds=WAIT), JobFinished)
    assert np.isfinite(judged(ear, job)).all() and set(pids).isdisjoint(gpus())


@pytest.mark.parametrize("end", ["close", "kill the worker", "restart"])
def test_the_processes_end_with_the_worker_during_a_job(running, qtbot, end):
    ear, job, pids = running
    if end == "close":
        ear.driver.close()
    elif end == "restart":
        ear.driver.restart()
    else:
        os.kill(worker_pid(), signal.SIGKILL)
    qtbot.waitUntil(lambda: all(map(gone, pids)), timeout=int(in_time(5) * 1000))
    if end != "close":  # the driver starts a new worker for the rest, or reports that it was lost
        (last,) = ear.wait(job.id, seconds=WAIT)
        assert isinstance(last, JobFinished) or "Scores" in last.text
