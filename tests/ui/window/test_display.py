"""The window on a real X server, used with the keyboard alone; skipped where Xvfb, xdotool or a library is missing."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from parapluie_gui.storage.session import Session

#: Seconds allowed for a start on a busy computer.
PATIENCE = 120.0

SCREEN = (1024, 768)

pytestmark = pytest.mark.skipif(
    not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="Xvfb and xdotool are not installed"
)


@pytest.fixture
def display() -> Iterator[str]:
    """A small virtual screen; the test is skipped where a library for Qt's X windows is missing."""
    if missing := missing_for_x():
        pytest.skip(f"Qt's windows on X need {', '.join(missing)}")
    read, write = os.pipe()
    size = "{}x{}x24".format(*SCREEN)
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"],
        pass_fds=(write,),
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as told:
        number = told.readline().strip()
    assert number, "Xvfb did not start"
    yield f":{number}"
    server.terminate()
    server.wait()


def missing_for_x() -> list[str]:
    """Return the libraries that Qt's wheel needs for windows on X and that the system lacks."""
    package = importlib.util.find_spec("PySide6")
    assert package is not None and package.submodule_search_locations
    folder, ldd = Path(package.submodule_search_locations[0], "Qt"), shutil.which("ldd")
    files = [*folder.glob("lib/libQt6Widgets.so.6"), *folder.glob("plugins/platforms/libqxcb.so")]
    listed = subprocess.run([ldd, *files], capture_output=True, text=True).stdout if ldd and files else ""
    return sorted({line.split()[0] for line in listed.splitlines() if line.endswith("=> not found")})


def wait_for(what: Callable[[], object], program: subprocess.Popen[bytes]) -> object:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if result := what():
            return result
        assert program.poll() is None, "the program has ended"
        time.sleep(0.2)
    raise AssertionError("it did not come about in time")


def test_the_keyboard_alone_opens_judges_and_quits(display: str, home: Path, tmp_path: Path) -> None:
    pairs, copy = tmp_path / "pairs.tsv", home / "sessions" / "1.sqlite"
    pairs.write_text("source\thypothesis\tlabel\nA cat.\tOne cat.\t1\nA cat.\tA dog.\t0\n", encoding="utf-8")
    environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "PARAPLUIE_HOME": str(home)}
    command = [sys.executable, "-c", "from parapluie_gui.commands.main import main; raise SystemExit(main())"]
    program = subprocess.Popen([*command, "gui", str(pairs)], env=environment)

    def do(*words: str) -> str:
        return subprocess.run(["xdotool", *words], env=environment, capture_output=True, text=True).stdout.strip()

    try:
        window = str(wait_for(lambda: do("search", "--onlyvisible", "--name", "ParaPLUIE Inspector"), program))
        window = window.split()[0]
        wait_for(lambda: shows_pairs(copy), program)
        place = dict(line.split("=") for line in do("getwindowgeometry", "--shell", window).splitlines())
        assert int(place["X"]) >= 0 and int(place["X"]) + int(place["WIDTH"]) <= SCREEN[0]
        assert int(place["Y"]) >= 0 and int(place["Y"]) + int(place["HEIGHT"]) <= SCREEN[1]
        do("windowfocus", "--sync", window)
        do("key", "j", "4", "n")
        do("type", "who is who?")
        do("key", "ctrl+2")
        do("type", "jk3")
        do("key", "ctrl+q")
        assert program.wait(PATIENCE) == 0
    finally:
        program.kill()
        program.wait()
    with Session.connect(copy) as session:
        notes = {row: (note.text, note.verdict) for row, note in session.notes(1).items()}
    assert notes == {1: ("who is who?", "same_meaning")}, "text typed in the Bench is not a verdict"


def shows_pairs(copy: Path) -> bool:
    """Return whether the window shows its corpus, without locking its database: then it stores the corpus's view."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{copy}?mode=ro", uri=True)) as database:
            return bool(database.execute("SELECT count(*) FROM setting WHERE key = 'view.1'").fetchone()[0])
    except sqlite3.Error:
        return False
