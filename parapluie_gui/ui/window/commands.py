"""What can be asked for by its words (actions, scores, columns, pages, metrics, settings), and the search for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

#: Found at most; whoever sees so many types another letter.
MOST = 60


@dataclass(frozen=True)
class Command:
    """Something to do.

    Attributes:
        title: As it is listed.
        kind: What it is ("Action", "Metric").
        act: Does it.
        words: More that it can be found by.
        keys: Its shortcut, "" for none.
    """

    title: str
    kind: str
    act: Callable[[], object]
    words: str = ""
    keys: str = ""


def find(commands: Iterable[Command], text: str) -> Sequence[Command]:
    """Return the commands in which every word of the text occurs, those first whose titles it begins words of."""
    words = text.casefold().split()
    ranked = [(rank, command) for command in commands if (rank := _rank(command, words)) is not None]
    ranked.sort(key=lambda each: each[0])
    return [command for _, command in ranked[:MOST]]


def _rank(command: Command, words: Sequence[str]) -> int | None:
    """Return how far a command is from the words, 0 for the nearest; None if one of them is nowhere in it."""
    title = command.title.casefold()
    rest = f"{command.kind} {command.words}".casefold()
    rank = 0
    for word in words:
        if title.startswith(word):
            continue
        if f" {word}" in title:
            rank += 1
        elif word in title:
            rank += 2
        elif word in rest:
            rank += 3
        else:
            return None
    return rank
