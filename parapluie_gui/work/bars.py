"""Shows progress on stderr: a bar in a terminal or notebook, lines in a command's log, nothing elsewhere."""

from __future__ import annotations

import builtins
import sys
from typing import Any

#: Seconds between two lines of a log.
_LINES = 30.0

#: Set by the command line. True writes lines where a bar would not be visible, False writes neither lines nor bars, and
#: None (for Python) writes bars only.
lines: bool | None = None


def open_bar(total: int, unit: str, shown: bool | None = None) -> Any:
    """Return a tqdm bar; with `shown` None it appears in a terminal or notebook, and as lines in a command's log."""
    from tqdm import tqdm

    visible = is_watched() if shown is None else shown
    if visible and lines is not False:
        return tqdm(total=total, unit=unit, file=sys.stderr, leave=False)
    if shown is None and lines:
        return tqdm(
            total=total, unit=unit, file=_LogWriter(), leave=False, mininterval=_LINES, delay=_LINES, ascii=True
        )
    return tqdm(total=total, unit=unit, disable=True)


def is_watched() -> bool:
    """Return True if stderr is a terminal or a notebook cell."""
    return sys.stderr.isatty() or hasattr(builtins, "__IPYTHON__")


class _LogWriter:
    """A stream that writes each state of a bar on a separate line."""

    def write(self, text: str) -> None:
        if line := text.replace("\r", "").strip():
            sys.stderr.write(f"{line}\n")

    def flush(self) -> None:
        sys.stderr.flush()
