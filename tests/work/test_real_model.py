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
def ear(driver: WorkerDriver, qtbot) -> Iterator[EventRecorder]:
    ear = EventRecorder(driver, qtbot)
    yield ear
    # Cancel jobs that a failed test left running.
    for job in {event.job for _, event in ear.heard}:
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


def test_a_job_is_cancelled_while_the_model_loads(ear, demo_job):
    """The first test, since the model is not loaded yet."""
    loading, after = demo_job(1), demo_job(1)
    ear.driver.submit(loading)
    ear.wait(loading.id, StageChanged, seconds=LOADED)
    asked = time.monotonic()
    ear.driver.cancel(loading.id)
    (end,) = ear.wait(loading.id)
    assert end.cancelled
    assert ear.times(loading.id, JobFinished)[0] < asked + in_time(AT_ONCE)
    assert not ear.events(loading.id, JudgeLoaded), "the job should have been cancelled before the model loaded"

    ear.driver.submit(after)
    (end,) = ear.wait(after.id, seconds=LOADED)
    assert isinstance(end, JobFinished) and not end.cancelled
    assert ear.events(after.id, JudgeLoaded)
    assert ear.rows(after.id) == [0]


def test_a_real_job_can_be_paused_resumed_and_cancelled(ear, demo_job):
    job = demo_job(120)
    ear.driver.submit(job)
    ear.wait(job.id, ScoreBatch, 2, seconds=LOADED)

    ear.driver.pause()
    asked = time.monotonic()
    ear.listen(1.0)
    assert not ear.events(job.id, JobFinished), "too few pairs to see a pause"
    assert ear.times(job.id, ScoreBatch)[-1] < asked + in_time(AT_ONCE)

    ear.driver.resume()
    ear.wait(job.id, ScoreBatch, len(ear.events(job.id, ScoreBatch)) + 1)

    pid = worker_pid()
    ear.driver.cancel(job.id)
    asked = time.monotonic()
    (end,) = ear.wait(job.id)
    assert end.cancelled
    assert ear.times(job.id, JobFinished)[0] < asked + in_time(AT_ONCE)
    assert worker_pid() == pid, "the loaded model is kept"
    assert len(ear.rows(job.id)) < 120


def test_interrupted_batches_give_the_same_scores(ear, demo_job):
    calm, disturbed = demo_job(3), demo_job(3)
    ear.driver.submit(calm)
    ear.wait(calm.id, seconds=LOADED)
    ear.driver.submit(disturbed)
    for _ in range(3):
        ear.driver.pause()
        ear.listen(0.05)
        ear.driver.resume()
        ear.listen(0.15)
    ear.wait(disturbed.id, seconds=LOADED)
    assert ear.rows(disturbed.id) == list(range(3))
    assert scores(ear, disturbed) == pytest.approx(scores(ear, calm), abs=1e-4)


def scores(ear: EventRecorder, job: Job) -> dict[int, float]:
    batches = ear.events(job.id, ScoreBatch)
    return {row: value for b in batches for row, value in zip(b.rows.tolist(), b.values["pluie.direct"], strict=True)}


@pytest.mark.parametrize("paused", [False, True])
def test_a_typed_pair_is_scored_during_a_corpus(ear, demo_job, paused):
    job, typed = demo_job(120), demo_job(1, urgent=True)
    ear.driver.submit(job)
    ear.wait(job.id, ScoreBatch, 2, seconds=LOADED)
    if paused:
        ear.driver.pause()
        ear.listen(0.2)
    before = len(ear.events(job.id, ScoreBatch))
    ear.driver.submit(typed)
    ear.wait(typed.id)
    assert len(ear.events(job.id, ScoreBatch)) <= before + 1, "the current batch is interrupted"
    (batch,) = ear.events(typed.id, ScoreBatch)
    assert batch.evidence[0].top
    assert not ear.events(job.id, JobFinished)
    ear.driver.cancel(job.id)
    ear.wait(job.id)
