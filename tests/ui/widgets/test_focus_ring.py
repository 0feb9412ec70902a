"""The frame around the control with the focus."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QCheckBox, QLineEdit, QListWidget, QPlainTextEdit, QTextBrowser, QTextEdit, QWidget
from shiboken6 import delete

from parapluie_gui.ui.widgets.focus_ring import WIDTH, FocusRing
from parapluie_gui.ui.widgets.theme import DARK, LIGHT, current_theme


@pytest.fixture
def ring(qtbot):
    holder = QWidget()
    qtbot.addWidget(holder)
    return FocusRing(holder)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("kind", [QListWidget, QCheckBox, QWidget])
def test_the_frame_has_the_accent_colour_on_all_sides(ring, qtbot, wear, theme, kind):
    control = kind()
    qtbot.addWidget(control)
    control.resize(120, 80)
    control.show()
    wear(theme)
    ring.show_around(control)
    picture = control.grab().toImage()
    places = [(60, 0), (60, 79), (0, 40), (119, 40)]
    assert {picture.pixelColor(*place).name() for place in places} == {current_theme().accent}
    assert picture.pixelColor(60, WIDTH + 3).name() != current_theme().accent


def test_the_frame_follows_size_and_focus(ring, qtbot):
    first, second = QListWidget(), QListWidget()
    for control in (first, second):
        qtbot.addWidget(control)
        control.show()
    ring.show_around(first)
    first.resize(333, 222)
    assert ring.frame.size() == first.size()
    ring.show_around(second)
    assert ring.frame.parentWidget() is second
    ring.show_around(None)
    assert ring.frame is None


def test_the_frame_of_a_deleted_control_is_forgotten(ring, qtbot, qapp):
    control = QListWidget()
    ring.show_around(control)
    control.deleteLater()
    qapp.sendPostedEvents(control, QEvent.Type.DeferredDelete)
    del control
    ring.show_around(None)
    assert ring.frame is None


@pytest.mark.parametrize("kind", [QLineEdit, QPlainTextEdit, QTextEdit])
def test_fields_have_the_border_of_their_style_only(ring, qtbot, kind):
    field = kind()
    qtbot.addWidget(field)
    ring.show_around(field)
    assert ring.frame is None


def test_a_text_to_read_without_a_border_gets_the_frame(ring, qtbot):
    text = QTextBrowser()
    qtbot.addWidget(text)
    text.setProperty("boxed", False)
    ring.show_around(text)
    assert ring.frame is not None


def test_screen_readers_do_not_see_the_frame(ring, qtbot):
    control = QListWidget()
    qtbot.addWidget(control)
    control.show()
    before = QAccessible.queryAccessibleInterface(control).childCount()
    ring.show_around(control)
    assert QAccessible.queryAccessibleInterface(control).childCount() == before


def test_nothing_is_drawn_once_the_window_is_deleted(qapp, qtbot):
    holder, control = QWidget(), QListWidget()
    qtbot.addWidget(control)
    ring = FocusRing(holder)
    qapp.focusChanged.emit(None, control)
    assert ring.frame is not None
    ring.show_around(None)
    delete(holder)
    qapp.focusChanged.emit(None, control)
    assert ring.frame is None
