"""Reads what may break the program or fill the memory in a process of its own, whose memory is limited."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from parapluie_gui import children
from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading.limits import VARIABLE, gigabytes, memory_limit

#: What the process runs: a function of a module, named on its command line, on the bytes that it is given.
_SERVE = "parapluie_gui.pairs.reading.apart:serve"

#: Memory that Python and the libraries reserve before they read anything.
_BASE = 1_000_000_000

#: Bytes of memory for each byte of a message.
_UNPACKED = 8

#: Values in one message.
BLOCK = 10_000


def read(reader: str, data: bytes, path: Path, argument: str | int | None, todo: str) -> Iterator[Any]:
    """Yield what a reader yields for the bytes of a file.

    Args:
        reader: A function in `pairs.reading` as "module:function", called with the bytes, the path's name and
            `argument`; what it yields is data that JSON can hold.
        data: The file's bytes.
        path: The file, for messages.
        argument: For the reader.
        todo: What the user can do if the file cannot be read so, for the message.

    Raises:
        CorpusError: The reader's own, or its process died: the file is odd or takes too much memory.
    """
    limit = memory_limit()
    order = json.dumps([reader, path.name, argument, limit])
    # What this process can import, that one can; threads of a library for matrices would take memory for nothing.
    paths = os.pathsep.join(each for each in sys.path if each)
    environment = {**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
    command = children.call(_SERVE, order)
    null = subprocess.DEVNULL  # Rust's own words about memory
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=null, env=environment) as process:
        assert process.stdin is not None and process.stdout is not None
        received = 0
        try:
            with contextlib.suppress(OSError), process.stdin:  # it died before it read all
                process.stdin.write(data)
            for line in process.stdout:
                received += len(line)
                if not line.endswith(b"\n") or _UNPACKED * received > limit:  # it died in the middle, or goes on and on
                    break
                message = json.loads(line)
                if isinstance(message, dict):
                    raise CorpusError(message["what"], message["todo"], path)
                if message is None:
                    return
                yield message
        finally:
            process.kill()
    what = f"reading it breaks, or takes more than {gigabytes(limit)} of memory"
    raise CorpusError(what, f"{todo}, or set {VARIABLE} to a larger number in the environment", path)


def serve() -> None:
    """Be that process: read what the command line says from stdin, write messages as lines of JSON."""
    reader, name, argument, limit = json.loads(sys.argv[1])
    module, _, function = reader.partition(":")
    out = sys.stdout
    sys.stdout = sys.stderr  # what a library prints must not get between the messages
    data = sys.stdin.buffer.read()
    imported = __import__(f"parapluie_gui.pairs.reading.{module}", fromlist=[function])
    read_data: Callable[[bytes, Path, Any], Iterator[Any]] = getattr(imported, function)
    _limit_memory(int(limit) + _BASE)
    try:
        for message in read_data(data, Path(name), argument):
            out.write(json.dumps(message) + "\n")
        out.write("null\n")
    except CorpusError as error:
        out.write(json.dumps({"what": error.what, "todo": error.todo}) + "\n")
    out.flush()


def _limit_memory(size: int) -> None:
    if sys.platform == "win32":  # which has no such limit
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    size = size if most == resource.RLIM_INFINITY else min(size, most)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (size, most))
