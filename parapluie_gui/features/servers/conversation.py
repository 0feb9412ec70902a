"""Servers that take a conversation and return the likeliest first tokens of the answer."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.bounds import Range, log
from parapluie_gui.features.servers.connection import RefusedRequest, ServerConnection, dig, dig_list
from parapluie_gui.features.servers.openai import AT_ONCE
from parapluie_gui.pluie.thoughts import opens_thought

#: Number of likeliest tokens requested, the maximum that servers return.
TOP_TOKENS = 20

Messages = Sequence[dict[str, str]]


class PromptTooLong(ModelError):
    """The error for a conversation that does not fit into the server's context."""


@dataclass(frozen=True)
class FirstToken:
    """The distribution of the first token of an answer, as far as the server returns it.

    Attributes:
        chances: Probabilities by the token's text, likeliest first; probabilities of tokens with the same text are
            summed.
        prompt: Number of tokens of the prompt, 0 if the server does not report it.
    """

    chances: dict[str, float]
    prompt: int

    @classmethod
    def from_answer(cls, likeliest: Any, prompt: Any) -> FirstToken:
        """Read a list of tokens with their "logprob", in the format of OpenAI."""
        try:
            chances: dict[str, float] = {}
            for entry in likeliest:  # different tokens may have the same text
                text = str(entry["token"])
                chances[text] = chances.get(text, 0.0) + math.exp(float(entry["logprob"]))
        except (KeyError, TypeError, ValueError, OverflowError):
            chances = {}
        return cls(
            dict(sorted(chances.items(), key=lambda entry: -entry[1])),
            prompt if isinstance(prompt, int) else 0,
        )

    def bounds(self, spellings: Sequence[str]) -> Range:
        """Return bounds of the log-probability of an answer, summed over its spellings."""
        least, unlisted = 0.0, min(self.chances.values(), default=1.0)
        uncertain = 0.0
        for spelling in spellings:
            if spelling in self.chances:
                least += self.chances[spelling]
            else:  # the spelling may be an unlisted token, or begin with a listed one
                beginnings = [p for text, p in self.chances.items() if text.strip() and spelling.startswith(text)]
                uncertain += max([unlisted, *beginnings])
        return log(least), log(min(least + uncertain, 1.0))


class ConversationServer(ABC):
    """A server that answers conversations and returns log-probabilities.

    Attributes:
        name: Name for the user.
        host: Host and port.
        model: Name of the model in requests.
    """

    name: str
    at_once = AT_ONCE

    def __init__(self, connection: ServerConnection, model: str) -> None:
        self._connection = connection
        self.host, self.model = connection.host, model

    def drop(self) -> None:
        """Cancel the requests of all threads."""
        self._connection.drop()

    def first_token(self, messages: Messages) -> FirstToken:
        """Return the distribution of the first token of the answer.

        Raises:
            PromptTooLong: The conversation does not fit into the server's context.
            ModelError: There is no answer, or it has no log-probabilities.
        """
        first = self._request_first_token(messages)
        if opens_thought(next(iter(first.chances), "")):
            raise self._thinking_error()
        if len(first.chances) < 2:
            raise ModelError(
                f"{self.host} returns no log-probabilities for {self.model} (logprobs, top_logprobs), which ParaPLUIE "
                "needs. Choose another server or model, or update the server."
            )
        if sum(first.chances.values()) > 1.01:
            raise ModelError(
                f"{self.host} returns probabilities for {self.model} that add up to more than 1. Choose another server."
            )
        return first

    @abstractmethod
    def _request_first_token(self, messages: Messages) -> FirstToken:
        """Return the distribution of the first token, unchecked."""

    @abstractmethod
    def write(self, messages: Messages, limit: int) -> str:
        """Return the answer of the model, of up to `limit` tokens."""

    def _refuse_thought(self, message: Any) -> None:
        """Refuse an answer that follows a thought: its first token does not answer the template."""
        if any(dig(message, part) for part in ("thinking", "reasoning_content", "reasoning")):
            raise self._thinking_error()

    def _thinking_error(self) -> ModelError:
        return ModelError(
            f"{self.model} thinks before it answers, so its first word does not answer the template. "
            f"Switch thinking off on {self.host}, or choose a different model."
        )

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        """Send a request; errors as `first_token`."""
        try:
            return self._connection.post(path, body)
        except RefusedRequest as refusal:
            words = refusal.words.lower()
            if "context" in words or "too long" in words:
                raise PromptTooLong(str(refusal)) from refusal
            if "logprob" in words:
                raise ModelError(
                    f"{self.host} does not return log-probabilities for {self.model} ({refusal.words[:200]}). "
                    "Choose another server or model."
                ) from refusal
            raise


class OpenAiChat(ConversationServer):
    """A server with OpenAI's `/v1/chat/completions`."""

    name = "chat"

    def _request_first_token(self, messages: Messages) -> FirstToken:
        answer = self._chat(messages, 1, logprobs=True, top_logprobs=TOP_TOKENS)
        self._refuse_thought(dig(answer, "choices", 0, "message"))
        return FirstToken.from_answer(
            dig(answer, "choices", 0, "logprobs", "content", 0, "top_logprobs"), dig(answer, "usage", "prompt_tokens")
        )

    def write(self, messages: Messages, limit: int) -> str:
        """Return the answer of the model; see `ConversationServer.write`."""
        return str(dig(self._chat(messages, limit), "choices", 0, "message", "content") or "").strip()

    def _chat(self, messages: Messages, limit: int, **options: object) -> Any:
        body = {"model": self.model, "messages": list(messages), "max_tokens": limit, "temperature": 0, **options}
        return self._post("/v1/chat/completions", body)


class LmStudio(ConversationServer):
    """LM Studio's `/v1/responses`, since its `/v1/chat/completions` ignores the option for log-probabilities."""

    name = "LM Studio"
    #: Minimum number of tokens that the interface accepts; only the first is read.
    _FEWEST = 16

    def _request_first_token(self, messages: Messages) -> FirstToken:
        include = ["message.output_text.logprobs"]
        answer = self._respond(messages, self._FEWEST, include=include, top_logprobs=TOP_TOKENS)
        kinds = [dig(item, "type") for item in dig_list(answer, "output")]
        if "reasoning" in kinds:
            raise self._thinking_error()
        place = kinds.index("message") if "message" in kinds else 0
        first = dig(answer, "output", place, "content", 0, "logprobs", 0, "top_logprobs")
        return FirstToken.from_answer(first, dig(answer, "usage", "input_tokens"))

    def write(self, messages: Messages, limit: int) -> str:
        """Return the answer of the model; see `ConversationServer.write`."""
        answer = self._respond(messages, max(limit, self._FEWEST))
        texts = [
            dig(item, "content", 0, "text") for item in dig_list(answer, "output") if dig(item, "type") == "message"
        ]
        return str(texts[0] or "").strip() if texts else ""

    def _respond(self, messages: Messages, limit: int, **options: object) -> Any:
        body = {"model": self.model, "input": list(messages), "max_output_tokens": limit, "temperature": 0, **options}
        return self._post("/v1/responses", body | {"store": False})
