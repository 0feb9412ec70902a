"""Text cut in a narrow widget ends with an ellipsis."""

from __future__ import annotations

import pytest
from dressing import remove_style

from parapluie_gui.ui.widgets import theme
from parapluie_gui.ui.widgets.wrapped import NarrowBox, NarrowButton, NarrowTick


@pytest.fixture
def dressed(qapp):
    theme.apply(qapp, theme.LIGHT)
    yield
    remove_style(qapp)


def test_text_cut_in_a_narrow_combo_box_ends_with_an_ellipsis(dressed, qtbot):
    def picture(text: str, width: int):
        box = NarrowBox(4)
        qtbot.addWidget(box)
        box.addItem(text)
        box.resize(width, box.sizeHint().height())
        return box.grab().toImage()

    name = "Two meanings · 6,420 pairs"
    cuts = [f"{name[:letters]}…" for letters in range(1, len("Two meanings"))]
    assert picture(name, 120) in [picture(cut, 120) for cut in cuts]


@pytest.mark.parametrize(("kind", "cut"), [(NarrowTick, "{}…{}"), (NarrowButton, "{}…")])
def test_text_cut_on_a_narrow_tick_box_or_button_ends_with_an_ellipsis(dressed, qtbot, kind, cut):
    def picture(text: str, width: int):
        control = kind(text, 4)
        qtbot.addWidget(control)
        control.resize(width, control.sizeHint().height())
        return control.grab().toImage()

    name = "Equivalent meaning && P2, four examples"
    ends = range(5, len(name))
    cuts = [cut.format(name[:front], name[-back:]) for front in ends for back in ends if abs(front - back) < 4]
    assert picture(name, 120) in [picture(each, 120) for each in cuts]
    assert kind(name, 4).minimumSizeHint().width() < 120


def test_the_note_behind_a_tick_is_kept_when_its_text_is_cut(dressed, qtbot):
    def picture(text: str):
        control = NarrowTick(text, 4)
        qtbot.addWidget(control)
        control.resize(220, control.sizeHint().height())
        return control.grab().toImage()

    name, note = "Equivalent meaning? Yes or no", " · P2, examples"
    assert picture(name + note) in [picture(f"{name[:letters]}…{note}") for letters in range(3, len(name))]
