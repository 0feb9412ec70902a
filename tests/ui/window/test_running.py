"""The window while the corpus is being scored: points as soon as there are some, and nothing outdated."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.scoring import IDLE, RUNNING
from parapluie_gui.work.events import JobProgress

PAIRS = Corpus("six", list("abcdef"), ["A cat."] * 6, ["One cat."] * 6, label=np.array([1, 0] * 3, dtype=np.int8))
EVERY = np.arange(6)


@pytest.fixture
def window(open_window, monkeypatch):
    """A window whose runs start and compute nothing."""
    window = open_window()
    monkeypatch.setattr(window.scoring, "start", lambda *_: None)
    window.workspace.show(PAIRS)
    return window


def test_a_score_with_points_is_plotted_until_the_judge_on_the_axis_has_scores(window):
    workspace = window.workspace
    judged = next(iter(window.setup.plan.judge_scores(window.workspace.table)))
    workspace.set_axes(y=judged)
    window.run()
    shown = []
    for column in ("edit_distance", "bleu", judged):
        workspace.put(EVERY, {column: np.linspace(0, 1, 6)})
        shown.append(workspace.y)
    assert shown == ["length", "bleu", judged]
    window.run()
    assert workspace.y == judged, "a score with points stays on the axis"


def test_a_file_of_scores_without_the_score_on_x_has_points_at_once(window):
    workspace = window.workspace
    rows, pairs = np.arange(2), Corpus("two", ["1", "2"], ["A cat.", "A dog."], ["One cat.", "One dog."])

    def show() -> None:
        scored = ScoreTable(2)
        scored.put(rows, {"bleu": np.array([0.2, 0.4]), "pluie.cloze": np.ones(2)})
        workspace.show(pairs, scored)

    show()
    assert (workspace.x, workspace.y) == ("bleu", "pluie.cloze") and len(window.scatter.cloud) == 2
    workspace.put(rows, {"edit_distance": np.ones(2)})
    assert workspace.x == "edit_distance", "the earlier score on x returns once it has values"
    show()
    assert workspace.x == "bleu"
    workspace.set_axes(x="length")
    workspace.put(rows, {"edit_distance": np.ones(2)})
    assert workspace.x == "length", "the user's choice is kept"


def test_an_empty_plot_names_the_score_being_computed_and_nothing_outdated(window):
    window.scatter.set_state(RUNNING)
    window.scoring.staged.emit("Loading all-minilm-l6-v2 …")
    assert window.scatter.canvas.message.text() == "Loading all-minilm-l6-v2 …"
    window.scoring.progressed.emit(JobProgress(0, 2, 12, 10.0, 1.0, "sbert", column_done=2, pairs=6))
    assert window.scatter.canvas.message.text().startswith("Scoring ")
    window.scatter.set_state(IDLE)
