"""What a judge on a server was asked, and what that cost where the user has given a price."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any

_MILLION = 1_000_000


@dataclass(frozen=True)
class Spending:
    """Requests that were answered, and their tokens as the server counts them.

    Attributes:
        host: The server, with its port.
        read, written: Tokens of prompts and of answers; 0 where the server does not count.
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


class Counter:
    """Counts what a server is asked; may be used by several threads."""

    def __init__(self, host: str) -> None:
        self._lock = threading.Lock()
        self._total = Spending(host)

    @property
    def total(self) -> Spending:
        """All that was counted."""
        return self._total

    def count(self, answer: Any) -> None:
        """Count a request and the tokens that its answer tells, in whichever engine's words."""
        read, written = _tokens(answer)
        with self._lock:
            now = self._total
            self._total = replace(now, requests=now.requests + 1, read=now.read + read, written=now.written + written)


#: Where engines tell the tokens of a prompt and of an answer: vLLM, SGLang and OpenAI; OpenAI's and LM Studio's
#: responses; SGLang's own; Ollama; llama.cpp.
_PLACES = (
    ("usage", "prompt_tokens", "completion_tokens"),
    ("usage", "input_tokens", "output_tokens"),
    ("meta_info", "prompt_tokens", "completion_tokens"),
    ("", "prompt_eval_count", "eval_count"),
    ("", "tokens_evaluated", "tokens_predicted"),
)


def _tokens(answer: Any) -> tuple[int, int]:
    for place, *names in _PLACES:
        found = answer if not place or not isinstance(answer, dict) else answer.get(place)
        if isinstance(found, dict) and any(name in found for name in names):
            read, written = (found.get(name) for name in names)
            return (read if isinstance(read, int) else 0), (written if isinstance(written, int) else 0)
    return 0, 0
