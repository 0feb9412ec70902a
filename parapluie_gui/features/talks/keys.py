"""The keys of the stage, on a presenter's remote and on the keyboard, read from `stage.toml`."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from parapluie_gui import places
from parapluie_gui.own_files import read_toml


@dataclass(frozen=True)
class StageKey:
    """An action on the stage and the keys that trigger it.

    Attributes:
        does: The action's name.
        keys: In Qt's notation ("PgDown", "Ctrl+D"); a single character counts however it is typed.
        text: Description for the manual.
    """

    does: str
    keys: tuple[str, ...]
    text: str


_TABLE = read_toml(places.resources() / "talks" / "stage.toml")["key"]
STAGE_KEYS = tuple(StageKey(entry["does"], tuple(entry["keys"]), entry["text"]) for entry in _TABLE)

_BY_SIGN = {key: entry.does for entry in STAGE_KEYS for key in entry.keys if len(key) == 1}
_BY_KEY = {
    QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText): entry.does
    for entry in STAGE_KEYS
    for key in entry.keys
}

#: Bit of the keys that type no character ("PgDown").
_SPECIAL = 0x01000000

_HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier


def find_key_action(event: QKeyEvent) -> str:
    """Return the action of a pressed key, "" if it has none; characters count on every keyboard layout."""
    if not event.modifiers() & _HELD and (does := _BY_SIGN.get(event.text().upper())):
        return does
    pressed = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if not event.key() & _SPECIAL and not chr(event.key()).isalpha():
        # A sign such as + needs Shift on some keyboards, and the digits do on a French one.
        pressed &= ~Qt.KeyboardModifier.ShiftModifier
    name = QKeySequence(pressed.value | event.key()).toString(QKeySequence.SequenceFormat.PortableText)
    return _BY_KEY.get(name, "")
