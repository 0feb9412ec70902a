"""The next start removes the temporary files of a killed program from the user's folders, and nothing else."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parapluie_gui import files
from parapluie_gui.commands.main import main
from parapluie_gui.files import atomic_write

KILLED = """
import os, signal, sys
from pathlib import Path
from parapluie_gui.files import atomic_write, remove_leftovers
remove_leftovers(Path(sys.argv[2]))
with atomic_write(Path(sys.argv[1])) as part:
    part.write_text("half")
    part.with_name(part.name + "-journal").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
"""


@pytest.fixture(autouse=True)
def forget_records(monkeypatch):
    """Forget the records of temporary files after each test."""
    monkeypatch.setattr(files, "_records", None)


def temporary_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob(".parapluie-*"))


@pytest.fixture
def killed(home, tmp_path) -> Path:
    """Return a folder in which a program was killed while writing."""
    home.mkdir()
    (tmp_path / "mine").mkdir()
    environment = {**os.environ, "PARAPLUIE_HOME": str(home)}
    target = tmp_path / "mine" / "table.parquet"
    subprocess.run([sys.executable, "-c", KILLED, str(target), str(home)], env=environment, timeout=60)
    assert len(temporary_files(target.parent)) == 2
    return target.parent


def test_the_next_start_removes_leftovers(killed, home, capsys):
    others = killed / ".parapluie-0123456789abcdef.csv", killed / "table.csv"
    for path in others:
        path.write_text("somebody's")
    assert main(["models", "list"]) == 0
    assert temporary_files(killed) == [others[0].name] and others[1].exists(), (
        "only files recorded by this program are removed"
    )
    assert not list((home / "writing").iterdir())


def test_files_being_written_are_kept(home, tmp_path):
    home.mkdir()
    files.remove_leftovers(home)
    with atomic_write(tmp_path / "table.csv") as part:
        assert len(list((home / "writing").iterdir())) == 1
        files.remove_leftovers(home)
        assert part.exists()
        part.write_text("whole")
    assert (tmp_path / "table.csv").read_text() == "whole" and not list((home / "writing").iterdir())


def test_files_of_running_programs_and_other_computers_are_kept(killed, home):
    (record,) = (home / "writing").iterdir()
    number = record.name.partition("-")[2]
    text = record.read_text()
    sleeping = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        running = record.rename(record.with_name(f"{sleeping.pid}-{number}"))
        files.remove_leftovers(home)
        assert len(temporary_files(killed)) == 2
    finally:
        sleeping.communicate()
    running.write_text(text.replace(platform.node(), "another computer", 1))
    files.remove_leftovers(home)
    assert len(temporary_files(killed)) == 2
    before = time.time() - 8 * 24 * 3600
    os.utime(running, (before, before))
    files.remove_leftovers(home)
    assert not temporary_files(killed)


def test_a_record_that_names_a_foreign_file_removes_nothing(home, tmp_path):
    (home / "writing").mkdir(parents=True)
    target = tmp_path / "thesis.docx"
    target.write_text("mine")
    for number, place in ((1, target), (2, tmp_path / ".parapluie-0000000000000000.csv")):
        record = home / "writing" / f"999999999-000000000000000{number}"
        record.write_text(f"{platform.node()}\n{place}")
    (home / "writing" / "rubbish").write_bytes(b"\xff\x00")
    files.remove_leftovers(home)
    assert target.read_text() == "mine"


def test_without_a_data_folder_nothing_is_recorded(home, tmp_path):
    files.remove_leftovers(home)
    with atomic_write(tmp_path / "table.csv") as part:
        part.write_text("whole")
    files.remove_leftovers(home)
    assert not home.exists()
