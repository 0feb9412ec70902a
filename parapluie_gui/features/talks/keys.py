"""The keys of the stage, declared once in a table: those of a presenter's remote, and the speaker's own."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from parapluie_gui import places


@dataclass(frozen=True)
class StageKey:
    """What some keys do.

    Attributes:
        does: The action's name.
        keys: As Qt writes them ("PgDown", "Ctrl+D"); a single character holds however it is typed.
        text: What they do, in words.
    """

    does: str
    keys: tuple[str, ...]
    text: str


_TABLE = tomllib.loads((places.resources() / "talks" / "stage.toml").read_text("utf-8"))["key"]
STAGE_KEYS = tuple(StageKey(each["does"], tuple(each["keys"]), each["text"]) for each in _TABLE)

_BY_SIGN = {key: each.does for each in STAGE_KEYS for key in each.keys if len(key) == 1}
_BY_KEY = {
    QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText): each.does
    for each in STAGE_KEYS
    for key in each.keys
}

_HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier


def action_of(event: QKeyEvent) -> str:
    """Return what a key does, "" where it does nothing: signs by what is typed, whatever the keyboard's layout."""
    if not event.modifiers() & _HELD and (does := _BY_SIGN.get(event.text().upper())):
        return does
    pressed = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    name = QKeySequence(pressed.value | event.key()).toString(QKeySequence.SequenceFormat.PortableText)
    return _BY_KEY.get(name, "")
