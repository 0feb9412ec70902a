"""Every icon that is named is in the set, every file of the set is used, and icons have the colours of the theme."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import QPushButton

import parapluie_gui
from parapluie_gui import places
from parapluie_gui.ui.widgets import icons, theme
from parapluie_gui.ui.window.actions import actions

FOLDER = Path(str(places.resources() / "icons"))


def literals() -> Iterator[str]:
    for file in (Path(parapluie_gui.__file__).parent / "ui").rglob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        yield from (each.value for each in ast.walk(tree) if isinstance(each, ast.Constant) and type(each.value) is str)


def test_the_set_has_all_used_icons_and_its_licence():
    files = {file.stem for file in FOLDER.glob("*.svg")}
    named = {action.icon for action in actions() if action.icon}
    assert named <= files
    assert "ISC License" in (FOLDER / "LICENSE-Lucide.txt").read_text("utf-8")


@pytest.mark.needs("concordance", "doctor", "people", "template_editor")  # the actions with a separate icon
def test_every_icon_of_the_set_is_used():
    files = {file.stem for file in FOLDER.glob("*.svg")}
    named = {action.icon for action in actions() if action.icon}
    style = (places.resources() / "style.qss").read_text("utf-8")
    drawn = {name for name in files if name.endswith(("-light", "-dark"))}
    assert all(f"{name.rpartition('-')[0]}-$name.svg" in style for name in drawn)
    assert files - drawn - {"app"} <= named | set(literals()), "remove unused icons"


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK])
def test_an_icon_has_the_colour_of_the_text_and_is_faint_when_disabled(qapp, qtbot, colours):
    bearer = icons.put(QPushButton(), "play")
    qtbot.addWidget(bearer)
    theme.apply(qapp, colours)

    def shade(mode: QIcon.Mode) -> QColor:
        image = bearer.icon().pixmap(64, mode).toImage()
        result = [image.pixelColor(x, 32) for x in range(64)]
        return max(result, key=QColor.alpha)

    assert shade(QIcon.Mode.Normal).name() == qapp.palette().color(QPalette.ColorRole.ButtonText).name()
    assert shade(QIcon.Mode.Disabled).name() == colours.muted
    assert {size.width() for size in bearer.icon().availableSizes()} >= {16, 32}, "as large as it is displayed"
    assert icons.put(bearer, "").icon().isNull(), "an icon can be removed"
    theme.apply(qapp, colours)
    assert bearer.icon().isNull()
