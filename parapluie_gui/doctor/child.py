"""Programs that are asked something: what takes seconds to load, or ends the whole process where a part is missing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence


def ask(
    command: Sequence[str], patience: float, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str] | None:
    """Run a program to its end; None where it cannot be run, or is not done in time and is ended.

    Args:
        command: The program and its arguments.
        patience: Seconds that it may take.
        environment: Variables that it has besides those of this process.
    """
    try:
        return subprocess.run(
            command,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=patience,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def last_words(done: subprocess.CompletedProcess[str]) -> str:
    """Return what a program that failed said last, or its status."""
    return (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1].rstrip(".")
