"""Servers that run judges: their addresses, and a record of each server that the user has connected to.

Nothing here sends a request. The records are in a file, so that scores keep the name of their model while the server is
off; keys are stored only in the system's keyring.
"""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from parapluie_gui import places
from parapluie_gui.errors import ModelError, first_line
from parapluie_gui.files import put_aside, write_text
from parapluie_gui.own_files import read_json_or_none, read_records

#: The protocols: a program's native protocol, which takes token ids, or a protocol that takes a conversation.
LLAMACPP, VLLM, SGLANG, CHAT = "llama.cpp", "vLLM", "SGLang", "chat"
OLLAMA, OLLAMA_RAW, LMSTUDIO = "Ollama", "Ollama raw", "LM Studio"
#: The protocols by which the server renders and tokenises the prompt itself.
BY_CONVERSATION = (CHAT, OLLAMA, LMSTUDIO)

_SERVICE = "parapluie"
_EXAMPLE = "http://127.0.0.1:8080#MODEL"


@dataclass(frozen=True)
class ServerRecord:
    """A server that the user has connected to.

    Attributes:
        address: The normalised address, such as "http://127.0.0.1:8080#MODEL".
        engine: The protocol: LLAMACPP, VLLM, SGLANG, OLLAMA_RAW, or one of BY_CONVERSATION.
        model: Name of the model, as in the server's reports and in requests.
        revision: Version of the model, as far as the server reports one.
        note: Findings of the test on connecting, in sentences.
        key: Whether it requires a key.
        prices: Price of a million tokens of prompts and of a million tokens of answers, entered by the user.
        probe: The fingerprint of its model, if the server does not report the model's files; None for a question whose
            answers it did not return.
        noise: Difference between its answers to the same question.
        answers: Names of models in its answers, separated by spaces.
    """

    address: str
    engine: str
    model: str
    revision: str
    note: str = ""
    key: bool = False
    prices: tuple[float, float] | None = None
    probe: tuple[float | None, ...] = ()
    noise: float = 0.0
    answers: str = ""

    @property
    def base(self) -> str:
        """The address without the model."""
        return self.address.partition("#")[0]

    @property
    def name(self) -> str:
        """Name of the judge in scores, independent of the address."""
        return f"{self.model} ({self.engine})"


def is_address(model: str) -> bool:
    """Return True if the name of a judge is the address of a server."""
    return model.lower().startswith(("http://", "https://"))


def normalise_address(address: str) -> str:
    """Return an address without a final "/v1" or "/", followed by "#MODEL" if a model is named.

    An address without a scheme is on http:// if it names a port or this computer, otherwise on https://.

    Raises:
        ModelError: The text is not an address.
    """
    url, _, model = address.strip().partition("#")
    if url and "://" not in url:
        plain = re.fullmatch(r"(localhost|127\.0\.0\.1)(/.*)?|[^/]*:\d+(/.*)?", url, re.IGNORECASE)
        url = f"{'http' if plain else 'https'}://{url}"
    try:
        parts = urlsplit(url)
        port = parts.port  # raises ValueError if it is not a number
    except ValueError as error:
        raise ModelError(f"{address} is not a server's address ({first_line(error)}). Write {_EXAMPLE}.") from error
    if not parts.hostname or re.search(r"\s", parts.hostname) or not is_address(url) or parts.query:
        raise ModelError(f"{address} is not a server's address. Write {_EXAMPLE}.")
    if parts.username is not None:
        raise ModelError(
            f"The address of {parts.hostname} contains a user name or a key. Leave it out; you are asked for the key "
            "separately."
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path.rstrip("/").removesuffix("/v1")
    base = f"{parts.scheme.lower()}://{host}{'' if port is None else f':{port}'}{path}"
    return f"{base}#{model.strip()}" if model.strip() else base


def parse_host(address: str) -> str:
    """Return the host of an address, with its port."""
    return urlsplit(address).netloc


def records_file() -> Path:
    """Return the path of the file with the records of servers (which may not exist)."""
    return places.user_data() / "servers.json"


def load_servers() -> list[ServerRecord]:
    """Return the servers that the user has connected to, latest first."""
    return read_records(read_json_or_none(records_file()), _server)


def _server(fields: dict[str, Any]) -> ServerRecord:
    """Read a record; raises one of `UNEXPECTED_VALUE` or a ModelError if it is malformed."""
    prices = fields.get("prices")
    if prices is not None:
        read, written = map(float, prices)
        fields = {**fields, "prices": (read, written)}
    probe = tuple(None if score is None else float(score) for score in fields.get("probe") or ())
    server = ServerRecord(**{**fields, "probe": probe})
    texts = (server.address, server.engine, server.model, server.revision, server.note, server.answers)
    numbers = (*(server.prices or ()), server.noise)
    if not all(isinstance(text, str) for text in texts) or not all(map(math.isfinite, numbers)):
        raise ValueError("not the record of a server")
    normalise_address(server.address)
    return server


def find_server(address: str) -> ServerRecord | None:
    """Return the record of a server with this address, None if there is no such record.

    Raises:
        ModelError: The text is not an address.
    """
    address = normalise_address(address)
    servers = [server for server in load_servers() if address in (server.address, server.base)]
    return next((server for server in servers if server.address == address), next(iter(servers), None))


def store_server(server: ServerRecord) -> None:
    """Store the record of a server as the latest."""
    stored, entries = load_servers(), read_json_or_none(records_file())
    if os.path.lexists(records_file()) and (not isinstance(entries, list) or len(entries) != len(stored)):
        put_aside(records_file())  # keeps damaged records, which a later version may be able to read
    earlier = [record for record in stored if record.address != server.address]
    write_text(records_file(), json.dumps([asdict(record) for record in (server, *earlier)], indent=2), private=True)


def read_key(address: str) -> str:
    """Return the key of a server from the system's keyring, "" if there is no key.

    Raises:
        ModelError: There is no keyring, or it is locked.
    """
    return _keyring("get_password", _entry(address)) or ""


def store_key(address: str, key: str) -> None:
    """Store the key of a server in the system's keyring; errors as `read_key`."""
    _keyring("set_password", _entry(address), key)


def _entry(address: str) -> str:
    """Return the keyring entry of a server: a key is sent to this scheme, host and port only."""
    parts = urlsplit(normalise_address(address))
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def _keyring(method: str, *arguments: str) -> str | None:
    try:
        import keyring
    except ImportError as error:
        raise ModelError(
            "Server keys are stored in the system's keyring, but the package for it is missing. "
            "Install it with `pip install 'parapluie_gui[servers]'`."
        ) from error
    try:
        result: str | None = getattr(keyring, method)(_SERVICE, *arguments)
    except Exception as error:  # each backend raises exceptions of different classes
        raise ModelError(
            f"The system's keyring cannot be used ({first_line(error)}). Unlock it, or set one up; "
            "keys are stored nowhere else."
        ) from error
    return result
