"""Limits on the memory for reading a corpus, checked before the memory is used."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

from parapluie_gui.computer import memory
from parapluie_gui.errors import CorpusError

#: The limit in gigabytes, if the computer has that much memory; two million pairs of sentences take three gigabytes.
LIMIT_GB = 8.0

#: The environment variable that sets the limit.
VARIABLE = "PARAPLUIE_LIMIT_GB"

#: Maximum number of columns; Excel allows 16,384.
MOST_COLUMNS = 100_000

_GB = 1e9


def memory_limit() -> float:
    """Return the limit in bytes: the user's, or by default LIMIT_GB or the computer's memory, whichever is less.

    Raises:
        CorpusError: The variable is not a number of gigabytes.
    """
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return min([LIMIT_GB * _GB, *_available()])
    try:
        limit = float(text)
    except ValueError:
        limit = math.nan
    if not limit > 0:
        what = f'the environment variable {VARIABLE} is "{text}", which is not a number of gigabytes'
        raise CorpusError(what, f"set it to a number such as {LIMIT_GB:g}, or unset it")
    return limit * _GB


def check_memory(needed: float, path: Path | None, what: str = "this") -> None:
    """Refuse to read a file that would take too much memory.

    Args:
        needed: The memory in bytes, as estimated from the file.
        path: The file, for the message.
        what: The part that takes the memory, for the message ("this").

    Raises:
        CorpusError: The limit is exceeded.
    """
    limit = memory_limit()
    if needed > limit:
        raise CorpusError(
            f"reading {what} would take about {gigabytes(needed)} of memory, but the limit is {gigabytes(limit)}",
            f"read fewer rows or columns, or set {VARIABLE}={math.ceil(needed / _GB)} in the environment",
            path,
        )


def check_columns(count: int, path: Path | None) -> None:
    """Refuse a table with more than MOST_COLUMNS columns.

    Raises:
        CorpusError: It has too many columns.
    """
    if count > MOST_COLUMNS:
        todo = "check the column separator, or leave out some columns"
        raise CorpusError(f"it has {count:,} columns; the limit is {MOST_COLUMNS:,}", todo, path)


def gigabytes(size: float) -> str:
    """Format a size in bytes: "0.4 GB", "1,200 GB"."""
    return f"{size / _GB:,.0f} GB" if size >= 10 * _GB else f"{max(size / _GB, 0.1):.1f} GB".replace(".0 ", " ")


def _available() -> list[float]:
    """Return the computer's memory and the limit of this process (`ulimit -v`), if they are known."""
    total, _ = memory()
    sizes = [] if total is None else [float(total)]
    if sys.platform != "win32":  # Windows has no such limit
        import resource

        sizes += [float(size) for size in resource.getrlimit(resource.RLIMIT_AS) if size != resource.RLIM_INFINITY]
    return sizes
