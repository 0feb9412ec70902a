"""The driver and real worker processes: the events sent, and that nothing is left running."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import fake_workers
import numpy as np
import pytest
from listening import make_job, replace_fields, wait_for_end, worker_pid
from waiting import in_time

from parapluie_gui.metrics import catalogue
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.work.events import ColumnStarted, JobFinished, JobProgress, ScoreBatch, WorkerReady
from parapluie_gui.work.worker_process import PART


def test_events_arrive_in_order(drive):
    recorder = drive(fake_workers.main)
    job = make_job(3000, metrics=("edit_distance", "length"))
    recorder.driver.submit(job)
    assert wait_for_end(recorder, job) == JobFinished(job.id, seconds=recorder.events(job.id)[-1].seconds)
    columns = [event.column for event in recorder.events(job.id, ColumnStarted)]
    assert columns == ["edit_distance", "length"]
    assert isinstance(recorder.events(job.id)[0], ColumnStarted)
    pairs = job.request.pairs
    expected = {
        "edit_distance": catalogue.metric("edit_distance").score(pairs.sources, pairs.hypotheses),
        "length": np.array([len(text) for text in pairs.sources]),
    }
    for name in columns:
        values = np.full(len(pairs.sources), np.nan)
        for batch in recorder.events(job.id, ScoreBatch):
            if name in batch.values:
                values[batch.rows] = batch.values[name]
        np.testing.assert_array_equal(values, expected[name])
    done = [event.done for event in recorder.events(job.id, JobProgress)]
    assert done == sorted(done)
    assert done[-1] == 6000
    assert not recorder.events(0, WorkerReady), "WorkerReady is internal to worker and driver"


def test_jobs_share_the_process_and_run_one_after_another(drive):
    recorder = drive(fake_workers.main)
    recorder.driver.warm()
    first, second = make_job(20, metrics=("slow",)), make_job(5)
    recorder.driver.submit(first)
    recorder.driver.submit(second)
    recorder.wait(first.id, ScoreBatch)
    pid = worker_pid()
    wait_for_end(recorder, second)
    assert recorder.times(first.id)[-1] <= recorder.times(second.id)[0]
    assert worker_pid() == pid


def test_a_job_without_pairs_ends(drive):
    recorder = drive(fake_workers.main)
    job = make_job(0)
    recorder.driver.submit(job)
    assert not wait_for_end(recorder, job).cancelled


def test_200_000_pairs_fit_through_the_pipe(drive):
    recorder = drive(fake_workers.main)
    job = make_job(200_000)
    recorder.driver.submit(job)
    assert isinstance(wait_for_end(recorder, job, seconds=60), JobFinished)
    assert recorder.rows(job.id) == list(range(200_000))


def test_a_large_job_arrives_complete_and_in_order(drive):
    recorder = drive(fake_workers.main)
    count = 2 * PART + 7
    job = replace_fields(
        make_job(count, metrics=("length",)),
        sources=tuple("x" * (row % 50) for row in range(count)),
        references=tuple(None if row % 2 else "r" for row in range(count)),
    )
    recorder.driver.submit(job)
    assert not wait_for_end(recorder, job).cancelled
    values = np.full(count, np.nan)
    for batch in recorder.events(job.id, ScoreBatch):
        values[batch.rows] = batch.values["length"]
    np.testing.assert_array_equal(values, np.arange(count) % 50)


def test_a_job_is_cancelled_while_it_is_being_sent(drive):
    recorder = drive(fake_workers.main)
    first, large, last = make_job(1, metrics=("length",)), make_job(600_000, metrics=("length",)), make_job(3)
    recorder.driver.submit(first)
    wait_for_end(recorder, first)
    pid = worker_pid()
    recorder.driver.submit(large)
    recorder.driver.cancel(large.id)
    recorder.driver.submit(last)
    assert wait_for_end(recorder, large).cancelled
    assert not wait_for_end(recorder, last).cancelled
    assert not recorder.events(large.id, ScoreBatch)
    assert worker_pid() == pid, "cancelling does not require killing the worker"


# The end


@pytest.mark.parametrize("metric", ["slow", "deaf"])
def test_the_driver_closes_in_the_middle_of_a_job(drive, metric):
    recorder = drive(fake_workers.main)
    job = make_job(100, metrics=(metric,))
    recorder.driver.submit(job)
    recorder.wait(job.id, ColumnStarted)
    started = time.monotonic()
    recorder.driver.close()
    assert time.monotonic() < started + in_time(1)
    assert not multiprocessing.active_children()
    assert recorder.driver.isFinished()


def test_closing_twice_and_orders_after_closing_are_harmless(drive):
    recorder = drive(fake_workers.main)
    recorder.driver.close()
    recorder.driver.close()
    for order in (
        recorder.driver.warm,
        recorder.driver.pause,
        recorder.driver.resume,
        lambda: recorder.driver.cancel(1),
    ):
        order()
    recorder.driver.submit(make_job())
    assert not multiprocessing.active_children()


def test_a_driver_that_never_started_closes(qapp):
    driver = WorkerDriver(target=fake_workers.main)
    driver.warm()
    driver.close()
    assert not driver.isRunning() and not multiprocessing.active_children()


PARENT = """
import sys
sys.path.insert(0, {folder!r})
from PySide6.QtCore import QCoreApplication
import fake_workers
from listening import make_job, replace_fields, wait_for_end, worker_pid
from waiting import in_time
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.work.events import ColumnStarted

if __name__ == "__main__":
    app = QCoreApplication([])
    driver = WorkerDriver(target=fake_workers.main)
    driver.start()
    driver.received.connect(lambda event: isinstance(event, ColumnStarted) and print(worker_pid(), flush=True))
    driver.submit(make_job(1000, metrics=({metric!r},)))
    app.exec()
"""


@pytest.mark.parametrize("metric", ["slow", "deaf"])
def test_the_worker_ends_with_its_parent(tmp_path, metric):
    script = tmp_path / "parent.py"
    script.write_text(PARENT.format(folder=str(Path(__file__).parents[2] / "helpers"), metric=metric))
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
        while alive(pid):  # pytest's timeout ends a hang
            time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    # In a container there may be no process that reaps orphans.
    return not (state.is_file() and state.read_text().rpartition(")")[2].split()[0] == "Z")
