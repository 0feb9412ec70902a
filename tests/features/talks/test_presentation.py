"""The stage as a speaker uses it: the keys of a remote, one step at a time, and the window restored afterwards."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QKeyEvent, QKeySequence, QPainter
from PySide6.QtTest import QTest

from parapluie_gui import manual, places
from parapluie_gui.features.explain.explanation import ExplanationPlan
from parapluie_gui.features.talks.keys import STAGE_KEYS, find_key_action
from parapluie_gui.features.talks.page import BETWEEN, line_boxes
from parapluie_gui.features.talks.question import find_word_to_change
from parapluie_gui.features.talks.results import LEAST_TEXT, TEXT, ResultPainter, wrap_text
from parapluie_gui.features.talks.room import RoomGuess
from parapluie_gui.features.talks.show import SlideshowPair
from parapluie_gui.features.talks.shown import DecidingWords, ScoreScale, StagePair
from parapluie_gui.metrics.changes.edits import Edits
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.storage.store import ScoreStore
from parapluie_gui.ui.pair.sentences import TintedSpan
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.widgets.focus_ring import needs_frame

SIGNATURE = Signature.from_fields("pluie.cloze", {"name": "pluie", "model": "pocket", "template": "CLOZE"})
KEYS = Qt.Key
PAIRS = Corpus(
    "four",
    list("abcd"),
    ["Shares rose on Friday.", "A cat.", "Long words. " * 90, "قرأ الطالب الكتاب."],
    ["Shares fell on Friday.", "One cat.", "Long words! " * 90, "الطالب قرأ كتابا."],
    label=np.array([0, 1, 1, 1], dtype=np.int8),
)


def part(window):
    return window.features["talks"]


@pytest.fixture
def window(open_window, home):
    home.mkdir()
    window = open_window(size=(1024, 768))
    window.workspace.show(PAIRS)
    window.workspace.declare("pluie.cloze", SIGNATURE)
    window.workspace.put(np.arange(4), {"pluie.cloze": np.array([-7.7, 2.5, 14.0, np.nan])})
    window.workspace.put(np.arange(4), {"edit_distance": np.array([0.2, 0.4, 0.1, 0.5]), "bleu": np.full(4, 0.6)})
    window.workspace.set_axes(y="pluie.cloze")
    window.workspace.selection.set_primary(0)
    return window


@pytest.fixture
def stage(window, qtbot):
    QTest.keyClick(window, KEYS.Key_F11)
    stage = part(window).presentation.stage
    qtbot.waitUntil(lambda: part(window).presentation._asking is None)
    return stage


def press(stage, *keys):
    for key in keys:
        QTest.keyClick(stage.focusWidget() or stage, key)


def page_description(stage):
    return stage.page.accessibleDescription()


def test_a_remote_shows_the_pairs_step_by_step(window, stage):
    assert stage.isFullScreen() and stage.page.accessibleName().startswith("Shares rose")
    assert stage.slideshow.step == "sentences" and page_description(stage) == ""
    press(stage, KEYS.Key_PageDown)
    assert page_description(stage) == "Paraphrase, or not?"
    press(stage, *(ord(sign) for sign in "17 5"), KEYS.Key_PageDown)
    assert (
        page_description(stage)
        == "not a paraphrase. ✓ matches the label. Pocket judge: over 1,000 to 1 for no · small, trained, "
        "not a language model. Pocket judge: −7.70. The room: 17 of 22 say yes"
    )
    press(stage, KEYS.Key_Right)
    assert "Edit distance: 0.200. BLEU: 0.600" in page_description(stage)
    press(stage, KEYS.Key_Down, KEYS.Key_Space)
    assert stage.page.accessibleName().startswith("A cat") and page_description(stage) == ""
    assert window.workspace.selection.primary == 1, "the window follows"
    press(stage, KEYS.Key_PageUp, KEYS.Key_Left, KEYS.Key_Up)
    assert stage.slideshow.place == 0 and stage.slideshow.step == "judge"
    press(stage, KEYS.Key_R)
    assert stage.slideshow.step == "guess"
    press(stage, KEYS.Key_End)
    assert stage.slideshow.place == 3
    press(stage, KEYS.Key_Home, KEYS.Key_Y, KEYS.Key_PageDown, KEYS.Key_Y, KEYS.Key_Y, KEYS.Key_N)
    assert (stage.slideshow.room.yes, stage.slideshow.room.no) == (19, 6), (
        "hands are counted while the audience is asked"
    )
    assert window.pair.verdict.verdict == "", "digits are not verdicts here"


def test_start_and_end_keys_of_remotes_are_harmless(window, stage, monkeypatch, qtbot):
    runs = []
    monkeypatch.setattr(window.parts.running.questions, "ask", lambda *wanted: runs.append(wanted))
    clock = [10.0]
    stage.clock = lambda: clock[0]
    press(stage, KEYS.Key_F5, KEYS.Key_Escape)
    assert stage._hint.text() == "Press Esc again to leave."
    clock[0] += 1.5
    press(stage, KEYS.Key_Escape, KEYS.Key_F5, KEYS.Key_Escape)
    assert part(window).presentation.is_open and not runs
    press(stage, KEYS.Key_Period)
    assert stage.stack.currentWidget() is stage.black
    press(stage, KEYS.Key_PageDown)
    assert stage.stack.currentWidget() is stage.page and stage.slideshow.step == "sentences"
    press(stage, KEYS.Key_W, KEYS.Key_Escape)
    assert part(window).presentation.is_open and not stage.is_covered()
    press(stage, KEYS.Key_Escape, KEYS.Key_Escape)
    assert not part(window).presentation.is_open
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, KEYS.Key_F11)
    press(part(window).presentation.stage, KEYS.Key_F11)
    assert not part(window).presentation.is_open and not window.actions_by_name["talks.present"].isChecked()


def test_the_filter_is_a_single_line_and_escape_closes_it_first(window, stage):
    press(stage, KEYS.Key_Slash)
    QTest.keyClicks(stage.focusWidget(), "label == 1")
    press(stage, KEYS.Key_Return)
    assert len(stage.slideshow.items) == 3 and stage.page.accessibleName().startswith("A cat")
    assert not window.docks.pairs.isActiveWindow() and stage.isVisible()
    press(stage, KEYS.Key_Escape)
    assert (
        part(window).presentation.is_open
        and window.workspace.selection.rule is None
        and len(stage.slideshow.items) == 4
    )
    press(stage, KEYS.Key_Slash)
    QTest.keyClicks(stage.focusWidget(), "nothing > ")
    press(stage, KEYS.Key_Return)
    assert "nothing" in stage._hint.text()


def test_text_is_readable_from_the_last_row(window, stage):
    stage.setWindowState(Qt.WindowState.WindowNoState)
    for size in (QSize(1920, 1080), QSize(1024, 768)):
        stage.resize(size)
        stage.slideshow.go_to(0)
        assert stage.page.type_share >= 0.05
        stage.slideshow.go_to(2)
        assert stage.page.type_share == pytest.approx(0.035, abs=0.001)
    press(stage, KEYS.Key_PageDown)
    assert stage.slideshow.step == "sentences", "long text is scrolled first"
    page = stage.page
    first, second = page._layout.documents
    top = page._sentences_area().top() - page._scrolled
    tops = top, top + first.size().height() + page._stage() * BETWEEN
    seen = page._whole_lines(page._sentences_area(), page._layout, tops)
    lines = [box.translated(0, at) for one, at in zip((first, second), tops, strict=True) for box in line_boxes(one)]
    cut = [box for box in lines if any(box.top() < end < box.bottom() for end in (seen.top(), seen.bottom()))]
    assert not cut and seen.height() > 0.7 * page._sentences_area().height(), "only complete lines are visible"
    while stage.page.scroll_on(1):
        pass
    press(stage, KEYS.Key_PageDown)
    assert stage.slideshow.step == "guess"


def test_decisive_words_come_from_stored_scores(window, qtbot):
    plan = ExplanationPlan(PAIRS.source[0], PAIRS.hypothesis[0])
    values = [3.0 if not done else -7.7 for done in plan.subsets]
    with ScoreStore(places.score_cache()) as store:
        store.put(SIGNATURE, [pair_key(plan.source, variant) for variant in plan.variants], values)
    part(window).present(True)
    stage = part(window).presentation.stage
    qtbot.waitUntil(lambda: stage.page.pair.words is not None)
    stage.slideshow.begin(stage.slideshow.items, 0, 4)
    assert "rose → fell: −10.70" in page_description(stage)
    assert stage.page.pair.words.source == (TintedSpan(7, 11, 1.0, False),)


def test_decisive_edits_are_a_sentence_and_edits_without_effect_are_left_out():
    explanation = SimpleNamespace(
        edits=Edits("The shares rose fast.", "A shares fell fast.").edits,
        values=(0.0, -10.7),
        flip=(1,),
        is_paraphrase=False,
    )
    words = DecidingWords.from_explanation(explanation, True)
    assert [edit for edit, _, _ in words.edits] == ["rose → fell"]
    assert words.sentence == "Put “rose” back and the judge says yes."
    pair = StagePair("a", "b", words=words)
    assert "Put “rose” back and the judge says yes. rose" in ". ".join(ResultPainter.describe(pair, "words", None))


def test_a_long_edit_is_wrapped_within_the_available_space(qapp):
    metrics = QFontMetricsF(qapp.font())
    width = metrics.horizontalAdvance("a group of people")
    edit = "the committee of the city → a group of people who talked"
    text, more = wrap_text(edit, metrics, width, 9)
    assert text == edit and more >= 2 * metrics.lineSpacing() - 1
    text, more = wrap_text(edit, metrics, width, 2)
    assert text.startswith("the committee of the city") and text.endswith("…")
    assert more == pytest.approx(metrics.lineSpacing(), abs=1)
    assert wrap_text("cat → dog", metrics, width, 9) == ("cat → dog", 0.0)
    for word, most in (("a" * 90, 9), (edit, 1)):
        text, more = wrap_text(word, metrics, width, most)
        assert text.endswith("…") and metrics.horizontalAdvance(text) <= width and more == 0


def test_a_reduced_line_is_shown_completely(qapp, monkeypatch):
    image, line = QImage(1280, 900, QImage.Format.Format_RGB32), "over 1,000 to 1 for no · small, trained"
    written: list[tuple[float, float]] = []

    def write(painter: ResultPainter, area: QRectF, text: str, *rest: object) -> None:
        written.append((QFontMetricsF(brush.font()).horizontalAdvance(text), area.width()))

    monkeypatch.setattr(ResultPainter, "_write", write)
    brush = QPainter(image)
    painter = ResultPainter(brush, themes.current_theme(), qapp.font(), 900)
    usual = painter._type(TEXT).horizontalAdvance(line)
    for share in np.arange(0.65, 1.1, 0.01):
        painter._write_line(QRectF(0, 0, usual * share, 60), line, TEXT)
    brush.end()
    assert written and all(needed <= width for needed, width in written)


class RecordingPainter:
    """A painter that lists the rectangle and the type size of each text."""

    def __init__(self, painter):
        self._painter, self.texts = painter, []

    def __getattr__(self, name):
        return getattr(self._painter, name)

    def drawText(self, area, align, text):
        self.texts.append((text, area, self.font().pixelSize()))
        self._painter.drawText(area, align, text)


@pytest.mark.parametrize("share", [0.37, 0.33, 0.3, 0.26, 0.22, 0.18])
@pytest.mark.parametrize("step", ["judge", "baselines", "words"])
def test_what_a_field_leaves_of_the_result_is_readable_from_the_last_row(qapp, step, share):
    edits = tuple((f"word {at} → other", -3.0, False) for at in range(4))
    scales = [ScoreScale(name, 0.4, "0.400", (0.0, 1.0), 0.0, 0.5) for name in ("Judge", "BLEU", "chrF")]
    words = DecidingWords(edits, sentence="Put “word” back and the judge says yes.")
    pair = StagePair("a", "b", label=False, judge=scales[0], baselines=tuple(scales[1:]), words=words)
    height, image = 900, QImage(1280, 900, QImage.Format.Format_RGB32)
    brush = QPainter(image)
    painter = RecordingPainter(brush)
    area = QRectF(60, 500, 1160, share * height)
    ResultPainter(painter, themes.current_theme(), qapp.font(), height).paint(area, pair, step, RoomGuess(9, 3))
    brush.end()
    assert painter.texts and min(size for _, _, size in painter.texts) >= round(LEAST_TEXT * height) - 1
    assert max(written.bottom() for _, written, _ in painter.texts) <= area.bottom() + 1
    written = {text for text, _, _ in painter.texts}
    assert {"words": words.sentence, "judge": "Judge", "baselines": "Judge"}[step] in written


def test_bars_are_next_to_their_edits_even_if_an_edit_is_wrapped(stage):
    page, colour = stage.page, QColor(themes.current_theme().other)
    x, tops = int(page.width() * 0.52), []  # left of the zero line
    for edit in ("cat → dog", "the committee that had met on Friday to discuss the budget → a group of people"):
        words = DecidingWords(((edit, 3.0, True), ("rose → fell", -2.0, False)))
        page.show_pair(page.pair.with_words(words), "words", None)
        image = page.grab().toImage()
        tops.append(min(y for y in range(int(page.height() * 0.7), page.height()) if image.pixelColor(x, y) == colour))
    assert tops[1] > tops[0] + page.height() * 0.02


def test_the_scatter_is_shown_alone_and_hides_the_verdict(window, stage):
    press(stage, KEYS.Key_S)
    assert stage.stack.currentWidget() is stage.plot and not stage.plot.bar.isVisible()
    assert not stage.plot.x_picker.isVisible()
    press(stage, KEYS.Key_D)
    assert window.looks.theme is themes.DARK
    press(stage, KEYS.Key_Escape)
    assert stage.stack.currentWidget() is stage.page and part(window).presentation.is_open


def test_a_pair_from_the_audience_is_one_key_away(window, stage, monkeypatch):
    """L opens the pair in sight with the first word that differs selected; after its last step the talk goes on."""
    monkeypatch.setattr(window.context.typed_pairs, "score", lambda *wanted, **choices: [])
    monkeypatch.setattr(part(window).presentation._question, "_explain", lambda staged: None)
    window.bench.score_requested.disconnect()
    press(stage, KEYS.Key_PageDown, KEYS.Key_L)
    field = stage.focusWidget()
    assert (field.text(), field.selectedText()) == ("Shares fell on Friday.", "fell")
    QTest.keyClicks(field, "dropped")
    press(stage, KEYS.Key_Up)
    assert stage.focusWidget().text() == "Shares rose on Friday.", "the other sentence can be changed too"
    press(stage, KEYS.Key_Down, KEYS.Key_Return)
    assert stage.page.accessibleName() == "Shares rose on Friday.\nShares dropped on Friday."
    press(stage, KEYS.Key_PageDown, KEYS.Key_PageDown)
    assert page_description(stage) == "no score yet"
    assert part(window).presentation._question.progress == "Scoring …"
    window.bench.fields.hint.say("The model is missing.")
    assert part(window).presentation._question.progress == "The model is missing."
    (request,) = window.bench._asked
    window.bench.show_scores(request, {"pluie.cloze": -6.0, "edit_distance": 0.3}, model="pocket")
    assert page_description(stage).startswith("not a paraphrase. Pocket judge: 400 to 1 for no · small")
    assert [entry.hypothesis for entry in window.bench.history] == ["Shares dropped on Friday."]
    press(stage, KEYS.Key_S)
    assert part(window).presentation._joined.points == ((0.2, -7.7), (0.3, -6.0))
    assert "Your own pair is at 0.30, -6.00, the pair before it at 0.20, -7.70" in stage.describe()
    press(stage, KEYS.Key_S, KEYS.Key_PageDown, KEYS.Key_PageDown)
    assert stage.slideshow.step == "words" and stage.live
    press(stage, KEYS.Key_PageDown)
    assert not stage.live and stage.page.accessibleName().startswith("Shares rose on Friday.\nShares fell")
    assert stage.slideshow.step == "guess", "back where the talk was left"
    for away in (KEYS.Key_Escape, KEYS.Key_PageDown, KEYS.Key_PageUp):
        press(stage, KEYS.Key_L, away)
        assert not stage.live and stage.slideshow.step == "guess" and stage.open_field() is None
    assert part(window).presentation.is_open


def test_the_word_to_change_is_the_first_difference_or_the_one_that_decided():
    words = DecidingWords(hypothesis=(TintedSpan(0, 1, 0.2, True), TintedSpan(4, 7, 1.0, False)))
    pair = StagePair("The cat sat.", "A dog sat.", words=words)
    spans = [find_word_to_change(pair, decided) for decided in (False, True)]
    assert [pair.hypothesis[start:end] for start, end in spans] == ["A", pair.hypothesis[4:7]]
    same = StagePair("A cat.", "A cat.")
    assert find_word_to_change(same, True) == (0, 6), "the whole sentence where nothing differs"


@pytest.mark.parametrize(
    ("key", "held", "text"),
    [
        (KEYS.Key_Plus, "Control", "+"),  # a German keyboard
        (KEYS.Key_Plus, "Control Shift", "+"),  # a US, UK or French keyboard, and a Swiss one with Shift+1
        (KEYS.Key_Equal, "Control", "="),
        (KEYS.Key_Equal, "Control Shift", "+"),
        (KEYS.Key_Plus, "Control Keypad", "+"),
        (KEYS.Key_Plus, "", "+"),
        (KEYS.Key_Plus, "Shift", "+"),
    ],
)
def test_larger_type_is_on_every_keyboard_layout(key, held, text):
    modifiers = Qt.KeyboardModifier.NoModifier
    for name in held.split():
        modifiers |= getattr(Qt.KeyboardModifier, f"{name}Modifier")
    assert find_key_action(QKeyEvent(QEvent.Type.KeyPress, key, modifiers, text)) == "larger"


def test_all_type_grows_with_the_factor(window, stage):
    stage.setWindowState(Qt.WindowState.WindowNoState)
    stage.resize(1280, 900)
    press(stage, KEYS.Key_R)
    sizes = []
    for _ in range(2):
        sizes.append((stage.page.type_share, stage.page._growth, stage._source.font().pixelSize()))
        for _ in range(2):
            QTest.keyClick(stage, KEYS.Key_Equal, Qt.KeyboardModifier.ControlModifier)
    (small, normal, field), (large, grown, larger_field) = sizes
    assert large > 1.15 * small and grown > 1.15 * normal and larger_field > 1.15 * field


def test_counts_belong_to_the_question(window, stage):
    """Digits count before the verdict, hands while the question is shown; one number is no count."""
    press(stage, KEYS.Key_Y, ord("1"), ord("7"), KEYS.Key_PageDown, ord("4"), KEYS.Key_PageDown)
    assert stage.slideshow.rooms == {} and stage.typed == ""
    press(stage, KEYS.Key_Y, *(ord(sign) for sign in "179"), KEYS.Key_Backspace)
    assert stage.slideshow.rooms == {}, "the verdict is shown"
    press(stage, KEYS.Key_PageUp, *(ord(sign) for sign in "17 9"))
    assert (stage.slideshow.room.yes, stage.slideshow.room.no) == (17, 9)
    assert "The room: 17 for, 9 against" in stage.describe()
    press(stage, KEYS.Key_PageDown, KEYS.Key_Backspace)
    assert stage.slideshow.room is not None, "Backspace deletes nothing once the verdict is shown"


def test_a_note_is_one_key_away_on_one_screen(window, stage):
    part(window).presentation.now = lambda: part(window).presentation._begun + 65
    stage.slideshow.begin((SlideshowPair(0, note="Slowly."), SlideshowPair(1)))
    press(stage, KEYS.Key_M)
    assert stage._note.isVisible() and stage._note.text() == "1:05\nSlowly."
    press(stage, KEYS.Key_M)
    assert not stage._note.isVisible()
    press(stage, KEYS.Key_M, KEYS.Key_PageDown)
    assert not stage._note.isVisible() and stage.slideshow.step == "guess"
    press(stage, KEYS.Key_M, KEYS.Key_Escape)
    assert not stage._note.isVisible() and part(window).presentation.is_open


def test_sentences_do_not_move_while_a_field_is_open(stage):
    press(stage, KEYS.Key_R)
    page = stage.page
    before = page.type_share, page._sentences_area()
    press(stage, KEYS.Key_L)
    assert (page.type_share, page._sentences_area()) == before
    press(stage, KEYS.Key_Escape, KEYS.Key_Slash)
    assert (page.type_share, page._sentences_area()) == before


def test_the_audience_sees_no_focus_frame(stage):
    assert not needs_frame(stage) and needs_frame(stage.page)


def test_no_sign_begins_a_line(stage):
    stage.page.show_pair(StagePair("Have you ever seen a tsunami ?", "A tsunami !"), "sentences", None)
    texts = [document.toRawText() for document in stage.page._layout.documents]
    assert texts == ["Have you ever seen a tsunami\u00a0?", "A tsunami\u00a0!"]


def test_every_listed_key_belongs_to_one_action_and_f11_does_not_change_the_window(window):
    dressed = []
    window.looks.changed.connect(lambda: dressed.append(1))
    before = window.saveState(), window.windowState(), window.menuBar().isVisible()
    part(window).present(True)
    stage = part(window).presentation.stage
    names = [key for each in STAGE_KEYS for key in each.keys]
    assert len(names) == len(set(names))
    assert all(QKeySequence(name)[0].key() != KEYS.Key_unknown for name in names)
    assert {each.does for each in STAGE_KEYS} - {"nothing", "count"} == set(stage._actions)
    press(stage, KEYS.Key_Plus, KEYS.Key_F11)
    assert not dressed and (window.saveState(), window.windowState(), window.menuBar().isVisible()) == before


def test_the_keys_of_the_stage_are_in_the_manual():
    page = next(page for page in manual.pages() if page.name == "presentation")
    rows = [line for line in page.section("keys").splitlines() if line.startswith("| ")][1:]
    assert rows == [f"| {', '.join(each.keys)} | {each.text} |" for each in STAGE_KEYS]
