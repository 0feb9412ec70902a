"""The texts that a screen reader receives from widgets, and the size of widgets as targets for a pointer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QColor, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QDialogButtonBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QTabBar,
    QWidget,
)

#: Smallest target for a pointer, in pixels, and the distance of smaller ones (WCAG 2.2, 2.5.8).
TARGET = 24

#: Least contrast of a border (WCAG 2.2, 1.4.11).
LEAST_CONTRAST = 3.0

_TARGETS = (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit)


def plain_text(text: str) -> str:
    """Return a shown text without markup, shortcut marks and soft breaks."""
    if "<" in text:
        document = QTextDocument()
        document.setHtml(text)
        text = document.toPlainText()
    return " ".join(text.replace("\u200b", "").replace("&", "").split())


def _visible(root: QWidget) -> Iterator[QWidget]:
    yield from (part for part in root.findChildren(QWidget) if part.isVisible() and part.window() is root.window())


def find_unspoken(root: QWidget) -> list[str]:
    """Return the shown texts that a screen reader does not receive: of buttons by their name, of others in any way."""
    silent = []
    for part in _visible(root):
        if not isinstance(part, QLabel | QAbstractButton | QGroupBox):
            continue
        shown = plain_text(part.title() if isinstance(part, QGroupBox) else part.text())
        interface = QAccessible.queryAccessibleInterface(part)
        if not any(sign.isalnum() for sign in shown):
            continue  # an arrow or a cross
        roles = QAccessible.Text.Name, QAccessible.Text.Value, QAccessible.Text.Description
        name, *others = (plain_text(interface.text(role)) for role in roles)
        # Speech control presses a button by its visible words.
        spoken = [name] if isinstance(part, QAbstractButton) else [name, *others]
        if not any(shown.rstrip("…") in text for text in spoken):
            silent.append(f"{type(part).__name__} {shown!r}, named {name!r}")
    return silent


def find_nameless(root: QWidget) -> list[str]:
    """Return the controls that Tab reaches and a screen reader has no name for."""
    silent = []
    for part in _visible(root):
        if not part.focusPolicy() & Qt.FocusPolicy.TabFocus or part.focusProxy() is not None:
            continue
        if isinstance(part.parentWidget(), QComboBox | QAbstractSpinBox) or isinstance(
            part, QDialogButtonBox | QTabBar
        ):
            continue
        interface = QAccessible.queryAccessibleInterface(part)
        if not plain_text(interface.text(QAccessible.Text.Name)):
            silent.append(f"{type(part).__name__} in {type(part.parentWidget()).__name__}")
    return silent


def find_mislabelled(root: QWidget) -> list[str]:
    """Return the widgets whose description has tags or repeats their name, or whose name marks a shortcut."""
    wrong = []
    for part in (root, *_visible(root)):
        interface = QAccessible.queryAccessibleInterface(part)
        if interface is None:
            continue
        name, description = (interface.text(role) for role in (QAccessible.Text.Name, QAccessible.Text.Description))
        # A screen reader leaves out a tooltip that is the name.
        twice = bool(name) and plain_text(description) == plain_text(name) != plain_text(part.toolTip())
        twice = twice or (bool(name) and description.startswith(f"{name}\n"))
        if description.lstrip().startswith("<") or twice or re.search(r"&\w", name):
            wrong.append(f"{type(part).__name__} {name!r}: {description[:80]!r}")
    return wrong


def find_narrow_targets(root: QWidget) -> list[str]:
    """Return the targets of a pointer that are smaller than `TARGET` and not spaced.

    A smaller one is spaced if a circle of that diameter around its middle meets no other target and no circle of
    another small one.
    """
    areas: dict[QWidget, QRect] = {}
    for part in _visible(root):
        if not isinstance(part, _TARGETS) or isinstance(part.parentWidget(), QComboBox | QAbstractSpinBox | QLineEdit):
            continue
        area = _seen_area(part, root)
        if not area.isEmpty():
            areas[part] = area
    small = {part for part, area in areas.items() if min(area.width(), area.height()) < TARGET}
    close = []
    for one, other in combinations(areas, 2):
        if one in small and other in small:
            gap = areas[one].center() - areas[other].center()
            if gap.x() ** 2 + gap.y() ** 2 < TARGET**2:
                close.append((one, other))
        elif one in small or other in small:
            circle, area = (areas[one], areas[other]) if one in small else (areas[other], areas[one])
            if _distance(circle.center(), area) < TARGET / 2:
                close.append((one, other))
    return [" and ".join(_described(part, areas[part]) for part in pair) for pair in close]


def _described(part: QWidget, area: QRect) -> str:
    return f"{type(part).__name__} {part.accessibleName()!r} ({area.width()} x {area.height()})"


def _seen_area(part: QWidget, root: QWidget) -> QRect:
    """Return the area of a part in its window, without what scroll areas cut off."""
    area = QRect(part.mapTo(root, QPoint()), part.size())
    parent = part.parentWidget()
    while parent is not None and parent is not root:
        if isinstance(parent, QAbstractScrollArea | QScrollArea):
            area &= QRect(parent.mapTo(root, QPoint()), parent.size())
        parent = parent.parentWidget()
    return area


def _distance(point: QPoint, area: QRect) -> float:
    across = max(area.left() - point.x(), 0, point.x() - area.right())
    up = max(area.top() - point.y(), 0, point.y() - area.bottom())
    return float((across**2 + up**2) ** 0.5)


def find_out_of_reach(root: QWidget) -> list[str]:
    """Return the controls that are outside their window and that no scroll area brings into it."""
    lost = []
    frame = root.rect()
    for part in _visible(root):
        if not isinstance(part, _TARGETS) or part.size().isEmpty():
            continue
        parent, scrolls = part.parentWidget(), False
        while parent is not None and parent is not root:
            scrolls = scrolls or isinstance(parent, QAbstractScrollArea)
            parent = parent.parentWidget()
        area = QRect(part.mapTo(root, QPoint()), part.size())
        if not scrolls and not frame.contains(area):
            lost.append(f"{_described(part, area)} at {area.left()}, {area.top()}")
    return lost


def find_faint_borders(root: QWidget) -> list[str]:
    """Return the enabled fields, boxes and buttons whose border is weaker than 3 : 1 on what is around it (1.4.11)."""
    picture = root.grab().toImage()
    faint = []
    for part in _visible(root):
        if not isinstance(part, (*_TARGETS, QPlainTextEdit)) or not part.isEnabled() or _is_flat(part):
            continue
        if isinstance(part.parentWidget(), QComboBox | QAbstractSpinBox | QAbstractItemView):
            continue
        area = QRect(part.mapTo(root, QPoint()), part.size())
        middle = area.center().y()
        if area.left() < 3 or not _seen_area(part, root).contains(QPoint(area.left(), middle)):
            continue
        around = picture.pixelColor(area.left() - 2, middle)
        strongest = max(measure_contrast(picture.pixelColor(area.left() + at, middle), around) for at in range(3))
        if strongest < LEAST_CONTRAST:
            faint.append(f"{_described(part, area)}: {strongest:.2f}")
    return faint


def measure_contrast(one: QColor, other: QColor) -> float:
    """Return the contrast of two colours as WCAG defines it, 1 to 21."""
    lights = []
    for colour in (one, other):
        parts = (colour.redF(), colour.greenF(), colour.blueF())
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        lights.append(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def _is_flat(part: QWidget) -> bool:
    """Return whether a button is text only, so that its text is what must stand out."""
    if (
        type(part) is QAbstractButton
        or part.property("link")
        or part.property("flat")
        or part.property("boxed") is not None
    ):
        return True
    return bool(part.property("autoRaise"))
