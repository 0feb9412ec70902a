"""Paraphrases in the Bench, with the real worker and a tiny model: written, scored as they arrive, used."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import fake_workers
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from tiny import save_model

from parapluie_gui.features.writing.panel import ParaphrasesPanel
from parapluie_gui.pairs import Corpus
from parapluie_gui.pluie.writing import WrittenParaphrase
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.window.finding import find_commands
from parapluie_gui.work import worker
from parapluie_gui.work.events import CandidatesWritten, JobFinished, ScoreBatch

SHORT = 'name = "SHORT"\nmax_new_tokens = 6\n[[turn]]\nrole = "user"\ntext = "Reword: {source}"\n'
idle = pytest.mark.parametrize("window", [fake_workers.light], indirect=True, ids=["nothing is written"])
#: A busy computer starts a worker slowly.
WAIT = 180_000
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> list[Path]:
    folder = tmp_path_factory.mktemp("models")
    return [save_model(folder / name) for name in ("one", "two")]


@pytest.fixture
def window(request, open_window, home, models):
    own = home / "templates" / "paraphrase"
    own.mkdir(parents=True)
    (own / "short.toml").write_text(SHORT)
    window = open_window(getattr(request, "param", worker.main))
    window.setup.judge.restore({"model": str(models[0]), "device": "cpu", "precision": "float32"})
    window.setup.restore({"templates": {"DIRECT": True, "FS-DIRECT": False}})
    return window


def begin(window, qtbot, source="A cat sleeps on the mat.", count=3):
    panel = window.features["writing"].panel
    window.tabs.show_bench()
    window.bench.fields.source.setPlainText(source)
    window.features["writing"].button.setChecked(True)
    panel.template.setCurrentText("SHORT")
    panel.count.setValue(count)
    qtbot.mouseClick(panel.write_button, LEFT)
    return panel


def cells(panel) -> list[list[str]]:
    rows, columns = panel.list.rowCount(), panel.list.columnCount()
    return [[panel.list.item(row, column).text() for column in range(columns)] for row in range(rows)]


def test_candidates_arrive_are_scored_and_can_be_used(window, qtbot, models):
    """One window for everything that needs a worker, which is slow to start."""
    candidates_come_are_scored_and_taken(window, qtbot)
    stop_ends_it_at_once_and_keeps_the_list(window, qtbot)
    another_judge_scores_when_all_is_written(window, qtbot, models)


def on_scores(window, act):
    """Call `act` with every batch of scores that arrives."""
    window.driver.received.connect(lambda event: act(event) if isinstance(event, ScoreBatch) else None)


def candidates_come_are_scored_and_taken(window, qtbot):
    panel = begin(window, qtbot)
    assert panel.stop_button.isEnabled() and not panel.write_button.isEnabled() and panel.stop_button.hasFocus()
    done = []
    on_scores(window, lambda batch: done.append(len(panel.candidates)))
    qtbot.waitUntil(lambda: len(cells(panel)) == 3 and "…" not in chain(*cells(panel)), timeout=WAIT)
    assert min(done) < 3, "the first was scored before the last was written"
    assert [candidate.number for candidate in panel.candidates] == [1, 2, 3]
    headers = [panel.list.horizontalHeaderItem(at).text() for at in range(panel.list.columnCount())]
    assert headers[:2] == ["Candidate", "DIRECT · one"] and "Edit distance" in headers
    qtbot.waitUntil(lambda: panel.write_button.isEnabled())
    before = len(window.bench.history)
    panel.list.setCurrentCell(1, 0)
    qtbot.mouseClick(panel.take_button, LEFT)
    newest = window.bench.history[-1]
    assert (newest.source, newest.hypothesis) == ("A cat sleeps on the mat.", panel.candidates[1].text)
    assert {"pluie.direct", "edit_distance"} <= set(newest.values) and "pluie.direct" in newest.evidence
    assert window.bench.fields.texts() == (newest.source, newest.hypothesis)
    qtbot.mouseClick(panel.all_button, LEFT)
    assert len(window.bench.history) == before + 4
    with qtbot.waitSignal(window.state.corpora.corpora_changed, timeout=10_000):
        qtbot.mouseClick(panel.corpus_button, LEFT)
    corpus = window.workspace.corpus
    assert list(corpus.hypothesis) == [candidate.text for candidate in panel.candidates]
    assert corpus.extra["system"].cell(0).endswith("one SHORT")
    assert "|seed:0|tokens:6|" in str(corpus.extra["written_with"].cell(0))


def stop_ends_it_at_once_and_keeps_the_list(window, qtbot):
    panel = begin(window, qtbot, count=50)
    writers, ends, stopped = [], [], []

    def hear(event):
        if isinstance(event, CandidatesWritten):
            writers.append(event.job)
        elif isinstance(event, JobFinished):
            if stopped:
                ends.append(event)
            # The next candidate has just been requested: a nearly finished one may be completed before the stop.
            elif len(writers) >= 2 and event.job == writers[-1]:
                stopped.append(True)
                qtbot.mouseClick(panel.stop_button, LEFT)

    window.driver.received.connect(hear)
    qtbot.waitUntil(lambda: bool(stopped), timeout=WAIT)
    assert panel.write_button.isEnabled() and not panel.stop_button.isEnabled()
    written = len(panel.candidates)
    assert 2 <= written < 50
    qtbot.waitUntil(lambda: any(end.cancelled for end in ends), timeout=WAIT)  # scores may arrive after it
    assert len(panel.candidates) == written
    assert not panel.hint.isVisible()


def another_judge_scores_when_all_is_written(window, qtbot, models):
    window.features["writing"].panel.model.addItem("two", str(models[1]))
    window.features["writing"].panel.model.setCurrentIndex(window.features["writing"].panel.model.count() - 1)
    order, earlier = [], window.context.client._last  # scores of the previous list may still arrive

    def note(batch):
        if batch.job > earlier:
            order.append((next(iter(batch.values)), len(panel.candidates)))

    on_scores(window, note)
    panel = begin(window, qtbot, count=2)
    qtbot.waitUntil(lambda: len(order) >= 6, timeout=WAIT)
    judged = [written for column, written in order if column == "pluie.direct"]
    assert judged == [2, 2]
    assert ("edit_distance", 1) in order


@idle
def test_missing_requirements_are_reported(window, qtbot):
    panel = begin(window, qtbot, source="")
    assert panel.hint.text() == "Write a source sentence first."
    window.bench.fields.source.setPlainText("A cat.")
    panel.temperature.setValue(0)
    qtbot.mouseClick(panel.write_button, LEFT)
    assert "At temperature 0" in panel.hint.text() and not panel.candidates
    panel.set_models([], "")
    assert panel.get_button.isVisible() and not panel.write_button.isVisible() and not panel.seed.isVisible()
    qtbot.mouseClick(panel.get_button, LEFT)
    assert window.setup.judge.model.isVisible(), "the models that can be downloaded"
    panel.set_models([("writer", "Writer")], "")
    assert panel.write_button.isVisible() and not panel.get_button.isVisible()


def test_generation_settings_are_remembered(qtbot):
    panel, other = ParaphrasesPanel(), ParaphrasesPanel()
    for each in (panel, other):
        qtbot.addWidget(each)
    panel.top_p.setValue(0.5)
    panel.count.setValue(3)
    other.restore({**panel.settings(), "seed": -7, "temperature": "hot"})
    assert other.sampling() == panel.sampling() and other.count.value() == 3


@idle
def test_a_failure_gives_one_sentence(window, qtbot, tmp_path):
    panel = window.features["writing"].panel
    panel.model.addItem("gone", str(tmp_path / "gone"))
    panel.model.setCurrentIndex(panel.model.count() - 1)
    begin(window, qtbot)
    qtbot.waitUntil(lambda: panel.hint.isVisible(), timeout=WAIT)
    assert "gone" in panel.hint.text() and panel.write_button.isEnabled()


@idle
def test_control_pairs_are_added_from_the_menu(window, qtbot):
    window.actions_by_name["papers.add_controls"].trigger()
    assert "Open a corpus first" in window.banner.text
    window.workspace.show(Corpus("mine", ["1", "2"], ["The cat sat.", "A dog ran."], ["x", "y"]), ScoreTable(2))
    with qtbot.waitSignal(window.state.corpora.corpora_changed, timeout=10_000):
        window.actions_by_name["papers.add_controls"].trigger()
    assert window.workspace.corpus.name == "mine with controls" and len(window.workspace.corpus) == 8
    window.filter.set_filter('control == "unigram salad"')
    qtbot.waitUntil(lambda: window.workspace.selection.mask.sum() == 2)


@idle
def test_the_shown_pair_is_paraphrased_by_its_key(window):
    window.workspace.show(Corpus("c", ["1"], ["The cat sat on the mat."], ["x"]), ScoreTable(1))
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_B, modifiers)
    assert window.tabs.currentWidget() is window.bench
    assert window.features["writing"].panel.isVisible()
    assert window.bench.fields.texts() == ("The cat sat on the mat.", "")


@idle
def test_the_palette_lists_the_button_and_shows_the_panel(window):
    panel = window.features["writing"].panel
    (write,) = (
        command for command in find_commands(window.finder.commands(), "write paraphrases") if command.kind == "Bench"
    )
    write.act()
    assert window.tabs.currentWidget() is window.bench and panel.isVisible()
    assert panel.hint.text() == "Write a source sentence first.", "it was pressed"


@idle
def test_tab_goes_from_the_fields_buttons_through_the_panel(window):
    part, fields = window.features["writing"], window.bench.fields
    window.tabs.show_bench()
    part.button.setChecked(True)
    assert fields.clear_button.nextInFocusChain() is part.button
    part.panel.write_button.setFocus()
    QTest.keyClick(part.panel.write_button, Qt.Key.Key_Backtab)
    assert part.panel.seed.hasFocus()


@idle
def test_repeated_and_empty_candidates_are_marked(window):
    panel = window.features["writing"].panel
    window.tabs.show_bench()
    window.bench.begin_pair("A cat.")
    window.bench.show_panel(panel.write_button)
    panel.begin("A cat.")
    for number, text in enumerate(["A dog.", "a dog.", "", "A CAT."], start=1):
        panel.add(WrittenParaphrase(number, text, number == 1))
    assert [row[0] for row in cells(panel)] == [
        "A dog.  · cut off at the token limit",
        "a dog.  · repeats candidate 1",
        "(empty)",
        "A CAT.  · same as the source",
    ]
    panel.list.setCurrentCell(2, 0)
    assert not panel.take_button.isEnabled() and panel.all_button.isEnabled()
