"""Widgets side by side that go on in a new line where the width is used up, so that narrow panels cut nothing."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Lines of widgets, each vertically centred in its line; with large text a bar grows lines instead of being cut."""

    def __init__(self, parent: QWidget | None = None, gap: int = 6) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(gap)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        shown = [item.sizeHint() for item in self._items if not item.isEmpty()]
        margins = self.contentsMargins()
        wide = sum(size.width() for size in shown) + self.spacing() * max(len(shown) - 1, 0)
        high = max((size.height() for size in shown), default=0)
        return QSize(wide + margins.left() + margins.right(), high + margins.top() + margins.bottom())

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            if not item.isEmpty():
                size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _arrange(self, rect: QRect, move: bool) -> int:
        inner = rect.marginsRemoved(self.contentsMargins())
        y = inner.y()
        line: list[tuple[QLayoutItem, QSize, int]] = []
        x = inner.x()

        def close(y: int) -> int:
            high = max((size.height() for _, size, _ in line), default=0)
            for item, size, left in line if move else ():
                item.setGeometry(QRect(QPoint(left, y + (high - size.height()) // 2), size))
            return high

        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint().boundedTo(QSize(max(inner.width(), item.minimumSize().width()), 16777215))
            if line and x + size.width() > inner.right() + 1:
                y += close(y) + self.spacing()
                line, x = [], inner.x()
            line.append((item, size, x))
            x += size.width() + self.spacing()
        y += close(y)
        return y - rect.y() + self.contentsMargins().bottom()


def flow(*widgets: QWidget) -> FlowLayout:
    """Return widgets side by side, in several lines where one is too short."""
    layout = FlowLayout()
    for widget in widgets:
        layout.addWidget(widget)
    return layout
