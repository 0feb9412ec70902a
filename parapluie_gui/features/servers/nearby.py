"""Lists programs that may serve a model on this computer: those listening on the usual ports. No request is sent."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

#: The usual port of each program that serves models.
USUAL_PORTS = {"llama.cpp": 8080, "vLLM": 8000, "SGLang": 30000, "Ollama": 11434, "LM Studio": 1234}

#: Seconds to wait for a port of this computer.
_WAIT = 0.3


@dataclass(frozen=True)
class NearbyServer:
    """A port of this computer on which something listens.

    Attributes:
        address: "http://127.0.0.1:11434".
        program: The program whose usual port it is, which need not be the program that listens.
    """

    address: str
    program: str


def list_nearby_servers() -> list[NearbyServer]:
    """Return the usual ports on which something listens; takes up to a third of a second."""
    with ThreadPoolExecutor(len(USUAL_PORTS)) as pool:
        listening = list(pool.map(_listens, USUAL_PORTS.values()))
    return [
        NearbyServer(f"http://127.0.0.1:{port}", program)
        for (program, port), is_open in zip(USUAL_PORTS.items(), listening, strict=True)
        if is_open
    ]


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), _WAIT):
            return True
    except OSError:
        return False
