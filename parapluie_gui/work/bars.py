"""How far work is, on stderr: a bar where somebody sees it, lines in the log of a command, nothing elsewhere."""

from __future__ import annotations

import builtins
import sys
from typing import Any

#: Seconds between two lines of a log.
_LINES = 30.0

#: What the command line wants where nobody sees a bar: lines (True), nothing at all, not even a bar (False), and
#: nothing where it is Python that computes (None).
lines: bool | None = None


def open_bar(total: int, unit: str, shown: bool | None = None) -> Any:
    """Return tqdm's bar: shown, hidden, or (None) where somebody sees it; a command writes lines into a log."""
    from tqdm import tqdm

    wanted = is_watched() if shown is None else shown
    if wanted and lines is not False:
        return tqdm(total=total, unit=unit, file=sys.stderr, leave=False)
    if shown is None and lines:
        return tqdm(total=total, unit=unit, file=_Lines(), leave=False, mininterval=_LINES, delay=_LINES, ascii=True)
    return tqdm(total=total, unit=unit, disable=True)


def is_watched() -> bool:
    """Return whether somebody sees a bar on stderr: a terminal or a notebook."""
    return sys.stderr.isatty() or hasattr(builtins, "__IPYTHON__")


class _Lines:
    """Writes each state of a bar as a line of its own."""

    def write(self, text: str) -> None:
        if line := text.replace("\r", "").strip():
            sys.stderr.write(f"{line}\n")

    def flush(self) -> None:
        sys.stderr.flush()
