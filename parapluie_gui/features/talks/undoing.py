"""Undo and redo of changes to the talk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject

from parapluie_gui.features.talks.state import TalkState
from parapluie_gui.features.talks.talk import Talk, TalkError, talk_from_dict
from parapluie_gui.ui.state.history import HistoryStep, SessionHistory
from parapluie_gui.ui.widgets.text import pairs_words


class TalkUndoing(QObject):
    """Recorder of changes to the talk and to the room's counts in the session's history."""

    def __init__(self, history: SessionHistory, talk: TalkState, parent: QObject) -> None:
        super().__init__(parent)
        self._history, self._talk = history, talk
        talk.edited.connect(self._record_talk)
        talk.rooms_cleared.connect(self._record_rooms)
        history.handle("talk", self._restore_talk)
        history.handle("rooms", self._restore_rooms)

    def _record_talk(self, before: Talk, after: Talk) -> None:
        words, where, typed = self._describe_change(before, after)
        was, now = (talk.as_dict() if talk.pairs else None for talk in (before, after))
        self._history.record(HistoryStep("talk", words, None, where, was, now, typed))

    def _describe_change(self, before: Talk, after: Talk) -> tuple[str, int | None, bool]:
        """Return a description of the change, the place of the changed pair, and whether it was typed."""
        old, new = before.pairs, after.pairs
        if old == new and before.title != after.title:
            return self.tr("title of the talk"), None, True
        if old == new and before.minutes != after.minutes:
            return self.tr("length of the talk"), None, True
        texts = [[(pair.source, pair.hypothesis) for pair in pairs] for pairs in (old, new)]
        changed = [at for at, pair in enumerate(new) if texts[0] == texts[1] and pair != old[at]]
        if len(changed) == 1:
            at = changed[0]
            typed = replace(old[at], note=new[at].note) == new[at]
            words = self.tr("note on pair {0} of the talk") if typed else self.tr("steps of pair {0} of the talk")
            return words.format(at + 1), at, typed
        removed, added = len([pair for pair in old if pair not in new]), len([pair for pair in new if pair not in old])
        if not removed and not added:
            return self.tr("order of the talk"), None, False
        if removed and added:
            return self.tr("new talk"), None, False
        words = self.tr("{0} added to the talk") if added else self.tr("{0} removed from the talk")
        return words.format(pairs_words(removed + added)), None, False

    def _restore_talk(self, number: int | None, where: Any, talk: Any) -> None:
        try:
            self._talk.restore_talk(Talk() if talk is None else talk_from_dict(talk))
        except TalkError as error:
            raise ValueError(str(error)) from error

    def _record_rooms(self, rooms: list[Any]) -> None:
        self._history.record(HistoryStep("rooms", self.tr("removal of the room's counts"), None, None, rooms, []))

    def _restore_rooms(self, number: int | None, where: Any, rooms: Any) -> None:
        self._talk.restore_rooms(rooms)
