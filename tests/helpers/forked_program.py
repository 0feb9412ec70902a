"""The program forked from a process that has loaded the window's code, which saves a second for each start.

Use it to test the program's handling of arguments, streams, files and environment. The start by Python, and the end by
a signal, are tested on a separate process.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path

#: Forks once for each line: {"arguments", "environment", "folder", "streams": [out, err]}; answers with the status.
_SERVER = """
import importlib, json, os, sys
from parapluie_gui.ui.widgets import features
features.skip_feature_lookup()
for module in sys.argv[1:]:
    importlib.import_module(module)
from parapluie_gui.__main__ import main
for line in iter(sys.stdin.readline, ""):
    asked = json.loads(line)
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    for number, name in enumerate([os.devnull, *asked["streams"]]):
        os.dup2(os.open(name, os.O_RDWR), number)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv = ["parapluie", *asked["arguments"]]
    sys.exit(main())
"""
#: The modules loaded before the forks; in a copy, where commands may have different features, none that lists features.
_OF_CORE = ("parapluie_gui.ui.app", "parapluie_gui.pluie.light")
_LOADED = (*_OF_CORE, "parapluie_gui.commands.gui", "parapluie_gui.commands.net")


@functools.cache
def _server(copy: Path | None) -> subprocess.Popen[str]:
    """Start the process with this program, or with a copy of it."""
    command = [sys.executable, "-c", _SERVER, *(_LOADED if copy is None else _OF_CORE)]
    server = subprocess.Popen(command, stdin=-1, stdout=-1, text=True, cwd=copy)
    atexit.register(server.communicate)
    return server


def run(
    *arguments: str | Path, env: dict[str, str] | None = None, copy: Path | None = None, seconds: float = 120
) -> tuple[int, str, str]:
    """Run a command, or that of a copy of the program in the copy's folder; return exit status, stdout and stderr."""
    words = [os.fspath(argument) for argument in arguments]
    environment = dict(os.environ if env is None else env)
    if sys.platform != "linux":  # macOS forbids forking after its window libraries are loaded
        command = [sys.executable, "-m", "parapluie_gui", *words]
        done = subprocess.run(command, env=environment, cwd=copy, capture_output=True, text=True, timeout=seconds)
        return done.returncode, done.stdout, done.stderr
    with tempfile.TemporaryDirectory() as place:
        streams = [Path(place, name) for name in ("out", "err")]
        for stream in streams:
            stream.touch()
        asked = {
            "arguments": words,
            "environment": environment,
            "folder": os.fspath(copy or Path.cwd()),
            "streams": list(map(str, streams)),
        }
        server = _server(copy)
        assert server.stdin is not None and server.stdout is not None
        print(json.dumps(asked), file=server.stdin, flush=True)
        if not select.select([server.stdout], [], [], seconds)[0]:
            server.kill()
            atexit.unregister(server.communicate)
            _server.cache_clear()
            raise subprocess.TimeoutExpired(words, seconds)
        status = int(server.stdout.readline())
        out, err = (stream.read_text() for stream in streams)
        return status, out, err
