"""Undoing changes of the talk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject

from parapluie_gui.features.talks.state import TalkState
from parapluie_gui.features.talks.talk import Talk, TalkError, talk_of
from parapluie_gui.ui.state.history import History, Step
from parapluie_gui.ui.widgets.text import pairs_words


class TalkUndoing(QObject):
    """Records changes of the talk and of the room's counts in the session's history, and takes them back."""

    def __init__(self, history: History, talk: TalkState, parent: QObject) -> None:
        super().__init__(parent)
        self._history, self._talk = history, talk
        talk.edited.connect(self._take_talk)
        talk.forgotten.connect(self._take_forgotten)
        history.handle("talk", self._put_talk)
        history.handle("rooms", self._put_rooms)

    def _take_talk(self, before: Talk, after: Talk) -> None:
        words, where, typed = self._talk_words(before, after)
        was, now = (talk.as_dict() if talk.pairs else None for talk in (before, after))
        self._history.record(Step("talk", words, None, where, was, now, typed))

    def _talk_words(self, before: Talk, after: Talk) -> tuple[str, int | None, bool]:
        """Return what was done to the talk, with which of its pairs, and whether it was typed."""
        old, new = before.pairs, after.pairs
        if old == new and before.title != after.title:
            return self.tr("title of the talk"), None, True
        texts = [[(pair.source, pair.hypothesis) for pair in pairs] for pairs in (old, new)]
        changed = [at for at, pair in enumerate(new) if texts[0] == texts[1] and pair != old[at]]
        if len(changed) == 1:
            at = changed[0]
            typed = replace(old[at], note=new[at].note) == new[at]
            words = self.tr("note on pair {0} of the talk") if typed else self.tr("steps of pair {0} of the talk")
            return words.format(at + 1), at, typed
        gone, come = len([pair for pair in old if pair not in new]), len([pair for pair in new if pair not in old])
        if not gone and not come:
            return self.tr("order of the talk"), None, False
        if gone and come:
            return self.tr("another talk"), None, False
        words = self.tr("{0} added to the talk") if come else self.tr("{0} taken out of the talk")
        return words.format(pairs_words(gone + come)), None, False

    def _put_talk(self, number: int | None, where: Any, talk: Any) -> None:
        try:
            self._talk.put_talk(Talk() if talk is None else talk_of(talk))
        except TalkError as error:
            raise ValueError(str(error)) from error

    def _take_forgotten(self, rooms: list[Any]) -> None:
        self._history.record(Step("rooms", self.tr("forgetting the room's counts"), None, None, rooms, []))

    def _put_rooms(self, number: int | None, where: Any, rooms: Any) -> None:
        self._talk.put_rooms(rooms)
