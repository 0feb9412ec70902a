"""The talk that is being made: pairs in an order with their steps, kept in the session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from parapluie_gui.errors import TalkError
from parapluie_gui.judgements.talk import SETTING, Talk, TalkPair, talk_of
from parapluie_gui.ui.state.session_settings import SessionSettings


class TalkState(QObject):
    """Changes the talk and keeps it.

    Attributes:
        talk: The talk; without pairs where none was made.

    Signals:
        changed: It is another one.
    """

    changed = Signal()

    def __init__(self, settings: SessionSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.talk = Talk()
        self._settings = settings
        settings.opened.connect(self._take)

    def set_talk(self, talk: Talk) -> None:
        """Take another talk."""
        if talk == self.talk:
            return
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

    def _take(self) -> None:
        """Read what the session that was opened holds."""
        kept = self._settings.values.get(SETTING)
        self.talk = Talk()
        if kept is not None:
            try:
                if not isinstance(kept, Mapping):
                    raise TalkError("no talk")
                self.talk = talk_of(kept)
            except TalkError:
                self._settings.values.skip(SETTING)
                self._settings.check()
        self.changed.emit()
