"""The steps that can be undone: how many are stored, and how damaged settings are read."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Signal

from parapluie_gui.ui.state import history
from parapluie_gui.ui.state.history import HistoryStep, SessionHistory
from parapluie_gui.ui.state.stored_values import StoredValues


class Settings(QObject):
    """Session settings without a session."""

    opened = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.kept = {}

    @property
    def values(self) -> StoredValues:
        return StoredValues(self.kept)

    def keep(self, key, value) -> None:
        self.kept[key] = value

    def drop(self, key) -> None:
        self.kept.pop(key, None)


@pytest.fixture
def place():
    return {"a": 0}


@pytest.fixture
def steps(qapp, place):
    steps = SessionHistory(Settings(), lambda: [1])
    steps.handle("number", lambda corpus, where, value: place.update({where: value}))
    steps.settings = steps._settings
    return steps


def change(steps, place, value, **more):
    before, place["a"] = place["a"], value
    steps.record(HistoryStep("number", f"a {value}", 1, "a", before, value, **more))


def test_only_the_latest_steps_are_kept(steps, place, monkeypatch):
    monkeypatch.setattr(history, "MOST_STEPS", 3)
    for value in range(1, 6):
        change(steps, place, value)
    assert set(steps.settings.kept) == {"undo", "undo.2", "undo.3", "undo.4"}
    for _ in range(5):
        steps.undo()
    assert place["a"] == 2 and steps.undo_text == "" and steps.redo_text == "a 3"
    change(steps, place, 9)
    assert set(steps.settings.kept) == {"undo", "undo.2"} and steps.redo_text == ""


def test_a_change_without_effect_is_not_a_step(steps, place):
    change(steps, place, 0)
    assert steps.undo_text == ""


def test_continuous_typing_is_one_step_until_an_undo(steps, place):
    change(steps, place, 1, typed=True)
    change(steps, place, 2, typed=True)
    steps.undo()
    assert place["a"] == 0
    steps.redo()
    change(steps, place, 3, typed=True)
    steps.undo()
    assert place["a"] == 2


@pytest.mark.parametrize("kept", [None, 7, [1, 2], [0, 5, 2], [0, -1, 1], ["a", 0, 0], [0, 1, 10**9]])
def test_invalid_settings_give_no_history(steps, kept):
    steps.settings.kept = {"undo": kept}
    steps.settings.opened.emit()
    assert (steps.undo_text, steps.redo_text) == ("", "")


def test_steps_before_an_unreadable_step_are_left_out(steps, place):
    for value in range(1, 5):
        change(steps, place, value)
    steps.undo()
    steps.settings.kept["undo.1"] = {"kind": "number"}
    steps.settings.opened.emit()
    assert (steps.undo_text, steps.redo_text) == ("a 3", "a 4")
    steps.undo()
    steps.undo()
    assert place["a"] == 2 and steps.undo_text == ""


def test_an_invalid_value_is_reported(steps, place):
    def refuse(corpus, where, value):
        raise ValueError(value)

    change(steps, place, 1)
    steps.handle("number", refuse)
    messages = []
    steps.message.connect(messages.append)
    steps.undo()
    assert messages == ["This step cannot be undone or redone because its record is damaged: a 1."]
