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
#: Seconds of the slow judge: a job is still running when it is paused, stopped or killed.
MANY = 200
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


def has_ended(pid: int) -> bool:
    """Return whether a process has ended, even if its exit status was not collected."""
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] in "ZX"


def cpu_ticks(pids: list[int]) -> int:
    """Return the ticks of CPU time that the processes have used."""
    return sum(sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])) for pid in pids)


def judged(recorder: EventRecorder, job: Job) -> np.ndarray:
    """Return the scores received, shape (pairs,); no pair is received twice."""
    result = np.full(len(job.request.pairs), np.nan)
    for batch in recorder.events(job.id, ScoreBatch):
        assert np.isnan(result[batch.rows]).all(), "received twice"
        result[batch.rows] = batch.values[COLUMN]
    return result


@pytest.fixture
def running(drive):
    """Return a recorder, a job that runs on both GPUs and already has scores, and the processes."""
    recorder, job = drive(fake_workers.two_gpus), judging(MANY)
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch, seconds=WAIT)
    pids = gpus()
    assert len(pids) == 2
    return recorder, job, pids


def test_pause_stops_both_processes_and_they_resume(running, qtbot):
    recorder, job, pids = running
    recorder.driver.pause()
    recorder.listen(2 * in_time(AT_ONCE))
    told, before = len(recorder.events(job.id, ScoreBatch)), cpu_ticks(pids)
    assert 0 < np.isfinite(judged(recorder, job)).sum() < MANY
    recorder.listen(1.0)
    assert len(recorder.events(job.id, ScoreBatch)) == told and cpu_ticks(pids) - before < 0.3 * os.sysconf(
        "SC_CLK_TCK"
    )
    typed = replace(judging(1), urgent=True)
    recorder.driver.submit(typed)
    assert isinstance(wait_for_end(recorder, typed, seconds=WAIT), JobFinished), (
        "a typed pair is scored during the pause"
    )
    assert (
        recorder.events(typed.id, ScoreBatch)[-1].evidence[0].p_yes > 0
        and len(recorder.events(job.id, ScoreBatch)) == told
    )
    recorder.driver.resume()
    recorder.listen(in_time(0.5))
    recorder.driver.pause()
    recorder.driver.resume()
    assert isinstance(wait_for_end(recorder, job, seconds=WAIT), JobFinished) and gpus() == pids, (
        "with the models that were loaded"
    )
    together = judged(recorder, job)
    assert np.isfinite(together).all() and recorder.events(job.id, JobProgress)[-1].done == MANY
    assert [event.column for event in recorder.events(job.id, ColumnStarted)] == [COLUMN]
    alone = replace_fields(judging(MANY), judge=JudgeSettings("pocket", "cpu"))
    recorder.driver.submit(alone)
    assert isinstance(wait_for_end(recorder, alone, seconds=WAIT), JobFinished)
    np.testing.assert_allclose(together, judged(recorder, alone), atol=1e-4)
    # a different judge runs: the memory of the first is freed
    qtbot.waitUntil(lambda: all(map(has_ended, pids)), timeout=10_000)


def test_stop_ends_the_job_at_once_and_keeps_the_models(running):
    recorder, job, pids = running
    at = time.monotonic()
    recorder.driver.cancel(job.id)
    end = wait_for_end(recorder, job)
    assert isinstance(end, JobFinished) and end.cancelled and recorder.times(job.id)[-1] - at < in_time(AT_ONCE)
    recorder.listen(2 * in_time(AT_ONCE))
    before = cpu_ticks(pids)
    recorder.listen(1.0)
    assert cpu_ticks(pids) - before < 0.3 * os.sysconf("SC_CLK_TCK"), "no process continues"
    again = judging(40)
    recorder.driver.submit(again)
    assert isinstance(wait_for_end(recorder, again, seconds=WAIT), JobFinished) and gpus() == pids
    assert np.isfinite(judged(recorder, again)).all()
    paused = judging(MANY)
    recorder.driver.submit(paused)
    recorder.wait(paused.id, ScoreBatch, seconds=WAIT)
    recorder.driver.pause()
    recorder.listen(AT_ONCE)
    recorder.driver.cancel(paused.id)
    assert wait_for_end(recorder, paused).cancelled, "a paused job can be stopped too"


def test_a_killed_process_is_reported_in_one_sentence_and_its_scores_are_kept(running, tmp_path):
    recorder, first, pids = running
    recorder.driver.cancel(first.id)
    assert wait_for_end(recorder, first).cancelled
    kept = {"stores": (tmp_path / "scores.sqlite",)}
    job = judging(MANY, **kept)
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch, count=3, seconds=WAIT)
    os.kill(pids[0], signal.SIGKILL)
    end = wait_for_end(recorder, job, seconds=WAIT)
    assert isinstance(end, JobFailed)
    assert (
        end.text == "The process of cpu ended. Scores computed so far are kept; start scoring again." and not end.detail
    )
    half = np.isfinite(judged(recorder, job)).sum()
    assert MANY / 2 <= half < MANY, "the other process has completed its part"
    again = judging(MANY, **kept)
    recorder.driver.submit(again)
    assert isinstance(wait_for_end(recorder, again, seconds=WAIT), JobFinished)
    assert np.isfinite(judged(recorder, again)).all() and set(pids).isdisjoint(gpus())
    assert sum(len(batch.rows) for batch in recorder.events(again.id, ScoreBatch) if not batch.fresh) >= half


def test_a_process_that_ends_during_a_pause_is_restarted(running):
    recorder, job, pids = running
    recorder.driver.pause()
    recorder.listen(AT_ONCE)
    os.kill(pids[1], signal.SIGKILL)
    recorder.listen(AT_ONCE)
    recorder.driver.resume()
    assert isinstance(wait_for_end(recorder, job, seconds=WAIT), JobFinished)
    assert np.isfinite(judged(recorder, job)).all() and set(pids).isdisjoint(gpus())


@pytest.mark.parametrize("end", ["close", "kill the worker", "restart"])
def test_the_processes_end_with_the_worker_during_a_job(running, qtbot, end):
    recorder, job, pids = running
    if end == "close":
        recorder.driver.close()
    elif end == "restart":
        recorder.driver.restart()
    else:
        os.kill(worker_pid(), signal.SIGKILL)
    qtbot.waitUntil(lambda: all(map(has_ended, pids)), timeout=int(in_time(5) * 1000))
    if end != "close":  # the driver starts a new worker for the rest, or reports that it was lost
        (last,) = recorder.wait(job.id, seconds=WAIT)
        assert isinstance(last, JobFinished) or "Scores" in last.text
