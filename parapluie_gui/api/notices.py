"""Sentences that are no error: a warning in Python, a line on stderr in a command."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.errors import one_line
from parapluie_gui.work.bars import open_bar

#: Takes a sentence for the user.
Notice = Callable[[str], None]


class ParapluieWarning(UserWarning):
    """Something the user should know that stops nothing: rows that were skipped, a template that cannot be read."""


def warn(sentence: str) -> None:
    """Warn in Python's way; the line that is shown is the one that called `parapluie_gui`."""
    import sys

    frame, depth = sys._getframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith("parapluie_gui."):
        frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
    warnings.warn(one_line(sentence), ParapluieWarning, stacklevel=depth)


def count(number: int, one: str, many: str) -> str:
    """Return a number with the form of the noun that it takes: "1 pair", "2,000 pairs"."""
    return f"{number:,} {one if number == 1 else many}"


@contextmanager
def progress(shown: bool | None = None) -> Iterator[Tick]:
    """Show a progress bar on stderr while steps are done: always, never, or (None) where somebody sees it."""
    with open_bar(0, "step", shown) as seen:

        def tick(done: int, total: int) -> None:
            seen.total = total
            seen.update(done - seen.n)

        yield tick
