"""The design system: colours of the window and its plots in light and dark, the spaces, the sizes of type.

Space comes in steps of four pixels. A title stands once on a page, a heading over each of its parts; what belongs
together is held together by space, not by frames. Numbers in tables stand at the right.
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
from parapluie_gui.computer import uncollected
from parapluie_gui.report.palette import DARK, LIGHT, THEMES, Theme
from parapluie_gui.ui.widgets import icons

__all__ = ["DARK", "LIGHT", "THEMES", "Theme"]

#: Pixels between things that belong together, between parts of a group, between groups, and at the edge of a page.
CLOSE, NEAR, APART, PAGE = 4, 8, 16, 24

#: Property of the application: it has the style that the sheet is written for.
_STYLED = "styled"

#: Sizes of type as factors of the size of running text.
TITLE, HEADING, FIGURE = 1.7, 1.15, 1.9

_STYLE = Template((places.resources() / "style.qss").read_text("utf-8"))
_ICONS = places.resources() / "icons"


def palette(theme: Theme) -> QPalette:
    """Return the Qt palette of a theme; nothing is left to the platform, which may follow no colour scheme."""
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
    """Return the rules that a palette cannot express, with boxes, arrows and icons as large beside the type as ever."""
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
    mixed = {"chosen": _between(base, accent, 0.16), "accent_hover": _between(accent, QColor(theme.text), 0.15)}
    return _STYLE.substitute(asdict(theme), icons=_ICONS.as_posix().replace('"', '\\"'), **mixed, **sizes)


def _between(first: QColor, second: QColor, share: float) -> str:
    """Return the colour that is this share of the way from one to another."""
    parts = ((first.red(), second.red()), (first.green(), second.green()), (first.blue(), second.blue()))
    return QColor(*(round(a + (b - a) * share) for a, b in parts)).name()


def apply(app: QApplication, theme: Theme, factor: float = 1.0) -> None:
    """Dress the whole application in a theme, for type that is larger than usual by a factor.

    What is set already is left out: each of these steps dresses every widget there is anew.
    """
    # Qt goes through a list of all widgets to dress them, and Python runs where one of them overrides an event. What
    # is collected there, of a circle of references, is still in Qt's list: the next look at it ends the process.
    with uncollected():
        if app.property(_STYLED) is None:  # a style has no name to ask for while a sheet lies over it
            app.setStyle("Fusion")
            app.setProperty(_STYLED, True)
        if app.palette() != (colours := palette(theme)):
            app.setPalette(colours)
            icons.renew()
        if app.styleSheet() != (sheet := style_sheet(theme, factor)):
            app.setStyleSheet("")  # to take one sheet off and put on another is four times as fast as to replace it
            app.setStyleSheet(sheet)
    # Not before: while Qt goes through all widgets to dress them, none may be made, dressed or taken away.
    tell_worn()


_drawn: list[Theme] = []


@contextmanager
def drawn_as(theme: Theme) -> Iterator[None]:
    """Let what is painted meanwhile be painted in a theme, whatever the application wears."""
    _drawn.append(theme)
    try:
        yield
    finally:
        _drawn.pop()


def worn() -> Theme:
    """Return the theme that the application wears; what is painted asks for it each time."""
    if _drawn:
        return _drawn[-1]
    return DARK if QGuiApplication.palette().window().color() == QColor(DARK.window) else LIGHT


class _Wardrobe(QObject):
    """Notifies everybody after the application has changed its theme.

    Signals:
        changed: It wears another theme.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.told = LIGHT


_wardrobes: list[_Wardrobe] = []


def _wardrobe() -> _Wardrobe:
    """Return the one of this application: an application that ends, as that of a figure, takes all of Qt's objects."""
    if not _wardrobes or not isValid(_wardrobes[-1]):
        _wardrobes[:] = [_Wardrobe()]
    return _wardrobes[-1]


def tell_worn() -> None:
    """Tell those who follow the theme, if the application wears another one than when they were last told."""
    wardrobe = _wardrobe()
    if wardrobe.told is not (now := worn()):
        wardrobe.told = now
        wardrobe.changed.emit()


def follow_theme(act: Callable[[], object]) -> None:
    """Call a method of a widget whenever the application wears another theme, as long as the widget lives."""
    _wardrobe().changed.connect(act)


def set_rules(widget: QWidget, rules: str) -> None:
    """Give a widget rules of style of its own; $name stands for a colour of the theme. Other rules replace them."""
    if (sheet := Template(rules).substitute(asdict(worn()))) != widget.styleSheet():
        widget.setStyleSheet(sheet)


def label_icons(theme: Theme) -> dict[int, QIcon]:
    """Return the marks of the labels: a disc for a paraphrase, a square for the rest, by label (1, 0)."""
    icons = {}
    for label, colour in ((1, theme.paraphrase), (0, theme.other)):
        icon = QIcon()
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):
            pixmap = QPixmap(32, 32)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(QColor(colour))
            # A selected row has the accent colour, which is the disc's: a rim keeps it visible.
            painter.setPen(QPen(QColor(theme.accent_text), 4) if mode == QIcon.Mode.Selected else Qt.PenStyle.NoPen)
            if label:
                painter.drawEllipse(QPointF(16, 16), 10, 10)
            else:
                painter.drawRect(QRectF(7, 7, 18, 18))
            painter.end()
            icon.addPixmap(pixmap, mode)
        icons[label] = icon
    return icons
