"""The session's talk: pairs in order with their steps, stored in the session's settings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from parapluie_gui.features.talks.talk import SETTING, Talk, TalkError, TalkPair, session_talk
from parapluie_gui.ui.state.session_settings import SessionSettings

#: Settings of the session: the room's counts, its date and place, the counts of earlier rooms, and the next place.
_ROOMS, _SHOWING, _EARLIER, _PLACE = "rooms", "rooms.showing", "rooms.earlier", "rooms.place"

#: A function that returns the labels of labelled pairs, True for "paraphrase", by source and hypothesis.
FindLabels = Callable[[Collection[tuple[str, str]]], Mapping[tuple[str, str], bool]]


@dataclass(frozen=True)
class EarlierRoom:
    """The counts of an earlier audience.

    Attributes:
        date: When the talk was given, in ISO format; "" if unknown.
        title: The title of the talk.
        counts: The counts for "paraphrase" and against it, by source and hypothesis.
        venue: The place, as the speaker named it; "" if unnamed.
    """

    date: str
    title: str
    counts: Mapping[tuple[str, str], tuple[int, int]]
    venue: str = ""


class TalkState(QObject):
    """The session's talk, stored after each change.

    Attributes:
        talk: The talk; without pairs by default.
        rooms: The room's counts for "paraphrase" and against it, by source and hypothesis.
        earlier: The counts of earlier rooms, oldest first.
        venue: The place of the next showing.
        find_labels: Returns the labels that the open corpus has for pairs.

    Signals:
        changed: The talk or the room's counts changed.
        edited: (before, after) The user changed the talk.
        rooms_cleared: (list) The user deleted the room's counts; the argument holds them for undo.
    """

    changed = Signal()
    edited = Signal(Talk, Talk)
    rooms_cleared = Signal(list)

    def __init__(self, settings: SessionSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.talk = Talk()
        self.rooms: dict[tuple[str, str], tuple[int, int]] = {}
        self.earlier: tuple[EarlierRoom, ...] = ()
        self.venue = ""
        self._showing = "", ""
        self.find_labels: FindLabels = lambda pairs: {}
        self._settings = settings
        settings.opened.connect(self._load)
        self._load()  # a session may be open already

    def set_talk(self, talk: Talk) -> None:
        """Set the talk as an edit of the user."""
        before = self.talk
        if talk != before:
            self.restore_talk(talk)
            self.edited.emit(before, talk)

    def restore_talk(self, talk: Talk) -> None:
        """Set and store the talk without recording an edit."""
        self.talk = talk
        if talk.pairs:
            self._settings.keep(SETTING, talk.as_dict())
        else:
            self._settings.drop(SETTING)
        self.changed.emit()

    def add(self, pairs: Iterable[tuple[str, str]], place: int | None = None) -> int:
        """Insert new pairs at a place, or at the end; return the number of pairs added."""
        old = {(pair.source, pair.hypothesis) for pair in self.talk.pairs}
        texts = [texts for texts in dict.fromkeys(pairs) if texts not in old and all(map(str.strip, texts))]
        labels = self.find_labels(texts)
        new = [TalkPair(*both, label=labels.get(both)) for both in texts]
        before = self.talk.pairs
        at = len(before) if place is None else place
        self.set_talk(replace(self.talk, pairs=(*before[:at], *new, *before[at:])))
        return len(new)

    def arrange(self, pairs: Sequence[TalkPair]) -> None:
        """Replace the pairs."""
        self.set_talk(replace(self.talk, pairs=tuple(pairs)))

    def set_rooms(self, rooms: Mapping[tuple[str, str], tuple[int, int]]) -> None:
        """Set and store the room's counts, by source and hypothesis."""
        if rooms != self.rooms:
            self._settings.keep(_SHOWING, list(self._showing))
            self.restore_rooms([[*texts, *counts] for texts, counts in rooms.items()])

    def clear_rooms(self) -> None:
        """Delete the room's counts, for a new audience."""
        before = [[*texts, *counts] for texts, counts in self.rooms.items()]
        self.restore_rooms([])
        self.rooms_cleared.emit(before)

    def set_venue(self, venue: str) -> None:
        """Set and store the place of the next showing."""
        self.venue = venue
        if venue:
            self._settings.keep(_PLACE, venue)
        else:
            self._settings.drop(_PLACE)

    def begin_room(self, date: str) -> None:
        """Begin a showing with an empty room, and keep the counts of the last one with its date and place."""
        if self.rooms:
            past = self._settings.values.get(_EARLIER)
            stored = [[*texts, *counts] for texts, counts in self.rooms.items()]
            held, venue = self._showing
            room = [held, self.talk.title, stored, venue]
            self._settings.keep(_EARLIER, [*(past if isinstance(past, list) else []), room])
            self._read_earlier()
            self.restore_rooms([])
        self._showing = date, self.venue  # stored with the first count

    def _read_earlier(self) -> None:
        try:
            self.earlier = tuple(
                EarlierRoom(str(date), str(title), _read_counts(stored), *map(str, venue))
                for date, title, stored, *venue in self._settings.values.get(_EARLIER) or ()  # type: ignore[attr-defined]
            )
        except (TypeError, ValueError):
            self.earlier = ()
            self._settings.values.skip(_EARLIER)
            self._settings.check()

    def _read_showing(self) -> None:
        """Read the date and the place of the current room, and the place of the next one."""
        venue, showing = self._settings.values.get(_PLACE), self._settings.values.get(_SHOWING)
        self.venue = venue if isinstance(venue, str) else ""
        texts = [text for text in showing if isinstance(text, str)] if isinstance(showing, list) else []
        self._showing = (texts[0], texts[1]) if len(texts) == 2 else ("", "")

    def restore_rooms(self, stored: Any) -> None:
        """Set the room's counts from their stored form: lists of source, hypothesis, count for, count against.

        Raises:
            TypeError, ValueError: They have a different form.
        """
        self.rooms = _read_counts(stored)
        if stored:
            self._settings.keep(_ROOMS, stored)
        else:
            self._settings.drop(_ROOMS)
        self.changed.emit()

    def _load(self) -> None:
        """Read the talk and the room's counts of the opened session; skip unreadable ones."""
        self.talk, self.rooms = Talk(), {}
        self._read_earlier()
        self._read_showing()
        if rooms := self._settings.values.get(_ROOMS):
            try:
                self.restore_rooms(rooms)
            except (TypeError, ValueError):
                self._settings.values.skip(_ROOMS)
                self._settings.check()
        try:
            self.talk = session_talk(self._settings.values)
        except TalkError:
            self._settings.values.skip(SETTING)
            self._settings.check()
        self.changed.emit()


def _read_counts(stored: Any) -> dict[tuple[str, str], tuple[int, int]]:
    """Return counts from lists of source, hypothesis, count for, count against."""
    return {(str(source), str(hypothesis)): (int(yes), int(no)) for source, hypothesis, yes, no in stored}
