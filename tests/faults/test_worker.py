"""The short form of the trials with killed workers."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="Windows has no such signals")
def test_killed_workers_lose_no_scores_and_leave_no_processes():
    program = Path(__file__).with_name("worker.py")
    done = subprocess.run([sys.executable, str(program), "--short"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
