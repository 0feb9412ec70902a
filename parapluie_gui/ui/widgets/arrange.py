"""Buttons and layouts in one call each: rows, columns, and lines that flow like words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QMenu,
    QPushButton,
    QScrollArea,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets.text import plain_tip, read_aloud
from parapluie_gui.ui.widgets.wheel import BOXES, scroll_past

#: An item of a row or column: a widget or layout, one of them with its stretch (and a widget with its alignment), or a
#: stretch alone.
LayoutItem = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]
Margins = tuple[int, int, int, int]
Layout = TypeVar("Layout", bound=QBoxLayout)
Widget = TypeVar("Widget", bound=QWidget)

NO_MARGINS: Margins = (0, 0, 0, 0)

#: Pixels taken by a title bar and a frame.
_FRAME = QSize(4, 34)


def hbox(
    *parts: LayoutItem, within: QWidget | None = None, margins: Margins | None = None, spacing: int = -1
) -> QHBoxLayout:
    """Return the parts side by side, as the layout of `within`, if given. The spacing -1 is that of the style."""
    return _fill_layout(QHBoxLayout(within) if within is not None else QHBoxLayout(), parts, margins, spacing)


def vbox(
    *parts: LayoutItem, within: QWidget | None = None, margins: Margins | None = None, spacing: int = -1
) -> QVBoxLayout:
    """Return the parts one above the other; see `hbox`."""
    return _fill_layout(QVBoxLayout(within) if within is not None else QVBoxLayout(), parts, margins, spacing)


def widget_of(layout: QLayout) -> QWidget:
    """Return a plain widget that holds a layout."""
    holder = QWidget()
    holder.setLayout(layout)
    return holder


def stack_widgets(*widgets: QWidget) -> QWidget:
    """Return a widget that holds widgets one above the other, without gaps."""
    return widget_of(vbox(*widgets, margins=NO_MARGINS, spacing=0))


def name_control(widget: Widget, name: str, tip: str | None = None) -> Widget:
    """Set a control's accessible name and tooltip, and return it; the wheel does not change its value.

    Without `tip`, the name is the tooltip too.
    """
    if isinstance(widget, BOXES):
        scroll_past(widget)
    widget.setAccessibleName(name)
    widget.setToolTip(plain_tip(name if tip is None else tip))
    # A screen reader must not read the tags of a tooltip.
    if aloud := read_aloud(widget.toolTip()):
        widget.setAccessibleDescription(aloud.removeprefix(f"{name}\n"))
    return widget


def within_screen(size: QSize, screen: QScreen) -> QSize:
    """Return the largest size of a window up to `size` at which all of it is inside the screen."""
    return size.boundedTo(screen.availableSize() - _FRAME)


def button(text: str, on_click: Callable[[], object], tip: str = "", name: str = "", icon: str = "") -> QPushButton:
    """Return a push button; without `name`, a screen reader reads its text. `icon` is a name, see `icons`."""
    control = QPushButton(text)
    if icon:
        icons.put(control, icon)
    control.clicked.connect(on_click)
    return name_control(control, name or text.replace("&", "").rstrip("…"), tip)


def give_menu(opener: QPushButton, menu: QMenu | None) -> None:
    """Make a push button open a menu, or none; the style sheet leaves space for its arrow."""
    opener.setProperty("menu", menu is not None)
    opener.setMenu(menu)  # type: ignore[arg-type] # the stub lacks None
    opener.style().polish(opener)


def title_button(text: str, tip: str, on_click: Callable[[], object], icon: str = "") -> QToolButton:
    """Return a flat button for the title of a table or plot, or for a line; a screen reader reads its tooltip."""
    control = QToolButton()
    control.setText(text)
    if icon:
        icons.put(control, icon)
        control.setToolButtonStyle(
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon if text else Qt.ToolButtonStyle.ToolButtonIconOnly
        )
    control.setAutoRaise(True)
    control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    control.clicked.connect(on_click)
    return name_control(control, tip)


def scroll_area(inside: QWidget, sideways: bool = False) -> QScrollArea:
    """Return a frameless area that scrolls a widget vertically, or also horizontally."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    # Its children take the focus; the area itself would be a stop of Tab without a name.
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if not sideways:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)
    return area


def split(left: QWidget, right: QWidget, stretch: tuple[int, int]) -> QSplitter:
    """Return two widgets side by side with a handle between them; their widths follow their stretch."""
    splitter = QSplitter(Qt.Orientation.Horizontal)
    for place, widget in enumerate((left, right)):
        splitter.addWidget(widget)
        splitter.setStretchFactor(place, stretch[place])
    splitter.setSizes([1000 * share for share in stretch])
    splitter.setChildrenCollapsible(False)
    return splitter


def set_shown(widget: QWidget, shown: bool) -> None:
    """Show or hide a widget; one without a parent becomes visible with the parent it gets later.

    Qt would show it as a separate window, which flashes on the screen.
    """
    if shown and widget.parentWidget() is None:
        widget.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide, False)
    else:
        widget.setVisible(shown)


def clear(layout: QLayout) -> None:
    """Remove the widgets of a layout; they are deleted once the current event is handled."""
    while layout.count():
        entry = layout.takeAt(0)
        if entry is not None and (widget := entry.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def _fill_layout(layout: Layout, parts: tuple[LayoutItem, ...], margins: Margins | None, spacing: int) -> Layout:
    if margins is not None:
        layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            layout.addStretch(part)
            continue
        what, *how = part if isinstance(part, tuple) else (part,)
        add: Callable[..., None] = layout.addLayout if isinstance(what, QLayout) else layout.addWidget
        add(what, *how)
    return layout


class FlowLayout(QLayout):
    """Lines of widgets, each vertically centred in its line; with large type the number of lines grows."""

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
    """Return widgets side by side, on several lines if necessary."""
    layout = FlowLayout()
    for widget in widgets:
        layout.addWidget(widget)
    return layout


#: Greatest width of a column, in average letters.
MOST_LETTERS = 120


class CentredColumn(QWidget):
    """A centred column that holds a layout, as wide as possible up to a number of letters in the current type.

    Args:
        under: An area with a similar column; both stay aligned when a scroll bar makes that one narrower.
    """

    def __init__(
        self,
        inside: QLayout,
        letters: int = MOST_LETTERS,
        parent: QWidget | None = None,
        under: QAbstractScrollArea | None = None,
    ) -> None:
        super().__init__(parent)
        self._inside, self._letters = widget_of(inside), letters
        hbox(1, (self._inside, 1000), 1, within=self, margins=NO_MARGINS, spacing=0)
        self._fit()
        if under is not None:
            bar = under.verticalScrollBar()
            bar.rangeChanged.connect(lambda low, high: self._leave(bar.sizeHint().width() if high > low else 0))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the size of the type."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_inside"):
            self._fit()

    def _fit(self) -> None:
        self._inside.setMaximumWidth(self._letters * self.fontMetrics().averageCharWidth())

    def _leave(self, room: int) -> None:
        """Leave room at the right."""
        self.setContentsMargins(0, 0, room, 0)
