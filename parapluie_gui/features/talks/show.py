"""The slideshow on the stage: pairs in order, each in steps, and the current position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from PySide6.QtCore import QObject, Signal

from parapluie_gui.arrays import Rows
from parapluie_gui.features.talks.room import RoomGuess
from parapluie_gui.features.talks.talk import REVEALED, STEPS

#: The row of a page without a pair.
NO_ROW = -1


@dataclass(frozen=True)
class SlideshowPair:
    """A pair of the slideshow.

    Attributes:
        row: Its row in the corpus of the stage.
        steps: The steps, of `STEPS`; at least one.
        note: Note for the speaker.
        page: For a page without a pair, its name, which is also its only step.
    """

    row: int
    steps: tuple[str, ...] = STEPS
    note: str = ""
    page: str = ""

    @classmethod
    def without_pair(cls, page: str) -> SlideshowPair:
        """Return a page without a pair."""
        return cls(NO_ROW, (page,), page=page)


class RowPairs(Sequence[SlideshowPair]):
    """Rows as pairs with all steps, each created on access: there may be a million."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> SlideshowPair: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[SlideshowPair]: ...
    def __getitem__(self, at: int | slice) -> SlideshowPair | Sequence[SlideshowPair]:
        return RowPairs(self._rows[at]) if isinstance(at, slice) else SlideshowPair(int(self._rows[at]))


def count_pairs(items: Sequence[SlideshowPair], place: int) -> tuple[int, int]:
    """Return the number of the pair at a place, from 1, and the number of pairs; pages do not count."""
    before = int(bool(items) and bool(items[0].page))
    after = int(len(items) > 1 and bool(items[-1].page))
    return place + 1 - before, len(items) - before - after


#: Items, index of the current item, index of its step, and the room's guesses.
Position = tuple[Sequence[SlideshowPair], int, int, dict[int, RoomGuess]]


class Slideshow(QObject):
    """Slideshow of pairs, each shown step by step.

    Attributes:
        items: The pairs in their order.
        place: Index of the current pair, 0 without pairs.
        rooms: The room's guesses, by place.

    Signals:
        moved: The step, the pair, the room's guess or the items changed.
    """

    moved = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.items: Sequence[SlideshowPair] = ()
        self.place = 0
        self.rooms: dict[int, RoomGuess] = {}
        self._step = 0

    @property
    def item(self) -> SlideshowPair | None:
        """The current pair; None without pairs."""
        return self.items[self.place] if self.place < len(self.items) else None

    @property
    def step(self) -> str:
        """The current step of the pair, "" without a pair."""
        return "" if self.item is None else self.item.steps[self._step]

    def count_pairs(self) -> tuple[int, int]:
        """Return the number of the current pair, from 1, and the number of pairs; pages do not count."""
        return count_pairs(self.items, self.place)

    @property
    def is_revealed(self) -> bool:
        """Whether the judge's verdict is shown."""
        return self.step in REVEALED

    @property
    def room(self) -> RoomGuess | None:
        """The room's guess for the current pair."""
        return self.rooms.get(self.place)

    def begin(
        self, items: Sequence[SlideshowPair], place: int = 0, step: int = 0, rooms: dict[int, RoomGuess] | None = None
    ) -> None:
        """Replace the items and go to a place and a step."""
        self.items, self.rooms = items, dict(rooms or {})
        self._go(place, step)

    def next_step(self) -> tuple[int, str] | None:
        """Return the place and the name of the next step; None at the end."""
        item = self.item
        if item is None:
            return None
        if self._step + 1 < len(item.steps):
            return self.place, item.steps[self._step + 1]
        if self.place + 1 < len(self.items):
            return self.place + 1, self.items[self.place + 1].steps[0]
        return None

    def is_first(self) -> bool:
        """Return whether nothing comes before the current step."""
        return not self.place and not self._step

    def go_to(self, place: int) -> None:
        """Go to the first step of a pair, unless it is shown."""
        if place != self.place:
            self._go(place, 0)

    def position(self) -> Position:
        """Return the arguments with which `begin` returns to the current position."""
        return self.items, self.place, self._step, self.rooms

    def forwards(self) -> None:
        following = self.next_step()
        if following is not None:
            self._go(following[0], self._step + 1 if following[0] == self.place else 0)

    def backwards(self) -> None:
        if self._step:
            self._go(self.place, self._step - 1)
        elif self.place:
            self._go(self.place - 1, len(self.items[self.place - 1].steps) - 1)

    def first(self) -> None:
        self._go(0, 0)

    def last(self) -> None:
        """Go to the last pair."""
        after = int(len(self.items) > 1 and bool(self.items[-1].page))
        self._go(max(len(self.items) - 1 - after, 0), 0)

    def reveal(self) -> None:
        """Go to the step with the judge's verdict; from there back to the step before it."""
        if self.item is None:
            return
        shows = [step in REVEALED for step in self.item.steps]
        if self.is_revealed:
            self._go(self.place, max(shows.index(True) - 1, 0))
        elif True in shows:
            self._go(self.place, shows.index(True))

    def set_room(self, room: RoomGuess | None) -> None:
        """Set the room's guess for the current pair; None removes it."""
        if room is None:
            self.rooms.pop(self.place, None)
        else:
            self.rooms[self.place] = room
        self.moved.emit()

    def _go(self, place: int, step: int) -> None:
        self.place, self._step = place, step
        self.moved.emit()
