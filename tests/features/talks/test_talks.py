"""A talk: built by dragging and by keys, stored in the session, rehearsed, and presented from stored scores."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import two_judges
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from parapluie_gui import places
from parapluie_gui.features.explain.explanation import ExplanationPlan
from parapluie_gui.features.talks import presentation
from parapluie_gui.features.talks.show import SlideshowPair
from parapluie_gui.features.talks.staged import stage_talk
from parapluie_gui.features.talks.talk import Talk, TalkPair, parse_talk
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.store import ScoreStore

JUDGED = Signature.from_fields("pluie.cloze", {"name": "pluie", "model": "pocket", "template": "CLOZE"})
OTHER = Signature.from_fields("pluie.cloze", {"name": "pluie", "model": "elsewhere", "template": "CLOZE"})
BLEU = Signature.from_fields("bleu", {"name": "bleu"})
PAIRS = [("Shares rose.", "Shares fell."), ("A cat.", "One cat."), ("It rains.", "It rained.")]
CORPUS = Corpus("three", list("abc"), [pair[0] for pair in PAIRS], [pair[1] for pair in PAIRS])


def part(window):
    return window.features["talks"]


@pytest.fixture
def window(open_window):
    window = open_window(size=(1200, 800))
    window.workspace.show(CORPUS)
    part(window).open()
    return window


def drop(view, data, place):
    at = view.visualItemRect(view.item(place)).center() if view.count() else QPoint(5, 5)
    actions, left, no = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    view.dropEvent(QDropEvent(QPointF(at), actions, data, left, no))


def keep(pair, score, signature=JUDGED, *, words=False):
    """Store a score of a pair and, on request, the scores of its variants."""
    with ScoreStore(places.score_cache()) as store:
        plan = ExplanationPlan(*pair)
        texts = plan.variants if words else [pair[1]]
        values = [score if text == pair[1] else 3.0 for text in texts]
        store.put(signature, [pair_key(pair[0], text) for text in texts], values)


def rehearsed(window, qtbot):
    part(window).view.rehearse_button.click()
    qtbot.waitUntil(lambda: part(window)._reading is None)
    return part(window).view.findings.full_text


def test_a_talk_is_built_stored_rehearsed_and_presented(window, open_window, qtbot):
    talks = part(window).view
    table = window.table
    table.selectRow(0)
    drop(talks.list, table.pairs.mimeData(table.selectedIndexes()), 0)
    table.selectRow(1)
    window.actions_by_name["talks.add"].trigger()
    window.bench.open_copy(*PAIRS[2])
    history = window.bench.past.list
    drop(talks.list, history.model().mimeData([history.model().index(0, 0)]), 0)
    assert [pair.source for pair in part(window).state.talk.pairs] == ["It rains.", "Shares rose.", "A cat."]
    assert "Pairs in the talk: 2 (1 new)" in window.banner.text

    talks.list.setCurrentRow(1)
    talks.note.setPlainText("Wait for it.")
    talks.expected.choose("paraphrase")
    talks.ticks["guess"].setChecked(False)
    talks.list.setCurrentRow(0)
    talks.list.item(0).setSelected(True)
    QTest.keyClick(talks.list, Qt.Key.Key_Delete)
    steps = ("sentences", "judge", "baselines", "words")
    made = (TalkPair(*PAIRS[0], steps, "Wait for it.", True), TalkPair(*PAIRS[1]))
    assert part(window).state.talk == Talk("", made)
    window.close()
    again = open_window(size=(1200, 800))
    assert part(again).state.talk == Talk("", made), "it is stored in the session"

    part(again).open()
    part(again).state.set_talk(Talk("Night", made, "pocket", "CLOZE", ("bleu",)))
    assert rehearsed(again, qtbot).splitlines() == [
        f"Pair {number}: not scored yet: the judge, BLEU, which words decided." for number in (1, 2)
    ]
    assert part(again).view.score_button.isVisibleTo(part(again).view)
    keep(PAIRS[0], -5.0, words=True)
    keep(PAIRS[0], 9.0, OTHER)
    keep(PAIRS[1], 2.0, words=True)
    for pair in PAIRS:
        keep(pair, 0.5, BLEU)
    assert rehearsed(again, qtbot) == ("Pair 1: “paraphrase” is expected. Pocket judge: “not a paraphrase” (−5.00)."), (
        "from the judge that the talk names"
    )
    part(again).state.arrange([TalkPair(*PAIRS[0], steps, "Wait for it.", False), *part(again).state.talk.pairs[1:]])
    assert rehearsed(again, qtbot).startswith("Nothing is missing")

    clock = [0.0]
    part(again).presentation.now = lambda: clock[0]
    part(again).view.stage_button.click()
    qtbot.waitUntil(lambda: part(again).presentation.is_open)
    stage = part(again).presentation.stage
    assert stage.page.accessibleName() == "Night", "the title comes first"
    QTest.keyClick(stage, Qt.Key.Key_PageDown)
    clock[0] = 67.0
    for _ in range(3):
        QTest.keyClick(stage, Qt.Key.Key_PageDown)
    assert stage.slideshow.step == "words" and "rose → fell: −8.00" in stage.page.accessibleDescription()
    QTest.keyClick(stage, Qt.Key.Key_PageDown)
    assert stage.page.accessibleName().startswith("A cat.")
    clock[0] = 80.0
    QTest.keyClick(stage, Qt.Key.Key_F11)
    assert part(again).view.findings.full_text == "The talk took 1:20 (pair 1: 1:07, 2: 0:13)."


def test_missing_scores_are_shown_when_a_talk_is_opened(window, qtbot, tmp_path):
    """Regression: a speaker who did not rehearse showed an audience "no score yet"."""
    talks = part(window)
    file = tmp_path / "two.talk.toml"
    file.write_text(Talk("Two", (TalkPair(*PAIRS[0]), TalkPair(*PAIRS[1])), "pocket", "CLOZE").toml(), encoding="utf-8")
    talks.read(file)
    qtbot.waitUntil(lambda: talks.view.findings.full_text.startswith("Pair 1: not scored yet"))
    assert talks.view.score_button.isVisibleTo(talks.view)
    talks.view.close()
    talks.view.show_message("")
    talks.open()
    qtbot.waitUntil(lambda: talks.view.findings.full_text.startswith("Pair 1: not scored yet"))


def test_a_rehearsal_reports_what_scoring_cannot_supply(window, qtbot):
    pair = TalkPair("ذهب الطالب.", "الطالب ذهب.", ("sentences", "baselines"))
    rouge = Signature.from_fields("rougeL", {"name": "rougeL"})
    part(window).state.set_talk(Talk("", (pair,), "pocket", "cloze", ("rougeL",)))
    for score, signature in ((1.0, JUDGED), (float("nan"), rouge)):
        keep((pair.source, pair.hypothesis), score, signature)
    assert rehearsed(window, qtbot) == "Pair 1: ROUGE-L has no score: no ASCII letters to compare."
    assert not part(window).view.score_button.isVisibleTo(part(window).view)
    part(window).state.set_talk(Talk("", (pair,), "pocket", "CLOSE", ("rougeM",)))
    said = rehearsed(window, qtbot).splitlines()
    assert said[0].startswith("There is no template CLOSE") and said[1].startswith('There is no metric "rougeM"')
    part(window).view.score_button.click()
    assert part(window).view.findings.full_text == said[0], "nothing is scored with a missing template"
    part(window).state.set_talk(Talk("", (TalkPair(pair.source, pair.hypothesis, ("sentences",)),)))
    assert rehearsed(window, qtbot) == "Nothing is missing. 1 pair, 1 step.", "no verdict was expected"
    assert part(window).view.list.item(0).text().startswith("1.  \u200e\u2068ذهب"), "its full stop stays at its end"


def test_stored_scores_are_read_while_new_scores_are_being_written(home):
    keep(PAIRS[0], -5.0)
    writer = sqlite3.connect(places.score_cache(), isolation_level=None, check_same_thread=False)
    writer.execute("BEGIN EXCLUSIVE")
    end = threading.Timer(0.5, lambda: writer.execute("ROLLBACK"))
    end.start()
    staged = stage_talk(Talk("", (TalkPair(*PAIRS[0]),)), "pocket", "CLOZE", (places.score_cache(),))
    end.join()
    writer.close()
    assert staged.judge == "pluie.cloze" and staged.table["pluie.cloze"].tolist() == [-5.0]


def test_edits_of_a_talk_can_be_undone(window, qtbot):
    state, view, words = part(window).state, part(window).view, window.actions_by_name["state.history.undo"].text
    steps = []
    for act, said in (
        (lambda: state.add(PAIRS), "3 pairs added to the talk"),
        (lambda: state.arrange(state.talk.pairs[::-1]), "order of the talk"),
        (lambda: view.ticks["guess"].click(), "steps of pair 1 of the talk"),
        (lambda: view.note.setPlainText("Slow"), "note on pair 1 of the talk"),
        (lambda: view.note.setPlainText("Slowly."), "note on pair 1 of the talk"),
        (lambda: view.minutes.setValue(20), "length of the talk"),
        (lambda: QTest.keyClick(view.list, Qt.Key.Key_Delete), "1 pair removed from the talk"),
        (lambda: view.example_asked.emit(), "new talk"),
    ):
        steps.append(state.talk)
        view.list.setCurrentRow(0)
        act()
        view.flush()
        assert words() == f"&Undo {said}"
    del steps[4]  # typed continuously
    done = state.talk
    for before in reversed(steps):
        QTest.keyClick(view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert state.talk == before
    assert view.list.count() == 0 and "talk" not in window.state.settings.values
    for _ in steps:
        QTest.keyClick(view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert state.talk == done


def test_the_audiences_guesses_are_stored(window, open_window, qtbot):
    """They belong to the pair, survive a restart, and are cleared for a new audience."""
    part(window).state.set_talk(Talk("", tuple(TalkPair(*pair) for pair in PAIRS)))
    QTest.keyClicks(part(window).view.venue, "Lyon")
    part(window).give()
    qtbot.waitUntil(lambda: part(window).presentation.is_open)
    for key in (Qt.Key.Key_End, Qt.Key.Key_1, Qt.Key.Key_7, Qt.Key.Key_Space, Qt.Key.Key_5, Qt.Key.Key_PageDown):
        QTest.keyClick(part(window).presentation.stage, key)
    part(window).present(False)
    part(window).state.arrange(part(window).state.talk.pairs[::-1])
    window.close()
    again = open_window(size=(1200, 800))
    part(again).open()
    view = part(again).view
    assert view.list.item(0).text().endswith("The room: 17 for a paraphrase, 5 against")
    QTest.keyClick(view, Qt.Key.Key_F11, Qt.KeyboardModifier.ControlModifier)  # in the talk's window too
    qtbot.waitUntil(lambda: part(again).presentation.is_open)
    assert part(again).presentation.stage.slideshow.rooms == {}, "every showing begins without an audience count"
    (room,) = part(again).state.earlier
    assert room.counts == {PAIRS[2]: (17, 5)} and room.venue == "Lyon" and room.date, "after a restart too"
    assert "17 for a paraphrase, 5 against" in view.list.item(0).text(), "the earlier count is stored with its date"
    for key in (Qt.Key.Key_1, Qt.Key.Key_7, Qt.Key.Key_PageDown):
        QTest.keyClick(part(again).presentation.stage, key)
    assert part(again).state.rooms == {}, "a single number is not a count"
    for key in (Qt.Key.Key_1, Qt.Key.Key_7, Qt.Key.Key_Space, Qt.Key.Key_5, Qt.Key.Key_PageDown):
        QTest.keyClick(part(again).presentation.stage, key)
    part(again).present(False)
    view.forget_button.click()
    assert not part(again).state.rooms and not view.forget_button.isVisible()
    assert "The room: 17" not in view.list.item(0).text()
    again.state.history.undo()
    assert part(again).state.rooms == {PAIRS[2]: (17, 5)} and view.forget_button.isVisible()


def test_a_talk_keeps_labels_and_ends_with_the_right_answers(window, qtbot):
    """Pairs of the corpus keep their labels, typed pairs an expected answer; the last page counts the right answers."""
    talks = part(window)
    labels = [0, 1, 1]
    sides = [list(side) for side in zip(*PAIRS, strict=True)]
    window.workspace.show(Corpus("labelled", ["a", "b", "c"], *sides, label=np.array(labels, dtype=np.int8)))
    talks.state.add(PAIRS)
    assert [pair.label for pair in talks.state.talk.pairs] == [bool(label) for label in labels[: len(PAIRS)]]
    first = talks.state.talk.pairs[0]
    talks.state.set_talk(Talk("", (first, TalkPair(*PAIRS[1], expected=True)), "pocket", "CLOZE", ("bleu",)))
    assert parse_talk(talks.state.talk.toml()) == talks.state.talk
    keep(PAIRS[0], 5.0 if labels[0] else -5.0)
    keep(PAIRS[1], -2.0)
    for pair in PAIRS:
        keep(pair, 0.9, BLEU)
    talks.give()
    qtbot.waitUntil(lambda: talks.presentation.is_open)
    stage = talks.presentation.stage
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_Y, Qt.Key.Key_PageDown):
        QTest.keyClick(stage, key)
    assert "✓ matches the label" in stage.page.accessibleDescription()
    QTest.keyClick(stage, Qt.Key.Key_Y)
    assert stage.slideshow.room.yes == 1, "hands count while the audience is asked"
    while stage.slideshow.place < 1:
        QTest.keyClick(stage, Qt.Key.Key_PageDown)
    for _ in range(2):
        QTest.keyClick(stage, Qt.Key.Key_PageDown)
    assert "✗ expected: paraphrase" in stage.page.accessibleDescription()
    for _ in range(9):
        QTest.keyClick(stage, Qt.Key.Key_PageDown)
    assert talks.presentation.is_open and stage.slideshow.step == "outcome", "the last page stays"
    room = "1 of 1" if labels[0] else "0 of 1"
    bleu = f"{labels[0] + 1} of 2"
    words = "Who was right?. 2 pairs have a label or an expected answer"
    assert stage.page.accessibleName() == f"{words}. The room: {room}. Pocket judge: 1 of 2. BLEU: {bleu}"


def test_files_of_talks_are_written_read_and_refused(window, tmp_path, qtbot):
    talks = part(window)
    part(window).state.set_talk(Talk("Evening", (TalkPair(*PAIRS[0], note="é"),)))
    talks.write(tmp_path / "evening.toml")
    assert (tmp_path / "evening.talk.toml").read_text("utf-8").startswith('title = "Evening"')
    (tmp_path / "bad.talk.toml").write_text('[[pair]]\nsource = "a"\n', "utf-8")
    before = part(window).state.talk
    talks.read(tmp_path / "bad.talk.toml")
    assert part(window).state.talk == before and "bad.talk.toml, line 1" in talks.view.findings.full_text
    talks.view.example_asked.emit()
    assert len(part(window).state.talk.pairs) == 5 and talks.view.list.count() == 5
    talks.read(tmp_path / "evening.talk.toml")
    assert part(window).state.talk == before


def test_a_filter_during_a_talk_is_a_detour(window, qtbot):
    window.workspace.put(np.arange(3), {"bleu": np.full(3, 0.5)})
    part(window).state.set_talk(Talk("", tuple(TalkPair(*pair) for pair in PAIRS[1:])))
    part(window).give()
    qtbot.waitUntil(lambda: part(window).presentation.is_open)
    stage = part(window).presentation.stage
    clock = [part(window).presentation._begun]
    part(window).presentation.now = lambda: clock[0]
    part(window).presentation._note_time(0)
    QTest.keyClick(stage, Qt.Key.Key_PageDown)
    clock[0] += 20
    QTest.keyClick(stage, Qt.Key.Key_Slash)
    QTest.keyClicks(stage.focusWidget(), "shares")
    QTest.keyClick(stage.focusWidget(), Qt.Key.Key_Return)
    clock[0] += 10
    assert stage.page.accessibleName().startswith("Shares") and len(stage.slideshow.items) == 1
    QTest.keyClick(stage, Qt.Key.Key_Escape)
    assert stage.page.accessibleName().startswith("A cat.") and stage.slideshow.step == "guess"
    assert window.workspace.selection.rule is None
    clock[0] += 5
    QTest.keyClick(stage, Qt.Key.Key_F11)
    assert part(window).view.findings.full_text == "The talk took 0:35 (pair 1: 0:25; outside its pairs: 0:10)."


def test_a_second_screen_is_for_the_speaker(window, qapp, monkeypatch):
    """The offscreen platform has one screen: a fake screen stands in for the projector."""
    part(window).state.set_talk(Talk("", (TalkPair(*PAIRS[0], note="Slowly."), TalkPair(*PAIRS[1]))))
    projector = SimpleNamespace(geometry=lambda: QRect(0, 0, 800, 600))
    monkeypatch.setattr(presentation, "find_audience_screen", lambda own: projector)
    part(window).present(True)
    speaker, stage = part(window).presentation.speaker, part(window).presentation.stage
    clock = [100.0]
    speaker.now, speaker.begun = lambda: clock[0], 35.0
    speaker.refresh()
    speaker._show_clock()
    assert speaker.isVisible() and speaker.passed.text() == "1:05"
    before = speaker.note.fontMetrics().height()
    speaker.resize(1440, 1800)
    assert speaker.note.fontMetrics().height() > 1.6 * before, "readable from the speaker's position"
    items = (SlideshowPair(0, note="Slowly."), SlideshowPair(1))
    part(window).presentation.give(stage_talk(part(window).state.talk, "pocket", "CLOZE", ()), items)
    assert (speaker.note.text(), speaker.following.text()) == ("Slowly.", "The room guesses")
    long = Talk("", (TalkPair(*PAIRS[0]), TalkPair("Long words. " * 300, "Longer words. " * 300)))
    part(window).presentation.give(stage_talk(long, "pocket", "CLOZE", ()), items)
    stage.slideshow.begin(stage.slideshow.items, 0, 4)
    label = speaker.following
    assert label.text().startswith("Long words.")
    assert label.height() >= label.heightForWidth(label.width()), "no line is cut"
    part(window).presentation.give(stage_talk(part(window).state.talk, "pocket", "CLOZE", ()), items)
    QTest.keyClick(speaker, Qt.Key.Key_PageDown)
    assert stage.slideshow.step == "guess", "keys act on that screen too"
    QTest.keyClick(speaker, Qt.Key.Key_B)
    assert "blank" in speaker.place.text() and stage.is_covered()
    speaker.close()
    assert part(window).presentation.speaker is None and stage.isVisible() and stage.slideshow.step == "guess"
    QTest.keyClick(stage, Qt.Key.Key_B)
    QTest.keyClick(stage, Qt.Key.Key_PageDown)
    assert stage.slideshow.step == "judge", "the presentation continues without it"
    qapp.screenAdded.emit(window.screen())
    assert part(window).presentation.speaker.isVisible(), "a new screen restores it"
    monkeypatch.setattr(presentation, "find_audience_screen", lambda own: own)
    qapp.screenAdded.emit(window.screen())
    assert part(window).presentation.speaker is None and stage.isVisible() and stage.slideshow.step == "judge"


@pytest.mark.parametrize("larger", [0, 3])
def test_no_line_of_the_findings_is_cut(window, qtbot, larger):
    for _ in range(larger):
        window.looks.larger()
    view = part(window).view
    for words in (1, 3, 20, 400):
        view.show_message("\n".join(["A verdict is not as expected."] * (words % 19) + ["missing " * words]))
        for width in (900, 700):
            view.resize(width, 560)
            QApplication.processEvents()
            QApplication.processEvents()
            area, label = view.findings.parentWidget(), view.findings
            line = label.fontMetrics().lineSpacing()
            assert area.height() % line == 0 and area.height() == min(label.heightForWidth(area.width()), 7 * line)
    window.looks.usual()


def test_the_window_of_the_talk_fits_the_screen(check_small_screen):
    check_small_screen("talks.open")


def test_a_talk_shows_one_of_two_judges_and_names_it(window, qtbot, tmp_path):
    two_judges.choose(window, tmp_path)
    talk = Talk("Two", (TalkPair(*PAIRS[0]),))
    part(window).state.set_talk(talk)
    assert "the talk uses one judge: twin, with template CLOZE." in rehearsed(window, qtbot)
    part(window).state.set_talk(replace(talk, judge="pocket"))
    assert "the talk uses one judge: Pocket, with template CLOZE." in rehearsed(window, qtbot)
    window.setup.set_judgings(window.setup.plan.judgings[:1])
    assert "one judge" not in rehearsed(window, qtbot)
