"""What an engine is: a program beside this one that runs a language model and is asked for the next token."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.connection import Connection


@dataclass(frozen=True)
class Next:
    """What an engine says of the token after a prompt.

    Attributes:
        logs: Natural logarithms of probabilities, by token id, as far as the engine tells them.
        top: The likeliest tokens as text with their probabilities, likeliest first, as far as the engine tells them.
        fresh: Tokens that were computed for it; the others were known from the request before.
        rest: The greatest logarithm that a token can have that is not told.
    """

    logs: Mapping[int, float]
    top: tuple[tuple[str, float], ...]
    fresh: int
    rest: float = -math.inf


class Engine(ABC):
    """An engine that takes token ids.

    Attributes:
        name: What the user calls it ("llama.cpp").
        model: What it says that it runs.
        most_tokens: Longest text that it reads.
        at_once: How many requests it may have at a time.
    """

    name: str
    model: str
    most_tokens: int
    at_once: int = 1
    _connection: Connection

    def drop(self) -> None:
        """Wait no more for what was asked in other threads."""
        self._connection.drop()

    @abstractmethod
    def next(self, ids: Sequence[int], wanted: Sequence[int]) -> Next:
        """Return what comes after a prompt, the wanted tokens' log-probabilities among it if the engine tells them.

        Raises:
            Unwritable: Only a text can be sent, and none makes these tokens.
            ModelError: There is no answer, or none that can be used.
        """

    @abstractmethod
    def write(self, ids: Sequence[int], limit: int) -> str:
        """Let the model go on greedily after a prompt, until it ends its turn or `limit` tokens are written."""

    def in_exact_mode(self) -> Self:
        """Return the engine in the mode in which no answer depends on earlier requests."""
        return self


class Unwritable(ModelError):
    """An engine that takes text cannot be sent a prompt: it would make other tokens of the text."""

    def __init__(self) -> None:
        super().__init__("A prompt cannot be sent as text.")
