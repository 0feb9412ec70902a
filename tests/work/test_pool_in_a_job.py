"""A job whose metric runs in several processes: the same scores and events, and no process is left."""

from __future__ import annotations

import time

import numpy as np
import pytest
from listening import scoring_job

from parapluie_gui.metrics import catalogue
from parapluie_gui.work import process_pool, score_pairs
from parapluie_gui.work.events import JobFinished, ScoreBatch
from parapluie_gui.work.gate import JobCancelled, WorkGate
from parapluie_gui.work.runner import JobRunner

SOURCES = [f"the cat {number} sat on the mat" for number in range(500)]
HYPOTHESES = [f"the cat {number % 7} sat on a mat" for number in range(500)]


@pytest.fixture
def processes(monkeypatch) -> list:
    """Make every metric use processes from the first pair on; return the processes."""
    started: list = []

    class Waiting(process_pool.ProcessPool):
        def __init__(self, metric: str) -> None:
            super().__init__(metric, count=2)
            started.extend(child.process for child in self._children)

        def ready(self) -> bool:
            while not super().ready():
                time.sleep(0.01)
            return True

    monkeypatch.setattr(process_pool, "is_worthwhile", lambda metric, pairs: pairs > 0)
    monkeypatch.setattr(score_pairs, "ProcessPool", Waiting)
    monkeypatch.setattr(score_pairs, "CHUNK", 60)
    return started


class Turnstile(WorkGate):
    """A gate that lets a number of batches pass, then ends the job."""

    def __init__(self, batches: int) -> None:
        self.batches = batches

    def guard(self, work):
        self.check()
        self.batches -= 1
        return work()

    def check(self):
        if self.batches <= 0:
            raise JobCancelled


def test_scores_come_from_the_processes(processes, tmp_path):
    events: list = []
    JobRunner(events.append).run(
        scoring_job(SOURCES, HYPOTHESES, metrics=("sacrebleu",), stores=(tmp_path / "s.sqlite",))
    )
    scores = np.full(len(SOURCES), np.nan)
    for batch in (event for event in events if isinstance(event, ScoreBatch)):
        scores[batch.rows] = batch.values["sacrebleu"]
    np.testing.assert_array_equal(scores, catalogue.metric("sacrebleu").score(SOURCES, HYPOTHESES))
    assert isinstance(events[-1], JobFinished) and not events[-1].cancelled
    assert len(processes) == 2 and all(process.poll() is not None for process in processes)

    again: list = []
    JobRunner(again.append).run(
        scoring_job(SOURCES, HYPOTHESES, metrics=("sacrebleu",), stores=(tmp_path / "s.sqlite",), id=2)
    )
    assert len(processes) == 2  # all scores are stored, so no process is started


def test_a_cancelled_job_leaves_no_process(processes):
    events: list = []
    JobRunner(events.append, Turnstile(4)).run(scoring_job(SOURCES, HYPOTHESES, metrics=("sacrebleu",)))
    assert isinstance(events[-1], JobFinished) and events[-1].cancelled
    assert 0 < sum(len(event.rows) for event in events if isinstance(event, ScoreBatch)) < len(SOURCES)
    assert all(process.poll() is not None for process in processes)
