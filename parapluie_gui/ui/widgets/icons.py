"""The program's icons: line drawings of one set (Lucide), in the colour of the text next to them."""

from __future__ import annotations

from functools import cache
from typing import TypeVar
from weakref import WeakSet

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAction, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton
from shiboken6 import Shiboken

from parapluie_gui import places

#: Sizes of an icon in pixels: 16 points at the usual screen scales from 1 to 4.
_SIZES = (16, 20, 24, 32, 48, 64)

#: Properties of a button or action with an icon: the icon's name, and the palette role of its colour.
_NAME, _ROLE = "icon_name", "icon_role"

#: All buttons and actions with an icon; Qt's own list of widgets contains some that are being deleted.
_bearers: WeakSet[QAction | QAbstractButton] = WeakSet()

Bearer = TypeVar("Bearer", bound=QAction | QAbstractButton)


def put(bearer: Bearer, name: str, role: QPalette.ColorRole = QPalette.ColorRole.ButtonText) -> Bearer:
    """Set the icon of a button or an action, for all themes, and return it.

    Args:
        bearer: The button or action.
        name: Name of the file in resources/icons, without its ending; "" removes the icon.
        role: Role of the text next to the icon.
    """
    if name_of(bearer) != name:
        bearer.setProperty(_NAME, name)
        bearer.setProperty(_ROLE, role.name)
        _bearers.add(bearer)
        bearer.setIcon(icon(name, role) if name else QIcon())
    return bearer


def name_of(bearer: QAction | QAbstractButton) -> str:
    """Return the name of the icon set by `put`, or ""."""
    return str(bearer.property(_NAME) or "")


def renew() -> None:
    """Redraw every icon set by `put` in the application's current colours."""
    for bearer in list(_bearers):
        if Shiboken.isValid(bearer) and name_of(bearer):
            bearer.setIcon(icon(name_of(bearer), QPalette.ColorRole[bearer.property(_ROLE)]))


def icon(name: str, role: QPalette.ColorRole = QPalette.ColorRole.ButtonText) -> QIcon:
    """Return an icon in the application's current colours."""
    groups, palette = QPalette.ColorGroup, QGuiApplication.palette()
    usual, faint = palette.color(groups.Active, role), palette.color(groups.Disabled, QPalette.ColorRole.ButtonText)
    return _draw_icon(name, usual.name(), faint.name())


@cache
def _draw_icon(name: str, usual: str, faint: str) -> QIcon:
    source = (places.resources() / "icons" / f"{name}.svg").read_text("utf-8")
    result = QIcon()
    for colour, mode in ((usual, QIcon.Mode.Normal), (faint, QIcon.Mode.Disabled)):
        drawing = QSvgRenderer(source.replace("currentColor", colour).encode())
        for size in _SIZES:
            pixmap = QPixmap(size, size)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            drawing.render(painter, QRectF(0, 0, size, size).adjusted(size / 16, size / 16, -size / 16, -size / 16))
            painter.end()
            result.addPixmap(pixmap, mode)
    return result
