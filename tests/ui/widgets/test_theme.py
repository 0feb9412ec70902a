"""The application's style is set once: styling every widget of a window again takes a second."""

from __future__ import annotations

import gc
from typing import ClassVar

import pytest
import shiboken6
from dressing import remove_style
from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QPushButton

from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets import theme as themes


class Button(QPushButton):
    """Counts how often it is styled."""

    def __init__(self):
        super().__init__()
        self.dressed = 0

    def changeEvent(self, event):
        self.dressed += event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange)
        super().changeEvent(event)


@pytest.fixture
def button(qapp, qtbot):
    themes.apply(qapp, themes.LIGHT)
    button = Button()
    qtbot.addWidget(button)
    yield button
    remove_style(qapp)


def test_nothing_is_collected_while_qt_iterates_over_all_widgets(collecting, qapp, qtbot):
    class Watching(QPushButton):
        collecting: ClassVar[list[bool]] = []

        def changeEvent(self, event):
            self.collecting.append(gc.isenabled())
            super().changeEvent(event)

    themes.apply(qapp, themes.LIGHT)
    watching = Watching()
    qtbot.addWidget(watching)
    watching.ensurePolished()
    Watching.collecting.clear()
    themes.apply(qapp, themes.DARK)
    remove_style(qapp)
    assert Watching.collecting and not any(Watching.collecting)
    assert gc.isenabled()


def test_an_unchanged_style_is_not_set_again(qapp, button):
    icons.put(button, "plus")
    before, light = button.dressed, button.icon().cacheKey()
    themes.apply(qapp, themes.LIGHT)
    assert (button.dressed, button.icon().cacheKey()) == (before, light)


@pytest.mark.parametrize(("theme", "factor"), [(themes.DARK, 1.0), (themes.LIGHT, 1.21)])
def test_changed_colours_and_sizes_are_applied(qapp, button, theme, factor):
    icons.put(button, "plus")
    before, light = button.dressed, button.icon().cacheKey()
    themes.apply(qapp, theme, factor)
    assert button.dressed > before and qapp.styleSheet() == themes.style_sheet(theme, factor)
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == theme.window
    assert (button.icon().cacheKey() != light) == (theme is themes.DARK)


def test_a_removed_style_sheet_is_set_again(qapp, button):
    remove_style(qapp)
    themes.apply(qapp, themes.LIGHT)
    assert qapp.styleSheet() == themes.style_sheet(themes.LIGHT)


def test_a_style_sheet_is_valid_in_any_program_folder(qtbot, monkeypatch, tmp_path):
    monkeypatch.setattr(themes, "_ICONS", tmp_path / "Été à Łódź (1) 'x' \"y\"")
    button = QPushButton()
    qtbot.addWidget(button)
    # Qt warns of rules that it does not understand, and the warning fails the test
    button.setStyleSheet(themes.style_sheet(themes.LIGHT))
    button.ensurePolished()
    assert button.palette().buttonText().color() == QColor(themes.LIGHT.text)


def test_theme_followers_are_notified_even_after_an_application_has_ended(qapp) -> None:
    """When an application ends, such as one that drew a figure, all Qt objects made by Python are deleted."""
    shiboken6.delete(themes._notifier())
    told: list[themes.Theme] = []
    themes.follow_theme(lambda: told.append(themes.current_theme()))
    themes.apply(qapp, themes.DARK)
    themes.apply(qapp, themes.LIGHT)
    assert told == [themes.DARK, themes.LIGHT]
    remove_style(qapp)


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2), 1 to 21."""

    def luminance(colour: str) -> float:
        parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [themes.LIGHT, themes.DARK], ids=lambda theme: theme.name)
def test_text_and_borders_have_the_contrast_required_by_wcag(theme):
    for background in (theme.window, theme.base, theme.raised):
        assert contrast(theme.text, background) >= 7
        for text in (theme.muted, theme.good, theme.bad):
            assert contrast(text, background) >= 4.5, (text, background)
        assert contrast(theme.edge, background) >= 3, "the border of a control (1.4.11)"
    for background in (theme.window, theme.base):
        for large in (theme.paraphrase, theme.other, theme.accent, theme.threshold):
            assert contrast(large, background) >= 3, (large, background)
    assert contrast(theme.accent_text, theme.accent) >= 4.5


def test_controls_have_a_high_contrast_border():
    rules = [rule.split("{") for rule in themes.style_sheet(themes.LIGHT).split("}") if "{" in rule]
    bordered = [selectors for selectors, body in rules if f"border: 1px solid {themes.LIGHT.edge}" in body]
    for control in ("QPushButton", "QToolButton", "QLineEdit", "QPlainTextEdit", "QComboBox", "QAbstractSpinBox"):
        assert any(control in selectors.replace(",", " ").split() for selectors in bordered), control


def test_the_systems_high_contrast_setting_is_followed(qapp, button, monkeypatch):
    monkeypatch.setattr(themes, "wants_contrast", lambda: True)
    for theme in (themes.LIGHT, themes.DARK):
        themes.apply(qapp, theme)
        strong = themes.current_theme()
        assert strong.name == theme.name
        assert strong.muted == strong.edge == strong.border == theme.text
        assert f"1px solid {theme.text}" in qapp.styleSheet()
    monkeypatch.undo()
    themes.apply(qapp, themes.LIGHT)
    assert themes.current_theme() is themes.LIGHT
