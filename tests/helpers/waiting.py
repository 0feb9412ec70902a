"""Checks that a view has no pending work, and time limits for a busy computer."""

from __future__ import annotations

import os
from collections.abc import Iterable

from PySide6.QtCore import QObject, Qt

from parapluie_gui.ui.state.throttle import CallThrottle


def at_rest(parts: QObject | Iterable[QObject]) -> bool:
    """Return whether no throttled calls of these objects are pending; those of their children do not count."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    objects = [parts] if isinstance(parts, QObject) else parts
    return not any(
        throttle.isActive() for part in objects for throttle in part.findChildren(CallThrottle, options=direct)
    )


def in_time(seconds: float) -> float:
    """Scale a time limit for an idle computer, in seconds, by this computer's load; it stays finite."""
    waiting = os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 1.0
    return seconds * max(1.0, 2 * waiting)
