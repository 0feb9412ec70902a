"""The window as a program of its own: how it is started and ended from outside, and what it then has kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "parapluie_gui", "gui"]
PAIRS = "source\thypothesis\tlabel\na cat\tone cat\t1\na cat\ta dog\t0\n"


@pytest.fixture
def odd_name(tmp_path) -> Path:
    """A corpus whose name holds a byte that is not UTF-8."""
    path = tmp_path / os.fsdecode(b"bad\xff.tsv")
    try:
        path.write_text(PAIRS)
    except (OSError, UnicodeError):
        pytest.skip("this file system takes no such names")
    return path


def test_a_corpus_whose_name_is_not_utf_8(odd_name, tmp_path):
    picture = tmp_path / "a.png"
    done = subprocess.run([*COMMAND, odd_name, "--screenshot", picture], capture_output=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert picture.exists()


def test_a_name_that_is_not_utf_8_of_no_file_is_one_sentence(odd_name, tmp_path):
    odd_name.unlink()
    done = subprocess.run([*COMMAND, odd_name, "--screenshot", tmp_path / "a.png"], capture_output=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("parapluie: bad\ufffd.tsv: ") and done.stderr.count(b"\n") == 1
