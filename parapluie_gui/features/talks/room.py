"""What the people in the room guess: how many take a pair for a paraphrase, and how many do not."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBERS = re.compile(r"\s*(\d{1,6})(?:\D+(\d{1,6}))?\D*")


@dataclass(frozen=True)
class Room:
    """Hands for a paraphrase and hands against it."""

    yes: int = 0
    no: int = 0

    @property
    def total(self) -> int:
        return self.yes + self.no

    @property
    def share(self) -> float:
        """The share that says "paraphrase", 0 to 1; a half where nobody said anything."""
        return self.yes / self.total if self.total else 0.5

    @classmethod
    def typed(cls, text: str) -> Room | None:
        """Return what the speaker typed ("17 5", or the first number alone), None where that is no count."""
        found = _NUMBERS.fullmatch(text)
        return None if found is None else cls(int(found[1]), int(found[2] or 0))
