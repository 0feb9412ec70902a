"""What is cut in a narrow place says so."""

from __future__ import annotations

import pytest
from dressing import undress

from parapluie_gui.ui.widgets import theme
from parapluie_gui.ui.widgets.wrapped import NarrowBox


@pytest.fixture
def dressed(qapp):
    theme.apply(qapp, theme.LIGHT)
    yield
    undress(qapp)


def test_what_a_narrow_box_cuts_ends_in_dots(dressed, qtbot):
    def picture(text: str, width: int):
        box = NarrowBox(4)
        qtbot.addWidget(box)
        box.addItem(text)
        box.resize(width, box.sizeHint().height())
        return box.grab().toImage()

    name = "Two meanings · 6,420 pairs"
    cuts = [f"{name[:letters]}…" for letters in range(1, len("Two meanings"))]
    assert picture(name, 120) in [picture(cut, 120) for cut in cuts]
