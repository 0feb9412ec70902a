"""The window's client of the worker: each request has a number and a handle, which its final event closes."""

from __future__ import annotations

import numpy as np
import pytest
from no_worker import NoWorker

from parapluie_gui import places
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.state.client import WorkerClient
from parapluie_gui.ui.state.scoring import CorpusScoring
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.work.events import ColumnStarted, JobFailed, JobFinished, JudgeLoaded, ScoreBatch, StageChanged
from parapluie_gui.work.request import PairTexts
from parapluie_gui.work.scoring_plan import JudgeTemplates, ScoringPlan

CORPUS = Corpus("four", list("1234"), list("abcd"), list("ABCD"))
PLAN = ScoringPlan(("bleu",))
BLEU = Signature.from_fields("bleu", {"name": "bleu"})


@pytest.fixture
def worker(qapp) -> NoWorker:
    return NoWorker()


@pytest.fixture
def client(worker) -> WorkerClient:
    return WorkerClient(worker)


def test_each_handle_receives_only_its_own_events(worker, client):
    stages: list[list[str]] = [[], []]
    for heard in stages:
        handle = client.score(CORPUS, PLAN, urgent=heard is stages[0])
        handle.staged.connect(lambda event, heard=heard: heard.append(event.text))
    first, second = worker.jobs
    assert first.id != second.id and (first.urgent, second.urgent) == (True, False)
    assert first.request.pairs == PairTexts.from_corpus(CORPUS) and first.request.stores == (places.score_cache(),)
    worker.say(StageChanged(second.id, "two"), StageChanged(first.id, "one"), JobFinished(first.id))
    worker.say(StageChanged(first.id, "after the end"), StageChanged(first.id + 100, "of nobody"))
    assert stages == [["one"], ["two"]]


def test_window_wide_events_arrive_even_after_give_up(worker, client, qtbot):
    client.score(CORPUS, PLAN).give_up()
    assert worker.cancelled == [worker.jobs[0].id]
    with qtbot.waitSignal(client.judged) as judged:
        worker.say(JudgeLoaded(worker.jobs[0].id, "tiny: 1 M", ("Weak.",)))
    assert judged.args == ["tiny: 1 M", ("Weak.",)]
    client.score(CORPUS, PLAN, urgent=True)
    with qtbot.waitSignal(client.judged) as judged:
        worker.say(JudgeLoaded(worker.jobs[1].id, "pocket: 2 M", ("Weak.",)))
    assert judged.args == ["", ("Weak.",)], "Setup shows which judge scored the corpus"
    with qtbot.waitSignal(client.unexpected_error) as unforeseen:
        worker.say(JobFailed(worker.jobs[0].id, "Scoring failed.", "Traceback"))
    assert unforeseen.args == ["Scoring failed.", "Traceback"]
    with qtbot.waitSignal(client.hanging):
        worker.silent.emit(True)


def test_a_plan_without_templates_needs_no_judge(worker, client):
    client.score(CORPUS, ScoringPlan(("bleu",), (JudgeTemplates(JudgeSettings("pocket"), ()),)))
    assert worker.requests[0].wanted_judge() is None


@pytest.fixture
def workspace(qapp) -> CorpusWorkspace:
    workspace = CorpusWorkspace()
    workspace.show(CORPUS)
    return workspace


@pytest.fixture
def scoring(workspace, client) -> CorpusScoring:
    return CorpusScoring(workspace, client)


def test_selected_rows_of_the_corpus_are_scored_and_the_rest_keep_their_scores(scoring, workspace, worker):
    workspace.declare("bleu", BLEU)
    workspace.put(np.array([0]), {"bleu": np.array([0.125])})
    ends = []
    scoring.ended.connect(lambda *end: ends.append(end))
    scoring.start(CORPUS, PLAN, (places.score_cache(),), np.array([1, 3]))
    (job,) = worker.jobs
    assert job.request.pairs.sources == ("b", "d") and not job.urgent and scoring.state == "loading"
    worker.say(
        ColumnStarted(job.id, "bleu", BLEU), ScoreBatch(job.id, np.array([1, 0]), {"bleu": np.array([0.75, 0.5])})
    )
    worker.say(JobFinished(job.id, seconds=2.0))
    np.testing.assert_array_equal(workspace.table["bleu"], [0.125, 0.5, np.nan, 0.75])
    assert ends == [(False, 2.0)] and scoring.state == "idle"
