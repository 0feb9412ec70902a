"""The form of an analysis, built from its options: a field, a list or a switch for each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.options import Option, list_options
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, FlowLayout, hbox, name_control, set_shown
from parapluie_gui.ui.widgets.controls import KeyChoice, caption
from parapluie_gui.ui.widgets.option_control import OptionControl

_GAP = 10


def translate_text(text: str) -> str:
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
        self._kinds = {kind: [option for option in list_options(kind) if option.label] for kind in kinds}
        every = [option for options in self._kinds.values() for option in options]
        first = list({option.name: option for option in reversed(every)}.values())[::-1]
        # An option that needs a new computation for one analysis needs it for all.
        self._anew = {option.name for option in every if not option.only_shown}
        self._groups: dict[str, QWidget] = {}
        self._refused = ""
        self._options = {option.name: self._make(option) for option in first}
        self.controls: dict[str, QWidget] = {name: option.widget for name, option in self._options.items()}
        line = FlowLayout(self, gap=_GAP)
        for option in first:
            control = self.controls[option.name]
            group = QWidget()
            row = hbox(within=group, margins=NO_MARGINS, spacing=5)
            name = translate_text(option.label)
            if option.kind != "switch":
                row.addWidget(caption(name, control))
            tip = translate_text(option.help)
            name_control(control, name.replace("&", ""), tip[:1].upper() + tip[1:])
            row.addWidget(control)
            self._groups[option.name] = group
            line.addWidget(group)
        set_shown(self, bool(self._options))

    def offer(self, material: AnalysisMaterial) -> None:
        """List the choices of the material; keep valid choices."""
        for name, control in self._options.items():
            if isinstance(control.widget, KeyChoice):
                keys, usual = control.option.choices(material), control.option.resolve("", material)
                control.widget.offer(list(keys), [translate_text(title) for title in keys.values()], usual)
                # Hide a list with a single entry, such as the only corpus.
                self._groups[name].setVisible(len(keys) > 1)
        self.setVisible(any(not group.isHidden() for group in self._groups.values()))

    def show_shown(self, shown: bool) -> None:
        """Show or hide the options that affect only the display."""
        for name, control in self._options.items():
            if control.option.only_shown:
                self._groups[name].setVisible(shown)

    def options(self, kind: type[Any] | None = None) -> Any:
        """Return the chosen options as the given dataclass; None means the first."""
        kind = kind or next(iter(self._kinds))
        return kind(**{option.name: self._options[option.name].value() for option in self._kinds[kind]})

    def choose(self, values: Mapping[str, object]) -> None:
        """Choose options by their names; skip values that are not offered."""
        for name, value in values.items():
            if name in self._options:
                self._options[name].choose(value)

    def _make(self, option: Option) -> OptionControl:
        keys = {key: translate_text(title) for key, title in option.keys.items()} if option.offered is None else {}
        title, special = translate_text(option.label), translate_text(option.special)
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
