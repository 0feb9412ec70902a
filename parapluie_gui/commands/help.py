"""The command `parapluie help [TOPIC]`: print a page of the manual."""

from __future__ import annotations

import pydoc
import sys

from parapluie_gui import manual
from parapluie_gui.commands.options import HelpOptions


def run(options: HelpOptions) -> int:
    """Print a page, a section or the list of pages, on a terminal through a pager; return the exit status."""
    text = manual.find(" ".join(options.topic)) if options.topic else _listing()
    if sys.stdout.isatty():
        pydoc.pager(text)
    else:
        print(text, end="")
    return 0


def _listing() -> str:
    pages = manual.pages()
    width = max(len(page.name) for page in pages)
    lines = [f"{page.name:<{width}}  {page.title}" for page in pages]
    return "\n".join([*lines, "", "`parapluie help NAME` prints a page; in the window, F1 opens the manual.", ""])
