"""What is shown in which order: pairs, each in steps, and where the speaker is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from PySide6.QtCore import QObject, Signal

from parapluie_gui.arrays import Rows
from parapluie_gui.features.talks.room import Room
from parapluie_gui.features.talks.talk import REVEALED, STEPS


@dataclass(frozen=True)
class ShownPair:
    """One pair of the show.

    Attributes:
        row: Its row among the pairs that are shown.
        steps: What is shown one after the other, of `STEPS`; at least one.
        note: For the speaker alone.
    """

    row: int
    steps: tuple[str, ...] = STEPS
    note: str = ""


class RowItems(Sequence[ShownPair]):
    """Rows as items with all steps; each is made when it is asked for, as there may be a million."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> ShownPair: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[ShownPair]: ...
    def __getitem__(self, at: int | slice) -> ShownPair | Sequence[ShownPair]:
        return RowItems(self._rows[at]) if isinstance(at, slice) else ShownPair(int(self._rows[at]))


#: Items, the place among them, the step, and what the room guessed.
Position = tuple[Sequence[ShownPair], int, int, dict[int, Room]]


class Show(QObject):
    """Goes through the items step by step.

    Attributes:
        items: The pairs in their order.
        place: Which of them is shown, 0 where there is none.
        rooms: What the room guessed, by place.

    Signals:
        moved: Another step, another pair, another guess, or other items.
    """

    moved = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.items: Sequence[ShownPair] = ()
        self.place = 0
        self.rooms: dict[int, Room] = {}
        self._step = 0

    @property
    def item(self) -> ShownPair | None:
        """The pair that is shown; None where there is none."""
        return self.items[self.place] if self.place < len(self.items) else None

    @property
    def step(self) -> str:
        """What of it is shown, "" where there is no pair."""
        return "" if self.item is None else self.item.steps[self._step]

    @property
    def revealed(self) -> bool:
        """Whether the judge's verdict is in sight."""
        return self.step in REVEALED

    @property
    def room(self) -> Room | None:
        """What the room guessed of this pair."""
        return self.rooms.get(self.place)

    def begin(
        self, items: Sequence[ShownPair], place: int = 0, step: int = 0, rooms: dict[int, Room] | None = None
    ) -> None:
        """Show other items, from a place on."""
        self.items, self.rooms = items, dict(rooms or {})
        self._go(place, step)

    def next_step(self) -> tuple[int, str] | None:
        """Return the place and the step that come next; None at the end."""
        item = self.item
        if item is None:
            return None
        if self._step + 1 < len(item.steps):
            return self.place, item.steps[self._step + 1]
        if self.place + 1 < len(self.items):
            return self.place + 1, self.items[self.place + 1].steps[0]
        return None

    def go_to(self, place: int) -> None:
        """Show the first step of another pair."""
        if place != self.place:
            self._go(place, 0)

    def position(self) -> Position:
        """Return where the show is, for `begin` to come back to."""
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
        self._go(max(len(self.items) - 1, 0), 0)

    def reveal(self) -> None:
        """Show the judge's verdict at once, or what comes before it again."""
        if self.item is None:
            return
        shows = [step in REVEALED for step in self.item.steps]
        if self.revealed:
            self._go(self.place, max(shows.index(True) - 1, 0))
        elif True in shows:
            self._go(self.place, shows.index(True))

    def set_room(self, room: Room | None) -> None:
        """Take what the room guesses; None forgets it."""
        if room is None:
            self.rooms.pop(self.place, None)
        else:
            self.rooms[self.place] = room
        self.moved.emit()

    def _go(self, place: int, step: int) -> None:
        self.place, self._step = place, step
        self.moved.emit()
