"""Runs llama.cpp in a separate process, so that a file that makes it abort ends only that process.

llama.cpp trusts the contents of a file and aborts if something is wrong: one flipped bit is enough. Settings and key
are sent by standard input, so that no process list shows the key; the process ends when its input ends, for instance
because its parent is gone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from parapluie_gui import children
from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.connection import RefusedRequest, ServerConnection

#: The function that the process runs.
_SERVE = "parapluie_gui.features.servers.own_process:serve"
#: Seconds between checks for cancellation.
_TICK = 0.05
#: Seconds allowed for an aborting process to end, since the system may write a core dump first.
_ENDING = 2.0


class LlamaProcess:
    """A running llama.cpp; it ends when this object is garbage-collected.

    Args:
        file: The GGUF file.
        settings: Attributes of xllamacpp's parameters, by name ("cpuparams.n_threads").
        key: The bearer token that it requires.
        check: Called while waiting; an exception from it ends the process.

    Attributes:
        address: "http://127.0.0.1:PORT".

    Raises:
        ModelError: llama.cpp cannot load the file, or cannot be loaded itself.
    """

    def __init__(self, file: Path, settings: dict[str, Any], key: str, check: Callable[[], None]) -> None:
        self._file = file.name
        # Quiet, since llama.cpp logs to stderr; it starts no debugger on an abort.
        children.limit_spinning()
        self._process = children.start(_SERVE, quiet=True, GGML_NO_BACKTRACE="1")
        weakref.finalize(self, _end, self._process)
        answer = self._first_answer({"model.path": str(file), "api_keys": [key], **settings}, check)
        if "missing" in answer:
            raise ModelError(
                f"llama.cpp, which runs {self._file}, cannot be loaded ({answer['missing']}). "
                "Install it again: `pip install 'parapluie_gui[llamacpp]'`."
            )
        if "address" not in answer:
            raise ModelError(
                f"{self._file} cannot be loaded by llama.cpp. It may be incomplete or damaged, of a kind that this "
                "version does not support, or too large for the memory. Fetch it again, or choose a different file."
            )
        self.address: str = answer["address"]

    def check(self) -> None:
        """Raise a ModelError if the process has ended or is ending, which closes its connections first."""
        try:
            self._process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            return
        raise ModelError(
            f"llama.cpp crashed while running {self._file}. The file may be damaged, or there may be too little "
            "memory. Fetch it again, or choose a different file. Scores computed so far are kept."
        )

    def _first_answer(self, settings: dict[str, Any], check: Callable[[], None]) -> dict[str, Any]:
        """Return the message of the process once the file is loaded; {} if the process ends before."""
        answers: list[dict[str, Any]] = []
        loading = threading.Thread(
            target=_exchange, args=(self._process, settings, answers), name="llama-loading", daemon=True
        )
        loading.start()
        try:
            while loading.is_alive():
                check()
                loading.join(_TICK)
        except BaseException:
            _end(self._process)
            raise
        return answers[0] if answers else {}


class OwnConnection(ServerConnection):
    """A connection to a child process; after the process has ended, requests fail at once with its error."""

    def __init__(self, process: LlamaProcess, key: str, say: Callable[[str], None]) -> None:
        super().__init__(process.address, key, say=say, waits=())
        self.host = "llama.cpp"  # shown in messages, because the user chose a file and does not know the address
        self._process = process

    def _ask(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        try:
            return super()._ask(method, path, body)
        except RefusedRequest:
            raise
        except ModelError:
            self._process.check()
            raise


def _exchange(process: subprocess.Popen[bytes], settings: dict[str, Any], answers: list[dict[str, Any]]) -> None:
    """Send the settings and read the first line; runs in a thread, since loading may take long."""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(json.dumps(settings).encode() + b"\n")
        process.stdin.flush()
        answers.append(json.loads(process.stdout.readline()))
    except (OSError, ValueError):  # the process has ended
        return


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def serve() -> None:
    """Run the process: read settings from standard input, load the file, print the address, and wait for the end.

    Ctrl+C reaches every process at a terminal and is ignored here; the parent ends this process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries must not mix with the messages
    settings: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    try:
        import xllamacpp
    except (ImportError, OSError) as error:
        _send(out, {"missing": str(error).strip().partition("\n")[0]})
        return
    parameters: Any = xllamacpp.CommonParams()
    for name, value in settings.items():
        owner, _, last = name.rpartition(".")
        setattr(getattr(parameters, owner) if owner else parameters, last, value)
    try:
        server = xllamacpp.Server(parameters)
    except Exception:  # llama.cpp writes the reason to its log only
        _send(out, {})
        return
    _send(out, {"address": server.listening_address})
    sys.stdin.buffer.read()
    os._exit(0)  # exits without finishing running requests


def _send(out: TextIO, answer: dict[str, Any]) -> None:
    out.write(json.dumps(answer) + "\n")
    out.flush()
