"""The form of an analysis, built from its options: a field, a list or a switch for each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.material import Material
from parapluie_gui.options import Option, list_options
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, FlowLayout, hbox, named, set_shown
from parapluie_gui.ui.widgets.controls import KeyChoice, caption
from parapluie_gui.ui.widgets.option_control import OptionControl

_GAP = 10


def translated(text: str) -> str:
    """Translate a text of an analysis."""
    return QCoreApplication.translate("Analysis", text) if text else ""


class OptionForm(QWidget):
    """Form for the options of one or several analyses; options with the same name share a control.

    Attributes:
        controls: The control of each option, by its name.

    Signals:
        changed: (bool) An option changed; True if this needs a new computation.
        refused: (str) Why the typed value is invalid; "" once it is valid.
    """

    changed = Signal(bool)
    refused = Signal(str)

    def __init__(self, *kinds: type[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kinds = {kind: [each for each in list_options(kind) if each.label] for kind in kinds}
        every = [each for options in self._kinds.values() for each in options]
        first = list({each.name: each for each in reversed(every)}.values())[::-1]
        # An option that needs a new computation for one analysis needs it for all.
        self._anew = {each.name for each in every if not each.only_shown}
        self._groups: dict[str, QWidget] = {}
        self._refused = ""
        self._options = {each.name: self._make(each) for each in first}
        self.controls: dict[str, QWidget] = {name: each.widget for name, each in self._options.items()}
        line = FlowLayout(self, gap=_GAP)
        for each in first:
            control = self.controls[each.name]
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
        """List the choices of the material; keep valid choices."""
        for name, each in self._options.items():
            if isinstance(each.widget, KeyChoice):
                keys, usual = each.option.choices(material), each.option.resolve("", material)
                each.widget.offer(list(keys), [translated(title) for title in keys.values()], usual)
                # Hide a list with a single entry, such as the only corpus.
                self._groups[name].setVisible(len(keys) > 1)
        self.setVisible(any(not group.isHidden() for group in self._groups.values()))

    def show_shown(self, shown: bool) -> None:
        """Show or hide the options that affect only the display."""
        for name, each in self._options.items():
            if each.option.only_shown:
                self._groups[name].setVisible(shown)

    def options(self, kind: type[Any] | None = None) -> Any:
        """Return the chosen options as one of the dataclasses; None for the first."""
        kind = kind or next(iter(self._kinds))
        return kind(**{each.name: self._options[each.name].value() for each in self._kinds[kind]})

    def choose(self, values: Mapping[str, object]) -> None:
        """Choose options by their names; skip values that are not offered."""
        for name, value in values.items():
            if name in self._options:
                self._options[name].choose(value)

    def _make(self, option: Option) -> OptionControl:
        keys = {key: translated(title) for key, title in option.keys.items()} if option.offered is None else {}
        title, special = translated(option.label), translated(option.special)
        control = OptionControl(option, title=title, keys=keys, special=special, parent=self)
        control.changed.connect(partial(self._tell, option.name in self._anew))
        control.refused.connect(self._tell_refused)
        return control

    def _tell_refused(self, why: str) -> None:
        if why != self._refused:
            self._refused = why
            self.refused.emit(why)

    def _tell(self, anew: bool, *_: object) -> None:
        self.changed.emit(anew)
