"""The guess of the people in the room: hands for and against "paraphrase"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

_NUMBERS = re.compile(r"\s*(\d{1,6})\D+(\d{1,6})\D*")


def room_name() -> str:
    """Return the name of the audience in a list with the scores."""
    return QCoreApplication.translate("Stage", "The room")


@dataclass(frozen=True)
class RoomGuess:
    """Number of hands for "paraphrase" and against it."""

    yes: int = 0
    no: int = 0

    @property
    def total(self) -> int:
        return self.yes + self.no

    @property
    def answer(self) -> bool | None:
        """The answer of most hands, True for "paraphrase"; None for a tie."""
        return None if self.yes == self.no else self.yes > self.no

    @property
    def share(self) -> float:
        """Share of hands for "paraphrase", 0 to 1; 0.5 without any hand."""
        return self.yes / self.total if self.total else 0.5

    @classmethod
    def parse(cls, text: str) -> RoomGuess | None:
        """Return the typed counts ("17 5"); None if the text is not two numbers, for example the first number alone."""
        match = _NUMBERS.fullmatch(text)
        return None if match is None else cls(int(match[1]), int(match[2]))
