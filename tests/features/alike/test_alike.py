"""Pairs and errors similar to the current pair: a selection, the most similar first, with similarity as a column."""

from __future__ import annotations

import numpy as np
import pytest
from no_worker import NoWorker

from parapluie_gui.analysis.columns import ColumnMaterial, arrange_columns, columns_of
from parapluie_gui.features.alike import alike as module
from parapluie_gui.features.alike.alike import SimilarPairs
from parapluie_gui.features.alike.columns import BROUGHT, LIKENESS
from parapluie_gui.features.alike.request import PairsCompared
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.client import WorkerClient
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.table.view import PairsTable
from parapluie_gui.work.events import JobFailed, JobFinished, JobProgress

VALUES = np.array([0.2, 1.0, 0.1, 0.9, -0.5, 0.3])


class Worker(NoWorker):
    """Compares the pairs when triggered."""

    def answer(self) -> None:
        number = self.jobs[-1].id
        self.say(
            JobProgress(number, 3, 6, 1.0, None, "pair_vectors"), PairsCompared(number, VALUES), JobFinished(number)
        )


@pytest.fixture
def workspace(qapp) -> CorpusWorkspace:
    workspace = CorpusWorkspace()
    scores = ScoreTable(6)
    scores.put(np.arange(6), {"pluie.direct": np.array([1.0, 1.0, 1.0, -1.0, 1.0, -1.0])})
    labels = np.array([0, 0, 1, 1, 0, 0], dtype=np.int8)  # FP, FP, TP, FN, FP, TN
    workspace.show(Corpus("c", list("abcdef"), list("uvwxyz"), list("UVWXYZ"), label=labels), scores)
    return workspace


@pytest.fixture
def worker(workspace) -> Worker:
    worker = Worker()
    worker.alike = SimilarPairs(workspace, WorkerClient(worker, workspace), workspace)
    worker.said, worker.troubles = [], []
    worker.alike.working.connect(worker.said.append)
    worker.alike.failed.connect(worker.troubles.append)
    return worker


@pytest.fixture
def table(workspace, worker, qtbot) -> PairsTable:
    table = PairsTable(workspace)
    qtbot.addWidget(table)
    worker.alike.selected.connect(lambda: table.show_highest(LIKENESS))
    return table


def test_the_most_similar_pairs_are_selected_and_sorted_by_similarity(workspace, worker, table, monkeypatch):
    monkeypatch.setattr(module, "NEAREST", 3)
    workspace.selection.set_primary(1)
    worker.alike.find_pairs()
    assert worker.requests[0].row == 1
    worker.answer()
    assert workspace.selection.rule.name == "Like b" and workspace.selection.order.tolist() == [1, 3, 5, 0]
    column = table.pairs.columns[table.pairs.column_at(LIKENESS)]
    assert [table.pairs.text(row, column) for row in (1, 3, 5, 0)] == ["1.00", "0.90", "0.30", "0.20"]
    assert workspace.selection.primary == 1
    assert "3 of 6" in worker.said[1] and worker.said[-1] == ""
    workspace.selection.set_rule(None)
    assert table.pairs.column_at(LIKENESS) < 0 and workspace.selection.order.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("row", "found"), [(1, [1, 0, 4]), (3, [3]), (2, [3, 0, 1, 2, 4])])
def test_errors_of_the_pairs_kind_or_of_both_kinds_are_compared(workspace, worker, table, row, found):
    workspace.selection.set_primary(row)
    worker.alike.find_errors()
    if found == [3]:  # the only false negative
        assert worker.troubles and not worker.jobs
        return
    worker.answer()
    assert sorted(workspace.selection.order.tolist()) == sorted(found)
    assert workspace.selection.rule.name.startswith("Errors like")


def test_impossible_requests_are_reported(workspace, worker):
    worker.alike.find_pairs()
    assert "Choose a pair" in worker.troubles[-1]
    workspace.selection.set_primary(0)
    worker.alike.find_pairs()
    worker.say(JobFailed(1, "The files are damaged."))
    assert "The files are damaged." in worker.troubles[-1] and worker.said[-1] == ""


def test_a_change_of_corpus_cancels_the_comparison(workspace, worker):
    workspace.selection.set_primary(0)
    worker.alike.find_pairs()
    workspace.show(Corpus("d", ["a"], ["x"], ["y"]))
    assert worker.cancelled == [1]
    worker.answer()  # the comparison in progress
    assert workspace.corpus_material(BROUGHT) is None and workspace.selection.rule is None


def test_the_similarity_column_precedes_the_sentences():
    corpus = Corpus("c", list("ab"), list("uv"), list("UV"))
    columns = columns_of(ColumnMaterial(corpus, ScoreTable(2), feature_material={BROUGHT: np.array([1.0, 0.5])}))
    shown = [column.key for column in arrange_columns(columns)]
    assert [name for name in shown if name in ("id", LIKENESS, "source")] == [LIKENESS, "source", "id"]
    assert not columns[LIKENESS].filters and columns[LIKENESS].values().tolist() == [1.0, 0.5]


def test_the_actions_of_the_window_select_similar_pairs(open_window):
    window = open_window()
    window.workspace.show(Corpus("one", ["a"], ["x"], ["y"]))
    window.workspace.selection.set_primary(0)
    window.actions_by_name["alike.find_pairs"].trigger()
    assert "There are no other pairs" in window.banner.text
