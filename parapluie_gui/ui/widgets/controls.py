"""The controls of forms and dialogs in one call each: fields, ticks, choices, bars, folds, the buttons below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QTableWidget,
    QToolButton,
    QWidget,
)

from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, Margins, hbox, named, vbox
from parapluie_gui.ui.widgets.text import enlarge
from parapluie_gui.ui.widgets.wrapped import NarrowTick, WrappedText

Control = TypeVar("Control", bound=QWidget)


def plain(text: str = "", *, muted: bool = False, wraps: bool = False, selectable: bool = False) -> QLabel:
    """Return a label of plain text; names are data, and no HTML."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wraps)
    if muted:
        label.setProperty("muted", True)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def caption(text: str, control: QWidget) -> QLabel:
    """Return the words beside or above a control; an ampersand in them is before the letter that leads there."""
    label = QLabel(text)
    label.setBuddy(control)
    return label


def bold(widget: Control) -> Control:
    """Set a widget's text in bold type, and return it."""
    font = widget.font()
    font.setBold(True)
    widget.setFont(font)
    return widget


def line(name: str, hint: str = "", tip: str = "", *, text: str = "", clears: bool = False) -> QLineEdit:
    """Return a field for a line of text; `hint` stands in it while it is empty, `clears` gives it a button for that."""
    field = named(QLineEdit(text), name, tip)
    field.setPlaceholderText(hint)
    field.setClearButtonEnabled(clears)
    return field


def tick(text: str, tip: str = "", name: str = "", *, letters: int | None = None) -> QCheckBox:
    """Return a box to tick; its text is what a screen reader says, unless it has a name besides.

    With `letters` the text is cut in a narrow panel, down to so many.
    """
    shown = text.replace("&", "&&") if name else text
    return named(QCheckBox(shown) if letters is None else NarrowTick(shown, letters), name or text, tip)


def whole(name: str, ends: tuple[int, int], value: int, tip: str = "", *, unit: str = "") -> QSpinBox:
    """Return a field for a whole number between two ends."""
    box = named(QSpinBox(), name, tip)
    box.setRange(*ends)
    box.setValue(value)
    box.setSuffix(unit)
    return box


def number(
    name: str, ends: tuple[float, float], value: float, tip: str = "", *, decimals: int = 2, step: float = 1.0
) -> QDoubleSpinBox:
    """Return a field for a number between two ends; an arrow key changes it by a step."""
    box = named(QDoubleSpinBox(), name, tip)
    box.setDecimals(decimals)
    box.setRange(*ends)
    box.setSingleStep(step)
    box.setValue(value)
    return box


def bar(name: str, most: int = 0, *, width: int = 0, height: int = 0) -> QProgressBar:
    """Return a bar for progress up to `most`, without the number; 0 stands for work of which no end is known."""
    made = named(QProgressBar(), name, "")
    made.setRange(0, most)
    made.setTextVisible(False)
    if width:
        made.setMaximumWidth(width)
    if height:
        made.setMaximumHeight(height)
    return made


def form(
    rows: Iterable[tuple[str, QWidget | QLayout]],
    within: QWidget | None = None,
    margins: Margins | None = None,
    wraps: QFormLayout.RowWrapPolicy | None = None,
) -> QFormLayout:
    """Return fields below each other, each beside its words; with `wraps` they take all the room that there is."""
    made = QFormLayout(within) if within is not None else QFormLayout()
    if margins is not None:
        made.setContentsMargins(*margins)
    if wraps is not None:
        made.setRowWrapPolicy(wraps)
        made.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    for words, field in rows:
        made.addRow(words, field)
    return made


def dialog_buttons(
    dialog: QDialog,
    *others: QPushButton,
    ok: QPushButton | QDialogButtonBox.StandardButton | None = None,
    accept: Callable[[], object] | None = None,
) -> QDialogButtonBox:
    """Return the buttons at the bottom of a dialog: Close, or with `ok` Cancel and that one.

    Args:
        dialog: Closed by them.
        others: Buttons that close nothing.
        ok: Accepts the dialog, or calls `accept` instead.
        accept: What `ok` does.
    """
    standard = QDialogButtonBox.StandardButton
    buttons = QDialogButtonBox(standard.Close if ok is None else standard.Cancel)
    if isinstance(ok, QPushButton):
        buttons.addButton(ok, QDialogButtonBox.ButtonRole.AcceptRole)
    elif ok is not None:
        buttons.addButton(ok)
    for each in others:
        buttons.addButton(each, QDialogButtonBox.ButtonRole.ActionRole)
    buttons.accepted.connect(accept or dialog.accept)
    buttons.rejected.connect(dialog.reject)
    return buttons


def text_box(name: str, hint: str = "", *, reads: bool = False, as_code: bool = False) -> QPlainTextEdit:
    """Return a box for a text of several lines, which Tab leaves.

    Args:
        name: What a screen reader says.
        hint: Stands in it while it is empty.
        reads: The text is there to be read only.
        as_code: In monospaced type.
    """
    box = named(QPlainTextEdit(), name, "")
    box.setPlaceholderText(hint)
    box.setReadOnly(reads)
    box.setTabChangesFocus(True)
    if as_code:
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(box.font().pointSizeF())
        box.setFont(font)
    return box


def table(name: str, headers: Sequence[str] = (), rows: int = 0) -> QTableWidget:
    """Return a table that is read and whose rows are chosen, without numbers beside them; Tab leaves it."""
    made = named(QTableWidget(rows, len(headers)), name, "")
    made.setHorizontalHeaderLabels(list(headers))
    made.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    made.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    made.setTabKeyNavigation(False)
    made.verticalHeader().hide()
    return made


class KeyChoice(QComboBox):
    """A list of keys shown by their titles; the chosen key stays chosen while it is offered.

    Signals:
        chosen: The user chose another one.
    """

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(lambda _: self.chosen.emit())

    def offer(self, keys: Sequence[str], titles: Sequence[str], usual: str = "") -> None:
        """Offer other keys; if the present one is not among them, choose the usual one, otherwise the first."""
        if [self.itemData(at) for at in range(self.count())] == list(keys):
            return
        kept = self.key() if self.count() else None  # "" may be a choice too
        self.clear()
        for key, title in zip(keys, titles, strict=True):
            self.addItem(title, key)
        wanted = next((key for key in (kept, usual) if key in keys), None)
        if wanted is not None:
            self.setCurrentIndex(list(keys).index(wanted))

    def key(self) -> str:
        """Return the chosen key, "" when there is none."""
        return self.currentData() or ""

    def choose(self, key: str) -> None:
        """Choose a key as the user would."""
        at = self.findData(key)
        if at >= 0 and at != self.currentIndex():
            self.setCurrentIndex(at)
            self.chosen.emit()


def fold_button(text: str, tip: str = "") -> QToolButton:
    """Return a flat button with an arrow that points down while it is checked."""
    made = QToolButton()
    made.setText(text)
    made.setCheckable(True)
    made.setAutoRaise(True)
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    made.toggled.connect(lambda on: icons.put(made, "chevron-down" if on else "chevron-right"))
    return named(icons.put(made, "chevron-right"), text, tip)


class Section(QWidget):
    """A heading with a line that sums up what it folds away; a click on either unfolds it.

    Attributes:
        heading: Unfolds it while it is checked.
        inside: What is folded away.
        always: What is in sight all the same, below the line.
    """

    def __init__(
        self, text: str, inside: QWidget, *always: QWidget, tip: str = "", beside: QWidget | None = None
    ) -> None:
        super().__init__()
        self.heading = bold(fold_button(text, tip))
        self.inside, self.always = inside, always
        self._sum = WrappedText(self, muted=True)
        self._sum.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)  # a click unfolds
        self._sum.setContentsMargins(22, 0, 0, 0)
        self._words = ""
        inside.hide()
        self.heading.toggled.connect(self._unfold)
        head = hbox((self.heading, 0), 1, *([beside] if beside is not None else []), margins=NO_MARGINS)
        vbox(head, self._sum, *always, inside, within=self, margins=(0, 0, 0, 2), spacing=2)

    @property
    def words(self) -> str:
        """What sums it up."""
        return self._words

    def sum_up(self, text: str) -> None:
        """Show the line while it is folded."""
        self._words = text
        self._unfold(self.heading.isChecked())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._sum.isVisible() and self._sum.geometry().contains(event.position().toPoint()):
            self.heading.setChecked(True)
        super().mouseReleaseEvent(event)

    def _unfold(self, on: bool) -> None:
        self.inside.setVisible(on)
        self._sum.say("" if on else self._words)


class Fold(QWidget):
    """A heading and what it folds away.

    Attributes:
        heading: Unfolds it while it is checked.
        inside: What is folded away; its layout is the caller's.
    """

    def __init__(self, text: str, tip: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = fold_button(text, tip)
        enlarge(self.heading, 1.0)
        self.inside = QWidget()
        self.inside.hide()
        self.heading.toggled.connect(self.inside.setVisible)
        vbox((self.heading, 0, Qt.AlignmentFlag.AlignLeft), self.inside, within=self, margins=NO_MARGINS, spacing=4)
