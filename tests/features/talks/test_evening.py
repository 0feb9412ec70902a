"""An evening: a talk of seven pairs on two screens, given by a remote, with a question from the audience typed live."""

from __future__ import annotations

from types import SimpleNamespace

import fake_workers
import pytest
import spoken
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from parapluie_gui import places
from parapluie_gui.features.talks import presentation
from parapluie_gui.features.talks.talk import STEPS, Talk, TalkPair, read_talk
from parapluie_gui.features.talks.talks import EXAMPLE
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.work.scoring_plan import JudgeTemplates

KEYS = Qt.Key
EGGS = TalkPair(
    "The crate holds twelve eggs.", "The crate holds a dozen eggs.", note="What about others?", expected=True
)
SHARES = TalkPair("Shares rose on Friday.", "Shares fell on Friday.", label=False)


@pytest.fixture
def talks(open_window, monkeypatch, qtbot):
    """The talks of a window with the pocket judge, a scored talk of seven pairs and a projector."""
    window = open_window(fake_workers.light, size=(1200, 800))
    window.setup.metrics.choice.replace(["edit_distance", "bleu"])
    cloze = find_templates(("CLOZE",), load_templates(None)[0])
    window.setup.set_judgings((JudgeTemplates(JudgeSettings("pocket"), cloze),))
    talks = window.features["talks"]
    five = read_talk(places.resources() / EXAMPLE).pairs
    talks.state.set_talk(Talk("Two meanings", (EGGS, *five, SHARES), "pocket", "CLOZE", minutes=20))
    talks.open()
    talks.view.scoring_asked.emit()
    qtbot.waitUntil(lambda: talks.view.findings.full_text.startswith("Nothing is missing"), timeout=120_000)
    qtbot.waitUntil(lambda: talks._reading is None)
    projector = SimpleNamespace(geometry=lambda: QRect(0, 0, 1024, 768))
    monkeypatch.setattr(presentation, "find_audience_screen", lambda own: projector)
    return talks


def test_a_talk_of_seven_pairs_is_given_by_a_remote(talks, qtbot):
    talks.state.set_venue("Lyon")
    talks.view.stage_button.click()
    qtbot.waitUntil(lambda: talks.presentation.is_open)
    stage, speaker = talks.presentation.stage, talks.presentation.speaker
    question = talks.presentation._question
    silent = list[str]()

    def press(*keys, on=None):
        for key in keys:
            QTest.keyClick(on or stage.focusWidget() or stage, key)
            silent.extend(spoken.find_unspoken(speaker))
            silent.extend(spoken.find_unspoken(stage))
            if stage.stack.currentWidget() is stage.page:
                assert speaker.picture.accessibleDescription() == stage.describe()

    assert stage.page.accessibleName() == "Two meanings" and speaker.place.text() == "Title"
    assert speaker.passed.text().endswith(" of 20:00")
    press(KEYS.Key_PageDown)
    assert speaker.place.text() == "Pair 1 of 7  ·  Sentences (1 of 5)"
    assert speaker.note.text() == "What about others?" and "Pocket judge: " in speaker.facts.text()

    # The room guesses; the speaker sees what is counted, and keeps the scores.
    press(KEYS.Key_PageDown, *(ord(sign) for sign in "17 9"))
    assert speaker.typed.text() == "The room: 17 9" and "Pocket judge: " in speaker.facts.text()
    press(*[KEYS.Key_PageDown] * 3)
    assert stage.slideshow.step == "words" and "17 of 26 say" in stage.describe()

    # The question from the audience: thirteen instead of a dozen, typed on the speaker's keyboard.
    press(KEYS.Key_L, on=speaker)
    assert stage.open_field().selectedText() == "a dozen", "the words that decided"
    QTest.keyClicks(speaker, "thirteen")
    assert speaker.typed.text().endswith("The crate holds thirteen eggs.")
    press(KEYS.Key_Return, on=speaker)
    assert speaker.place.text() == "Your own pair; then pair 1 of 7  ·  Sentences (1 of 5)"
    qtbot.waitUntil(lambda: question.staged.words.get(0) is not None, timeout=120_000)
    press(*[KEYS.Key_PageDown] * 4)
    assert stage.slideshow.step == "words"
    assert "not a paraphrase" in stage.describe()
    assert "Put “twelve” back and the judge says yes" in stage.describe()
    assert speaker.following.text() == "Back to the talk: pair 1 of 7"
    press(KEYS.Key_S)
    assert speaker.place.text().endswith("the scatter is shown")
    before, typed = talks.presentation._joined.points
    assert before is not None and typed is not None and typed[1] < 0 < before[1]
    x, y = stage.plot.canvas.box.viewRange()
    assert x[0] <= typed[0] <= x[1] and y[0] <= typed[1] <= y[1], "the point is in view"
    press(KEYS.Key_S, KEYS.Key_PageDown)
    assert stage.slideshow.count_pairs() == (1, 7) and stage.slideshow.step == "words"
    assert speaker.place.text().startswith("Pair 1 of 7") and not stage.live

    # The other pairs, with a black screen between two of them.
    for number in range(2, 8):
        press(KEYS.Key_PageDown, KEYS.Key_B)
        assert speaker.place.text().endswith("the screen is blank") and stage.describe() == "Black screen"
        press(KEYS.Key_PageDown)
        seen = [stage.slideshow.step]
        while len(seen) < len(STEPS):
            press(KEYS.Key_PageDown)
            seen.append(stage.slideshow.step)
        assert stage.slideshow.count_pairs() == (number, 7) and tuple(seen) == STEPS
        assert ("✓" in stage.describe()) != ("✗" in stage.describe()), "the room sees whether the judge was right"
        assert not any(f": {sign}0.00 " in stage.describe() for sign in "+−"), "no edit without an effect"

    press(*[KEYS.Key_PageDown] * 3)
    assert stage.slideshow.step == "outcome" and speaker.place.text() == "Who was right"
    assert "The room: 1 of 1. Pocket judge: " in stage.page.accessibleName()
    press(KEYS.Key_PageUp)
    assert stage.slideshow.count_pairs() == (7, 7), "the last page is no dead end"
    press(KEYS.Key_F11)
    assert not talks.presentation.is_open and not silent
    assert " of 20:00 (pair 1: " in talks.view.findings.full_text

    # The next room begins without counts; this one is kept with its date and place.
    talks.give()
    qtbot.waitUntil(lambda: talks.presentation.is_open)
    assert talks.presentation.stage.slideshow.rooms == {}
    (room,) = talks.state.earlier
    assert room.venue == "Lyon" and room.date and list(room.counts.values()) == [(17, 9)]
    assert f"An earlier room ({room.date[:16].replace('T', ' ')}, Lyon): 17" in talks.view.list.item(0).text()


def test_light_and_dark_keep_the_speakers_sizes(talks, qtbot):
    talks.give()
    qtbot.waitUntil(lambda: talks.presentation.is_open)
    stage, speaker = talks.presentation.stage, talks.presentation.speaker
    parts = speaker.findChildren(QLabel)
    before = [part.font().pointSizeF() for part in parts]
    for _ in range(2):
        QTest.keyClick(stage, KEYS.Key_D)
        assert [part.font().pointSizeF() for part in parts] == before
        image = speaker.picture.grab().toImage()
        middle = image.pixelColor(image.width() // 2, image.height() - 8)
        assert middle.name() == themes.current_theme().base, "the picture shows what the room sees"
