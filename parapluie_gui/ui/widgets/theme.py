"""Light and dark: the colours of the window and of its plots, in one place."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPen, QPixmap
from PySide6.QtWidgets import QApplication

from parapluie_gui import places


@dataclass(frozen=True)
class Theme:
    """Colours as "#rrggbb" text.

    Attributes:
        paraphrase, other, unlabelled: Points and words of the three label states (blue, orange, grey).
        threshold: The decision line.
        mark, mark_text: Changed words.
        letter: Changed letters inside a changed word (underline and background).
        moved: Background of moved phrases.
        plot, axis, grid: Plot background, axis pen and text, grid lines.
        good, bad: Signs of success and error in text.
    """

    name: str
    window: str
    base: str
    raised: str
    text: str
    muted: str
    border: str
    accent: str
    accent_text: str
    paraphrase: str
    other: str
    unlabelled: str
    threshold: str
    mark: str
    mark_text: str
    letter: str
    moved: str
    plot: str
    axis: str
    grid: str
    good: str
    bad: str


_COLOURS = tomllib.loads((places.resources() / "themes.toml").read_text("utf-8"))
THEMES = {name: Theme(name, **colours) for name, colours in _COLOURS.items()}
LIGHT, DARK = THEMES["light"], THEMES["dark"]


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


def style_sheet(theme: Theme) -> str:
    """Return the few rules that a palette cannot express."""
    return f"""
    QToolTip {{ color: {theme.text}; background: {theme.raised}; border: 1px solid {theme.border}; padding: 3px; }}
    QDockWidget::title {{ background: {theme.raised}; padding: 5px 8px; }}
    QGroupBox {{ border: 1px solid {theme.border}; border-radius: 5px; margin-top: 1.3em; padding: 8px 6px 6px 6px; }}
    QGroupBox::title {{ subcontrol-origin: margin; left: 6px; color: {theme.muted}; }}
    QLabel[muted="true"] {{ color: {theme.muted}; }}
    QLabel[bad="true"] {{ color: {theme.bad}; }}
    QLabel[good="true"] {{ color: {theme.good}; }}
    QPushButton[primary="true"] {{ background: {theme.accent}; color: {theme.accent_text}; border: none;
        border-radius: 4px; padding: 6px 14px; font-weight: 600; }}
    QPushButton[primary="true"]:disabled {{ background: {theme.raised}; color: {theme.muted}; }}
    QPushButton[primary="true"]:focus {{ border: 2px solid {theme.text}; }}
    QHeaderView::section {{ background: {theme.raised}; color: {theme.text}; border: none;
        border-right: 1px solid {theme.border}; border-bottom: 1px solid {theme.border}; padding: 4px 6px; }}
    QWidget[tag="true"] {{ background: {theme.raised}; border: 1px solid {theme.border}; border-radius: 4px; }}
    QSplitter::handle {{ background: {theme.border}; }}
    QCheckBox::indicator, QListView::indicator, QTreeView::indicator {{ width: 14px; height: 14px; border-radius: 3px;
        border: 1px solid {theme.muted}; background: {theme.base}; }}
    QCheckBox::indicator:checked, QListView::indicator:checked, QTreeView::indicator:checked {{
        border-color: {theme.accent}; background: {theme.accent}; image: url({_icon(f"check-{theme.name}.svg")}); }}
    QCheckBox::indicator:disabled {{ border-color: {theme.border}; background: {theme.raised}; }}
    QCheckBox::indicator:checked:disabled {{ border-color: {theme.muted}; background: {theme.muted}; }}
    QCheckBox::indicator:focus {{ border: 2px solid {theme.accent}; }}
    """


def _icon(name: str) -> str:
    """Return an icon's path as a style sheet wants it."""
    return str(places.resources() / "icons" / name).replace("\\", "/")


def apply(app: QApplication, theme: Theme) -> None:
    """Dress the whole application in a theme."""
    app.setStyle("Fusion")
    app.setPalette(palette(theme))
    app.setStyleSheet(style_sheet(theme))


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
