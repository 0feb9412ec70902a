"""The talk that is being made: pairs in an order with their steps, kept in the session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from parapluie_gui.features.talks.talk import SETTING, Talk, TalkError, TalkPair, kept_talk
from parapluie_gui.ui.state.session_settings import SessionSettings

#: The session's setting that holds what the room guessed.
_ROOMS = "rooms"


class TalkState(QObject):
    """Changes the talk and keeps it.

    Attributes:
        talk: The talk; without pairs where none was made.
        rooms: How many of the last room took a pair of it for a paraphrase, and how many did not, by its sentences.

    Signals:
        changed: It is another one, or the room's counts are.
        edited: (Talk, Talk) The user changed it: what it was, what it is.
        forgotten: (list) The user forgot the room's counts, which were these.
    """

    changed = Signal()
    edited = Signal(Talk, Talk)
    forgotten = Signal(list)

    def __init__(self, settings: SessionSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.talk = Talk()
        self.rooms: dict[tuple[str, str], tuple[int, int]] = {}
        self._settings = settings
        settings.opened.connect(self._take)
        self._take()  # a session may be open already

    def set_talk(self, talk: Talk) -> None:
        """Take another talk, or a changed one."""
        before = self.talk
        if talk != before:
            self.put_talk(talk)
            self.edited.emit(before, talk)

    def put_talk(self, talk: Talk) -> None:
        """Put a talk back that was there before."""
        self.talk = talk
        if talk.pairs:
            self._settings.keep(SETTING, talk.as_dict())
        else:
            self._settings.drop(SETTING)
        self.changed.emit()

    def add(self, pairs: Iterable[tuple[str, str]], place: int | None = None) -> int:
        """Put pairs that are not in it yet at a place, or at its end; returns how many came in."""
        there = {(each.source, each.hypothesis) for each in self.talk.pairs}
        new = [TalkPair(*texts) for texts in dict.fromkeys(pairs) if texts not in there and all(map(str.strip, texts))]
        before = self.talk.pairs
        at = len(before) if place is None else place
        self.set_talk(replace(self.talk, pairs=(*before[:at], *new, *before[at:])))
        return len(new)

    def arrange(self, pairs: Sequence[TalkPair]) -> None:
        """Take other pairs, or another order."""
        self.set_talk(replace(self.talk, pairs=tuple(pairs)))

    def change(self, place: int, pair: TalkPair) -> None:
        """Take a pair with other steps, or another note."""
        pairs = list(self.talk.pairs)
        pairs[place] = pair
        self.arrange(pairs)

    def set_rooms(self, rooms: Mapping[tuple[str, str], tuple[int, int]]) -> None:
        """Keep what the room guesses of the talk's pairs."""
        if rooms != self.rooms:
            self.put_rooms([[*texts, *counts] for texts, counts in rooms.items()])

    def forget_rooms(self) -> None:
        """Forget what the last room guessed, for another one."""
        before = [[*texts, *counts] for texts, counts in self.rooms.items()]
        self.put_rooms([])
        self.forgotten.emit(before)

    def put_rooms(self, kept: Any) -> None:
        """Take the room's counts as they are kept: source, hypothesis, for a paraphrase, against it.

        Raises:
            TypeError, ValueError: They are none.
        """
        self.rooms = {(str(source), str(hypothesis)): (int(yes), int(no)) for source, hypothesis, yes, no in kept}
        if kept:
            self._settings.keep(_ROOMS, kept)
        else:
            self._settings.drop(_ROOMS)
        self.changed.emit()

    def _take(self) -> None:
        """Read what the session that was opened holds."""
        self.talk, self.rooms = Talk(), {}
        if rooms := self._settings.values.get(_ROOMS):
            try:
                self.put_rooms(rooms)
            except (TypeError, ValueError):
                self._settings.values.skip(_ROOMS)
                self._settings.check()
        try:
            self.talk = kept_talk(self._settings.values)
        except TalkError:
            self._settings.values.skip(SETTING)
            self._settings.check()
        self.changed.emit()
