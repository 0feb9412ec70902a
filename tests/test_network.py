"""The program connects only when asked: with internet sockets forbidden, the main tasks work and attempt no connection.

Only `parapluie models get` and the buttons that run it use the network (resources/manual/sessions.md, Privacy).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import offline
import pytest

from parapluie_gui.commands.main import main
from parapluie_gui.models import catalogue

POCKET = "pocket" if catalogue.is_ready(catalogue.POCKET) else None

ASKS = """
import socket

def score(sources, hypotheses):
    socket.create_connection(("127.0.0.1", 9))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"It rained on day {at}.,Day {at} was wet.,{at % 2}\n" for at in range(12))
    Path("pairs.csv").write_text(f"source,hypothesis,label\n{rows}")
    Path("asks.py").write_text(ASKS)
    return tmp_path


def judged() -> list[str]:
    return ["--judge", POCKET] if POCKET else []


SCORE = ["score", "pairs.csv", "-o", "out.csv", "--metric", "edit_distance", "--metric", "bleu"]
MAIN_PATHS = [
    [*SCORE, *judged()],
    ["analyse", "out.csv", "--draws", "10", "--out", "analysis"],
    ["metrics"],
    ["models"],
    ["models", "list"],
    ["help"],
    ["help", "metrics"],
    ["--version"],
]
#: Missing models are reported, not fetched.
ABSENT = [
    (["score", "pairs.csv", "-o", "no.csv", "--judge", "nobody/no-model"], "nobody/no-model is not on this computer"),
    (["score", "pairs.csv", "-o", "no.csv", "--metric", "sbert:nobody/no-model"], "nobody/no-model"),
    (["models", "info", "nobody/no-model"], "nobody/no-model is not on this computer"),
]


PROGRAM = ("-m", "parapluie_gui")


def run(command: list[str]) -> int:
    try:
        return main(command)
    except SystemExit as ended:
        return int(ended.code or 0)


def test_commands_attempt_no_connection(folder, capsys, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(folder / "hub"))
    with offline.forbid_network() as attempts:
        assert [run(command) for command in MAIN_PATHS] == [0] * len(MAIN_PATHS)
        for command, words in ABSENT:
            capsys.readouterr()
            assert run(command) == 2 and words in capsys.readouterr().err
    assert attempts == []
    assert Path("analysis/report.html").is_file()


def test_an_attempt_would_be_noticed(folder, capsys):
    with offline.forbid_network() as attempts:
        assert run(["score", "pairs.csv", "-o", "out.csv", "--metric", "user:asks.py"]) == 2
    assert len(attempts) == 1 and attempts[0].startswith("socket.getaddrinfo")


@pytest.fixture
def alone(folder):
    """Return a function that runs Python without interfaces, killed by the kernel if it creates an internet socket."""
    if not offline.can_forbid_to_programs():
        pytest.skip("no seccomp here")
    # As for a user, without the tests' setting that tells the hub's library that there is no network.
    settings = {name: value for name, value in os.environ.items() if not name.startswith("HF_HUB_OFF")}

    def start(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*offline.without_interfaces(), sys.executable, *arguments]
        return subprocess.run(
            command,
            env={**settings, "HF_HUB_CACHE": str(folder / "hub")},
            preexec_fn=offline.forbid_to_program,
            capture_output=True,
            text=True,
            timeout=250,
        )

    return start


def test_libraries_of_the_command_line_create_no_socket(alone, folder):
    commands = [*MAIN_PATHS[:4], *(command for command, _ in ABSENT[:2])]
    done = alone(
        "-c", f"from parapluie_gui.commands.main import main\nprint('ENDS', [main(one) for one in {commands}])"
    )
    assert done.returncode == 0 and "ENDS [0, 0, 0, 0, 2, 2]" in done.stdout, done
    assert all(words in done.stderr for _, words in ABSENT[:2]), done


def test_scoring_in_the_window_creates_no_socket(alone, folder):
    done = alone(*PROGRAM, "gui", "--demo", "--when", "scored", "--screenshot", "window.png")
    assert done.returncode == 0 and Path("window.png").stat().st_size > 10_000, done


def test_a_socket_would_be_noticed(alone):
    done = alone(*PROGRAM, "score", "pairs.csv", "-o", "out.csv", "--metric", "user:asks.py")
    assert done.returncode not in (0, 2), done
