"""The control of one option: a spin box for a number, a list for a choice, a tick box for a switch, or a line."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QAbstractSpinBox, QCheckBox, QDoubleSpinBox, QLineEdit, QSpinBox, QToolTip, QWidget

from parapluie_gui.options import Option
from parapluie_gui.ui.widgets.controls import KeyChoice
from parapluie_gui.ui.widgets.decimal_box import DecimalBox

#: Step of the spin box if the maximum is at most 1.
_STEP = 0.05


class OptionControl(QObject):
    """Creates and reads the control of an option; its layout sets its name and tooltip.

    Attributes:
        option: The option.
        widget: Its control.

    Signals:
        changed: The value changed.
        refused: (str) Why the value being typed is invalid; "" once it is valid.
    """

    changed = Signal()
    refused = Signal(str)

    def __init__(
        self,
        option: Option,
        *,
        title: str = "",
        keys: Mapping[str, str] | None = None,
        special: str = "",
        parent: QObject | None = None,
    ) -> None:
        """Create the control; the texts are in the window's language.

        Args:
            option: The option.
            title: Text of a tick box.
            keys: Keys and titles of a choice.
            special: Text shown for the lowest number.
            parent: As in Qt.
        """
        super().__init__(parent)
        self.option = option
        self.widget = self._make(title, keys or {}, special)

    def value(self) -> object:
        """Return the chosen value, of the option's type."""
        control = self.widget
        if isinstance(control, KeyChoice):
            return control.key()
        if isinstance(control, QCheckBox):
            return control.isChecked()
        if isinstance(control, (QSpinBox, QDoubleSpinBox)):
            return control.value()
        assert isinstance(control, QLineEdit)
        return control.text()

    def choose(self, value: object) -> None:
        """Choose a value, as the user would."""
        control = self.widget
        if isinstance(control, KeyChoice):
            control.choose(str(value))
        elif isinstance(control, QCheckBox):
            control.setChecked(bool(value))
        elif isinstance(control, (QSpinBox, QDoubleSpinBox)) and isinstance(value, (int, float)):
            control.setValue(value)  # type: ignore[arg-type]
        elif isinstance(control, QLineEdit):
            control.setText(str(value))

    def _make(self, title: str, keys: Mapping[str, str], special: str) -> QWidget:
        option = self.option
        if option.kind == "choice":
            choice = KeyChoice()
            if keys:
                choice.offer(list(keys), list(keys.values()), option.default)
            choice.chosen.connect(self._tell)
            return choice
        if option.kind == "switch":
            box = QCheckBox(title)
            box.setChecked(bool(option.default))
            box.toggled.connect(self._tell)
            return box
        if option.kind == "text":
            line = QLineEdit(option.default)
            line.editingFinished.connect(self._tell)
            return line
        number: QSpinBox | QDoubleSpinBox
        if option.kind == "integer":
            number = QSpinBox()
            number.setRange(round(option.low), round(option.high))
        else:
            number = DecimalBox()
            number.setDecimals(option.decimals)
            number.setRange(option.low, option.high)
            number.setSingleStep(_STEP if option.high <= 1 else 1)
        number.setSpecialValueText(special)
        number.setKeyboardTracking(False)
        number.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToNearestValue)
        number.setValue(option.default)
        number.valueChanged.connect(self._tell)
        if (field := number.findChild(QLineEdit)) is not None:
            field.textEdited.connect(partial(self._check, number))
        # Deferred: the click that leaves the box must not start anything with a corrected number.
        number.editingFinished.connect(self._accept, Qt.ConnectionType.QueuedConnection)
        return number

    def _check(self, number: QSpinBox | QDoubleSpinBox, text: str) -> None:
        """Report at once that a number is too small; the box would silently replace it by the minimum."""
        words = self.tr("{0}: at least {1}.").format(number.accessibleName(), f"{number.minimum():,}")
        refused = bool(text) and not number.hasAcceptableInput()
        QToolTip.showText(number.mapToGlobal(number.rect().bottomLeft()), words if refused else "", number)
        self.refused.emit(words if refused else "")

    def _accept(self) -> None:
        self.refused.emit("")

    def _tell(self, *_: object) -> None:
        self.changed.emit()
