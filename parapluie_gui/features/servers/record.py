"""Servers that run judges: their addresses, and a record of each server the user has connected to.

Nothing here sends a request. The record is a file, so that scores keep the name of their model while the server is
off; keys are in the system's keyring and nowhere else.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from parapluie_gui import places
from parapluie_gui.errors import ModelError, first_line
from parapluie_gui.files import write_text

#: How a server is asked: its program's own way by token ids, or by the conversation.
LLAMACPP, VLLM, SGLANG, CHAT = "llama.cpp", "vLLM", "SGLang", "chat"
OLLAMA, OLLAMA_RAW, LMSTUDIO = "Ollama", "Ollama raw", "LM Studio"
#: Those that render and tokenise the prompt themselves.
BY_CONVERSATION = (CHAT, OLLAMA, LMSTUDIO)

_SERVICE = "parapluie"
_EXAMPLE = "http://127.0.0.1:8080#MODEL"


@dataclass(frozen=True)
class Server:
    """A server that the user has connected to.

    Attributes:
        address: As the user named it, in one spelling: "http://127.0.0.1:8080#MODEL".
        engine: How it is asked: LLAMACPP, VLLM, SGLANG, OLLAMA_RAW, or one of BY_CONVERSATION.
        model: What it says that it runs, and is asked for.
        revision: What identifies the version of its models, as far as the server says.
        note: What connecting found out, in sentences.
        key: Whether it asks for a key.
        prices: What a million tokens of prompts and a million of answers cost, as the user says.
        probe: What its model answered to the program's own questions, where the server does not say which files it
            runs; None for a question whose answers it did not tell.
        noise: By how much its answer to the same question differed.
        answers: The names in which its answers came.
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
        """What its scores are known by, wherever it runs."""
        return f"{self.model} ({self.engine})"


def is_address(model: str) -> bool:
    """Return True if a judge is named by a server's address."""
    return model.lower().startswith(("http://", "https://"))


def tidy(address: str) -> str:
    """Return an address in one spelling: no "/v1" and no "/" at its end, then "#MODEL" if one is named.

    Raises:
        ModelError: It is none.
    """
    whole, _, model = address.strip().partition("#")
    try:
        parts = urlsplit(whole)
        port = parts.port  # of a wrong one, asking for it fails
    except ValueError as error:
        raise ModelError(f"{address} is not a server's address ({first_line(error)}). Write {_EXAMPLE}.") from error
    if not parts.hostname or not is_address(whole) or parts.query:
        raise ModelError(f"{address} is not a server's address. Write {_EXAMPLE}.")
    if parts.username is not None:
        raise ModelError(f"The address of {parts.hostname} holds a name or a key. Leave it out; keys are asked for.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path.rstrip("/").removesuffix("/v1")
    base = f"{parts.scheme.lower()}://{host}{'' if port is None else f':{port}'}{path}"
    return f"{base}#{model.strip()}" if model.strip() else base


def host_of(address: str) -> str:
    """Return the host of an address, with its port."""
    return urlsplit(address).netloc


def is_this_computer(address: str) -> bool:
    """Return True if what is sent to an address does not leave this computer."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return host == "localhost"


def records() -> Path:
    """Return the file with the records of the servers that the user has connected to (it may not exist)."""
    return places.user_data() / "servers.json"


def known_servers() -> list[Server]:
    """Return the servers that the user has connected to, the last one first."""
    with contextlib.suppress(OSError, ValueError, TypeError, RecursionError):
        return [_server(each) for each in json.loads(records().read_text("utf-8"))]
    return []


def _server(fields: dict[str, Any]) -> Server:
    """Read a record; ValueError or TypeError if it is none."""
    prices = fields.get("prices")
    if prices is not None:
        read, written = map(float, prices)
        fields = {**fields, "prices": (read, written)}
    probe = tuple(None if each is None else float(each) for each in fields.get("probe") or ())
    return Server(**{**fields, "probe": probe})


def known_server(address: str) -> Server | None:
    """Return the record of a server, by an address as the user writes it.

    Raises:
        ModelError: It is not an address.
    """
    wanted = tidy(address)
    found = [each for each in known_servers() if wanted in (each.address, each.base)]
    return next((each for each in found if each.address == wanted), next(iter(found), None))


def remember(server: Server) -> None:
    """Store the record of a server, as the latest."""
    others = [each for each in known_servers() if each.address != server.address]
    write_text(records(), json.dumps([asdict(each) for each in (server, *others)], indent=2), private=True)


def stored_key(address: str) -> str:
    """Return the key of a server from the system's keyring, "" where there is none.

    Raises:
        ModelError: There is no keyring, or it is locked.
    """
    return _keyring("get_password", _entry(address)) or ""


def store_key(address: str, key: str) -> None:
    """Put the key of a server into the system's keyring; errors as `stored_key`."""
    _keyring("set_password", _entry(address), key)


def _entry(address: str) -> str:
    """Return the name under which a key is kept: it is sent to this scheme, host and port only."""
    parts = urlsplit(tidy(address))
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def _keyring(act: str, *arguments: str) -> str | None:
    try:
        import keyring
    except ImportError as error:
        raise ModelError(
            "Keys of servers are kept in the system's keyring, and the package for it is missing. "
            "`pip install 'parapluie_gui[servers]'` brings it."
        ) from error
    try:
        found: str | None = getattr(keyring, act)(_SERVICE, *arguments)
    except Exception as error:  # each system's keyring has its own
        raise ModelError(
            f"The system's keyring cannot be used ({first_line(error)}). Unlock it, or set one up; "
            "keys are kept nowhere else."
        ) from error
    return found
