"""The column `type` in the window: computed only on request, chunk by chunk, then filtered by and exported."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from unittest.mock import MagicMock

import numpy as np
import pytest
from no_worker import NoWorker

from parapluie_gui.judgements.columns import CorpusJudgements
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.metrics.changes.corrections import COLUMN, SCHEME
from parapluie_gui.metrics.changes.kinds import ChangeKinds
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.state import kind_search, kinds
from parapluie_gui.ui.state.client import WorkerClient
from parapluie_gui.ui.state.kind_search import KindSearch
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.table.filter_bar import FilterBar
from parapluie_gui.ui.table.model import PairsModel
from parapluie_gui.ui.window.exporting import ExportController
from parapluie_gui.work.events import JobFailed, JobFinished, ScoreBatch
from parapluie_gui.work.scoring_plan import ScoringPlan

SOURCES = ["He paid 3 euros.", "The answer is correct.", "Nothing changes."]
HYPOTHESES = ["He paid 4 euros.", "The answer is not correct.", "Nothing changes."]


class Worker(NoWorker):
    """Classifies at once when triggered."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = 0

    @property
    def asked(self) -> int:
        return len(self.jobs)

    def answer(self) -> None:
        job = self.jobs[self.answered]
        self.answered += 1
        assert job.urgent and job.request.plan == ScoringPlan(("change_kinds",))
        pairs = job.request.pairs
        numbers = ChangeKinds().score(pairs.sources, pairs.hypotheses)
        self.say(ScoreBatch(job.id, np.arange(len(pairs)), {"change_kinds": numbers}, True), JobFinished(job.id))


@pytest.fixture
def workspace(qapp, monkeypatch) -> CorpusWorkspace:
    monkeypatch.setattr(kinds, "TELL_MS", 1)
    monkeypatch.setattr(kind_search, "PART", 2)
    workspace = CorpusWorkspace()
    workspace.show(Corpus("c", ["a", "b", "c"], SOURCES, HYPOTHESES))
    return workspace


@pytest.fixture
def worker(workspace) -> Worker:
    worker = Worker()
    worker.finding = KindSearch(workspace, WorkerClient(worker, workspace), workspace)
    return worker


def shown(model: PairsModel) -> list[str]:
    return [model.text(int(row), model.columns[model.column_at("type")]) for row in model.rows]


def test_nothing_is_classified_before_the_column_is_viewed(workspace, worker, qtbot):
    model = PairsModel(workspace)
    assert model.columns[model.column_at("type")].hidden
    qtbot.wait(30)
    assert not worker.asked
    assert shown(model) == ["", "", ""]
    qtbot.waitUntil(lambda: worker.asked == 1)


def test_the_column_fills_chunk_by_chunk(workspace, worker, qtbot):
    model = PairsModel(workspace)
    said: list[str] = []
    worker.finding.working.connect(said.append)
    shown(model)
    qtbot.waitUntil(lambda: worker.asked == 1)
    with qtbot.waitSignal(workspace.scores_changed):
        worker.answer()
    assert shown(model) == ["number", "negation", ""]
    assert worker.asked == 2
    worker.answer()
    assert worker.answered == worker.asked == 2
    assert said[-1] == "" and "3 pairs" in said[0]


def test_a_filter_on_the_column_selects_pairs_as_they_are_classified(workspace, worker, qtbot):
    bar = FilterBar(workspace)
    qtbot.addWidget(bar)
    bar.set_filter('type has "negation"')
    assert not bar.error
    qtbot.waitUntil(lambda: worker.asked == 1)
    with qtbot.waitSignal(workspace.selection.set_changed):
        worker.answer()
    assert workspace.selection.mask.tolist() == [False, True, False]


def test_switching_the_corpus_cancels_the_work(workspace, worker, qtbot):
    workspace.kinds.texts()
    qtbot.waitUntil(lambda: worker.asked == 1)
    workspace.show(Corpus("d", ["a"], ["x"], ["y"]))
    assert worker.cancelled == [1]
    worker.answer()  # the chunk in progress
    assert np.isnan(workspace.kinds.numbers).all()


def test_a_failure_is_reported_in_one_sentence(workspace, worker, qtbot):
    workspace.kinds.texts()
    qtbot.waitUntil(lambda: worker.asked == 1)
    with qtbot.waitSignal(worker.finding.failed) as said:
        worker.say(JobFailed(worker.jobs[-1].id, "The disk is full."))
    assert "The disk is full. Open the corpus again" in said.args[0]


@pytest.mark.parametrize("asked", [False, True])
def test_an_export_has_the_column_once_it_was_requested(workspace, worker, qtbot, tmp_path, asked):
    sentences: list[str] = []
    context = MagicMock(window=None, workspace=workspace)
    context.banner.tell_written = context.banner.complain = lambda text, *path: sentences.append(text)
    exporter = ExportController(context)
    if asked:
        workspace.kinds.texts()
        qtbot.waitUntil(lambda: worker.asked == 1)
        worker.answer()  # the last pair is left to the export
    with qtbot.waitSignal(exporter.written):
        exporter.write_table(tmp_path / "out.csv", None)
    exporter.close()
    assert len(sentences) == 1 and "out.csv" in sentences[0]
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        result = [row.get("type") for row in csv.DictReader(file)]
    assert result == (["number", "negation", ""] if asked else [None] * 3)


def test_user_corrections_count_before_and_after_classification(workspace, worker, qtbot):
    corpus = workspace.corpus

    def say(*answers: str) -> None:
        time = datetime.now(UTC)
        records = [Judgement(row, "Ann", SCHEME, COLUMN, text, time) for row, text in enumerate(answers) if text]
        workspace.set_judgements(CorpusJudgements.from_records(corpus, records, ()))

    say("1. 3 → 4: unit")
    assert workspace.kinds.corrected and not workspace.kinds.asked
    assert "type_corrected" in workspace.people and not workspace.judgements.recorded, (
        "a column, and no question of an annotation scheme"
    )
    bar = FilterBar(workspace)
    qtbot.addWidget(bar)
    bar.set_filter('type has "unit"')
    assert workspace.selection.mask.tolist() == [True, False, False]
    qtbot.waitUntil(lambda: worker.asked == 1)
    worker.answer()
    assert workspace.kinds.texts().tolist()[0] == "unit", "the classifier does not overwrite it"
    say("")
    assert workspace.kinds.texts().tolist()[0] == "number" and not workspace.kinds.corrected
    assert workspace.selection.mask.tolist() == [False] * 3
