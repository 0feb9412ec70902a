"""Whether a view still has something to do that it was asked for, and how long that may take."""

from __future__ import annotations

import os
from collections.abc import Iterable

from PySide6.QtCore import QObject, Qt

from parapluie_gui.ui.state.throttle import Throttle


def at_rest(parts: QObject | Iterable[QObject]) -> bool:
    """Whether nothing that these objects throttle waits to be called; what belongs to their children does not count."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    objects = [parts] if isinstance(parts, QObject) else parts
    return not any(each.isActive() for part in objects for each in part.findChildren(Throttle, options=direct))


def in_time(seconds: float) -> float:
    """Return the seconds that something may take which takes fewer than these on an idle computer, as busy as this is.

    What never comes about is still not waited for.
    """
    waiting = os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 1.0
    return seconds * max(1.0, 2 * waiting)
