"""The design system: the colours of the window and its plots in light and dark, spacing and type sizes.

Spacing comes in steps of four pixels. A page has one title, and each of its parts a heading. Space, not frames, groups
what belongs together. Numbers in tables are aligned right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from string import Template

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPen, QPixmap
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from parapluie_gui import places
from parapluie_gui.computer import gc_disabled
from parapluie_gui.report.palette import DARK, LIGHT, THEMES, Theme, strengthen_contrast
from parapluie_gui.ui.widgets import icons

__all__ = ["DARK", "LIGHT", "THEMES", "Theme"]

#: Pixels between related widgets, between parts of a group, between groups, and at the edge of a page.
CLOSE, NEAR, APART, PAGE = 4, 8, 16, 24

#: Property of the application: the style that the style sheet is written for has been set.
_STYLED = "styled"

#: Sizes of type as factors of the size of running text.
TITLE, HEADING, FIGURE = 1.7, 1.15, 1.9

_STYLE = Template((places.resources() / "style.qss").read_text("utf-8"))
_ICONS = places.resources() / "icons"


def palette(theme: Theme) -> QPalette:
    """Return the Qt palette of a theme, with every colour set: some platforms ignore the colour scheme."""
    colours = QPalette()
    roles = QPalette.ColorRole
    for role, value in {
        roles.Window: theme.window,
        roles.WindowText: theme.text,
        roles.Base: theme.base,
        roles.AlternateBase: theme.window,
        roles.ToolTipBase: theme.raised,
        roles.ToolTipText: theme.text,
        roles.PlaceholderText: theme.muted,
        roles.Text: theme.text,
        roles.Button: theme.raised,
        roles.ButtonText: theme.text,
        roles.BrightText: theme.bad,
        roles.Highlight: theme.accent,
        roles.HighlightedText: theme.accent_text,
        roles.Accent: theme.accent,
        roles.Link: theme.accent,
        roles.LinkVisited: theme.accent,
        roles.Light: theme.base,
        roles.Midlight: theme.raised,
        roles.Mid: theme.border,
        roles.Dark: theme.border,
        roles.Shadow: theme.border,
    }.items():
        colours.setColor(role, QColor(value))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        colours.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.muted))
    return colours


def style_sheet(theme: Theme, factor: float = 1.0) -> str:
    """Return the style sheet of a theme; boxes, arrows and icons are scaled with the type."""
    box = round(14 * factor)
    sizes = {
        "box": box,
        "box_inside": box - 2,
        "box_dot": box - 6,
        "icon": round(16 * factor),
        "arrow": round(12 * factor),
    }
    sizes |= {"menu": round(22 * factor), "bar": round(12 * factor)}
    accent, base = QColor(theme.accent), QColor(theme.base)
    mixed = {"chosen": _mix_colours(base, accent, 0.16), "accent_hover": _mix_colours(accent, QColor(theme.text), 0.15)}
    return _STYLE.substitute(asdict(theme), icons=_ICONS.as_posix().replace('"', '\\"'), **mixed, **sizes)


def _mix_colours(first: QColor, second: QColor, share: float) -> str:
    """Return the mix of two colours, with this share of the second."""
    parts = ((first.red(), second.red()), (first.green(), second.green()), (first.blue(), second.blue()))
    return QColor(*(round(a + (b - a) * share) for a, b in parts)).name()


def wants_contrast() -> bool:
    """Return whether the system asks programs for high contrast."""
    hints = QGuiApplication.styleHints()
    accessibility = getattr(hints, "accessibility", None)  # from Qt 6.10 on
    return accessibility is not None and accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast


def follow_contrast(then: Callable[[], object]) -> None:
    """Call a function when the system's wish for contrast changes."""
    accessibility = getattr(QGuiApplication.styleHints(), "accessibility", None)
    if accessibility is not None:
        accessibility().contrastPreferenceChanged.connect(lambda _: then())


def apply(app: QApplication, theme: Theme, factor: float = 1.0) -> None:
    """Apply a theme to the whole application, with type larger than usual by a factor.

    Nothing is set twice: each of these steps restyles every widget.
    """
    theme = strengthen_contrast(theme) if wants_contrast() else theme
    # While restyling, Qt iterates over a list of all widgets and calls their overrides in Python. If Python's collector
    # deletes a widget there, Qt still has it in its list, and the process crashes.
    with gc_disabled():
        if app.property(_STYLED) is None:  # the style has no name to compare while a style sheet is set
            app.setStyle("Fusion")
            app.setProperty(_STYLED, True)
        if app.palette() != (colours := palette(theme)):
            app.setPalette(colours)
            icons.renew()
        if app.styleSheet() != (sheet := style_sheet(theme, factor)):
            app.setStyleSheet("")  # removing one sheet and setting the next is four times as fast as replacing it
            app.setStyleSheet(sheet)
    # Not earlier: no widget may be created, restyled or deleted while Qt restyles all of them.
    notify_theme_followers()


_painting_themes: list[Theme] = []


@contextmanager
def painting_in(theme: Theme) -> Iterator[None]:
    """Paint in a theme, whatever the theme of the application, until the context ends."""
    _painting_themes.append(theme)
    try:
        yield
    finally:
        _painting_themes.pop()


def current_theme() -> Theme:
    """Return the theme of the application; painting code asks for it each time."""
    if _painting_themes:
        return _painting_themes[-1]
    theme = DARK if QGuiApplication.palette().window().color() == QColor(DARK.window) else LIGHT
    return strengthen_contrast(theme) if wants_contrast() else theme


class _ThemeNotifier(QObject):
    """Emits a signal after the theme of the application changed.

    Signals:
        changed: The application has a different theme.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.last_theme = LIGHT


_notifiers: list[_ThemeNotifier] = []


def _notifier() -> _ThemeNotifier:
    """Return the notifier of the current application, which is deleted with it, as after writing a figure."""
    if not _notifiers or not isValid(_notifiers[-1]):
        _notifiers[:] = [_ThemeNotifier()]
    return _notifiers[-1]


def notify_theme_followers() -> None:
    """Notify the followers of the theme if it changed since they were last notified."""
    notifier = _notifier()
    if notifier.last_theme is not (now := current_theme()):
        notifier.last_theme = now
        notifier.changed.emit()


def follow_theme(act: Callable[[], object]) -> None:
    """Call a method of a widget whenever the theme changes, while the widget exists."""
    _notifier().changed.connect(act)


def set_rules(widget: QWidget, rules: str) -> None:
    """Set a widget's style rules, replacing earlier ones; $name stands for a colour of the theme."""
    if (sheet := Template(rules).substitute(asdict(current_theme()))) != widget.styleSheet():
        widget.setStyleSheet(sheet)


def label_icons(theme: Theme) -> dict[int, QIcon]:
    """Return the icons of the labels by label: a disc for a paraphrase (1), a square otherwise (0)."""
    icons = {}
    for label, colour in ((1, theme.paraphrase), (0, theme.other)):
        icon = QIcon()
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):
            pixmap = QPixmap(32, 32)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(QColor(colour))
            # A selected row has the accent colour, the same as the disc: a rim keeps the disc visible.
            painter.setPen(QPen(QColor(theme.accent_text), 4) if mode == QIcon.Mode.Selected else Qt.PenStyle.NoPen)
            if label:
                painter.drawEllipse(QPointF(16, 16), 10, 10)
            else:
                painter.drawRect(QRectF(7, 7, 18, 18))
            painter.end()
            icon.addPixmap(pixmap, mode)
        icons[label] = icon
    return icons
