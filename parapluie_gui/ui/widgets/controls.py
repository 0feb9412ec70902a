"""Controls of forms and dialogs in one call each: fields, tick boxes, choices, bars, folds and dialog buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QFontDatabase, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
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
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, Margins, hbox, name_control, vbox
from parapluie_gui.ui.widgets.decimal_box import DecimalBox
from parapluie_gui.ui.widgets.text import enlarge
from parapluie_gui.ui.widgets.wrapped import NarrowTick, WrappedText

Control = TypeVar("Control", bound=QWidget)


def plain(text: str = "", *, muted: bool = False, wraps: bool = False, selectable: bool = False) -> QLabel:
    """Return a label of plain text, in which markup is not interpreted."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wraps)
    if muted:
        label.setProperty("muted", True)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def caption(text: str, control: QWidget) -> QLabel:
    """Return the label of a control; an ampersand marks the letter of its shortcut."""
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
    """Return a field for a line of text; `hint` is shown while it is empty, `clears` adds a button that empties it."""
    field = name_control(QLineEdit(text), name, tip)
    field.setPlaceholderText(hint)
    field.setClearButtonEnabled(clears)
    return field


def tick(text: str, tip: str = "", name: str = "", *, letters: int | None = None) -> QCheckBox:
    """Return a tick box; a screen reader reads its name, or else its text.

    With `letters`, its text is elided in a narrow panel, down to this many letters.
    """
    shown = text.replace("&", "&&") if name else text
    control = QCheckBox(shown) if letters is None else NarrowTick(shown, letters)
    return name_control(control, name or text.replace("&", ""), tip)


def make_spin_box(name: str, ends: tuple[int, int], value: int, tip: str = "", *, unit: str = "") -> QSpinBox:
    """Return a field for an integer in a range."""
    box = name_control(QSpinBox(), name, tip)
    box.setRange(*ends)
    box.setValue(value)
    box.setSuffix(unit)
    return box


def number(
    name: str, ends: tuple[float, float], value: float, tip: str = "", *, decimals: int = 2, step: float = 1.0
) -> DecimalBox:
    """Return a field for a number in a range; an arrow key changes it by a step."""
    box = name_control(DecimalBox(), name, tip)
    box.setDecimals(decimals)
    box.setRange(*ends)
    box.setSingleStep(step)
    box.setValue(value)
    return box


def bar(name: str, most: int = 0, *, width: int = 0, height: int = 0) -> QProgressBar:
    """Return a progress bar up to `most`, without a number; 0 means that the end is unknown."""
    progress = name_control(QProgressBar(), name, "")
    progress.setRange(0, most)
    progress.setTextVisible(False)
    if width:
        progress.setMaximumWidth(width)
    if height:
        progress.setMaximumHeight(height)
    return progress


def form(
    rows: Iterable[tuple[str, QWidget | QLayout]],
    within: QWidget | None = None,
    margins: Margins | None = None,
    wraps: QFormLayout.RowWrapPolicy | None = None,
) -> QFormLayout:
    """Return labelled fields one below the other; with `wraps` they take the full width."""
    layout = QFormLayout(within) if within is not None else QFormLayout()
    if margins is not None:
        layout.setContentsMargins(*margins)
    if wraps is not None:
        layout.setRowWrapPolicy(wraps)
        layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    for words, field in rows:
        layout.addRow(words, field)
    return layout


def dialog_buttons(
    dialog: QDialog,
    *others: QPushButton,
    ok: QPushButton | QDialogButtonBox.StandardButton | None = None,
    accept: Callable[[], object] | None = None,
) -> QDialogButtonBox:
    """Return the buttons of a dialog: Close, or with `ok` Cancel and that button.

    Args:
        dialog: The dialog that they close.
        others: Buttons that do not close it.
        ok: Accepts the dialog, or calls `accept` instead.
        accept: Called by `ok`.
    """
    standard = QDialogButtonBox.StandardButton
    buttons = QDialogButtonBox(standard.Close if ok is None else standard.Cancel)
    if isinstance(ok, QPushButton):
        buttons.addButton(ok, QDialogButtonBox.ButtonRole.AcceptRole)
    elif ok is not None:
        buttons.addButton(ok)
    for other in others:
        buttons.addButton(other, QDialogButtonBox.ButtonRole.ActionRole)
    buttons.accepted.connect(accept or dialog.accept)
    buttons.rejected.connect(dialog.reject)
    return buttons


def text_box(name: str, hint: str = "", *, reads: bool = False, as_code: bool = False) -> QPlainTextEdit:
    """Return a box for several lines of text, which Tab leaves.

    Args:
        name: Accessible name.
        hint: Shown while it is empty.
        reads: Whether the text is read-only.
        as_code: Whether the type is monospaced.
    """
    box = name_control(QPlainTextEdit(), name, "")
    box.setPlaceholderText(hint)
    box.setReadOnly(reads)
    box.setTabChangesFocus(True)
    if as_code:
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(box.font().pointSizeF())
        box.setFont(font)
    return box


def table(name: str, headers: Sequence[str] = (), rows: int = 0) -> QTableWidget:
    """Return a read-only table whose rows can be selected, without row numbers; Tab leaves it."""
    view = name_control(QTableWidget(rows, len(headers)), name, "")
    view.setHorizontalHeaderLabels(list(headers))
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    return view


class KeyChoice(QComboBox):
    """A list of keys shown by their titles; the chosen key stays chosen while it is offered.

    Signals:
        chosen: The user chose a different key.
    """

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(lambda _: self.chosen.emit())

    def offer(self, keys: Sequence[str], titles: Sequence[str], usual: str = "") -> None:
        """Offer these keys; if the current one is not among them, choose the usual key, or else the first."""
        if [self.itemData(at) for at in range(self.count())] == list(keys):
            return
        previous = self.key() if self.count() else None  # "" may be a choice too
        self.clear()
        for key, title in zip(keys, titles, strict=True):
            self.addItem(title, key)
        wanted = next((key for key in (previous, usual) if key in keys), None)
        if wanted is not None:
            self.setCurrentIndex(list(keys).index(wanted))

    def key(self) -> str:
        """Return the chosen key, "" for none."""
        return self.currentData() or ""

    def choose(self, key: str) -> None:
        """Choose a key as the user would."""
        at = self.findData(key)
        if at >= 0 and at != self.currentIndex():
            self.setCurrentIndex(at)
            self.chosen.emit()


def fold_button(text: str, tip: str = "") -> QToolButton:
    """Return a flat button with an arrow that points down while it is checked."""
    control = QToolButton()
    control.setText(text)
    control.setCheckable(True)
    control.setAutoRaise(True)
    control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    control.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    name_control(icons.put(control, "chevron-right"), text, tip)
    states = QCoreApplication.translate("Fold", "folded"), QCoreApplication.translate("Fold", "unfolded")

    def show_state(unfolded: bool) -> None:
        icons.put(control, "chevron-down" if unfolded else "chevron-right")
        # Qt gives a screen reader a button that is pressed, not one that is expanded.
        control.setAccessibleDescription(". ".join(filter(None, [states[unfolded], tip])))

    control.toggled.connect(show_state)
    show_state(False)
    return control


class FoldingSection(QWidget):
    """A section that folds, with a heading and a summary line while it is folded; clicking either unfolds it.

    Attributes:
        heading: Unfolds it while it is checked.
        inside: The folded widget.
        always: Widgets that stay visible below the line.
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
        """The summary."""
        return self._words

    def sum_up(self, text: str) -> None:
        """Set the summary, shown while the section is folded."""
        self._words = text
        self._unfold(self.heading.isChecked())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._sum.isVisible() and self._sum.geometry().contains(event.position().toPoint()):
            self.heading.setChecked(True)
        super().mouseReleaseEvent(event)

    def _unfold(self, on: bool) -> None:
        self.inside.setVisible(on)
        self._sum.say("" if on else self._words)


class FoldingWidget(QWidget):
    """A heading and the widget that it folds.

    Attributes:
        heading: Unfolds it while it is checked.
        inside: The folded widget; its layout is the caller's.
    """

    def __init__(self, text: str, tip: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = fold_button(text, tip)
        enlarge(self.heading, 1.0)
        self.inside = QWidget()
        self.inside.hide()
        self.heading.toggled.connect(self.inside.setVisible)
        vbox((self.heading, 0, Qt.AlignmentFlag.AlignLeft), self.inside, within=self, margins=NO_MARGINS, spacing=4)
