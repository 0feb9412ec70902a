"""Files that cannot be used: put aside under another name, so that nothing of them is lost and the program goes on."""

from __future__ import annotations

import itertools
import os
from pathlib import Path


def put_aside(path: Path) -> Path:
    """Rename a file or folder to NAME.damaged-1, or the first such number that is free, and return the new path.

    Raises:
        OSError: It is not there, or its folder cannot be written.
    """
    for number in itertools.count(1):
        other = path.with_name(f"{path.name}.damaged-{number}")
        if not os.path.lexists(other):
            return path.rename(other)
    raise AssertionError
