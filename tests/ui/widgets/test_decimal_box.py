"""Number boxes: a point and a comma are the same in every locale."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale

import parapluie_gui
from parapluie_gui.ui.widgets.controls import number

PACKAGE = Path(parapluie_gui.__file__).parent


@pytest.mark.parametrize("language", ["en_US", "de_DE", "fr_FR", "de_CH"])
@pytest.mark.parametrize("typed", ["0.5", "0,5"])
def test_a_point_and_a_comma_are_the_same_in_every_locale(qtbot, language, typed):
    box = number("Threshold", (-10, 10), 0.0)
    box.setLocale(QLocale(language))
    box.setSuffix(" cm")
    qtbot.addWidget(box)
    box.selectAll()
    qtbot.keyClicks(box, typed)
    box.interpretText()
    assert box.value() == 0.5
    box.setValue(-1.25)
    assert box.text() == f"-1{QLocale(language).decimalPoint()}25 cm".replace("-", QLocale(language).negativeSign())


def test_every_decimal_box_accepts_point_and_comma():
    """Qt's own class reads "0.5" as 5 under a German locale."""
    own = {"decimal_box.py"}
    strays = [
        path.name
        for path in PACKAGE.rglob("*.py")
        if path.name not in own and re.search(r"QDoubleSpinBox\(|\(QDoubleSpinBox\):", path.read_text("utf-8"))
    ]
    assert not strays, "use DecimalBox"
