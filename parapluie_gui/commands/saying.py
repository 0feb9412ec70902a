"""Sentences for the user on stderr; apart from `analysis`, since every start of `parapluie` can afford this."""

from __future__ import annotations

import contextlib
import sys

from parapluie_gui.errors import one_line

#: Whether only errors are said (--quiet).
quiet = False

#: The line that was typed, for what is written to say how it was made.
command = ""


def say(sentence: str) -> None:
    """Print a notice on one line of stderr, unless --quiet was given.

    Where stderr takes nothing (a full disk, a closed pipe) the work still goes on.
    """
    if not quiet:
        say_error(sentence)


def say_error(sentence: str) -> None:
    """Print what went wrong on one line of stderr."""
    with contextlib.suppress(OSError):
        print(f"parapluie: {one_line(sentence)}", file=sys.stderr, flush=True)
