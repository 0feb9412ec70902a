"""The window as a separate program: starting it, ending it from outside, and the work that it saves."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import forked_program
import pytest
from masked_models import save_symmetric
from waiting import in_time
from working_copy import holds_a_corpus

from parapluie_gui import places
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.app import open_data_folder

COMMAND = [sys.executable, "-m", "parapluie_gui", "gui"]
PAIRS = "source\thypothesis\tlabel\na cat\tone cat\t1\na cat\ta dog\t0\n"


@pytest.fixture
def odd_name(tmp_path) -> Path:
    """Return a corpus whose file name has a byte that is not UTF-8."""
    path = tmp_path / os.fsdecode(b"bad\xff.tsv")
    try:
        path.write_text(PAIRS)
    except (OSError, UnicodeError):
        pytest.skip("this file system takes no such names")
    return path


def test_a_corpus_whose_file_name_is_not_utf_8_opens(odd_name, tmp_path):
    picture = tmp_path / "a.png"
    assert forked_program.run("gui", odd_name, "--screenshot", picture) == (0, "", "")
    assert picture.exists()


def test_a_missing_file_with_a_non_utf_8_name_is_reported_in_one_sentence(odd_name, tmp_path):
    odd_name.unlink()
    done = subprocess.run([*COMMAND, odd_name, "--screenshot", tmp_path / "a.png"], capture_output=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("parapluie: bad\ufffd.tsv: ") and done.stderr.count(b"\n") == 1


def test_each_judge_gets_its_templates_and_duplicate_judges_are_refused(pairs, home, tmp_path):
    tiny = save_symmetric(tmp_path)
    (home / "templates").mkdir(parents=True)
    gap = 'cloze = "{source} [SEP] {hypothesis} [SEP] same : [MASK]"'
    (home / "templates" / "same.toml").write_text(f'name = "SAME"\ntitle = "Same"\nyes = "yes"\nno = "no"\n{gap}\n')
    picture = ("--screenshot", tmp_path / "a.png")
    command = [*COMMAND, pairs, "--judge", "pocket", "--judge", f"{tiny}=CLOZE,SAME", "--when", "scored", *picture]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    with contextlib.closing(sqlite3.connect(home / "scores.sqlite")) as store:
        asked = [text for (text,) in store.execute("SELECT json FROM signature") if "pluie." in text]
    for model, template in (("pocket", "cloze"), (tiny.name, "cloze"), (tiny.name, "same")):
        assert any(model in text and f'"pluie.{template}"' in text for text in asked), (model, template, asked)
    command = [*COMMAND, pairs, "--judge", "pocket", "--judge", "pocket", *picture]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and done.stderr.startswith("parapluie: pocket is named twice.")


# Ended from outside


@pytest.fixture
def pairs(tmp_path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text(PAIRS)
    return path


def opened(corpus: Path, home: Path, *before: str) -> subprocess.Popen[str]:
    """Start the window on a corpus and wait until it is in the session."""
    command = [*before, *COMMAND, str(corpus)]
    process = subprocess.Popen(command, stdout=-1, stderr=-1, text=True, start_new_session=True)
    # pytest's timeout ends a hang.
    while process.poll() is None and not holds_a_corpus(home):
        time.sleep(0.05)
    return process


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_closes_the_window_in_order(pairs, home, name):
    with opened(pairs, home) as process:
        os.killpg(process.pid, getattr(signal, name))  # the worker receives the signal too, as at a terminal
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")
    recent = json.loads((home / "window.json").read_text())["recent"]
    assert recent == [str(pairs)]
    unsaved = WorkingCopies(home).last_unsaved()
    unsaved.release()
    assert unsaved.path.name == "1.sqlite", "the next window continues the session"


@pytest.mark.skipif(os.name != "posix", reason="nohup")
def test_signals_ignored_under_nohup_stay_ignored(pairs, home):
    with opened(pairs, home, "nohup") as process:
        process.send_signal(signal.SIGHUP)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.5)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("seconds", [0.2, 0.7, 1.2])
def test_ctrl_c_while_it_starts_prints_no_traceback(pairs, seconds):
    with subprocess.Popen([*COMMAND, str(pairs)], stdout=-1, stderr=-1, text=True, start_new_session=True) as process:
        time.sleep(in_time(seconds))  # any moment after Python's own start is suitable
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert "Traceback" not in out + err
    assert process.returncode in (0, 130, -signal.SIGINT)


# Unusable data folders


@pytest.fixture
def small(tmp_path):
    """Return a file system of 300 kB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(folder)], capture_output=True
    ).returncode:
        pytest.skip("nothing can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path) -> None:
    with contextlib.suppress(OSError), (folder / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1024))


def test_a_file_in_place_of_the_data_folder_is_reported(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("mine")
    monkeypatch.setenv("PARAPLUIE_HOME", str(file))
    with open_data_folder() as trouble:
        assert f"{file} cannot be created (a file has that name)" in trouble
        folder = places.user_data()
        assert folder.is_dir()
    assert file.read_text() == "mine" and not folder.exists()


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="Linux keeps temporary files in memory there")
def test_temporary_files_go_into_memory_if_every_disk_is_full(monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_get_default_tempdir", lambda: _fail(FileNotFoundError("No usable directory")))
    with open_data_folder() as trouble:
        assert (trouble, tempfile.gettempdir()) == ("", "/dev/shm")


def _fail(error: Exception) -> None:
    raise error


@pytest.mark.parametrize("what", ["full", "read-only"])
def test_the_window_opens_on_a_data_folder_that_cannot_be_written(small, tmp_path, monkeypatch, pairs, what):
    fill(small)
    if what == "read-only":
        subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True)
    monkeypatch.setenv("PARAPLUIE_HOME", str(small))
    assert forked_program.run("gui", pairs, "--screenshot", tmp_path / "a.png") == (0, "", "")


def test_the_window_opens_even_if_nothing_can_be_saved(tmp_path, monkeypatch, pairs):
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv("PARAPLUIE_HOME", str(tmp_path / "file" / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    picture = tmp_path / "a.png"
    assert forked_program.run("gui", pairs, "--screenshot", picture) == (0, "", "")
    assert picture.exists() and not list((tmp_path / "tmp").glob("parapluie-*"))
