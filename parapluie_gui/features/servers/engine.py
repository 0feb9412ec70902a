"""The interface of engines: programs that run a language model and return log-probabilities of the next token."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.connection import ServerConnection


@dataclass(frozen=True)
class NextToken:
    """The distribution of the token after a prompt, as far as the engine returns it.

    Attributes:
        logs: Natural logarithms of probabilities, by token id.
        top: The likeliest tokens as text with their probabilities, likeliest first.
        fresh: Number of prompt tokens computed; the rest were cached from the request before.
        unlisted_bound: Upper bound of the log-probability of a token that is not listed.
    """

    logs: Mapping[int, float]
    top: tuple[tuple[str, float], ...]
    fresh: int
    unlisted_bound: float = -math.inf


class TokenEngine(ABC):
    """An engine that takes token ids.

    Attributes:
        name: Name for the user ("llama.cpp").
        model: Name of the model that it runs.
        most_tokens: Length of the longest text that it reads, in tokens.
        at_once: Maximum number of concurrent requests.
    """

    name: str
    model: str
    most_tokens: int
    at_once: int = 1
    _connection: ServerConnection

    def drop(self) -> None:
        """Cancel the requests of all threads."""
        self._connection.drop()

    @abstractmethod
    def next_token(self, ids: Sequence[int], wanted: Sequence[int]) -> NextToken:
        """Return the distribution of the next token, including the `wanted` tokens if the engine lists them.

        Raises:
            UnsendablePrompt: The engine takes only text, and no text gives these tokens.
            ModelError: There is no usable answer.
        """

    @abstractmethod
    def write(self, ids: Sequence[int], limit: int) -> str:
        """Continue a prompt greedily until the model ends its turn or has written `limit` tokens."""

    def in_exact_mode(self) -> Self:
        """Return the engine in a mode in which no answer depends on earlier requests."""
        return self

    def with_beginning(self, ids: Sequence[int]) -> Self:
        """Return the engine for prompts that begin with these tokens; by default the engine decides what to cache."""
        return self


class UnsendablePrompt(ModelError):
    """The error for a prompt whose text the engine would split into different tokens."""

    def __init__(self) -> None:
        super().__init__("A prompt cannot be sent as text.")
