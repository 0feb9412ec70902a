"""The two sentences: literal text, marks on the right letters, numbers on moved phrases, limits."""

from __future__ import annotations

import time

import pytest
from finding import find_part
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QLabel
from waiting import in_time

from parapluie_gui.ui.pair.sentences import (
    AT_ONCE,
    LONGEST,
    SentencesView,
    SentenceText,
    differences,
    readable_on,
    utf16_places,
)
from parapluie_gui.ui.widgets.growing_text import GrowingText, displayable
from parapluie_gui.ui.widgets.theme import DARK, LIGHT

STYLE = QTextCharFormat.UnderlineStyle


@pytest.fixture
def view(qtbot):
    view = SentencesView()
    qtbot.addWidget(view)
    view.resize(380, 300)
    view.show()
    return view


def form_at(field, place):
    """Return the format of the character that begins at a UTF-16 offset."""
    cursor = QTextCursor(field.document())
    cursor.setPosition(place + 1)
    return cursor.charFormat()


def fields(view):
    return view.findChildren(SentenceText)


def marked(field, colour):
    """Return the characters with a background of the given colour."""
    text = field.toPlainText()
    places = utf16_places(text)
    return "".join(c for at, c in enumerate(text) if form_at(field, places[at]).background().color() == QColor(colour))


def colours_of(widget):
    image = widget.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def test_a_changed_word_is_yellow_and_underlined_with_its_letters_emphasised(view):
    view.show_pair("The little cats sleep.", "The little cat sleeps.")
    source, hypothesis, _ = fields(view)
    assert marked(source, LIGHT.mark) == "cat" + "sleep"
    assert marked(source, LIGHT.letter) == "s"
    assert marked(hypothesis, LIGHT.letter) == "s"
    assert form_at(source, 11).underlineStyle() == STYLE.SingleUnderline
    assert form_at(source, 0).underlineStyle() == STYLE.NoUnderline
    assert LIGHT.mark in colours_of(view) and LIGHT.letter in colours_of(view)


def test_the_three_kinds_of_change_are_distinguishable_without_colour(view):
    view.show_pair(
        "In the morning he goes to school with his older brother",
        "He goes to the school with his older brothers in the morning",
    )
    source, hypothesis, _ = fields(view)
    text = hypothesis.toPlainText()
    assert form_at(hypothesis, text.index("the school")).underlineStyle() == STYLE.DashUnderline
    assert form_at(hypothesis, text.index("morning")).underlineStyle() == STYLE.DotLine
    assert form_at(hypothesis, text.index("brothers")).underlineStyle() == STYLE.SingleUnderline
    assert [number for _, number in source.badges] == [number for _, number in hypothesis.badges] == [1]
    assert LIGHT.good in colours_of(source)
    legend = find_part(view, GrowingText, "Meaning of the marks").toPlainText()
    assert "changed" in legend and "only here" in legend and "moved" in legend
    assert "moved: in the morning" in hypothesis.accessibleDescription()


def test_hostile_text_is_shown_literally(view):
    hostile = '<b>x</b> <img src=x> & "q"'
    view.show_pair(hostile, "<i>y</i>", ["<u>z</u>"])
    assert [field.toPlainText() for field in fields(view)] == [hostile, "<i>y</i>", "<u>z</u>"]
    assert not any(field.document().blockCount() != 1 for field in fields(view))


def test_marks_after_emoji_are_not_shifted(view):
    view.show_pair("🎉😀 a red car", "🎉😀 a blue car")
    assert marked(fields(view)[0], LIGHT.mark).replace(LIGHT.letter, "") in ("red", "rd", "r", "d")
    assert "blue".startswith(marked(fields(view)[1], LIGHT.mark)[:1])
    start = utf16_places("🎉😀 a red car")[5]
    assert form_at(fields(view)[0], start).underlineStyle() != STYLE.NoUnderline
    assert form_at(fields(view)[0], start + 3).underlineStyle() == STYLE.NoUnderline


def test_right_to_left_text_is_aligned_to_the_right(view):
    view.show_pair("ذهب الولد إلى المدرسة", "The boy went")
    directions = [field.document().firstBlock().textDirection() for field in fields(view)[:2]]
    assert directions == [Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight]


def test_copied_text_is_only_the_sentence(view):
    sentence = "In the morning he goes to school"
    view.show_pair(sentence, "He goes to school in the morning")
    field = fields(view)[0]
    field.selectAll()
    field.copy()
    assert field.badges and QGuiApplication.clipboard().text() == sentence


def test_a_very_long_sentence_is_not_compared_and_a_message_explains_why(view):
    view.show_pair("word " * 10_000, "other " * 10_000)
    began = time.process_time()
    view.show_pair("word " * 10_000, "other " + "word " * 9_999)
    assert time.process_time() - began < in_time(2)
    assert "These sentences are too long" in find_part(view, GrowingText, "Meaning of the marks").toPlainText()
    assert fields(view)[0].height() < 500  # it has its own scroll bar
    assert differences("a " * LONGEST, "b " * LONGEST).source


def test_five_thousand_chinese_characters_count_as_words():
    assert differences("我" * 5_000, "你" * 5_000).too_long


def test_identical_sentences_are_reported(view):
    view.show_pair("Same.", "Same.")
    assert (
        find_part(view, GrowingText, "Meaning of the marks").toPlainText() == "Source and hypothesis are the same text."
    )


def test_sentences_that_differ_only_in_trifles_are_reported(view):
    view.show_pair("The cat sleeps.", "the  cat sleeps.")
    legend = find_part(view, GrowingText, "Meaning of the marks").toPlainText()
    assert legend.startswith("The sentences differ only in letter case and spacing.") and "changed" in legend
    view.show_pair("A café.", "A cafe\u0301.")
    legend = find_part(view, GrowingText, "Meaning of the marks").toPlainText()
    assert legend.startswith("The sentences differ only in character encoding")
    view.show_pair("A cat.", "A dog.")
    assert "only in" not in find_part(view, GrowingText, "Meaning of the marks").toPlainText()


def test_characters_unsupported_by_documents_do_not_shift_the_offsets():
    text = "a\x00b\u2029c\ufffcd\ud800e\r\nf"
    assert len(displayable(text)) == len(text)
    assert displayable(text) == "a\ufffdb c\ufffdd\ufffde \nf"


def test_a_sentence_widget_has_the_height_of_its_text(view):
    view.show_pair("one two three " * 12, "short")
    source, hypothesis, _ = fields(view)
    assert source.height() >= source.document().size().height()
    assert source.height() > 3 * hypothesis.height() / 2
    narrow = source.height()
    view.resize(800, 300)
    assert source.height() < narrow


def test_the_reference_is_shown_only_when_there_is_one(view):
    view.show_pair("a", "b", ["c"])
    assert fields(view)[2].isVisible() and find_part(view, QLabel, "Reference").isVisible()
    view.show_pair("a", "b", ["c", "d"])
    assert fields(view)[2].toPlainText() == "c\nd" and find_part(view, QLabel, "References").isVisible()
    view.show_pair("a", "b")
    assert not fields(view)[2].isVisible() and not find_part(view, QLabel, "References").isVisible()


def test_theme_and_scale_apply_to_the_sentences(view, wear):
    view.show_pair("The cat sat.", "The dog sat.")
    before = fields(view)[0].height()
    wear(DARK)
    assert DARK.mark in colours_of(view) and LIGHT.mark not in colours_of(view)
    view.set_scale(2.0)
    assert fields(view)[0].height() > 1.6 * before


def luminance(colour):
    """Return the relative luminance as defined by WCAG 2.1."""
    parts = [QColor(colour).redF(), QColor(colour).greenF(), QColor(colour).blueF()]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_text_on_marks_is_readable_in_both_themes():
    for theme in (LIGHT, DARK):
        for background in (theme.mark, theme.letter, theme.moved, theme.good):
            colour = readable_on(background, theme.text, theme.base, theme.mark_text)
            low, high = sorted((luminance(colour), luminance(background)))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (theme.name, background)


def test_long_sentences_are_compared_in_a_thread(view, qtbot):
    """The sentences are shown at once; of two such pairs only the one in sight is marked."""
    words = " ".join(["river"] * AT_ONCE)
    view.show_pair(f"{words} one", f"{words} two")
    view.show_pair(f"{words} three", f"{words} four")
    legend = find_part(view, GrowingText, "Meaning of the marks")
    assert fields(view)[0].toPlainText().endswith("three") and legend.toPlainText() == "Comparing the sentences …"
    qtbot.waitUntil(lambda: "changed" in legend.toPlainText())
    assert view._differences is not None and view._differences.source[0].start == len(words) + 1
    view.show_pair(f"{words} three", f"{words} four")
    assert "changed" in legend.toPlainText(), "the last comparison is cached"
