"""Sentences for the user on stderr; apart from `output`, since every start of `parapluie` can afford this."""

from __future__ import annotations

import contextlib
import sys

from parapluie_gui.errors import one_line


def say(sentence: str) -> None:
    """Print a sentence on one line; where stderr takes nothing (a full disk, a closed pipe) the work still goes on."""
    with contextlib.suppress(OSError):
        print(f"parapluie: {one_line(sentence)}", file=sys.stderr, flush=True)
