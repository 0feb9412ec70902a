"""The keys that walk through a picture without a mouse."""

from __future__ import annotations

from PySide6.QtCore import Qt

#: Steps of the arrow keys, across and down.
ARROW_STEPS = {
    int(Qt.Key.Key_Left): (-1, 0),
    int(Qt.Key.Key_Right): (1, 0),
    int(Qt.Key.Key_Up): (0, -1),
    int(Qt.Key.Key_Down): (0, 1),
}
#: Keys that follow or choose the item that the arrow keys reached.
CHOOSING_KEYS = (int(Qt.Key.Key_Return), int(Qt.Key.Key_Enter), int(Qt.Key.Key_Space))
