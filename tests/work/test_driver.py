"""The driver and real worker processes: events, pause, cancel, urgent jobs, crashes, nothing left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import fake_workers
import numpy as np
import pytest
from listening import make_job, worker_pid

from parapluie_gui.metrics import catalogue
from parapluie_gui.scores.signature import pair_key
from parapluie_gui.scores.store import ScoreStore
from parapluie_gui.work.driver import Driver
from parapluie_gui.work.job import Batch, ColumnStarted, Event, Failed, Finished, JudgeSettings, Progress, Ready

#: What design.md promises for pause, resume and cancel.
AT_ONCE = 0.3


def ended(ear, job, seconds=30):
    (end,) = ear.wait(job.id, seconds=seconds)
    ear.listen(0.05)
    assert len(ear.events(job.id, (Finished, Failed))) == 1
    assert ear.events(job.id)[-1] is end, "something came after the end"
    return end


def test_events_come_in_order(drive):
    ear = drive(fake_workers.main)
    job = make_job(3000, metrics=("edit_distance", "length"))
    ear.driver.submit(job)
    assert ended(ear, job) == Finished(job.id, seconds=ear.events(job.id)[-1].seconds)
    columns = [event.column for event in ear.events(job.id, ColumnStarted)]
    assert columns == ["edit_distance", "length"]
    assert isinstance(ear.events(job.id)[0], ColumnStarted)
    expected = {
        "edit_distance": catalogue.metric("edit_distance").score(job.sources, job.hypotheses),
        "length": np.array([len(text) for text in job.sources]),
    }
    for name in columns:
        values = np.full(len(job), np.nan)
        for batch in ear.events(job.id, Batch):
            if name in batch.values:
                values[batch.rows] = batch.values[name]
        np.testing.assert_array_equal(values, expected[name])
    done = [event.done for event in ear.events(job.id, Progress)]
    assert done == sorted(done)
    assert done[-1] == 6000
    assert not ear.events(0, Ready), "Ready is between worker and driver"


def test_jobs_share_the_process_and_come_one_after_the_other(drive):
    ear = drive(fake_workers.main)
    ear.driver.warm()
    first, second = make_job(20, metrics=("slow",)), make_job(5)
    ear.driver.submit(first)
    ear.driver.submit(second)
    ear.wait(first.id, Batch)
    pid = worker_pid()
    ended(ear, second)
    assert ear.times(first.id)[-1] <= ear.times(second.id)[0]
    assert worker_pid() == pid


def test_no_pairs(drive):
    ear = drive(fake_workers.main)
    job = make_job(0)
    ear.driver.submit(job)
    assert not ended(ear, job).cancelled


def test_200_000_pairs_fit_through_the_pipe(drive):
    ear = drive(fake_workers.main)
    job = make_job(200_000)
    ear.driver.submit(job)
    assert isinstance(ended(ear, job, seconds=60), Finished)
    assert ear.rows(job.id) == list(range(200_000))


# Pause and cancel


def test_pause_and_resume(drive):
    ear = drive(fake_workers.main)
    job = make_job(100, metrics=("slow",))
    ear.driver.submit(job)
    ear.wait(job.id, Batch, 2)
    ear.driver.pause()
    asked = time.monotonic()
    ear.listen(0.8)
    assert ear.times(job.id, Batch)[-1] < asked + AT_ONCE
    ear.driver.resume()
    asked = time.monotonic()
    ear.wait(job.id, Batch, len(ear.events(job.id, Batch)) + 1)
    assert ear.times(job.id, Batch)[-1] < asked + AT_ONCE
    ended(ear, job)
    assert ear.rows(job.id) == list(range(100))


def test_pause_before_the_worker_is_there(drive):
    ear = drive(fake_workers.main)
    job = make_job()
    ear.driver.submit(job)
    ear.driver.pause()
    ear.listen(1.0)
    assert not ear.events(job.id, Batch)
    ear.driver.resume()
    assert not ended(ear, job).cancelled


def test_cancel_in_the_middle(drive, tmp_path):
    ear = drive(fake_workers.main)
    job = make_job(500, metrics=("slow",), stores=(tmp_path / "scores.sqlite",))
    ear.driver.submit(job)
    ear.wait(job.id, Batch, 3)
    pid = worker_pid()
    asked = time.monotonic()
    ear.driver.cancel(job.id)
    assert ended(ear, job).cancelled
    assert ear.times(job.id, Finished)[0] < asked + AT_ONCE
    assert worker_pid() == pid, "a worker that ends its job is not killed"
    with ScoreStore(tmp_path / "scores.sqlite") as store:
        keys = [pair_key(*pair) for pair in zip(job.sources, job.hypotheses, strict=True)]
        signature = ear.events(job.id, ColumnStarted)[0].signature
        assert np.flatnonzero(store.known(signature, keys).known).tolist() == ear.rows(job.id)


def test_cancel_where_the_worker_does_not_look(drive):
    ear = drive(fake_workers.main)
    job, after = make_job(metrics=("deaf",)), make_job()
    ear.driver.submit(job)
    ear.driver.submit(after)
    ear.wait(job.id, ColumnStarted)
    ear.listen(0.1)
    pid = worker_pid()
    asked = time.monotonic()
    ear.driver.cancel(job.id)
    assert ended(ear, job).cancelled
    assert ear.times(job.id, Finished)[0] < asked + AT_ONCE
    assert not ended(ear, after).cancelled
    assert worker_pid() != pid


def test_impatient_cancelling_does_not_delay_the_end(drive):
    ear = drive(fake_workers.main)
    job = make_job(metrics=("deaf",))
    ear.driver.submit(job)
    ear.wait(job.id, ColumnStarted)
    asked = time.monotonic()
    while not ear.events(job.id, Finished) and time.monotonic() < asked + 2:
        ear.driver.cancel(job.id)
        ear.listen(0.02)
    assert ear.times(job.id, Finished)[0] < asked + AT_ONCE


def test_cancel_ends_one_job_only(drive):
    ear = drive(fake_workers.main)
    running, waiting, last = make_job(60, metrics=("slow",)), make_job(), make_job()
    for job in (running, waiting, last):
        ear.driver.submit(job)
    ear.wait(running.id, Batch)
    asked = time.monotonic()
    ear.driver.cancel(waiting.id)
    assert ended(ear, waiting).cancelled
    assert ear.times(waiting.id, Finished)[0] < asked + AT_ONCE
    assert not ended(ear, running).cancelled
    assert not ended(ear, last).cancelled


def test_cancel_while_the_worker_starts(drive):
    ear = drive(fake_workers.never_ready)
    job = make_job(200_000)  # more than the pipe holds: sent, it would block the driver
    ear.driver.submit(job)
    ear.listen(0.3)
    asked = time.monotonic()
    ear.driver.cancel(job.id)
    assert ended(ear, job).cancelled
    assert ear.times(job.id, Finished)[0] < asked + AT_ONCE


def test_cancel_of_a_paused_job_ends_the_pause(drive):
    ear = drive(fake_workers.main)
    job, after = make_job(500, metrics=("slow",)), make_job()
    ear.driver.submit(job)
    ear.wait(job.id, Batch)
    ear.driver.pause()
    ear.listen(0.2)
    ear.driver.cancel(job.id)
    assert ended(ear, job).cancelled
    ear.driver.submit(after)
    assert not ended(ear, after).cancelled


def test_cancel_of_what_is_over_or_unknown_does_nothing(drive):
    ear = drive(fake_workers.main)
    job, after = make_job(), make_job()
    ear.driver.submit(job)
    ended(ear, job)
    ear.driver.cancel(job.id)
    ear.driver.cancel(after.id)
    ear.driver.submit(after)
    assert not ended(ear, after).cancelled


# Urgent jobs


@pytest.mark.parametrize("paused", [False, True])
def test_urgent_job_beside_another(drive, paused):
    ear = drive(fake_workers.main)
    job, urgent = make_job(200, metrics=("slow",)), make_job(1, urgent=True)
    ear.driver.submit(job)
    ear.wait(job.id, Batch, 2)
    if paused:
        ear.driver.pause()
        ear.listen(0.2)
    before = len(ear.events(job.id, Batch))
    asked = time.monotonic()
    ear.driver.submit(urgent)
    assert isinstance(ended(ear, urgent), Finished)
    assert ear.times(urgent.id, Finished)[0] < asked + 0.5
    assert not ear.events(job.id, Finished)
    if paused:
        ear.listen(0.2)
        assert len(ear.events(job.id, Batch)) == before, "the pause goes on"
        ear.driver.resume()
    ended(ear, job)
    assert ear.rows(job.id) == list(range(200))


def test_failing_urgent_job_leaves_the_other_be(drive):
    ear = drive(fake_workers.main)
    job, urgent = make_job(100, metrics=("slow",)), make_job(1, metrics=("broken",), urgent=True)
    ear.driver.submit(job)
    ear.wait(job.id, Batch)
    ear.driver.submit(urgent)
    assert isinstance(ended(ear, urgent), Failed)
    ear.driver.pause()
    asked = time.monotonic()
    ear.listen(0.6)
    assert ear.times(job.id, Batch)[-1] < asked + AT_ONCE, "the job still listens to a pause"
    ear.driver.resume()
    assert not ended(ear, job).cancelled


def test_urgent_job_goes_before_waiting_ones(drive):
    ear = drive(fake_workers.main)
    first, waiting, urgent = make_job(1, metrics=("lasting",)), make_job(), make_job(1, urgent=True)
    for job in (first, waiting, urgent):
        ear.driver.submit(job)
    ended(ear, waiting)
    assert ear.times(urgent.id, Finished)[0] < ear.times(waiting.id)[0]


def test_urgent_job_with_another_model_waits(drive):
    ear = drive(fake_workers.main)
    job = make_job(50, metrics=("slow",), judge=JudgeSettings("one"))
    urgent = make_job(1, judge=JudgeSettings("another"), urgent=True)
    ear.driver.submit(job)
    ear.wait(job.id, Batch)
    ear.driver.submit(urgent)
    ended(ear, urgent)
    assert ear.times(urgent.id)[0] >= ear.times(job.id, Finished)[0]


def test_urgent_job_survives_the_cancel_of_another(drive):
    ear = drive(fake_workers.main)
    job, urgent = make_job(metrics=("deaf",)), make_job(1, urgent=True)
    ear.driver.submit(job)
    ear.wait(job.id, ColumnStarted)
    ear.driver.submit(urgent)
    ear.listen(0.05)
    ear.driver.cancel(job.id)
    assert ended(ear, job).cancelled
    end = ended(ear, urgent)
    assert isinstance(end, Finished) and not end.cancelled


def test_pause_does_not_concern_an_urgent_job_alone(drive):
    ear = drive(fake_workers.main)
    ear.driver.pause()
    urgent = make_job(1, urgent=True)
    ear.driver.submit(urgent)
    assert not ended(ear, urgent).cancelled


# Failures


def test_exception_is_a_sentence_and_the_worker_lives_on(drive):
    ear = drive(fake_workers.main)
    job, after = make_job(metrics=("broken", "edit_distance")), make_job()
    ear.driver.submit(job)
    end = ended(ear, job)
    assert end.text == "Scoring failed: no such word."
    assert "ValueError" in end.detail
    assert ear.rows(job.id) == list(range(10)), "the other metric is computed all the same"
    pid = worker_pid()
    ear.driver.submit(after)
    assert isinstance(ended(ear, after), Finished)
    assert worker_pid() == pid


def test_unknown_metric(drive):
    ear = drive(fake_workers.main)
    job = make_job(metrics=("rouge-9000",))
    ear.driver.submit(job)
    assert ended(ear, job).text.startswith('There is no metric "rouge-9000"')


def test_lost_graphics_card_takes_a_new_process(drive):
    ear = drive(fake_workers.main)
    job, after = make_job(metrics=("cuda",)), make_job()
    ear.driver.submit(job)
    ear.wait(job.id, ColumnStarted)
    assert ended(ear, job).text == "Scoring failed: CUDA error: device-side assert triggered."
    ear.driver.submit(after)
    assert isinstance(ended(ear, after), Finished)


@pytest.mark.parametrize(
    ("metric", "text"),
    [
        ("killed", "was killed, most likely because the computer's memory ran out"),
        ("segfault", "crashed (segmentation fault)"),
    ],
)
def test_crash_is_a_sentence(drive, metric, text):
    ear = drive(fake_workers.main)
    job, after = make_job(metrics=(metric,)), make_job()
    ear.driver.submit(job)
    end = ended(ear, job)
    assert end.text == f"The scoring process {text}. What was scored is kept; press Run to go on."
    ear.driver.submit(after)
    assert isinstance(ended(ear, after), Finished)


def test_killed_worker_loses_nothing_that_was_scored(drive, tmp_path):
    ear = drive(fake_workers.main)
    store = tmp_path / "scores.sqlite"
    job = make_job(100, metrics=("slow",), stores=(store,))
    ear.driver.submit(job)
    ear.wait(job.id, Batch, 4)
    os.kill(worker_pid(), signal.SIGKILL)
    assert isinstance(ended(ear, job), Failed)
    scored = set(ear.rows(job.id))
    assert 0 < len(scored) < 100

    again = make_job(100, metrics=("slow",), stores=(store,))
    ear.driver.submit(again)
    assert isinstance(ended(ear, again), Finished)
    first, *rest = ear.events(again.id, Batch)
    known = set(first.rows.tolist())
    # The one batch that was kept but not yet told of may come on top.
    assert not first.fresh and known >= scored
    assert all(batch.fresh and not known & set(batch.rows.tolist()) for batch in rest)
    assert ear.rows(again.id) == list(range(100))


def test_worker_that_cannot_start(drive):
    ear = drive(fake_workers.broken_at_once)
    for job in (make_job(), make_job()):
        ear.driver.submit(job)
        assert "ended unexpectedly (exit status 3)" in ended(ear, job).text


def test_process_that_the_system_refuses(drive, monkeypatch):
    def refuse(self):
        raise OSError(11, "Resource temporarily unavailable")

    ear = drive(fake_workers.main)
    with monkeypatch.context() as patch:
        patch.setattr(multiprocessing.get_context("spawn").Process, "start", refuse)
        job = make_job()
        ear.driver.submit(job)
        assert "cannot be started" in ended(ear, job).text
    after = make_job()
    ear.driver.submit(after)
    assert isinstance(ended(ear, after), Finished)


# The end


@pytest.mark.parametrize("metric", ["slow", "deaf"])
def test_close_in_the_middle_of_a_job(drive, metric):
    ear = drive(fake_workers.main)
    job = make_job(100, metrics=(metric,))
    ear.driver.submit(job)
    ear.wait(job.id, ColumnStarted)
    started = time.monotonic()
    ear.driver.close()
    assert time.monotonic() < started + 1
    assert not multiprocessing.active_children()
    assert ear.driver.isFinished()


def test_close_twice_and_orders_afterwards(drive):
    ear = drive(fake_workers.main)
    ear.driver.close()
    ear.driver.close()
    for order in (ear.driver.warm, ear.driver.pause, ear.driver.resume, lambda: ear.driver.cancel(1)):
        order()
    ear.driver.submit(make_job())
    assert not multiprocessing.active_children()


def test_driver_that_never_started(qapp, no_leaks):
    driver = Driver(target=fake_workers.main)
    driver.warm()
    driver.close()


PARENT = """
import sys
sys.path.insert(0, {folder!r})
from PySide6.QtCore import QCoreApplication
import fake_workers
from listening import make_job, worker_pid
from parapluie_gui.work.driver import Driver
from parapluie_gui.work.job import Batch, ColumnStarted

if __name__ == "__main__":
    app = QCoreApplication([])
    driver = Driver(target=fake_workers.main)
    driver.start()
    driver.said.connect(lambda event: isinstance(event, ColumnStarted) and print(worker_pid(), flush=True))
    driver.submit(make_job(1000, metrics=({metric!r},)))
    app.exec()
"""


@pytest.mark.parametrize("metric", ["slow", "deaf"])
def test_worker_ends_with_its_parent(tmp_path, metric):
    script = tmp_path / "parent.py"
    script.write_text(PARENT.format(folder=str(Path(__file__).parent), metric=metric))
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
        deadline = time.monotonic() + 2
        while alive(pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not alive(pid)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    # In a container nobody may collect what an orphan leaves.
    return not (state.is_file() and state.read_text().rpartition(")")[2].split()[0] == "Z")


def test_events_cross_the_process_as_they_are():
    """What is sent is plain data: equal after the journey."""
    import pickle

    for event in (Event(1), Ready(), Failed(2, "why", "trace"), Finished(3, True, 1.5)):
        assert pickle.loads(pickle.dumps(event)) == event
