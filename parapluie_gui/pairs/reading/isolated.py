"""Runs a reader that may crash or fill the memory in a child process with limited memory."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from parapluie_gui import children
from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading.limits import VARIABLE, gigabytes, memory_limit

#: The function that the child process runs.
_SERVE = "parapluie_gui.pairs.reading.isolated:serve"

#: Bytes that Python and the libraries reserve before they read anything.
_BASE = 1_000_000_000

#: Bytes of memory for each byte of a message.
_UNPACKED = 8

#: Number of values in one message.
BLOCK = 10_000


def read(reader: str, data: bytes, path: Path, argument: str | int | None, todo: str) -> Iterator[Any]:
    """Yield the results of a reader for the bytes of a file.

    Args:
        reader: A function in `pairs.reading` as "module:function", called with the bytes, the path's name and
            `argument`; it yields data that JSON can represent.
        data: The file's bytes.
        path: The file, for messages.
        argument: An argument for the reader.
        todo: The advice to the user if the file cannot be read, for the message.

    Raises:
        CorpusError: The reader raised it, or its process died because the file is malformed or takes too much memory.
    """
    limit = memory_limit()
    order = json.dumps([reader, path.name, argument, limit])
    # Quiet, since Rust prints messages about memory; the threads of OpenBLAS would only take memory.
    with children.start(_SERVE, order, quiet=True, OPENBLAS_NUM_THREADS="1") as process:
        assert process.stdin is not None and process.stdout is not None
        received = 0
        try:
            with contextlib.suppress(OSError), process.stdin:  # the child died before it had read everything
                process.stdin.write(data)
            for line in process.stdout:
                received += len(line)
                if not line.endswith(b"\n") or _UNPACKED * received > limit:  # the child died midway, or does not end
                    break
                message = json.loads(line)
                if isinstance(message, dict):
                    raise CorpusError(message["what"], message["todo"], path)
                if message is None:
                    return
                yield message
        finally:
            process.kill()
    what = f"reading it crashes, or takes more than {gigabytes(limit)} of memory"
    raise CorpusError(what, f"{todo}, or set {VARIABLE} to a larger number in the environment", path)


def serve() -> None:
    """Run in the child: read the file from stdin and write the reader's results as lines of JSON."""
    reader, name, argument, limit = json.loads(sys.argv[1])
    module, _, function = reader.partition(":")
    out = sys.stdout
    sys.stdout = sys.stderr  # keeps prints of libraries out of the messages
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
    if sys.platform == "win32":  # Windows has no such limit
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    size = size if most == resource.RLIM_INFINITY else min(size, most)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (size, most))
