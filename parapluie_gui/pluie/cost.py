"""What a judge was asked that another program runs, and what that cost where the user has given a price."""

from __future__ import annotations

from dataclasses import dataclass, replace

_MILLION = 1_000_000


@dataclass(frozen=True)
class Spending:
    """Requests that were answered, and their tokens as that program counts them.

    Attributes:
        host: Where it runs, with the port.
        read, written: Tokens of prompts and of answers; 0 where they are not counted.
        prices: What a million tokens read and a million written cost; None where no price was given.
    """

    host: str
    requests: int = 0
    read: int = 0
    written: int = 0
    prices: tuple[float, float] | None = None

    @property
    def cost(self) -> float | None:
        """What it cost, in the currency of the prices; None where there are none."""
        if self.prices is None:
            return None
        return (self.read * self.prices[0] + self.written * self.prices[1]) / _MILLION

    def since(self, before: Spending) -> Spending:
        """Return what came after an earlier state."""
        return replace(
            self,
            requests=self.requests - before.requests,
            read=self.read - before.read,
            written=self.written - before.written,
        )

    def __str__(self) -> str:
        requests = "1 request" if self.requests == 1 else f"{self.requests:,} requests"
        cost = "" if self.cost is None else f", {self.cost:,.4f} at the prices given"
        return f"{self.host}: {requests}, {self.read:,} tokens read, {self.written:,} written{cost}"
