"""Measures the speed of a job and estimates its remaining time."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable

from parapluie_gui.work.events import JobProgress

#: Seconds over which the rate is averaged.
SPAN = 10.0

#: Seconds between two reports.
EVERY = 0.1


class ProgressMeter:
    """A counter of scores; stored scores count as done but do not affect the speed.

    Args:
        total: Number of scores of the job.
        clock: Returns the time in seconds.
        pairs: Number of pairs of a column; 0 if only scores are counted.
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
        """Start the clock of a column, so that the time for loading a model before it does not count.

        Args:
            typical: Whether the speed predicts the remaining time; a metric's speed does not if a language model
                follows.
        """
        self._marks = deque([(self._clock(), self._fresh)])
        self._typical = typical

    def count(self, job: int, scores: int, column: str, *, fresh: bool) -> JobProgress | None:
        """Count scores; return a report every EVERY seconds and at the end, otherwise None."""
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
            return JobProgress(job, self._done, self._total, rate, remaining, column)
        complete = sum(count >= pairs for name, count in self._columns.items() if name != column)
        steps = self._total // pairs
        return JobProgress(job, self._done, self._total, rate, remaining, column, done, pairs, complete + 1, steps)
