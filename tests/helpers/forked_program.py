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

#: Forks once for each line: {"arguments", "environment", "streams": [out, err]}; answers with the exit status.
_SERVER = """
import json, os, sys
from parapluie_gui.__main__ import main
from parapluie_gui.commands import gui, net
from parapluie_gui.ui.widgets import features
features.skip_feature_lookup()
from parapluie_gui.ui import app
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
    sys.argv = ["parapluie", *asked["arguments"]]
    sys.exit(main())
"""


@functools.cache
def _server() -> subprocess.Popen[str]:
    server = subprocess.Popen([sys.executable, "-c", _SERVER], stdin=-1, stdout=-1, text=True)
    atexit.register(server.communicate)
    return server


def run(*arguments: str | Path, env: dict[str, str] | None = None, seconds: float = 120) -> tuple[int, str, str]:
    """Run a command; return exit status, stdout and stderr."""
    words = [os.fspath(argument) for argument in arguments]
    environment = dict(os.environ if env is None else env)
    if sys.platform != "linux":  # macOS forbids forking after its window libraries are loaded
        command = [sys.executable, "-m", "parapluie_gui", *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds)
        return done.returncode, done.stdout, done.stderr
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder, name) for name in ("out", "err")]
        for stream in streams:
            stream.touch()
        asked = {"arguments": words, "environment": environment, "streams": list(map(str, streams))}
        server = _server()
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
