"""Messages to the user on stderr; imports nothing slow, because every start of `parapluie` loads this module."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Literal, TextIO

from parapluie_gui.errors import ParapluieError, one_line

#: True if only errors are printed (--quiet).
quiet = False

#: The command line, which reports name as their origin.
command = ""

#: When to print bold and coloured text; "auto": on a terminal that supports it, unless NO_COLOR is set.
Color = Literal["auto", "always", "never"]
color: Color = "auto"

#: Styles of titles and errors: numbers of ANSI escape sequences.
TITLE, ERROR = "1", "1;31"


def style_text(text: str, style: str, stream: TextIO) -> str:
    """Return a text with escape sequences for its style, or unchanged if the stream is printed without styles."""
    shown = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return f"\x1b[{style}m{text}\x1b[0m" if color == "always" or (color == "auto" and shown) else text


def say(sentence: str | ParapluieError) -> None:
    """Print a notice on one line of stderr, unless --quiet was given; errors are always printed.

    If stderr cannot be written (a full disk, a closed pipe), the work continues.
    """
    if isinstance(sentence, ParapluieError):
        say_error(str(sentence))
    elif not quiet:
        _print("parapluie:", sentence)


def say_error(sentence: str) -> None:
    """Print an error on one line of stderr."""
    _print(style_text("parapluie:", ERROR, sys.stderr), sentence)


def _print(begin: str, sentence: str) -> None:
    with contextlib.suppress(OSError):
        print(f"{begin} {one_line(sentence)}", file=sys.stderr, flush=True)
