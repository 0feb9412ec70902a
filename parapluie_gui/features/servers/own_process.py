"""llama.cpp in a process of its own: a file that makes it abort ends that process, and nothing else.

llama.cpp checks little of what is in a file before it relies on it, and ends the process that it is in where something
is wrong: one flipped bit is enough. The process is told by its standard input what to do, the key among it, so that no
list of processes shows it; where that input ends, because whoever started it is gone, it ends too.
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
from parapluie_gui.features.servers.connection import Connection, Refused

#: What the process runs.
_SERVE = "parapluie_gui.features.servers.own_process:serve"
#: Seconds between two looks whether the work is to stop.
_TICK = 0.05
#: Seconds that a process that aborts may take to be gone: the system may write what it held in memory.
_ENDING = 2.0


class LlamaProcess:
    """A running llama.cpp; it ends when nobody has it any more.

    Args:
        file: The GGUF file.
        settings: Attributes of xllamacpp's parameters, by their names ("cpuparams.n_threads").
        key: What it asks for as a bearer token.
        check: Ends the waiting by raising.

    Attributes:
        address: "http://127.0.0.1:PORT".

    Raises:
        ModelError: llama.cpp cannot load the file, or cannot be loaded itself.
    """

    def __init__(self, file: Path, settings: dict[str, Any], key: str, check: Callable[[], None]) -> None:
        self._file = file.name
        # What this process can import, that one can.
        paths = os.pathsep.join(each for each in sys.path if each)
        self._process = subprocess.Popen(
            children.call(_SERVE),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # llama.cpp's own words on why it aborts
            env={**os.environ, "PYTHONPATH": paths, "GGML_NO_BACKTRACE": "1"},  # nor a debugger
        )
        weakref.finalize(self, _end, self._process)
        answer = self._first_answer({"model.path": str(file), "api_keys": [key], **settings}, check)
        if "missing" in answer:
            raise ModelError(
                f"llama.cpp, which runs {self._file}, cannot be loaded ({answer['missing']}). "
                "Install it anew: `pip install 'parapluie_gui[llamacpp]'`."
            )
        if "address" not in answer:
            raise ModelError(
                f"{self._file} cannot be loaded by llama.cpp. It may be cut off or damaged, of a kind that this "
                "version does not know, or larger than the memory. Fetch it anew, or choose another file."
            )
        self.address: str = answer["address"]

    def check(self) -> None:
        """Raise a ModelError where it has ended, or is about to: its connections are closed before it is gone."""
        try:
            self._process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            return
        raise ModelError(
            f"llama.cpp ended while it computed with {self._file}. The file may be damaged, or the memory too small: "
            "fetch it anew, or choose another file. What was scored is kept."
        )

    def _first_answer(self, wanted: dict[str, Any], check: Callable[[], None]) -> dict[str, Any]:
        """Return what the process says once the file is loaded; nothing if it ends before."""
        found: list[dict[str, Any]] = []
        talk = threading.Thread(target=_talk, args=(self._process, wanted, found), name="llama-loading", daemon=True)
        talk.start()
        try:
            while talk.is_alive():
                check()
                talk.join(_TICK)
        except BaseException:
            _end(self._process)
            raise
        return found[0] if found else {}


class OwnConnection(Connection):
    """A connection to a process of ours: where that has ended nothing is asked again, and the sentence says so."""

    def __init__(self, process: LlamaProcess, key: str, say: Callable[[str], None]) -> None:
        super().__init__(process.address, key, say=say, waits=())
        self._process = process

    def _ask(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        try:
            return super()._ask(method, path, body)
        except Refused:
            raise
        except ModelError:
            self._process.check()
            raise


def _talk(process: subprocess.Popen[bytes], wanted: dict[str, Any], found: list[dict[str, Any]]) -> None:
    """Say what to do and read the first line; in a thread, since nobody knows how long a file takes."""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(json.dumps(wanted).encode() + b"\n")
        process.stdin.flush()
        found.append(json.loads(process.stdout.readline()))
    except (OSError, ValueError):  # it has ended
        return


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def serve() -> None:
    """Be that process: load the file that the standard input names, say where it listens, and wait for the end.

    Ctrl+C goes to every process at a terminal; whoever started this one ends it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not get between
    wanted: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    try:
        import xllamacpp
    except (ImportError, OSError) as error:
        _say(out, {"missing": str(error).strip().partition("\n")[0]})
        return
    parameters: Any = xllamacpp.CommonParams()
    for name, value in wanted.items():
        owner, _, last = name.rpartition(".")
        setattr(getattr(parameters, owner) if owner else parameters, last, value)
    try:
        server = xllamacpp.Server(parameters)
    except Exception:  # llama.cpp says what is wrong in its log only
        _say(out, {})
        return
    _say(out, {"address": server.listening_address})
    sys.stdin.buffer.read()
    os._exit(0)  # in the middle of what is asked


def _say(out: TextIO, answer: dict[str, Any]) -> None:
    out.write(json.dumps(answer) + "\n")
    out.flush()
