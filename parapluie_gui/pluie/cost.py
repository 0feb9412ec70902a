"""Counts the requests, tokens and cost of a judge that another program runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

_MILLION = 1_000_000


@dataclass(frozen=True)
class TokenUsage:
    """The number of answered requests and their tokens, as the program of a host counts them.

    Attributes:
        host: Host of the program, with the port.
        read, written: Tokens of prompts and of answers; 0 if the program does not count them.
        prices: Prices of a million tokens read and of a million tokens written; None if the user gave no prices.
    """

    host: str
    requests: int = 0
    read: int = 0
    written: int = 0
    prices: tuple[float, float] | None = None

    @property
    def cost(self) -> float | None:
        """The cost in the currency of the prices; None without prices."""
        if self.prices is None:
            return None
        return (self.read * self.prices[0] + self.written * self.prices[1]) / _MILLION

    def subtract(self, before: TokenUsage) -> TokenUsage:
        """Return the usage since an earlier state."""
        return replace(
            self,
            requests=self.requests - before.requests,
            read=self.read - before.read,
            written=self.written - before.written,
        )

    def __str__(self) -> str:
        requests = "1 request" if self.requests == 1 else f"{self.requests:,} requests"
        cost = "" if self.cost is None else f", {self.cost:,.4f} at the prices that you entered"
        return f"{self.host}: {requests}, {self.read:,} tokens read, {self.written:,} written{cost}"
