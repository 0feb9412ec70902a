"""The count of what a server is asked."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from parapluie_gui.pluie.cost import Spending


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
