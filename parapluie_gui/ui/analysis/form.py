"""The form of an analysis, made from its options: a box, a list or a switch each, behind its name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QAbstractSpinBox, QCheckBox, QDoubleSpinBox, QLineEdit, QSpinBox, QToolTip, QWidget

from parapluie_gui.analysis.material import Material
from parapluie_gui.options import Option, described
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, FlowLayout, hbox, named, set_shown
from parapluie_gui.ui.widgets.controls import KeyChoice, caption

_GAP = 10


def translated(text: str) -> str:
    """Return a text of an analysis in the language of the window."""
    return QCoreApplication.translate("Analysis", text) if text else ""


class OptionForm(QWidget):
    """The options of an analysis, or of several on one page, where options of one name are one control.

    Attributes:
        controls: The control of each option, by its name.

    Signals:
        changed: (bool) An option changed; True where something has to be computed anew.
        refused: (str) What is being typed cannot be taken, and why; "" once it can.
    """

    changed = Signal(bool)
    refused = Signal(str)

    def __init__(self, *kinds: type[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kinds = {kind: [each for each in described(kind) if each.label] for kind in kinds}
        every = [each for options in self._kinds.values() for each in options]
        self._options = list({each.name: each for each in reversed(every)}.values())[::-1]
        # What one of them computes anew for, all do.
        self._anew = {each.name for each in every if not each.only_shown}
        self.controls: dict[str, QWidget] = {}
        self._groups: dict[str, QWidget] = {}
        self._refused = ""
        line = FlowLayout(self, gap=_GAP)
        for each in self._options:
            control = self._control(each)
            self.controls[each.name] = control
            group = QWidget()
            row = hbox(within=group, margins=NO_MARGINS, spacing=5)
            name = translated(each.label)
            if each.kind != "switch":
                row.addWidget(caption(name, control))
            tip = translated(each.help)
            named(control, name.replace("&", ""), tip[:1].upper() + tip[1:])
            row.addWidget(control)
            self._groups[each.name] = group
            line.addWidget(group)
        set_shown(self, bool(self._options))

    def offer(self, material: Material) -> None:
        """Offer what the material has; what was chosen stays chosen where it still can be."""
        for each in self._options:
            control = self.controls[each.name]
            if isinstance(control, KeyChoice):
                keys = each.choices(material)
                control.offer(list(keys), [translated(title) for title in keys.values()], each.resolved("", material))
                # A list of one, such as the only corpus, is no choice.
                self._groups[each.name].setVisible(len(keys) > 1)
        self.setVisible(any(not group.isHidden() for group in self._groups.values()))

    def show_shown(self, shown: bool) -> None:
        """Show, or hide, the options of what is shown, before there is anything."""
        for each in self._options:
            if each.only_shown:
                self._groups[each.name].setVisible(shown)

    def options(self, kind: type[Any] | None = None) -> Any:
        """Return what is chosen, as one of the dataclasses of options; None for the first."""
        kind = kind or next(iter(self._kinds))
        return kind(**{each.name: self._value(each) for each in self._kinds[kind]})

    def choose(self, values: Mapping[str, object]) -> None:
        """Choose options by their names, as the user would; those not offered stay unchanged."""
        for name, value in values.items():
            control = self.controls.get(name)
            if isinstance(control, KeyChoice):
                control.choose(str(value))
            elif isinstance(control, QCheckBox):
                control.setChecked(bool(value))
            elif isinstance(control, (QSpinBox, QDoubleSpinBox)) and isinstance(value, (int, float)):
                control.setValue(value)  # type: ignore[arg-type]
            elif isinstance(control, QLineEdit):
                control.setText(str(value))

    def _value(self, option: Option) -> object:
        control = self.controls[option.name]
        if isinstance(control, KeyChoice):
            return control.key()
        if isinstance(control, QCheckBox):
            return control.isChecked()
        if isinstance(control, (QSpinBox, QDoubleSpinBox)):
            return control.value()
        assert isinstance(control, QLineEdit)
        return control.text()

    def _control(self, option: Option) -> QWidget:
        take = partial(self._tell, option.name in self._anew)
        if option.kind == "choice":
            choice = KeyChoice()
            if option.offered is None:
                choice.offer(list(option.keys), [translated(title) for title in option.keys.values()], option.default)
            choice.chosen.connect(take)
            return choice
        if option.kind == "switch":
            box = QCheckBox(translated(option.label))
            box.setChecked(bool(option.default))
            box.toggled.connect(take)
            return box
        if option.kind == "text":
            line = QLineEdit(option.default)
            line.editingFinished.connect(take)
            return line
        number: QSpinBox | QDoubleSpinBox
        if option.kind == "integer":
            number = QSpinBox()
            number.setRange(round(option.low), round(option.high))
        else:
            number = QDoubleSpinBox()
            number.setDecimals(option.decimals)
            number.setRange(option.low, option.high)
        number.setSpecialValueText(translated(option.special))
        number.setKeyboardTracking(False)
        number.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToNearestValue)
        number.setValue(option.default)
        number.valueChanged.connect(take)
        if (field := number.findChild(QLineEdit)) is not None:
            field.textEdited.connect(partial(self._check, option, number))
        # Later: the click that leaves the box is not to begin anything with a number that was not typed.
        number.editingFinished.connect(self._accept, Qt.ConnectionType.QueuedConnection)
        return number

    def _check(self, option: Option, number: QSpinBox | QDoubleSpinBox, text: str) -> None:
        """Say at once that a number is too small; the box would take the least one without a word."""
        words = self.tr("{0}: at least {1}.").format(number.accessibleName(), f"{number.minimum():,}")
        refused = bool(text) and not number.hasAcceptableInput()
        QToolTip.showText(number.mapToGlobal(number.rect().bottomLeft()), words if refused else "", number)
        self._tell_refused(words if refused else "")

    def _accept(self) -> None:
        self._tell_refused("")

    def _tell_refused(self, why: str) -> None:
        if why != self._refused:
            self._refused = why
            self.refused.emit(why)

    def _tell(self, anew: bool, *_: object) -> None:
        self.changed.emit(anew)
