"""Requests sent to a server, and the tokens that it counted for them."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from parapluie_gui.pluie.cost import TokenUsage


class RequestCounter:
    """The running totals of one server's requests and tokens; thread-safe."""

    def __init__(self, host: str) -> None:
        self._lock = threading.Lock()
        self._total = TokenUsage(host)

    @property
    def total(self) -> TokenUsage:
        """The totals so far."""
        return self._total

    def count(self, answer: Any) -> None:
        """Count a request and the tokens that its answer reports, in the format of any known engine."""
        read, written = _tokens(answer)
        with self._lock:
            now = self._total
            self._total = replace(now, requests=now.requests + 1, read=now.read + read, written=now.written + written)


#: Paths in answers to the tokens of prompt and answer: vLLM, SGLang and OpenAI; the responses of OpenAI and LM Studio;
#: SGLang's native interface; Ollama; llama.cpp.
_PLACES = (
    ("usage", "prompt_tokens", "completion_tokens"),
    ("usage", "input_tokens", "output_tokens"),
    ("meta_info", "prompt_tokens", "completion_tokens"),
    ("", "prompt_eval_count", "eval_count"),
    ("", "tokens_evaluated", "tokens_predicted"),
)


def _tokens(answer: Any) -> tuple[int, int]:
    for place, *names in _PLACES:
        usage = answer if not place or not isinstance(answer, dict) else answer.get(place)
        if isinstance(usage, dict) and any(name in usage for name in names):
            read, written = (usage.get(name) for name in names)
            return (read if isinstance(read, int) else 0), (written if isinstance(written, int) else 0)
    return 0, 0
