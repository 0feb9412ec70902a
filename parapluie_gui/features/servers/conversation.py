"""Servers that are asked with a conversation and tell the likeliest first tokens of the answer."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.bounds import Range, log
from parapluie_gui.features.servers.connection import Connection, Refused, dig, dig_list
from parapluie_gui.features.servers.openai import AT_ONCE
from parapluie_gui.pluie.thoughts import opens_thought

#: The likeliest tokens that are asked for: the most that servers tell.
TOLD = 20

Messages = Sequence[dict[str, str]]


class TooLong(ModelError):
    """A conversation is longer than what the server reads."""


@dataclass(frozen=True)
class Told:
    """What an answer tells of its first token.

    Attributes:
        chances: Probabilities by the token's text, likeliest first.
        prompt: Tokens of the prompt, 0 where the server does not say.
    """

    chances: dict[str, float]
    prompt: int

    @classmethod
    def of(cls, likeliest: Any, prompt: Any) -> Told:
        """Read a list of tokens with their "logprob", as OpenAI's interface and those after it have it."""
        try:
            found = {str(each["token"]): math.exp(float(each["logprob"])) for each in likeliest}
        except (KeyError, TypeError, ValueError, OverflowError):
            found = {}
        return cls(
            dict(sorted(found.items(), key=lambda each: -each[1])),
            prompt if isinstance(prompt, int) else 0,
        )

    def bounds(self, spellings: Sequence[str]) -> Range:
        """Return the logarithms of the least and the greatest probability of an answer, all spellings together."""
        least, rest = 0.0, min(self.chances.values(), default=1.0)
        open_to = 0.0
        for spelling in spellings:
            if spelling in self.chances:
                least += self.chances[spelling]
            else:  # among the tokens that are not told, or one that begins with a token that is
                begun = [p for text, p in self.chances.items() if text.strip() and spelling.startswith(text)]
                open_to += max([rest, *begun])
        return log(least), log(min(least + open_to, 1.0))


class Conversation(ABC):
    """A server that answers a conversation and tells log-probabilities.

    Attributes:
        name: What the user calls it.
        host: With its port.
        model: What it is asked for.
    """

    name: str
    at_once = AT_ONCE

    def __init__(self, connection: Connection, model: str) -> None:
        self._connection = connection
        self.host, self.model = connection.host, model

    def drop(self) -> None:
        """Wait no more for what was asked in other threads."""
        self._connection.drop()

    def first(self, messages: Messages) -> Told:
        """Return what the model says first after a conversation.

        Raises:
            TooLong: It does not fit into the server's context.
            ModelError: There is no answer, or it tells no log-probabilities.
        """
        told = self._first(messages)
        if opens_thought(next(iter(told.chances), "")):
            raise self._thinks()
        if len(told.chances) < 2:
            raise ModelError(
                f"{self.host} tells no log-probabilities of {self.model}'s answers (logprobs, top_logprobs), and "
                "ParaPLUIE is computed from them. Choose another server or model, or update the server."
            )
        if sum(told.chances.values()) > 1.01:
            raise ModelError(
                f"{self.host} tells probabilities of {self.model}'s answers that add up to more than 1. "
                "Choose another server."
            )
        return told

    @abstractmethod
    def _first(self, messages: Messages) -> Told:
        """Return the answer, whatever it is."""

    @abstractmethod
    def write(self, messages: Messages, limit: int) -> str:
        """Return what the model says, at most `limit` tokens."""

    def _spoken(self, message: Any) -> None:
        """Refuse an answer that a thought came before: its first token is no answer to the template."""
        if any(dig(message, part) for part in ("thinking", "reasoning_content", "reasoning")):
            raise self._thinks()

    def _thinks(self) -> ModelError:
        return ModelError(
            f"{self.model} thinks before it answers, so that its first word is no answer to the template. "
            f"Switch thinking off on {self.host}, or choose another model."
        )

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        """Ask for an answer; errors as `first`."""
        try:
            return self._connection.post(path, body)
        except Refused as refusal:
            words = refusal.words.lower()
            if "context" in words or "too long" in words:
                raise TooLong(str(refusal)) from refusal
            if "logprob" in words:
                raise ModelError(
                    f"{self.host} does not tell log-probabilities of {self.model} ({refusal.words[:200]}). "
                    "Choose another server or model."
                ) from refusal
            raise


class Chat(Conversation):
    """Any server with OpenAI's `/v1/chat/completions`."""

    name = "chat"

    def _first(self, messages: Messages) -> Told:
        answer = self._chatted(messages, 1, logprobs=True, top_logprobs=TOLD)
        self._spoken(dig(answer, "choices", 0, "message"))
        return Told.of(
            dig(answer, "choices", 0, "logprobs", "content", 0, "top_logprobs"), dig(answer, "usage", "prompt_tokens")
        )

    def write(self, messages: Messages, limit: int) -> str:
        """Return what the model says; see `Conversation.write`."""
        return str(dig(self._chatted(messages, limit), "choices", 0, "message", "content") or "").strip()

    def _chatted(self, messages: Messages, limit: int, **more: object) -> Any:
        body = {"model": self.model, "messages": list(messages), "max_tokens": limit, "temperature": 0, **more}
        return self._post("/v1/chat/completions", body)


class LmStudio(Conversation):
    """LM Studio's `/v1/responses`: its `/v1/chat/completions` takes the wish for log-probabilities and ignores it."""

    name = "LM Studio"
    #: The least that the interface lets one ask for; the first of the tokens is read.
    _FEWEST = 16

    def _first(self, messages: Messages) -> Told:
        include = ["message.output_text.logprobs"]
        answer = self._answered(messages, self._FEWEST, include=include, top_logprobs=TOLD)
        kinds = [dig(item, "type") for item in dig_list(answer, "output")]
        if "reasoning" in kinds:
            raise self._thinks()
        place = kinds.index("message") if "message" in kinds else 0
        first = dig(answer, "output", place, "content", 0, "logprobs", 0, "top_logprobs")
        return Told.of(first, dig(answer, "usage", "input_tokens"))

    def write(self, messages: Messages, limit: int) -> str:
        """Return what the model says; see `Conversation.write`."""
        answer = self._answered(messages, max(limit, self._FEWEST))
        said = [
            dig(item, "content", 0, "text") for item in dig_list(answer, "output") if dig(item, "type") == "message"
        ]
        return str(said[0] or "").strip() if said else ""

    def _answered(self, messages: Messages, limit: int, **more: object) -> Any:
        body = {"model": self.model, "input": list(messages), "max_output_tokens": limit, "temperature": 0, **more}
        return self._post("/v1/responses", body | {"store": False})
