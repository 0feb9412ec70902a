"""Notices that are not errors: warnings in Python, lines on stderr in commands."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.errors import ParapluieError, one_line
from parapluie_gui.work.bars import open_bar

#: A function that receives a sentence for the user, or an error that stops nothing and that --quiet does not hide.
Notice = Callable[[str | ParapluieError], None]


class ParapluieWarning(UserWarning):
    """A notice that does not stop the program, such as skipped rows or a template that cannot be read."""


def warn(sentence: str | ParapluieError) -> None:
    """Issue a Python warning for the line that called `parapluie_gui`."""
    import sys

    frame, depth = sys._getframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith("parapluie_gui."):
        frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
    warnings.warn(one_line(str(sentence)), ParapluieWarning, stacklevel=depth)


def count(number: int, one: str, many: str) -> str:
    """Format a number with the matching form of a noun: "1 pair", "2,000 pairs"."""
    return f"{number:,} {one if number == 1 else many}"


@contextmanager
def progress(shown: bool | None = None) -> Iterator[Tick]:
    """Show a progress bar on stderr: always, never, or (None) only in a terminal or notebook."""
    with open_bar(0, "step", shown) as bar:

        def tick(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield tick
