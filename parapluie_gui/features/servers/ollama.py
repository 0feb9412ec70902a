"""Ollama's own interface, which tells more than the one it has after OpenAI's, and cuts no prompt without a word.

`truncate: false` makes an error of a prompt that is too long, and `/api/tags` has a digest of the model's files. With
`raw` the prompt is the text that is sent: ours, where the model's tokenizer is on this computer. Twenty tokens are told
at most, so that a score may be a bound.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from parapluie_gui.errors import ModelError, first_line
from parapluie_gui.features.servers.connection import Connection, dig, dig_list
from parapluie_gui.features.servers.conversation import TOLD, Conversation, Messages, Told
from parapluie_gui.features.servers.engine import Engine, Next, Unwritable
from parapluie_gui.features.servers.record import is_this_computer
from parapluie_gui.packages import require
from parapluie_gui.pluie.evidence import SHOWN

#: The context that is asked for, in tokens; what an Ollama has by itself depends on its memory.
_CONTEXT = 4096
#: Requests at a time; more wait at the server.
_AT_ONCE = 4


def listed(connection: Connection, model: str) -> str:
    """Return the digest of a model's files; "" where the server does not list it."""
    models = dig_list(connection.get("/api/tags"), "models")
    return next((str(dig(each, "digest") or "") for each in models if dig(each, "name") == model), "")


def options(limit: int) -> dict[str, Any]:
    """Return what every request says: no streaming, no thinking, nothing cut, nothing drawn by chance."""
    settings = {"temperature": 0, "num_predict": limit, "num_ctx": _CONTEXT}
    return {"stream": False, "truncate": False, "shift": False, "options": settings}


def first_told(answer: Any) -> Told:
    """Return what an answer tells of its first token."""
    return Told.of(dig(answer, "logprobs", 0, "top_logprobs"), dig(answer, "prompt_eval_count"))


class OllamaChat(Conversation):
    """Ollama by the conversation, which it renders with its own template."""

    name = "Ollama"
    at_once = _AT_ONCE

    def _first(self, messages: Messages) -> Told:
        answer = self._chatted(messages, 1, logprobs=True, top_logprobs=TOLD)
        self._spoken(dig(answer, "message"))
        return first_told(answer)

    def write(self, messages: Messages, limit: int) -> str:
        """Return what the model says; see `Conversation.write`."""
        return str(dig(self._chatted(messages, limit), "message", "content") or "").strip()

    def _chatted(self, messages: Messages, limit: int, **more: object) -> Any:
        body = {"model": self.model, "messages": list(messages), "think": False, **options(limit), **more}
        return self._post("/api/chat", body)


class Ollama(Engine):
    """Ollama by the text of our own prompt, read with the tokenizer that is on this computer.

    Raises:
        ModelError: The server does not make as many tokens of a text as the tokenizer.
    """

    name = "Ollama raw"
    at_once = _AT_ONCE
    most_tokens = _CONTEXT

    def __init__(self, connection: Connection, model: str, tokenizer: Any, sample: str) -> None:
        self._connection, self._tokenizer = connection, tokenizer
        self.model = model
        begins = tokenizer("a")["input_ids"][:1]
        self._begin = begins if begins == [tokenizer.bos_token_id] else []
        read = dig(self._asked(sample, 1), "prompt_eval_count")
        if read != len(tokenizer(sample)["input_ids"]):
            raise ModelError(
                f"The tokenizer of {model} here is not the one on {connection.host}. Fetch the model anew."
            )

    def next(self, ids: Sequence[int], wanted: Sequence[int]) -> Next:
        """Return what comes after a prompt; see `Engine.next`."""
        told = first_told(self._asked(self._text(ids), 1, logprobs=True, top_logprobs=TOLD))
        if len(told.chances) < 2:
            raise ModelError(
                f"{self._connection.host} tells no log-probabilities of {self.model}'s answers. Update Ollama "
                "(0.12.11 or later)."
            )
        pieces = {id: self._piece(id) for id in wanted}
        logs = {id: math.log(told.chances[piece]) for id, piece in pieces.items() if told.chances.get(piece)}
        top = tuple(told.chances.items())
        return Next(logs, top[:SHOWN], told.prompt, math.log(top[-1][1]) if top[-1][1] else -math.inf)

    def write(self, ids: Sequence[int], limit: int) -> str:
        """Let the model go on greedily; see `Engine.write`."""
        return str(dig(self._asked(self._text(ids), limit), "response") or "").strip()

    def _asked(self, text: str, limit: int, **more: object) -> Any:
        body = {"model": self.model, "prompt": text, "raw": True, **options(limit), **more}
        return self._connection.post("/api/generate", body)

    def _text(self, ids: Sequence[int]) -> str:
        """Return the text that the server makes these tokens of; it puts the beginning's token before it by itself."""
        begun = list(ids[: len(self._begin)]) == self._begin
        text = str(self._tokenizer.decode(ids[len(self._begin) :] if begun else ids))
        if not begun or self._tokenizer(text)["input_ids"] != list(ids):
            raise Unwritable
        return text

    def _piece(self, id: int) -> str:
        """Return a token as llama.cpp writes it, with the space that it begins with."""
        token = str(self._tokenizer.convert_ids_to_tokens(id))
        return token.replace("▁", " ") if "▁" in token else str(self._tokenizer.decode([id]))


def tokenizer_of(connection: Connection, model: str) -> Any:
    """Return the tokenizer in the file that Ollama runs, where that is on this computer.

    Raises:
        ModelError: The file is not here, or its tokenizer cannot be read.
    """
    require("transformers", what="Asking by the text of the prompt")
    from transformers import AutoTokenizer

    modelfile = str(dig(connection.post("/api/show", {"model": model}), "modelfile") or "")
    named = re.search(r"^FROM (.+)$", modelfile, re.MULTILINE)
    file = Path(named[1].strip()) if named and is_this_computer(connection.base) else None
    if file is None or not file.is_file():
        raise ModelError(f"The file of {model} is not on this computer.")
    try:
        return AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name, local_files_only=True)
    except Exception as error:  # transformers raises anything
        raise ModelError(f"The tokenizer of {model} cannot be read ({first_line(error)}).") from error
