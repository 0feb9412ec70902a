"""A list of tick boxes, for the templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from parapluie_gui.ui.widgets.arrange import NO_MARGINS, FlowLayout, clear, name_control, vbox
from parapluie_gui.ui.widgets.text import tab_through, tooltip
from parapluie_gui.ui.widgets.wrapped import NarrowTick, WrappedText

#: Width of a short name with its box, in letters.
_SHORT = 16


@dataclass(frozen=True)
class CheckItem:
    """One item of a checklist.

    Attributes:
        key: Its name for programs.
        text: Its name for the user.
        tip: Tooltip, plain text.
        note: A word after the name ("yours").
        broken: The item cannot be used, and is only listed with a warning.
    """

    key: str
    text: str
    tip: str = ""
    note: str = ""
    broken: bool = False


class Checklist(QWidget):
    """Tick boxes, side by side if their names are short, with the unusable items below.

    Signals:
        changed: An item was ticked or unticked.
    """

    changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[CheckItem] = []
        self._boxes: dict[str, QCheckBox] = {}
        self._wanted: dict[str, bool] = {}
        self.setAccessibleName(name)
        self._flow, self._column = FlowLayout(gap=2), vbox(spacing=2)
        vbox(self._flow, self._column, within=self, margins=NO_MARGINS, spacing=2)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.height() < self.heightForWidth(self.width()):
            self.updateGeometry()  # a form gave it the height of one line before it had its width

    def set_items(self, items: Iterable[CheckItem], chosen: Iterable[str] = ()) -> None:
        """List these items; the user's ticks stay, `chosen` are ticked at first. Keys of usable items are unique."""
        wanted, first = list(items), set(chosen)
        if wanted == self._items:
            return
        self._items = wanted
        for layout in (self._flow, self._column):
            clear(layout)
        self._boxes.clear()
        for item in wanted:
            if item.broken:
                self._column.addWidget(self._broken_label(item))
                continue
            # Names are data: an ampersand must not become a shortcut.
            text = item.text.replace("&", "&&")
            # Short names are aligned side by side; the longest are elided in a narrow panel.
            box = NarrowTick(f"{text}  · {item.note}" if item.note else text, _SHORT, self)
            box.setChecked(self._wanted.get(item.key, item.key in first))
            name = f"{item.text}, {item.note}" if item.note else item.text
            name_control(box, name, tooltip(item.tip) if item.tip else "")
            box.toggled.connect(self._remember)
            self._boxes[item.key] = box
            self._flow.addWidget(box)
        tab_through(self, *self._boxes.values())

    def checked_keys(self) -> list[str]:
        return [key for key, box in self._boxes.items() if box.isChecked()]

    def forget(self) -> None:
        """Forget the user's ticks and the items, as for another session."""
        self._wanted.clear()
        self.set_items(())

    def choose(self, keys: Mapping[str, bool]) -> None:
        """Tick and untick boxes; keys that are not listed are remembered until they are."""
        self._wanted.update(keys)
        for key, box in self._boxes.items():
            if key in keys:
                box.setChecked(keys[key])

    def ticks(self) -> dict[str, bool]:
        """Return the state of every box by key, fit for `choose`."""
        return {**self._wanted, **{key: box.isChecked() for key, box in self._boxes.items()}}

    def box(self, key: str) -> QCheckBox:
        return self._boxes[key]

    def _broken_label(self, item: CheckItem) -> WrappedText:
        label = WrappedText(self, bad=True)
        label.say(f"⚠ {item.tip or item.text}")
        name_control(label, self.tr("{} cannot be used").format(item.text), tooltip(item.tip))
        label.setAccessibleDescription(item.tip)
        return label

    def _remember(self) -> None:
        self._wanted = self.ticks()
        self.changed.emit()
