"""Single-character keys can be switched off, and the choice is remembered."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QKeySequence

from parapluie_gui.ui.window.actions import actions
from parapluie_gui.ui.window.single_keys import is_single


@pytest.mark.parametrize("keys", ["J", "1", "/", "?", "Shift+J"])
def test_a_character_is_a_single_key(keys):
    assert is_single(QKeySequence(keys))


@pytest.mark.parametrize("keys", ["Ctrl+J", "F5", "Shift+F11", "Esc", "Alt+Up", "Del", "Ctrl+K, J"])
def test_other_keys_are_not_single(keys):
    assert not is_single(QKeySequence(keys))


def test_switching_single_keys_off_keeps_the_other_keys_of_every_action(open_window):
    window = open_window()
    switch, search = window.actions_by_name["single_keys.switch"], window.actions_by_name["search"]
    assert switch.isChecked()
    assert [key.toString() for key in search.shortcuts()] == ["/", "Ctrl+F"]
    switch.trigger()
    assert not switch.isChecked() and window.parts.single_keys.settings() == {"off": True}
    assert [key.toString() for key in search.shortcuts()] == ["Ctrl+F"]
    left = [key for action in window.actions_by_name.values() for key in action.shortcuts()]
    assert left and not any(map(is_single, left))
    switch.trigger()
    for item in actions():
        if item.slot in window.actions_by_name:
            shortcuts = window.actions_by_name[item.slot].shortcuts()
            assert shortcuts == [QKeySequence(key) for key in item.keys], item.slot


def test_the_choice_is_restored(open_window):
    window = open_window()
    window.parts.single_keys.restore({"off": True})
    assert not window.actions_by_name["single_keys.switch"].isChecked()
    assert window.actions_by_name["workspace.selection.step_forwards"].shortcuts() == []
