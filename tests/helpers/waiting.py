"""Whether a view still has something to do that it was asked for."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Qt

from parapluie_gui.ui.state.throttle import Throttle


def at_rest(parts: QObject | Iterable[QObject]) -> bool:
    """Whether nothing that these objects throttle waits to be called; what belongs to their children does not count."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    objects = [parts] if isinstance(parts, QObject) else parts
    return not any(each.isActive() for part in objects for each in part.findChildren(Throttle, options=direct))
