"""How much memory reading a corpus may take: asked before it is taken, and said in a sentence where it is too much."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

from parapluie_gui.computer import memory
from parapluie_gui.errors import CorpusError

#: The limit in gigabytes, where the computer has as much memory: two million pairs of sentences take three.
LIMIT_GB = 8.0

#: The environment variable that sets another limit.
VARIABLE = "PARAPLUIE_LIMIT_GB"

#: Columns of a table at most; Excel has 16,384.
MOST_COLUMNS = 100_000

_GB = 1e9


def memory_limit() -> float:
    """Return how many bytes reading a corpus may take: the user's limit, or LIMIT_GB, or what the computer has.

    Raises:
        CorpusError: The variable holds no number of gigabytes.
    """
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return min([LIMIT_GB * _GB, *_available()])
    try:
        limit = float(text)
    except ValueError:
        limit = math.nan
    if not limit > 0:
        what = f'the environment variable {VARIABLE} is "{text}", which is no number of gigabytes'
        raise CorpusError(what, f"set it to a number such as {LIMIT_GB:g}, or to nothing")
    return limit * _GB


def check_memory(needed: float, path: Path | None, what: str = "this") -> None:
    """Refuse what would take more memory than it may.

    Args:
        needed: Bytes that it takes, as estimated from what the file says of itself.
        path: The file, for the message.
        what: What takes the memory, for the message ("this").

    Raises:
        CorpusError: It would take too much.
    """
    limit = memory_limit()
    if needed > limit:
        raise CorpusError(
            f"reading {what} would take about {gigabytes(needed)} of memory, and the limit is {gigabytes(limit)}",
            f"take fewer rows or columns, or set {VARIABLE}={math.ceil(needed / _GB)} in the environment",
            path,
        )


def check_columns(count: int, path: Path | None) -> None:
    """Refuse a table that is no table.

    Raises:
        CorpusError: It has too many columns.
    """
    if count > MOST_COLUMNS:
        todo = "check what separates the columns, or leave some out"
        raise CorpusError(f"it has {count:,} columns, and no more than {MOST_COLUMNS:,} are read", todo, path)


def gigabytes(size: float) -> str:
    """Return a size for a person: "0.4 GB", "1,200 GB"."""
    return f"{size / _GB:,.0f} GB" if size >= 10 * _GB else f"{max(size / _GB, 0.1):.1f} GB".replace(".0 ", " ")


def _available() -> list[float]:
    """Return the computer's memory and what this process may take of it (`ulimit -v`), where they are known."""
    total, _ = memory()
    sizes = [] if total is None else [float(total)]
    if sys.platform != "win32":  # which has no such limit
        import resource

        sizes += [float(size) for size in resource.getrlimit(resource.RLIMIT_AS) if size != resource.RLIM_INFINITY]
    return sizes
