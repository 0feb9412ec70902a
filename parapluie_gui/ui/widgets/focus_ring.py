"""A frame around the control that has the focus, where its style draws none."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFocusFrame,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from parapluie_gui.ui.widgets.theme import current_theme

#: Width of the frame in pixels.
WIDTH = 2

#: Controls whose border the style sheet makes wider and coloured while they have the focus.
_STYLED = (QLineEdit, QComboBox, QAbstractSpinBox, QPushButton, QToolButton, QPlainTextEdit)


class FocusRing(QObject):
    """Draws a frame around the focused control of every window, for people who work without a mouse.

    Attributes:
        frame: The frame, a child of the focused control; None while the focus is shown by the style sheet.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.frame: FocusFrame | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)  # a method of an object, so that the connection ends with the window

    def _follow(self, _: QWidget | None, focused: QWidget | None) -> None:
        self.show_around(focused)

    def show_around(self, focused: QWidget | None) -> None:
        """Draw the frame around a control, or none."""
        frame, self.frame = self.frame, None
        if frame is not None and isValid(frame):
            if frame.parentWidget() is focused:
                self.frame = frame
                return
            frame.hide()
            frame.deleteLater()
        if focused is not None and needs_frame(focused):
            self.frame = FocusFrame(focused)
            self.frame.show()


def needs_frame(control: QWidget) -> bool:
    """Return whether the style sheet does not show that a control has the focus.

    A control with the property "unframed" gets no frame, such as the stage, where an audience would see it.
    """
    if control.property("unframed"):
        return False
    if isinstance(control, QTextEdit):  # those of a pair have no border
        return control.property("boxed") is not None
    return not isinstance(control, _STYLED) and not isinstance(control.parentWidget(), QComboBox | QAbstractSpinBox)


class FocusFrame(QFocusFrame):
    """The frame over a control; as a `QFocusFrame`, it is hidden from screen readers."""

    def __init__(self, control: QWidget) -> None:
        super().__init__(control)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAutoFillBackground(False)
        control.installEventFilter(self)
        self._fit(control)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the control."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self._fit(watched)
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        pen = QPen(QColor(current_theme().accent), WIDTH)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        inset = WIDTH // 2
        painter.drawRect(self.rect().adjusted(inset, inset, -inset, -inset))
        painter.end()

    def _fit(self, control: QWidget) -> None:
        """Cover the control with a frame that lets its middle through, which is then painted as before."""
        self.setGeometry(control.rect())
        inner = QRect(self.rect()).adjusted(WIDTH, WIDTH, -WIDTH, -WIDTH)
        self.setMask(QRegion(self.rect()).subtracted(QRegion(inner)))
        self.raise_()
