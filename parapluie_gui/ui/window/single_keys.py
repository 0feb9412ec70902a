"""Shortcuts of one character, such as J and 1, which can be switched off (WCAG 2.1.4)."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeySequence

from parapluie_gui.ui.state.stored_values import StoredValues
from parapluie_gui.ui.window.context import WindowController

#: The action that switches them, in `actions.toml`.
_SWITCH = "single_keys.switch"


class SingleKeys(WindowController):
    """Switches the shortcuts of one character on and off, and stores the choice between runs.

    People who dictate to the computer can press such keys by accident. Menus, the palette and keys with Ctrl stay.

    Attributes:
        enabled: Whether they are on.
    """

    enabled = True

    def settings(self) -> dict[str, object]:
        """Return whether they are on, for the next start."""
        return {"off": not self.enabled}

    def restore(self, settings: Mapping[str, object]) -> None:
        """Restore whether they are on."""
        self.switch(not StoredValues.wrap(settings).flag("off"))

    def switch(self, enabled: bool) -> None:
        """Switch them on or off in all menus."""
        self.enabled = enabled
        actions = self._context.actions
        actions[_SWITCH].setChecked(enabled)
        for action in actions.values():
            keys = action.property("keys") or ()
            action.setShortcuts([key for key in map(QKeySequence, keys) if enabled or not is_single(key)])


def is_single(keys: QKeySequence) -> bool:
    """Return whether keys are one printable character, without Ctrl, Alt or a function key."""
    if keys.count() != 1:
        return False
    combination: QKeyCombination = keys[0]  # type: ignore[index] # PySide6's stubs lack it
    modifiers = combination.keyboardModifiers() & ~Qt.KeyboardModifier.ShiftModifier
    return modifiers == Qt.KeyboardModifier.NoModifier and 0x20 < int(combination.key()) < 0x0100_0000
