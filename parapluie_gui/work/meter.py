"""How fast a job goes and how long it will take."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable

from parapluie_gui.work.events import Progress

#: Seconds over which the rate is averaged.
SPAN = 10.0

#: Seconds between two reports.
EVERY = 0.1


class Meter:
    """Counts scores; those found in a store count as done but not as speed.

    Args:
        total: All scores to come.
        clock: Returns the time in seconds.
        pairs: The pairs of each column; 0 where only the scores are counted.
    """

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic, *, pairs: int = 0) -> None:
        self._total, self._pairs = total, pairs
        self._columns: Counter[str] = Counter()
        self._clock = clock
        self._done = 0
        self._fresh = 0
        self._reported = -EVERY
        self._typical = True
        self._marks: deque[tuple[float, int]] = deque([(clock(), 0)])

    def begin(self, *, typical: bool = True) -> None:
        """Start the clock of a column: what came before (loading a model) says nothing of its speed.

        A `typical` column's speed tells how long the rest takes; a metric's does not before a language model.
        """
        self._marks = deque([(self._clock(), self._fresh)])
        self._typical = typical

    def count(self, job: int, scores: int, column: str, *, fresh: bool) -> Progress | None:
        """Count some scores; returns a report now and then, and always at the end."""
        now = self._clock()
        self._done += scores
        self._columns[column] += scores
        if fresh:
            self._fresh += scores
            self._marks.append((now, self._fresh))
            while len(self._marks) > 2 and now - self._marks[0][0] > SPAN:
                self._marks.popleft()
        if now - self._reported < EVERY and self._done < self._total:
            return None
        self._reported = now
        (since, before), (until, after) = self._marks[0], self._marks[-1]
        rate = (after - before) / (until - since) if until > since else 0.0
        remaining = (self._total - self._done) / rate if rate > 0 and self._typical else None
        pairs, done = self._pairs, self._columns[column]
        if not pairs:
            return Progress(job, self._done, self._total, rate, remaining, column)
        complete = sum(count >= pairs for name, count in self._columns.items() if name != column)
        steps = self._total // pairs
        return Progress(job, self._done, self._total, rate, remaining, column, done, pairs, complete + 1, steps)
