"""Sentences for the user on stderr; apart from `analysis`, since every start of `parapluie` can afford this."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Literal, TextIO

from parapluie_gui.errors import one_line

#: Whether only errors are said (--quiet).
quiet = False

#: The line that was typed, for what is written to say how it was made.
command = ""

#: When words are set in bold or colour; "auto": on a terminal that shows it, unless NO_COLOR is set.
Color = Literal["auto", "always", "never"]
color: Color = "auto"

#: How titles, and what went wrong, are set: the numbers of ANSI's escape sequences.
TITLE, WRONG = "1", "1;31"


def styled(text: str, style: str, stream: TextIO) -> str:
    """Return a text as it is set where it is printed: as it is, or with escape sequences around it."""
    shown = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return f"\x1b[{style}m{text}\x1b[0m" if color == "always" or (color == "auto" and shown) else text


def say(sentence: str) -> None:
    """Print a notice on one line of stderr, unless --quiet was given.

    Where stderr takes nothing (a full disk, a closed pipe) the work still goes on.
    """
    if not quiet:
        _print("parapluie:", sentence)


def say_error(sentence: str) -> None:
    """Print what went wrong on one line of stderr."""
    _print(styled("parapluie:", WRONG, sys.stderr), sentence)


def _print(begin: str, sentence: str) -> None:
    with contextlib.suppress(OSError):
        print(f"{begin} {one_line(sentence)}", file=sys.stderr, flush=True)
