"""llama.cpp in the program's own process, which continues every prompt from the same stored beginning.

A llama.cpp server keeps the tokens that a prompt shares with the previous one, so that the length of the remainder
depends on the previous pair; quantised products and flash attention then round differently, and a score depends on its
neighbours (by up to 0.3). Here the cache is set back to the template's beginning before each question. Its length is a
multiple of the rows that products take at a time, and flash attention, which computes long and short pieces in two
ways, is off: scores are then equal, bit by bit, to those of prompts computed from their first token on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from copy import copy
from typing import Any, Self

from parapluie_gui.features.servers.connection import RefusedRequest, ServerConnection
from parapluie_gui.features.servers.llamacpp import LlamaCppEngine, llamacpp_mode

#: Number of rows that llama.cpp's products of quantised matrices take at a time; a remainder is computed differently.
_ROWS = 4

#: llama.cpp's value for switching flash attention off.
NO_FLASH_ATTENTION = 0


def own_mode(exact: bool) -> str:
    """Return the mode of the program's own llama.cpp as it is recorded in signatures."""
    return llamacpp_mode(exact).replace("llama.cpp", "llama.cpp+fixed")


class OwnLlamaCppEngine(LlamaCppEngine):
    """The engine for the program's own llama.cpp, started with a folder for slots and with one slot."""

    _beginning = ""

    def __init__(self, connection: ServerConnection) -> None:
        super().__init__(connection)
        self._stored: set[str] = set()  # shared by the copies of this engine

    def with_beginning(self, ids: Sequence[int]) -> Self:
        """Return this engine set to continue every prompt from these tokens, as many as fill complete rows."""
        ids = ids[: len(ids) // _ROWS * _ROWS]
        if not ids:
            return self.in_exact_mode()
        file = hashlib.blake2b(repr(list(ids)).encode(), digest_size=12).hexdigest() + ".bin"
        if file not in self._stored:
            try:
                self._connection.post("/completion", {"prompt": list(ids), "n_predict": 0, "cache_prompt": False})
                answer = self._connection.post("/slots/0?action=save", {"filename": file})
            except RefusedRequest:  # a model whose state cannot be stored
                return self.in_exact_mode()
            if not isinstance(answer, dict) or answer.get("n_saved") != len(ids):
                return self.in_exact_mode()
            self._stored.add(file)
        engine = copy(self)
        engine._beginning = file
        return engine

    def in_exact_mode(self) -> Self:
        """Return this engine set to compute every prompt from its first token; see `TokenEngine.in_exact_mode`."""
        engine = super().in_exact_mode()
        engine._beginning = ""
        return engine

    def write(self, ids: Sequence[int], limit: int) -> str:
        """Continue a prompt greedily; see `TokenEngine.write`."""
        self._restore()
        return super().write(ids, limit)

    def _sample(self, ids: Sequence[int], token: int) -> tuple[dict[str, Any], int]:
        self._restore()
        return super()._sample(ids, token)

    def _restore(self) -> None:
        """Set the cache back to the stored beginning; takes about a millisecond."""
        if self._beginning:
            self._connection.post("/slots/0?action=restore", {"filename": self._beginning})
