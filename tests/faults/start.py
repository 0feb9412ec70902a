"""Starts the window, as the user's command does, with every kind of damage in its data folder, and prints a table
of the outcomes.

    python tests/faults/start.py [CASE ...]

Each case has its own process and data folder. "starts" means that the window was shown, with its messages; any other
outcome (a traceback, a signal, no window) is a failure, and the exit status is then 1. Cases that need a small or
read-only file system are skipped where none can be mounted.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

PAIRS = "source\thypothesis\tlabel\na cat\tone cat\t1\na cat\ta dog\t0\n"


def window_json(content: bytes) -> Callable[[Path], None]:
    return lambda home: (home / "window.json").write_bytes(content) and None


def own_file(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda home: (home / name).write_bytes(content) and None


JSONS = {
    "lists": b"[[[]]]",
    "texts": b'["x"]',
    "a text": b'"x"',
    "a table of lists": b'{"a": [1]}',
    "nested 100,000 deep": b"[" * 100_000,
}


def template(content: bytes) -> Callable[[Path], None]:
    def write(home: Path) -> None:
        (home / "templates").mkdir()
        (home / "templates" / "x.toml").write_bytes(content)

    return write


def setting(key: str, value: object) -> Callable[[Path], None]:
    def write(home: Path) -> None:
        from parapluie_gui.pairs import open_text
        from parapluie_gui.storage.session import Session
        from parapluie_gui.storage.working_copies import WorkingCopies

        copies = WorkingCopies(home)
        with Session.from_copy(copies, copies.new()) as session:
            session.add_corpus(open_text(PAIRS).read())
            if key == "bench":
                session.set_bench([value])  # type: ignore[list-item]
            else:
                session.set_setting(key, value)

    return write


def folder(*names: str) -> Callable[[Path], None]:
    def make(home: Path) -> None:
        for name in names:
            (home / name).mkdir(parents=True)
            (home / name / "inside").write_text("x")

    return make


def pipe(name: str) -> Callable[[Path], None]:
    def make(home: Path) -> None:
        (home / name).parent.mkdir(exist_ok=True)
        os.mkfifo(home / name)

    return make


def link(name: str) -> Callable[[Path], None]:
    return lambda home: (home / name).symlink_to(home / "nowhere" / "at" / "all")


def file_instead(home: Path) -> None:
    home.rmdir()
    home.write_text("a file")


def under_a_file(home: Path) -> None:
    home.rmdir()
    home.parent.joinpath("a file").write_text("x")
    home.symlink_to(home.parent / "a file" / "home")


def session_file(damage: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Change bytes of the unsaved session."""

    def write(home: Path) -> None:
        setting("metrics", ["bleu"])(home)
        path = home / "sessions" / "1.sqlite"
        path.write_bytes(damage(path.read_bytes()))

    return write


def session_schema(home: Path) -> None:
    """Write a text into the SQLite schema that is not a statement."""
    setting("metrics", ["bleu"])(home)
    path = home / "sessions" / "1.sqlite"
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREATE TaBL\xff", 1))


def files_instead(*names: str) -> Callable[[Path], None]:
    def write(home: Path) -> None:
        for name in names:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text("a file")

    return write


def mounted(*options: str) -> Callable[[Path], None]:
    """Mount a file system of 300 kB, full or read-only."""

    def mount(home: Path) -> None:
        command = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(home)]
        if subprocess.run(command, capture_output=True).returncode:
            raise NotImplementedError
        setting("metrics", ["bleu"])(home)
        if "full" in options:
            with (home / "filler").open("wb", buffering=0) as file:
                try:
                    while file.write(b"\0" * 512):
                        pass
                except OSError:
                    pass
        if "and no other room" in options:
            os.environ["TMPDIR"] = str(home)
        if "read-only" in options:
            subprocess.run(["mount", "-o", "remount,ro", str(home)], check=True)

    return mount


SHAPES: dict[str, object] = {
    "a list": [[]],
    "a text": "word",
    "a number": 10**400,
    "a mapping": {"source": [], "values": 3, "x": 1, "threshold": "high", "filter": 3, "primary": -1},
}
CASES: dict[str, Callable[[Path], None]] = {
    "nothing": lambda home: None,
    "window.json: random bytes": window_json(random.Random(1).randbytes(5000)),
    "window.json: empty": window_json(b""),
    "window.json: cut": window_json(b'{"version": 1, "setup": {"judge": {"mod'),
    "window.json: nested 100,000 deep": window_json(b'{"version": 1, "a": ' + b"[" * 100_000),
    "window.json: a number of 6,000 digits": window_json(b'{"version": 1, "a": 1' + b"0" * 6000 + b"}"),
    "window.json: a list": window_json(b"[]"),
    "window.json: every value a list": window_json(
        b'{"version": 1, "setup": [1], "table": [1], "filter": [1], "recent": [1], "theme": [1], "arrangement": [1]}'
    ),
    "window.json: newer": window_json(b'{"version": 99}'),
    "window.json: folder": folder("window.json"),
    "window.json: pipe": pipe("window.json"),
    "window.json: link to nowhere": link("window.json"),
    **{
        f"{file}: {name}": own_file(file, content)
        for file in ("servers.json", "thresholds.json", "allowed-metric-files.json")
        for name, content in JSONS.items()
    },
    "servers.json: pipe": pipe("servers.json"),
    "thresholds.json: pipe": pipe("thresholds.json"),
    "a record of writing: pipe": pipe("writing/x.toml"),
    "template: 20,000 brackets": template(b"a = " + b"[" * 20_000),
    "template: a number of 6,000 digits": template(b"a = 1" + b"0" * 6000),
    "template: not UTF-8": template(b'name = "\xff"'),
    "template: folder": folder("templates/x.toml"),
    "templates: pipe": pipe("templates"),
    "models: link to nowhere": link("models"),
    **{f"bench: {name}": setting("bench", value) for name, value in SHAPES.items()},
    **{f"metrics: {name}": setting("metrics", value) for name, value in SHAPES.items()},
    **{f"view: {name}": setting("view.1", value) for name, value in SHAPES.items()},
    **{f"files: {name}": setting("files.1", value) for name, value in SHAPES.items()},
    "session: random bytes": session_file(lambda data: random.Random(2).randbytes(5000)),
    "session: cut": session_file(lambda data: data[: len(data) // 2]),
    "session: first page of zeros": session_file(lambda data: bytes(4096) + data[4096:]),
    "session: empty": session_file(lambda data: b""),
    "session: a byte in the schema": session_schema,
    "session: folder": folder("sessions/1.sqlite"),
    "session: its note a folder": folder("sessions/1.json"),
    "session: its lock a folder": folder("sessions/1.lock", "sessions/all.lock"),
    "sessions: a file": files_instead("sessions"),
    "models, templates and sessions: files": files_instead("models", "templates", "sessions"),
    "scores.sqlite: random bytes": files_instead("scores.sqlite"),
    "scores.sqlite: folder": folder("scores.sqlite"),
    "scores.sqlite: pipe": pipe("scores.sqlite"),
    "PARAPLUIE_HOME: a file": file_instead,
    "PARAPLUIE_HOME: a link to a place under a file": under_a_file,
    "data folder: full": mounted("full"),
    "data folder: full, and the temporary folder too": mounted("full", "and no other room"),
    "data folder: read-only": mounted("read-only"),
    "data folder: full and read-only": mounted("full", "read-only"),
}


def try_case(name: str, prepare: Callable[[Path], None]) -> tuple[bool, str]:
    """Start the window on damaged data; return whether it was shown, and its messages or the reason for the failure."""
    place = Path(tempfile.mkdtemp(prefix="start-"))
    home = place / "home"
    home.mkdir()
    try:
        prepare(home)
        environment = {**os.environ, "PARAPLUIE_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
        command = [sys.executable, __file__, "--window"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        said = done.stdout.partition("SAID ")[2].strip()
        came = done.returncode == 0 and "SAID " in done.stdout and "Traceback" not in done.stderr
        return came, said if came else f"status {done.returncode}: {done.stderr.strip()[-300:]}"
    except NotImplementedError:
        return True, "(skipped: nothing can be mounted here)"
    except subprocess.TimeoutExpired:
        return False, "no window in 120 s"
    finally:
        if home.is_mount():
            subprocess.run(["umount", str(home)], check=True)
        shutil.rmtree(place, ignore_errors=True)


def open_window() -> int:
    """Open the window, print its messages once it is idle, and close it."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from parapluie_gui.ui import app
    from parapluie_gui.ui.window.end_signals import EndSignals
    from parapluie_gui.ui.window.main import MainWindow

    quiet = 0

    def look() -> None:
        nonlocal quiet
        windows = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)]
        if not windows:
            return
        quiet = 0 if windows[0].state.queue.busy else quiet + 1
        if quiet == 5:
            print("SAID " + windows[0].banner.text.replace("\n", " | "), flush=True)
            windows[0].close()

    make = app.make_application

    def make_and_watch(arguments: list[str]) -> QApplication:
        made = make(arguments)
        timer = QTimer(made, interval=100)
        timer.timeout.connect(look)
        timer.start()
        return made

    app.make_application = make_and_watch
    return app.run(app.LaunchOptions(), EndSignals())


def main() -> int:
    if "--window" in sys.argv:
        return open_window()
    wanted = sys.argv[1:] or list(CASES)
    failures = 0
    for name in wanted:
        came, said = try_case(name, CASES[name])
        failures += not came
        print(f"{'starts' if came else 'FAILS '}  {name}: {said}", flush=True)
    print(f"{len(wanted)} cases, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
