"""What a screen reader reads for labels, messages and late widgets, as observed with AT-SPI on Linux."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget

from parapluie_gui.ui.analysis.figure_card import FigureCard
from parapluie_gui.ui.analysis.pages import PageList
from parapluie_gui.ui.widgets.arrange import vbox
from parapluie_gui.ui.widgets.banner import Banner
from parapluie_gui.ui.widgets.checklist import CheckItem, Checklist
from parapluie_gui.ui.widgets.text import isolate
from parapluie_gui.ui.widgets.wrapped import ElidedText, WrappedText
from parapluie_gui.ui.window.scoring_bars import StatusLine

LONG = "princeton-nlp/sup-simcse-bert-base-uncased"


def spoken_texts(widget: QWidget) -> tuple[str, str]:
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name), interface.text(QAccessible.Text.Description)


def test_a_label_is_read_once_without_the_marks_for_line_breaks(qtbot):
    label = WrappedText()
    qtbot.addWidget(label)
    label.say("before")
    label.say(LONG)
    assert "\u200b" in label.text() and spoken_texts(label) == (LONG, "")


@pytest.mark.parametrize("kind", [WrappedText, ElidedText])
def test_a_label_with_its_own_accessible_name_keeps_it(qtbot, kind):
    label = kind()
    qtbot.addWidget(label)
    label.setAccessibleName("Notices")
    for text in ("one", "two"):
        label.say(text)
        assert spoken_texts(label) == ("Notices", text)


def test_messages_are_announced_and_progress_is_not(qtbot, monkeypatch):
    said: list[str] = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda event: said.append(event.message()))
    banner, line = Banner(), StatusLine()
    for widget in (banner, line):
        qtbot.addWidget(widget)
    banner.complain("The file is damaged.")
    banner.warn("The disk is full.")
    banner.clear()
    line.show_work("Naming the changes: 3 of 176 pairs", None)
    line.say("Scored in 1.4 s.")
    assert said == ["The file is damaged.", "The disk is full.", "Scored in 1.4 s."]


def test_boxes_created_late_come_in_tab_order(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    first, listed, last = QLineEdit(), Checklist("Templates"), QLineEdit()
    vbox(first, listed, last, within=window)
    window.show()
    listed.set_items([CheckItem("a", "A"), CheckItem("b", "B")])
    qtbot.waitUntil(listed.box("b").isVisible)
    first.setFocus()
    reached = []
    for _ in range(3):
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        reached.append(window.focusWidget())
    assert reached == [listed.box("a"), listed.box("b"), last]
    assert listed.focusPolicy() == Qt.FocusPolicy.NoFocus


def test_a_page_selected_by_a_screen_reader_is_shown(qtbot):
    pages = PageList()
    qtbot.addWidget(pages)
    pages.set_titles([("Distributions", "Scores"), ("Thresholds", "Scores"), ("Curves", "Scores")])
    shown: list[int] = []
    pages.turned.connect(shown.append)
    QAccessible.queryAccessibleInterface(pages).selectionInterface().select(
        QAccessible.queryAccessibleInterface(pages).child(3)  # below the group's heading
    )
    assert shown == [2]


def test_buttons_of_a_figure_name_the_figure(qtbot):
    card = FigureCard("BLEU · overlap 0.78", QWidget())
    qtbot.addWidget(card)
    assert spoken_texts(card.copy_button) == ("Copy the figure as a picture", "BLEU · overlap 0.78")


def test_text_of_the_opposite_direction_does_not_change_the_direction_of_a_sentence():
    assert isolate("rose → fell") == "rose → fell"
    sentence = QTextDocument(f"“{isolate('مرحبا → أهلا')}” and more")
    assert sentence.firstBlock().textDirection() == Qt.LayoutDirection.LeftToRight
