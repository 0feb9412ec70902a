"""Pause, resume, cancel and the Bench's urgent pair on a real model, by the clock."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from listening import EventRecorder, make_job, scoring_job, worker_pid
from waiting import in_time

from parapluie_gui import places
from parapluie_gui.pairs import read
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.work import worker
from parapluie_gui.work.events import JobFinished, JudgeLoaded, ScoreBatch, StageChanged
from parapluie_gui.work.job import Job

AT_ONCE = 1.0

#: Seconds allowed for loading the model on a busy computer.
LOADED = 200

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(scope="module")
def driver(qapp, smollm2: Path) -> Iterator[WorkerDriver]:
    """One driver for all tests here, so that the model is loaded once."""
    driver = WorkerDriver(target=worker.main)
    driver.start()
    driver.warm()
    while not multiprocessing.active_children():  # started before the tests, so the leak check ignores it
        time.sleep(0.01)
    yield driver
    driver.close()


@pytest.fixture
def recorder(driver: WorkerDriver, qtbot) -> Iterator[EventRecorder]:
    recorder = EventRecorder(driver, qtbot)
    yield recorder
    # Cancel jobs that a failed test left running.
    for job in {event.job for _, event in recorder.heard}:
        driver.cancel(job)


@pytest.fixture
def demo_job(smollm2: Path, tmp_path: Path):
    """Return a function that makes a job over the demo's first pairs under DIRECT."""
    corpus = read(Path(str(places.resources() / "demo" / "demo.tsv")))
    templates = find_templates(["DIRECT"], load_templates(tmp_path / "none")[0])

    def make(pairs: int = 40, **rest) -> Job:
        plain = make_job(1)
        sources, hypotheses = tuple(corpus.source[:pairs]), tuple(corpus.hypothesis[:pairs])
        judge = JudgeSettings(str(smollm2), device="cpu", batch_tokens=256)
        return scoring_job(sources, hypotheses, judge=judge, templates=templates, **rest, id=plain.id)

    return make


def test_a_job_is_cancelled_while_the_model_loads(recorder, demo_job):
    """The first test, since the model is not loaded yet."""
    loading, after = demo_job(1), demo_job(1)
    recorder.driver.submit(loading)
    recorder.wait(loading.id, StageChanged, seconds=LOADED)
    asked = time.monotonic()
    recorder.driver.cancel(loading.id)
    (end,) = recorder.wait(loading.id)
    assert end.cancelled
    assert recorder.times(loading.id, JobFinished)[0] < asked + in_time(AT_ONCE)
    assert not recorder.events(loading.id, JudgeLoaded), "the job should have been cancelled before the model loaded"

    recorder.driver.submit(after)
    (end,) = recorder.wait(after.id, seconds=LOADED)
    assert isinstance(end, JobFinished) and not end.cancelled
    assert recorder.events(after.id, JudgeLoaded)
    assert recorder.rows(after.id) == [0]


def test_a_real_job_can_be_paused_resumed_and_cancelled(recorder, demo_job):
    job = demo_job(120)
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch, 2, seconds=LOADED)

    recorder.driver.pause()
    asked = time.monotonic()
    recorder.listen(1.0)
    assert not recorder.events(job.id, JobFinished), "too few pairs to see a pause"
    assert recorder.times(job.id, ScoreBatch)[-1] < asked + in_time(AT_ONCE)

    recorder.driver.resume()
    recorder.wait(job.id, ScoreBatch, len(recorder.events(job.id, ScoreBatch)) + 1)

    pid = worker_pid()
    recorder.driver.cancel(job.id)
    asked = time.monotonic()
    (end,) = recorder.wait(job.id)
    assert end.cancelled
    assert recorder.times(job.id, JobFinished)[0] < asked + in_time(AT_ONCE)
    assert worker_pid() == pid, "the loaded model is kept"
    assert len(recorder.rows(job.id)) < 120


def test_interrupted_batches_give_the_same_scores(recorder, demo_job):
    calm, disturbed = demo_job(3), demo_job(3)
    recorder.driver.submit(calm)
    recorder.wait(calm.id, seconds=LOADED)
    recorder.driver.submit(disturbed)
    for _ in range(3):
        recorder.driver.pause()
        recorder.listen(0.05)
        recorder.driver.resume()
        recorder.listen(0.15)
    recorder.wait(disturbed.id, seconds=LOADED)
    assert recorder.rows(disturbed.id) == list(range(3))
    assert scores(recorder, disturbed) == pytest.approx(scores(recorder, calm), abs=1e-4)


def scores(recorder: EventRecorder, job: Job) -> dict[int, float]:
    batches = recorder.events(job.id, ScoreBatch)
    return {row: value for b in batches for row, value in zip(b.rows.tolist(), b.values["pluie.direct"], strict=True)}


@pytest.mark.parametrize("paused", [False, True])
def test_a_typed_pair_is_scored_during_a_corpus(recorder, demo_job, paused):
    job, typed = demo_job(120), demo_job(1, urgent=True)
    recorder.driver.submit(job)
    recorder.wait(job.id, ScoreBatch, 2, seconds=LOADED)
    if paused:
        recorder.driver.pause()
        recorder.listen(0.2)
    before = len(recorder.events(job.id, ScoreBatch))
    recorder.driver.submit(typed)
    recorder.wait(typed.id)
    assert len(recorder.events(job.id, ScoreBatch)) <= before + 1, "the current batch is interrupted"
    (batch,) = recorder.events(typed.id, ScoreBatch)
    assert batch.evidence[0].top
    assert not recorder.events(job.id, JobFinished)
    recorder.driver.cancel(job.id)
    recorder.wait(job.id)
