"""The short forms of the trials in this folder; README.md describes the long forms and their findings."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals")


@pytest.mark.parametrize(
    ("program", "options"),
    [
        ("flips", ("--count", "40")),
        ("power", ("--count", "15")),
        pytest.param("corpora", ("--count", "110", "--no-bombs"), marks=POSIX),
        pytest.param("kills", ("--window", "1", "--command", "1"), marks=POSIX),
    ],
)
def test_no_data_is_lost(program, options, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parent)
    monkeypatch.setattr(sys, "argv", [program, *options])
    monkeypatch.setenv("PARAPLUIE_HOME", os.environ["PARAPLUIE_HOME"])  # every trial sets its own data folder
    if program == "corpora":  # the trial measures the peak memory of its process, so it needs its own process
        done = subprocess.run([sys.executable, Path(__file__).with_name("corpora.py"), *options], capture_output=True)
        assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
        return
    assert importlib.import_module(program).main() == 0
