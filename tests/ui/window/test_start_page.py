"""Without a corpus the window shows a start page instead of empty views, and scores a pair typed there."""

from __future__ import annotations

import csv
import shutil
from dataclasses import replace

import fake_workers
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest

from parapluie_gui import places
from parapluie_gui.models.sources import RemoteModel
from parapluie_gui.ui.pair.caution import JudgeCaution
from parapluie_gui.ui.state.preferences import UserPreferences
from parapluie_gui.ui.widgets.drop_area import DropArea
from parapluie_gui.ui.window import language_model


@pytest.fixture
def window(open_window):
    return opened(open_window)


def opened(open_window):
    window = open_window(fake_workers.light)
    window.resize(1440, 900)
    return window


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "my & pairs.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("source", "hypothesis", "label"), ("a cat", "one cat", 1), ("a cat", "a dog", 0)])
    return path


def wait_for_corpus(window, qtbot):
    qtbot.waitUntil(lambda: window.workspace.corpus is not None, timeout=10_000)


def test_an_opened_file_is_remembered_at_once(window, pairs, qtbot):
    """A program that is killed saves nothing at its end."""
    window.files.open_paths([pairs])
    wait_for_corpus(window, qtbot)
    assert UserPreferences().values.texts("recent") == [str(pairs)]
    assert UserPreferences().values.place("version") == 1


def test_the_start_page_replaces_the_empty_views_until_a_corpus_is_open(window, qtbot):
    start, docks = window.tabs.start, window.docks
    assert start.isVisible() and not window.scatter.isVisible()
    assert window.tabs.tabText(0) == "Start"
    assert docks.setup.isHidden() and docks.pair.isHidden() and docks.pairs.isHidden(), "one thing at a time"

    trial, button = start.trial, start.open_button
    assert trial.mapTo(start, trial.rect().topLeft()).x() > button.mapTo(start, button.rect().topRight()).x()
    window.resize(640, 700)
    qtbot.waitUntil(lambda: trial.mapTo(start, trial.rect().topLeft()).y() > button.mapTo(start, button.pos()).y())
    assert start.width() <= 700, "one column where the window is too narrow for two"
    window.resize(1440, 900)

    qtbot.mouseClick(start.demo_button, Qt.MouseButton.LeftButton)
    wait_for_corpus(window, qtbot)
    assert window.scatter.isVisible() and not start.isVisible()
    assert window.tabs.tabText(0) == "Scatter"
    assert docks.setup.isVisible() and docks.pair.isVisible() and docks.pairs.isVisible()
    window.files.remove_corpus()
    assert start.isVisible() and docks.pairs.isHidden()


def test_panels_closed_by_the_user_stay_closed_and_the_rest_are_remembered(window, open_window, qtbot, pairs):
    window.files.open_paths([pairs])
    wait_for_corpus(window, qtbot)
    window.docks.pair.hide()
    window.files.remove_corpus()
    window.close()
    later = opened(open_window)
    later.files.open_paths([pairs])
    wait_for_corpus(later, qtbot)
    assert later.docks.pair.isHidden() and later.docks.pairs.isVisible()


def test_files_dropped_on_the_page_are_listed_while_they_exist_and_open_at_a_click(window, qtbot, pairs):
    start = window.tabs.start
    assert start.recent == []
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(pairs))])
    moment = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    start.findChild(DropArea).dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, *moment))
    wait_for_corpus(window, qtbot)
    assert window.workspace.corpus.path == pairs
    window.files.remove_corpus()
    (choice,) = start.recent
    assert choice.text().startswith("my && pairs.csv") and choice.accessibleName() == "Open my & pairs.csv"
    qtbot.mouseClick(choice, Qt.MouseButton.LeftButton)
    wait_for_corpus(window, qtbot)
    assert len(window.workspace.corpus) == 2
    window.files.remove_corpus()
    pairs.unlink()
    window.parts.starting.follow()
    assert start.recent == []


def test_a_recent_file_is_opened_after_its_button_has_handled_the_click(window, qtbot, pairs):
    """Listing the files again deletes the buttons, which must not happen to the button being clicked."""
    start = window.tabs.start
    start.set_recent([str(pairs)])
    (choice,) = start.recent
    start.set_recent([str(pairs)])
    assert start.recent == [choice], "the same files have the same buttons"
    qtbot.mouseClick(choice, Qt.MouseButton.LeftButton)
    assert window.workspace.corpus is None and not window.state.queue.busy
    wait_for_corpus(window, qtbot)


def test_a_typed_pair_is_scored_by_the_pocket_judge_on_the_start_page(window, qtbot):
    trial = window.tabs.start.trial
    QTest.keyClicks(trial.source, "The dog bit the man.")
    QTest.keyClick(trial.source, Qt.Key.Key_Return)
    assert trial.trouble.full_text == "Write a hypothesis first."
    QTest.keyClicks(trial.hypothesis, "The dog bit the man.")
    QTest.keyClick(trial.hypothesis, Qt.Key.Key_Return)
    assert trial.source.textCursor().selectedText() == trial.texts()[0], "the next pair is typed over this one"
    qtbot.waitUntil(lambda: bool(trial.score.text()), timeout=60_000)
    assert trial.score.text().startswith("+") and trial.score.text().endswith("  paraphrase")
    assert trial.answer.full_text.startswith("Pocket judge: p(yes) 0.")
    assert trial.caution.sentence.full_text.startswith(
        "From the pocket judge: a small model trained on labelled pairs, not a"
    )
    (entry,) = window.bench.history
    assert (entry.source, entry.models) == ("The dog bit the man.", {"pluie.cloze": "pocket"})
    assert trial.score.text().startswith(f"+{entry.values['pluie.cloze']:.2f}"), "it is in the Bench's history"
    QTest.keyClicks(trial.hypothesis, " It was big.")
    assert trial.score.text() == "" and not trial.score.isVisible() and not trial.caution.isVisible()

    asked = []
    trial.score_requested.disconnect()
    trial.score_requested.connect(lambda *request: asked.append(request))
    trial.source.setPlainText("a cat")
    trial.hypothesis.setPlainText("one cat")
    trial.ask()
    trial.hypothesis.setPlainText("a dog")
    trial.show_score(asked[0][0], 2.5, None, "Pocket judge")
    trial.show_trouble(asked[0][0], "It failed.")
    assert trial.score.text() == "" and trial.trouble.full_text == "", "the result of a pair that was replaced"
    qtbot.mouseClick(trial.bench_button, Qt.MouseButton.LeftButton)
    assert window.bench.isVisible()


def test_the_chosen_judge_answers_and_only_the_pocket_judge_needs_a_caution(window, qtbot, tmp_path):
    setup, trial = window.setup, window.tabs.start.trial
    twin = tmp_path / "twin"
    shutil.copytree(places.pocket(), twin)
    setup.judge.set_model(str(twin))
    trial.source.setPlainText("The dog bit the man.")
    trial.hypothesis.setPlainText("The man was bitten by the dog.")
    trial.ask()
    qtbot.waitUntil(lambda: bool(trial.score.text()), timeout=60_000)
    assert trial.answer.full_text.startswith("twin: p(yes)") and not trial.caution.isVisible()


def test_a_language_model_is_offered_in_setup(window, qtbot):
    trial = window.tabs.start.trial
    trial.show_score(trial._request, 2.5, None, "Pocket judge", "pocket")
    assert trial.caution.isVisible()
    links = [caution.link for caution in window.findChildren(JudgeCaution)]
    assert len(links) == 3 and {link.text() for link in links} == {"Ask a language model (1.1 GB)…"}
    qtbot.mouseClick(trial.caution.link, Qt.MouseButton.LeftButton)
    assert window.setup.judge.name == "qwen-1.5b" and window.setup.sections["judge"].heading.isChecked()
    assert window.setup.judge.get_button.isVisible(), "nothing is downloaded before it is pressed"
    asked = []
    trial.score_requested.disconnect()
    trial.score_requested.connect(lambda _, *pair: asked.append(pair))
    trial.source.setPlainText("a cat")
    trial.hypothesis.setPlainText("a dog")
    trial.show_score(trial._request, 2.5, None, "Pocket judge", "pocket")
    assert not asked
    window.setup.judge.set_models([replace(choice, ready=True) for choice in window.setup.judge.choices])
    assert asked == [("a cat", "a dog")], "the download is over"
    assert {link.text() for link in links} == {"Ask a language model"}


def test_an_installed_language_model_answers_at_once(window, qtbot, tmp_path, monkeypatch):
    twin, trial = tmp_path / "twin", window.tabs.start.trial
    shutil.copytree(places.pocket(), twin)
    monkeypatch.setattr(language_model, "OFFERED", str(twin))
    trial.source.setPlainText("The dog bit the man.")
    trial.hypothesis.setPlainText("The man was bitten by the dog.")
    trial.show_score(trial._request, 2.5, None, "Pocket judge", "pocket")
    qtbot.mouseClick(trial.caution.link, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: trial.answer.full_text.startswith("twin: p(yes)"), timeout=60_000)


def test_the_place_of_scoring_is_correct_for_the_chosen_judge(window, monkeypatch):
    start = window.tabs.start
    assert start.place.full_text == "Everything is computed on this computer."
    start.set_place("api.example.org")
    assert start.place.full_text == "Sentences that the chosen judge scores are sent to api.example.org."
    here = RemoteModel("http://localhost:1", "a", "a", "localhost:1", "")
    assert here.is_here and replace(here, host="[::1]:80").is_here and not replace(here, host="10.0.0.7:1").is_here
