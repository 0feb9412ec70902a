"""Ollama's native interface, which reports more than its OpenAI-compatible interface and does not truncate silently.

`truncate: false` turns a prompt that is too long into an error, and `/api/tags` has a digest of the model's files. With
`raw` the text is sent to the model unchanged, so we render the prompt if the model's tokenizer is on this computer.
Answers list up to twenty tokens, so a score may be a bound.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from parapluie_gui.errors import ModelError, first_line
from parapluie_gui.features.servers.connection import ServerConnection, dig, dig_list
from parapluie_gui.features.servers.conversation import TOP_TOKENS, ConversationServer, FirstToken, Messages
from parapluie_gui.features.servers.engine import NextToken, TokenEngine, UnsendablePrompt
from parapluie_gui.models.gguf_metadata import parse_gguf_once
from parapluie_gui.models.sources import is_this_computer
from parapluie_gui.models.tokenizer import load_tokenizer
from parapluie_gui.packages import require
from parapluie_gui.pluie.evidence import SHOWN

#: The context that is requested, in tokens; Ollama's default depends on its memory.
_CONTEXT = 4096
#: Maximum number of requests at a time; more would only queue at the server.
_AT_ONCE = 4


def model_digest(connection: ServerConnection, model: str) -> str:
    """Return the digest of a model's files; "" if the server does not list the model."""
    models = dig_list(connection.get("/api/tags"), "models")
    return next((str(dig(entry, "digest") or "") for entry in models if dig(entry, "name") == model), "")


def request_options(limit: int) -> dict[str, Any]:
    """Return the options of every request: no streaming, no truncation, greedy decoding."""
    settings = {"temperature": 0, "num_predict": limit, "num_ctx": _CONTEXT}
    return {"stream": False, "truncate": False, "shift": False, "options": settings}


def read_first_token(answer: Any) -> FirstToken:
    """Return the distribution of the first token of an answer."""
    return FirstToken.from_answer(dig(answer, "logprobs", 0, "top_logprobs"), dig(answer, "prompt_eval_count"))


class OllamaChat(ConversationServer):
    """Ollama with conversations, which it renders with the model's template."""

    name = "Ollama"
    at_once = _AT_ONCE

    def _request_first_token(self, messages: Messages) -> FirstToken:
        answer = self._chat(messages, 1, logprobs=True, top_logprobs=TOP_TOKENS)
        self._refuse_thought(dig(answer, "message"))
        return read_first_token(answer)

    def write(self, messages: Messages, limit: int) -> str:
        """Return the answer of the model; see `ConversationServer.write`."""
        return str(dig(self._chat(messages, limit), "message", "content") or "").strip()

    def _chat(self, messages: Messages, limit: int, **options: object) -> Any:
        body = {"model": self.model, "messages": list(messages), "think": False, **request_options(limit), **options}
        return self._post("/api/chat", body)


class OllamaEngine(TokenEngine):
    """Ollama with prompts rendered here as text, by the model's tokenizer on this computer.

    Raises:
        ModelError: The server splits a sample text into a different number of tokens than the tokenizer.
    """

    name = "Ollama raw"
    at_once = _AT_ONCE
    most_tokens = _CONTEXT

    def __init__(self, connection: ServerConnection, model: str, tokenizer: Any, sample: str) -> None:
        self._connection, self._tokenizer = connection, tokenizer
        self.model = model
        begins = tokenizer("a")["input_ids"][:1]
        self._begin = begins if begins == [tokenizer.bos_token_id] else []
        read = dig(self._generate(sample, 1), "prompt_eval_count")
        if read != len(tokenizer(sample)["input_ids"]):
            raise ModelError(
                f"The tokenizer of {model} on this computer differs from the one on {connection.host}. Fetch the model "
                "again."
            )

    def next_token(self, ids: Sequence[int], wanted: Sequence[int]) -> NextToken:
        """Return the distribution of the next token; see `TokenEngine.next_token`."""
        first = read_first_token(self._generate(self._text(ids), 1, logprobs=True, top_logprobs=TOP_TOKENS))
        if len(first.chances) < 2:
            raise ModelError(
                f"{self._connection.host} returns no log-probabilities for {self.model}. Update Ollama (0.12.11 or "
                "later)."
            )
        pieces = {id: self._token_text(id) for id in wanted}
        logs = {id: math.log(first.chances[piece]) for id, piece in pieces.items() if first.chances.get(piece)}
        top = tuple(first.chances.items())
        return NextToken(logs, top[:SHOWN], first.prompt, math.log(top[-1][1]) if top[-1][1] else -math.inf)

    def write(self, ids: Sequence[int], limit: int) -> str:
        """Continue a prompt greedily; see `TokenEngine.write`."""
        return str(dig(self._generate(self._text(ids), limit), "response") or "").strip()

    def _generate(self, text: str, limit: int, **options: object) -> Any:
        body = {"model": self.model, "prompt": text, "raw": True, **request_options(limit), **options}
        return self._connection.post("/api/generate", body)

    def _text(self, ids: Sequence[int]) -> str:
        """Return the text that the server splits into these tokens; it adds the token that begins a text."""
        is_complete = list(ids[: len(self._begin)]) == self._begin
        text = str(self._tokenizer.decode(ids[len(self._begin) :] if is_complete else ids))
        if not is_complete or self._tokenizer(text)["input_ids"] != list(ids):
            raise UnsendablePrompt
        return text

    def _token_text(self, id: int) -> str:
        """Return the text of a token as llama.cpp writes it, with its leading space."""
        token = str(self._tokenizer.convert_ids_to_tokens(id))
        return token.replace("▁", " ") if "▁" in token else str(self._tokenizer.decode([id]))


def load_ollama_tokenizer(connection: ServerConnection, model: str) -> Any:
    """Return the tokenizer in the file that Ollama runs, if that file is on this computer.

    Raises:
        ModelError: The file is not on this computer, or its tokenizer cannot be read.
    """
    require("transformers", what="Sending prompts as text")
    modelfile = str(dig(connection.post("/api/show", {"model": model}), "modelfile") or "")
    match = re.search(r"^FROM (.+)$", modelfile, re.MULTILINE)
    file = Path(match[1].strip()) if match and is_this_computer(connection.base) else None
    if file is None or not file.is_file():
        raise ModelError(f"The file of {model} is not on this computer.")
    try:
        with parse_gguf_once():
            return load_tokenizer(model, file.parent, gguf_file=file.name)
    except Exception as error:  # transformers raises exceptions of many classes
        raise ModelError(f"The tokenizer of {model} cannot be read ({first_line(error)}).") from error
